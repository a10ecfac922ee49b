package flow

// This file holds the rules of unwritten bits.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/uop"
)

const (
	all   = ^uint64(0)
	guard = "a guard" // what decides
)

// decide reports lanes whose guard, address or mask is made of unwritten bits. What was reported counts as written.
func (e *Engine) decide(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, fr *frame) {
	if f.Acts && f.Guard.Words != 0 {
		e.decides(w, in, f.Guard, w.Active(), fr, guard)
	}
	if m := f.Mem; m != nil && m.Base.Words != 0 {
		e.decides(w, in, m.Base, w.Mask, fr, "an address")
	}
	for _, r := range f.Decides {
		e.decides(w, in, r, w.Mask, fr, "an operand that decides")
	}
}

func (e *Engine) decides(w *machine.Warp, in *machine.Inst, r regs.Shadowed, lanes uint32, fr *frame, what string) {
	words := w.P(r.Words)
	if dirty := *words & lanes; dirty != 0 {
		*words &^= dirty
		e.report(w, in, dirty, what, fr.origins[r.Words])
	}
}

// poison finds the unwritten bits of the results before the instruction runs.
func (e *Engine) poison(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, fr *frame, addr *[32]uint64) {
	switch f.Rule {
	case dataflow.FlowLoad:
		e.loaded(w, in, f.Mem, ws, addr)
		return
	case dataflow.FlowAtomic:
		e.updated(w, in, f, ws, fr, addr)
		return
	case dataflow.FlowNew, dataflow.FlowStore, dataflow.FlowRuntime:
		return
	}
	dirty, from := e.dirty(w, f, fr)
	switch {
	case dirty == 0 && f.Rule != dataflow.FlowShuffle || len(f.Dst) == 0:
		return
	case f.Rule == dataflow.FlowShuffle:
		shuffled(w, in, f, ws, fr)
		return
	}
	for m := dirty; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		mixed(w, f, ws.out.of, lane, from)
	}
}

// dirty is the executing lanes in which a source has unwritten bits, and where the first such source has them from.
func (e *Engine) dirty(w *machine.Warp, f *dataflow.Flow, fr *frame) (lanes uint32, from *origin) {
	add := func(r regs.Shadowed) {
		if r.Words == 0 {
			return
		}
		if d := *w.P(r.Words) & w.Mask; d != 0 {
			if lanes |= d; from == nil {
				from = fr.origins[r.Words]
			}
		}
	}
	for i := range f.Args {
		add(f.Args[i].Shadowed)
	}
	if f.With != nil {
		add(f.With.Shadowed)
	}
	if f.Guard.Words != 0 && !f.Acts {
		add(f.Guard)
	}
	return lanes, from
}

// mixed finds the results of one lane.
func mixed(w *machine.Warp, f *dataflow.Flow, out []result, lane int, from *origin) {
	var x, p [4]uint64
	for i := range min(len(f.Args), 4) {
		a := &f.Args[i]
		x[i] = value(w, a, lane)
		if p[i] = poisonOf(w, a.Shadowed, lane); !a.Pred {
			p[i] &= a.Mask
		}
	}
	if f.Guard.Words != 0 && poisonOf(w, f.Guard, lane) != 0 && !f.Acts {
		for k := range f.Dst {
			out[k].spoil(lane, all, from)
		}
		return
	}
	n := len(f.Args)
	switch f.Rule {
	case dataflow.FlowUnpack:
		for k := range f.Dst {
			out[k].spoil(lane, p[0]>>(uint32(k)*f.Elem)&(1<<f.Elem-1), from)
		}
	case dataflow.FlowPieces:
		pieces(f, &p, out, lane, from)
	case dataflow.FlowEqual, dataflow.FlowOrder, dataflow.FlowTest:
		t, tp := compared(f, &x, &p)
		c, cp := false, false
		if f.With != nil {
			c, cp = value(w, f.With, lane) != 0, poisonOf(w, f.With.Shadowed, lane) != 0
		}
		if combined(f.Word, t, tp, c, cp) {
			out[0].spoil(lane, all, from)
		}
		if len(f.Dst) > 1 && combined(f.Word, !t, tp, c, cp) {
			out[1].spoil(lane, all, from)
		}
	case dataflow.FlowLogic:
		if combined(f.Word, x[0] != 0, p[0] != 0, x[1] != 0, p[1] != 0) {
			out[0].spoil(lane, all, from)
		}
	default:
		bits := one(f, &x, &p, n)
		for k := range f.Dst {
			out[k].spoil(lane, bits, from)
		}
	}
}

// pieces moves unwritten bits from sources, end to end, to results that are as wide, half as wide or twice as wide.
func pieces(f *dataflow.Flow, p *[4]uint64, out []result, lane int, from *origin) {
	wide := f.Elem * uint32(len(f.Args)) / uint32(len(f.Dst))
	for k := range uint32(len(f.Dst)) {
		if wide > f.Elem {
			out[k].spoil(lane, p[2*k]|p[2*k+1]<<f.Elem, from)
			continue
		}
		at := k * wide
		out[k].spoil(lane, p[at/f.Elem]>>(at%f.Elem)&(all>>(64-wide)), from)
	}
}

// one is the unwritten bits of the result of a rule with one result.
func one(f *dataflow.Flow, x, p *[4]uint64, n int) uint64 {
	switch f.Rule {
	case dataflow.FlowBitwise:
		return bitwise(f.Fn, x, p, n)
	case dataflow.FlowLinear:
		y := *x
		for i := range n {
			switch {
			case f.Args[i].Data:
				y[i] = p[i]
			case p[i] != 0:
				return all
			}
		}
		return f.Fn(&y)
	case dataflow.FlowSelect:
		switch {
		case p[2] != 0:
			return x[0] ^ x[1] | p[0] | p[1]
		case x[2] != 0:
			return p[0]
		}
		return p[1]
	case dataflow.FlowCarry:
		return byElement(p[0]|p[1]|p[2]|p[3], f.Elem, func(e uint64) uint64 { return -(e & -e) })
	}
	return byElement(p[0]|p[1]|p[2]|p[3], f.Elem, func(uint64) uint64 { return all })
}

// bitwise is the bits of a function of single bits that differ if unwritten ones do.
func bitwise(fn func(*[4]uint64) uint64, x, p *[4]uint64, n int) (out uint64) {
	base := fn(x)
	for set := 1; set < 1<<n; set++ {
		y := *x
		for i := range n {
			if set>>i&1 != 0 {
				y[i] ^= p[i]
			}
		}
		out |= base ^ fn(&y)
	}
	return out
}

// byElement applies a rule to each element of a word that has unwritten bits.
func byElement(p uint64, elem uint32, rule func(uint64) uint64) (out uint64) {
	if elem >= 64 {
		if p == 0 {
			return 0
		}
		return rule(p)
	}
	low := uint64(1)<<elem - 1
	for at := uint32(0); at < 64; at += elem {
		if e := p >> at & low; e != 0 {
			out |= (rule(e) & low) << at
		}
	}
	return out
}

// compared tells how a comparison comes out, and whether that depends on unwritten bits.
func compared(f *dataflow.Flow, x, p *[4]uint64) (t, unwritten bool) {
	if t = f.Fn != nil && f.Fn(x) != 0; p[0]|p[1] == 0 {
		return t, false
	}
	width := f.Args[0].Mask
	switch f.Rule {
	case dataflow.FlowEqual:
		return t, (x[0]^x[1])&^(p[0]|p[1])&width == 0
	case dataflow.FlowOrder:
		sign := uint64(0)
		if f.Signed {
			sign = width &^ (width >> 1)
		}
		least := func(i int) uint64 { return x[i]&^p[i] | p[i]&sign }
		most := func(i int) uint64 { return (x[i] | p[i]) &^ (p[i] & sign) }
		a := f.Fn(&[4]uint64{least(0), most(1)})
		b := f.Fn(&[4]uint64{most(0), least(1)})
		return t, a != b
	}
	return t, true
}

// combined reports whether a combination of two predicates depends on unwritten ones.
func combined(op uop.WordOp, t, tp, c, cp bool) bool {
	switch op {
	case uop.WordAnd:
		return tp && (c || cp) || cp && (t || tp)
	case uop.WordOr:
		return tp && (!c || cp) || cp && (!t || tp)
	case uop.WordXor:
		return tp || cp
	}
	return tp
}

// shuffled finds what lanes get from each other, where all that stand here take part at once.
func shuffled(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, fr *frame) {
	if w.Resuming() || w.Mask != w.Live {
		return
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		from, ok := f.Shuffle(w, in, lane)
		if !ok || w.Mask>>(from&31)&1 == 0 {
			from = lane
		}
		ws.out.of[0].spoil(lane, poisonOf(w, f.Args[0].Shadowed, from&31), fr.origins[f.Args[0].Words])
	}
}

// settle writes the unwritten bits of the results, and of stored values.
func (e *Engine) settle(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, fr *frame, lanes uint32, addr *[32]uint64) {
	for k, d := range destinations(f) {
		if d.Words != 0 {
			ws.out.of[k].put(w, d, lanes, fr)
		}
	}
	if f.Returns != 0 {
		off := uint64(w.ParamBase() + f.Returns - 1)
		for m := lanes; m != 0; m &= m - 1 {
			at := uint64(bits.TrailingZeros32(m)&31)<<localBits | off
			ws.local.page(at/pageSize).store(at%pageSize, uint64(f.Bytes), 0, nil)
		}
	}
	if f.Rule == dataflow.FlowStore || f.Rule == dataflow.FlowAtomic {
		e.store(w, in, f, ws, fr, lanes, addr)
	}
}
