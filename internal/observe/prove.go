package observe

// This file lets instructions take part in the proof that a loop never ends (machine.Proof).

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// proving are the effects of instructions that may stand in such a loop: what they store, if anything, is compared with what
// was there. provingWhole are those that depend on the other lanes of the warp.
const (
	proving      = isa.Reads | isa.Writes | isa.Faults | isa.Syncs | isa.FencesProxy | isa.Branches | isa.Hints
	provingWhole = isa.CrossLane | isa.Masked
)

// Prove marks a decoded instruction that tells a proof what it does, and wraps its handlers where it touches memory.
func Prove(b *sem.Build) {
	e := &b.Sel.Entry.Effects
	sleeps := e.Bits == isa.Blocks // for a while, or for nothing: its state says so
	if e.Has(^(proving | provingWhole)) && !sleeps {
		return
	}
	o := newWatch(b)
	if len(o.touches) == 0 && e.Has(isa.Reads|isa.Writes) {
		return // of no address that is known here
	}
	for _, t := range o.touches {
		if t.size != nil || t.once || t.many {
			return
		}
	}
	b.Out.Flags |= machine.Proving
	if e.Has(provingWhole) {
		b.Out.Flags |= machine.ProvingWhole
	}
	if len(o.touches) != 0 {
		b.Out.Full, b.Out.Part = o.prove(b.Out.Full), o.prove(b.Out.Part)
	}
}

// prove tells a proof of the accesses.
func (o *watch) prove(inner machine.Handler) machine.Handler {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		p := w.Proof()
		if p == nil {
			return inner(w, in)
		}
		for i := range o.touches {
			var addr [32]uint64
			o.touches[i].addresses(w, &addr)
			p.Touch(w, in, &o.touches[i].Event, &addr)
		}
		st := inner(w, in)
		p.Settle()
		return st
	}
}
