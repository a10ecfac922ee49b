package machine

// This file is where a debugger stands between the warp instructions of a launch. Only the handlers of code that Stepped has
// wrapped look here.

import (
	"math"
	"slices"
	"sync/atomic"
)

// Moments lets a debugger look at a launch of one worker between any two warp instructions. A moment is a number: how many warp
// instructions the launch has executed. With the seed and everything else the same, the launch is in the same state at the same
// moment of every run.
type Moments struct {
	// At is called by the launch, which waits meanwhile: at each moment from Until on, at marked instructions (Code.Mark), and once
	// after Interrupt. It may change Until and what the launch has in registers and memory. An error ends the launch with it.
	At    func(*Pause) error
	Until uint64
	Flush func() // writes out what the kernel has printed so far; set by who runs the launch, may be nil

	now       uint64
	interrupt atomic.Bool
	over      bool
	running   *Cluster
	clusters  []*Cluster // that have executed something; of one that has ended no CTAs are left
}

// Interrupt makes the launch call At at the next moment, from any goroutine.
func (m *Moments) Interrupt() { m.interrupt.Store(true) }

// Never is an Until that does not come.
const Never = math.MaxUint64

// Now is how many warp instructions the launch has begun: behind its end, how many there were.
func (m *Moments) Now() uint64 { return m.now }

// Pause is a launch that waits at a moment, before an instruction of one of its warps. It is valid until At returns.
type Pause struct {
	Moment      uint64
	Warp        *Warp
	PC          int32  // in the running frame
	Lanes       uint32 // that will execute the instruction; 0: its guard holds in no lane
	Active      uint32 // that stand there
	Interrupted bool   // Interrupt was called

	moments *Moments
}

// Stepped wraps a decoded instruction for launches with Moments.
func Stepped(in *Inst) {
	in.Flags |= TellsSkips
	in.Full, in.Part = stepping(in.Full), stepping(in.Part)
}

func stepping(inner Handler) Handler {
	return func(w *Warp, in *Inst) State {
		if m := w.cta.grid.Moments; m != nil && !m.passes(w, in, w.Mask) {
			return Faulted
		}
		return inner(w, in)
	}
}

// passes counts an instruction that is about to be executed, and shows the launch to At where that is asked for; false if the
// launch is to end.
func (m *Moments) passes(w *Warp, in *Inst, lanes uint32) bool {
	n := m.now
	m.now++
	if w.cta.cluster != m.running {
		m.enter(w.cta.cluster)
	}
	if n < m.Until && in.Flags&Marked == 0 && !m.interrupt.Load() {
		return true
	}
	return m.show(w, in, lanes, n)
}

// enter remembers a cluster.
func (m *Moments) enter(cl *Cluster) {
	if m.running = cl; !slices.Contains(m.clusters, cl) {
		m.clusters = append(m.clusters, cl)
	}
}

func (m *Moments) show(w *Warp, in *Inst, lanes uint32, n uint64) bool {
	if m.over {
		return false
	}
	p := &Pause{Moment: n, Warp: w, PC: w.PC(in), Lanes: lanes, Active: w.frag.mask, Interrupted: m.interrupt.Swap(false), moments: m}
	if err := m.At(p); err != nil {
		m.over, m.Until = true, 0
		w.cta.grid.Fail(err)
		return false
	}
	return true
}

// Mark makes launches with Moments stop wherever a warp comes to an instruction, in code of one such launch; off takes it back.
func (c *Code) Mark(pc int32, on bool) {
	for _, insts := range [][]Inst{c.Insts, c.Split} {
		switch {
		case int(pc) >= len(insts):
		case on:
			insts[pc].Flags |= Marked
		default:
			insts[pc].Flags &^= Marked
		}
	}
}
