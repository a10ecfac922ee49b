package main

// This file finds the moments of what went wrong in a run: how many warp instructions the launch had executed before, as the debugger
// counts them. Fast code counts nothing; the launch runs again as a debugger runs it.

import (
	"context"
	"errors"
	"io"

	"ptxvm.invalid/ptxvm"
)

// mostMoments bounds how far a launch runs again to find moments: about 0.1 s. Of longer ones debug --at fault finds them.
const mostMoments = 1 << 20

// moments gives a fault, a deadlock and reports of a run their moments, where the run again has them, too.
func (set *runSet) moments(ctx context.Context, s streams, r *runReport, end error) {
	f, found := set.launches[0], r.reports.all()
	var fault *ptxvm.Fault
	var deadlock *ptxvm.DeadlockError
	stopped := end != nil && !errors.As(end, &fault) && !errors.As(end, &deadlock)
	if stopped || end == nil && len(found) == 0 || len(set.launches) != 1 || f.devices > 1 || f.keepGoing || r.modules == nil || ctx.Err() != nil {
		return
	}
	again := &debugFlags{runFlags: *f.clone()}
	again.unshown()
	s.out, s.err, s.modules = io.Discard, io.Discard, r.modules
	target, err := again.target(ctx, s, []*runFlags{&again.runFlags}, set.files)
	if err != nil {
		return // what cannot run again, such as data from a pipe, has no moment
	}
	if course, err := target.Follow(ctx, mostMoments); err == nil {
		course.Tell(end, found)
	}
}
