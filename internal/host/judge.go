package host

// This file looks whether a launch can ever end (machine.Core.Livelocked), where it wants to know of misuse.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
)

// firstJudgement is how many times clusters have given way to each other before the first look whether any of them can ever
// end; then twice as many. Where clusters have run on and on so often, one worker goes on with all of them: others could not be
// looked at while they run.
const firstJudgement, patience = 1 << 8, 8

// judge is Judge for clusters that have been parked.
func (wk *worker) judge(g *grid) {
	if g.Wants&events.WantsLoops == 0 {
		return
	}
	s := &g.sched
	n := s.parked.Add(1)
	if n < firstJudgement || n&(n-1) != 0 {
		return
	}
	if wk.wantsAlone(g); s.sole.Load() != int32(wk.index)+1 {
		return
	}
	s.mu.Lock()
	all := s.queue
	whole := !s.left() && s.taken.Load() == 0 && s.resident.Load() == int64(len(all))
	if whole {
		s.queue = nil
	}
	s.mu.Unlock()
	if !whole {
		return
	}
	wk.core.Livelocked(all)
	s.mu.Lock()
	s.queue = append(all, s.queue...)
	s.mu.Unlock()
}

// Judge implements machine.Host.
func (wk *worker) Judge(cl *machine.Cluster) bool {
	if wk.Last() {
		return wk.core.Livelocked([]*machine.Cluster{cl})
	}
	wk.wantsAlone(wk.grid)
	return false
}

// wantsAlone lets the worker go on alone, if it is the only one or has had to wait long enough for that.
func (wk *worker) wantsAlone(g *grid) {
	s := &g.sched
	if s.judged.Add(1) >= patience || len(g.helpers.list) == 0 {
		s.sole.CompareAndSwap(0, int32(wk.index)+1)
	}
}

// leaves reports whether a worker is to leave the clusters to another one.
func (s *schedule) leaves(worker int) bool {
	sole := s.sole.Load()
	return sole != 0 && sole != int32(worker)+1
}
