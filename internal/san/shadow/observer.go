// Package shadow holds what was written to memory, and how: for reads of what nothing has written, and for data that crosses without
// a fence from one proxy to another, or from warp to warp in tensor memory.
//
//	Init   reads of shared and global memory that was never written; InitTensor: of tensor memory
//	Async  data that crosses from the generic to the async proxy without a fence
//	TensorFences  tensor memory that crosses from warp to warp without a fence; with Async
//	Overwrites    data that the async proxy overwrites though the generic one has read it, without a fence; with Async
//
// A CTA's shadow (cta) is by byte of shared memory and by cell of tensor memory; that of global
// memory (Memory) belongs to the device, because data outlives launches.
package shadow

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san/clusters"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// Checks is what to look for.
type Checks uint8

// The checks.
const (
	Init Checks = 1 << iota
	InitTensor
	Async
	TensorFences
	Overwrites
)

// Config is what an observer looks for, and who is told.
type Config struct {
	Checks   Checks
	Global   *Memory // may be nil
	Reporter found.Reporter
}

// Observer observes one launch.
type Observer struct {
	Config

	running clusters.Table[cluster]
	spare   sync.Pool // of CTAs
	heap    sync.Map  // what this launch has allocated: address → *machine.Place
}

// New returns an observer.
func New(c Config) *Observer { return &Observer{Config: c} }

// Observe implements machine.Observer.
func (s *Observer) Observe(e *machine.Event) {
	if e.What == events.CTABegin {
		s.begin(e)
		return
	}
	c := s.running.Of(e.Cluster)
	switch e.What {
	case events.CTAEnd:
		c.end(e)
	case events.Touch:
		c.touch(e)
	case events.Allocated, events.Freed:
		c.allocate(e)
	default:
		if s.Checks&Async != 0 {
			c.synchronise(e)
		}
	}
}

// synchronise notes what orders accesses.
func (s *cluster) synchronise(e *machine.Event) {
	switch e.What {
	case events.BarrierDone:
		s.barrierDone(e)
	case events.Acquire:
		s.acquire(e)
	case events.ProxyFence:
		s.fence(e)
	case events.TensorFence:
		s.tensorFence(e)
	}
}

// allocate makes tensor memory or a piece of the heap new, or unowned.
func (s *cluster) allocate(e *machine.Event) {
	switch x := e.Extent; {
	case x.Space == machine.Tensor:
		if c := s.owner(e, *x); c != nil {
			c.allocate(e)
		}
	case e.What == events.Allocated:
		place := e.Place(e.Lanes)
		s.heap.Store(x.From, &place)
		s.Global.Track(x.From, x.To-x.From)
	default:
		s.heap.Delete(x.From)
		s.Global.Drop(x.From)
	}
}

// owner is the CTA whose memory an extent is, nil if there is no such memory: addresses come before
// they are checked, and the machine has its own word on them.
func (s *cluster) owner(e *machine.Event, x machine.Extent) *cta {
	index, ok := e.On.Mate(x.CTA)
	if !ok || x.Space == machine.Shared && x.To > mem.MaxShared {
		return nil
	}
	return s.cta(index)
}

// touch checks one access and notes what it writes.
func (s *cluster) touch(e *machine.Event) {
	if s.Checks&Async != 0 && e.Order != model.Weak {
		defer s.acquire(e)
	}
	if s.plain(e) {
		return
	}
	var unwritten, unfenced, overwritten, before, after fault
	e.Extents(func(lane int, x machine.Extent) {
		switch x.Space {
		case machine.Shared, machine.Tensor:
			c := s.owner(e, x)
			if c == nil {
				return
			}
			if s.Checks&initOf(x.Space) != 0 && !c.written(e.Kind, x) {
				unwritten.lane(lane, x, e)
			}
			if s.Checks&Async != 0 && x.Space == machine.Shared {
				if w := s.cross(c, e, lane, x); w != nil && unfenced.lane(lane, x, e) {
					unfenced.op = w
				}
				if s.Checks&Overwrites != 0 {
					if r := s.overwrites(c, e, lane, x); r != nil && overwritten.lane(lane, x, e) {
						overwritten.op = r
					}
				}
			}
			if x.Space == machine.Tensor {
				unwritten.op = c.allocation(x)
				if s.Checks&TensorFences != 0 {
					s.unordered(c, e, x, &before, &after)
				}
			}
		case machine.Global:
			if s.Checks&Init == 0 || s.Global == nil {
				return
			}
			if start, ok := s.Global.touched(e.Kind, x.From, x.To); !ok && unwritten.lane(lane, x, e) {
				unwritten.op = s.gave(start)
			}
		}
	})
	s.blame(e, found.NeverWritten, &unwritten)
	s.blame(e, found.NoProxyFence, &unfenced)
	s.blame(e, found.NoFenceOverwritten, &overwritten)
	s.blame(e, found.NoFenceBefore, &before)
	s.blame(e, found.NoFenceAfter, &after)
}

// initOf is the check of reads of a space.
func initOf(s machine.Space) Checks {
	if s == machine.Tensor {
		return InitTensor
	}
	return Init
}

// plain deals with most accesses at once: neighbouring bytes, nothing wrong.
func (s *cluster) plain(e *machine.Event) bool {
	switch {
	case e.Extent != nil:
		return false
	case e.Space == machine.Param, e.Space == machine.Const, e.Space == machine.Local:
		return true // always written, or never looked at
	case s.Checks&Init == 0 && e.Space == machine.Global:
		return true
	}
	x, ok := e.Dense()
	switch {
	case !ok || e.Kind == machine.Atomic || s.Checks&Async != 0 && x.Space == machine.Shared:
		return false
	case s.Checks&Init == 0:
		return true
	case x.Space == machine.Shared:
		c := s.owner(e, x)
		return c != nil && c.written(e.Kind, x)
	case s.Global != nil:
		_, ok = s.Global.touched(e.Kind, x.From, x.To)
	}
	return ok
}

// fault is the lanes of an event that do the same wrong thing, with the extent of the first.
type fault struct {
	lanes  uint32
	extent machine.Extent
	op     *machine.Place
}

// lane adds a lane; it tells whether it is the first.
func (f *fault) lane(lane int, x machine.Extent, e *machine.Event) bool {
	firstOne := f.lanes == 0
	if firstOne {
		f.extent = x
	}
	if f.lanes |= 1 << (lane & 31); lane < 0 {
		f.lanes = e.Lanes
	}
	return firstOne
}

func (s *Observer) blame(e *machine.Event, kind found.Kind, f *fault) {
	if f.lanes == 0 {
		return
	}
	r := &found.Report{Kind: kind, Extent: f.extent, Then: e.Place(f.lanes)}
	if f.op != nil {
		r.Op = *f.op
	}
	s.Reporter.Report(r)
}

// gave says which instruction has allocated what starts at an address, nil if none has.
func (s *Observer) gave(start uint64) *machine.Place {
	p, _ := s.heap.Load(start)
	at, _ := p.(*machine.Place)
	return at
}
