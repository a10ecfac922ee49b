package ptxvm

// This file keeps what one launch of a kernel has in common with the next.

import (
	"context"
	"time"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// launchRoom is what a launch needs, kept for the next.
type launchRoom struct {
	params []byte
	output host.Output // of a device without one
	shape  Launch      // of the launch before, if that could be the next one with other arguments
	code   *decode.Program
	ready  *host.Launch // what is launched for that shape, if it has come twice; else nil
	other  host.Launch  // what is launched otherwise
}

// room returns memory for a launch, which gives it back by k.spare.Store.
func (k *Kernel) room() *launchRoom {
	if r := k.spare.Swap(nil); r != nil {
		clear(r.params)
		return r
	}
	return &launchRoom{params: make([]byte, k.fn.ParamBytes)}
}

// prepared describes a launch to the machine. A description that stays (host.Launch) is found in the room.
func (k *Kernel) prepared(ctx context.Context, l Launch, w Watch, room *launchRoom) (*host.Launch, error) {
	same := room.shape == l && w == (Watch{}) && k.program.d.observer == nil
	if same && room.ready != nil {
		return room.ready, nil
	}
	ml := &room.other
	room.ready, room.shape = nil, Launch{}
	if err := k.describe(ctx, l, w, room); err != nil {
		return nil, err
	}
	if ml.Observer == nil && ml.Trace == nil && ml.Progress == nil && w.Tensor == nil && k.program.stdout == nil {
		room.shape = l
		if same {
			ml = new(host.Launch)
			*ml = room.other
			ml.Output, ml.Stays, room.ready = &room.output, true, ml
		}
	}
	return ml, nil
}

// describe describes a launch in room.other.
func (k *Kernel) describe(ctx context.Context, l Launch, w Watch, room *launchRoom) (err error) {
	d, ml := k.program.d, &room.other
	if err := k.shape(l, ml); err != nil {
		return err
	}
	if ml.Observer = d.observer; ml.Observer != nil {
		ml.Wants = machine.WantsAll
	}
	k.sanitize(&ml.Launch)
	if ml.Trace, err = k.tracer(w.Trace, &ml.Launch); err != nil {
		return err
	}
	if room.code, err = k.decode(&ml.Launch); err != nil {
		return err
	}
	ml.Params, ml.Progress = room.params, d.progress()
	d.compiling(ml)
	return nil
}

// begin is some time before the first launch of the process.
var begin = time.Now()

// sinceBegin is the time that has passed since then. It is read from one clock, where time.Now reads two.
func sinceBegin() time.Duration { return time.Since(begin) }
