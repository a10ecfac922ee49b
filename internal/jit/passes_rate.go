package jit

// Numbers of loops in passes that are computed anew in each turn, from numbers that go on by the same: the address of an
// element whose index goes on. They go on by the same, too, as long as nothing wraps where 32 bits become 64, which is
// tested for the first turn and the last.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// rate is what a number goes on by in a turn: by, and scale times what is at a place.
type rate struct {
	by, scale int64
	at        x86.Mem // of a slot, or of a number that all lanes share
	wide      bool    // it has 64 bits
}

// number is where a number that all lanes share is.
func (s *source) number() x86.Mem {
	if s.pat != nil {
		return s.pat.number(0)
	}
	return x86.At(rRegs, int32(s.off))
}

func (r rate) fixed() bool { return r.scale == 0 }
func (r rate) zero() bool  { return r.scale == 0 && r.by == 0 }

// plain tells whether it is what a place of 64 bits has.
func (r rate) plain() bool { return r.scale == 1 && r.by == 0 && r.wide }

// near tells whether it can be computed by instructions with operands of 32 bits.
func (r rate) near() bool {
	return r.by == int64(int32(r.by)) && r.scale == int64(int32(r.scale))
}

func (r rate) times(k int64) rate {
	r.by, r.scale = r.by*k, r.scale*k
	return r
}

// plus is the sum of two, if they go by one place at most.
func (r rate) plus(s rate) (sum rate, ok bool) {
	switch {
	case s.scale == 0:
		s.at, s.wide = r.at, r.wide
	case r.scale == 0:
		r.at, r.wide = s.at, s.wide
	}
	ok = r.at == s.at && r.wide == s.wide
	r.by, r.scale = r.by+s.by, r.scale+s.scale
	return r, ok
}

// widening is a number of 32 bits that becomes one of 64, with how far lanes are from it.
type widening struct {
	src       source
	goes      rate
	signed    bool
	low, high int64
}

// reaches tells whether loads at a pc reach by a number what passes can say: tested by what it is at the first turn.
func (a *advance) reaches(pc int32, align int64) bool {
	switch {
	case a.anew:
		return pc > a.pc && (!a.fixed() || a.by%align == 0)
	case a.fixed():
		return a.by%align == 0
	}
	return pc < a.pc
}

// anew tells whether an instruction computes a number from others that go on, or stay, and notes it.
func (t *passes) anew(r *region, s *segment, pc int32) bool {
	step := &r.steps[pc]
	if !t.number(r, pc) || step.made == nil && !(step.dst.slot && step.prog.numbers()) {
		return false
	}
	goes, ok := t.follow(r, s, pc)
	if !ok || !goes.near() {
		return false
	}
	t.advances = append(t.advances, advance{pc: pc, s: step, rate: goes, anew: true})
	return true
}

// follow finds what the result of an instruction goes on by.
func (t *passes) follow(r *region, s *segment, pc int32) (goes rate, ok bool) {
	step := &r.steps[pc]
	p := step.prog
	out, lanes := make([]rate, len(p.ops)), []stride(nil)
	for i, need := range needed(p) {
		if !need {
			continue
		}
		if o := &p.ops[i]; o.code == cIn {
			out[i], ok = t.follows(r, s, pc, &step.full[o.imm])
		} else if out[i], ok = p.rate(o, out); ok && p.extends(val(i)) && !out[i].zero() {
			if lanes == nil {
				lanes, _ = r.follow(p, func(k int) stride { return r.given(&step.full[k]) })
			}
			ok = t.widen(step, o, out[i], lanes[o.a])
		}
		if !ok || !out[i].near() {
			return rate{}, false
		}
	}
	return out[p.result], true
}

// follows finds what an operand goes on by.
func (t *passes) follows(r *region, s *segment, pc int32, src *source) (goes rate, ok bool) {
	if a := t.goes(src); a != nil {
		return a.rate, a.anew == (a.pc < pc) // as it is before the turn, or what this one has made of it
	}
	if src.known {
		return rate{}, true
	}
	if src.pat == nil && !src.slot {
		return rate{}, r.specials[src.off].known()
	}
	for pc := s.first; pc < s.end; pc++ {
		other := &r.steps[pc]
		if src.slot && r.writesSlot(other, src.off) || src.pat != nil && (other.made == src.pat || other.loaded == src.pat) {
			return rate{}, false
		}
	}
	return rate{}, true
}

// rate finds what the result of an operation goes on by.
func (p *program) rate(o *operation, out []rate) (goes rate, ok bool) {
	switch o.code {
	case cAdd:
		return out[o.a].plus(out[o.b])
	case cSub:
		return out[o.a].plus(out[o.b].times(-1))
	case cShlI:
		return out[o.a].times(1 << min(o.imm, 32)), true
	case cSext, cZext:
		return out[o.a], true
	case cMul, cMulLU, cMulLS:
		if o.code != cMul && !(p.halves(o.a, o.code) && p.halves(o.b, o.code)) {
			break
		}
		if k, known := p.known(o.b); known {
			return out[o.a].times(o.typ.wrapped(int64(k))), true
		}
		if k, known := p.known(o.a); known {
			return out[o.b].times(o.typ.wrapped(int64(k))), true
		}
	}
	return rate{}, !slices.ContainsFunc(o.args(), func(a val) bool { return !out[a].zero() })
}

// widen notes an extension of an operand that goes on.
func (t *passes) widen(step *step, o *operation, goes rate, lanes stride) bool {
	in := &step.prog.ops[o.a]
	if in.code != cIn {
		return false
	}
	src := &step.full[in.imm]
	w := widening{src: *src, goes: goes, signed: o.code == cSext}
	if made := step.made; made != nil {
		if src.pat != nil && src.pat.n() != made.n() {
			return false
		}
		w.low, w.high = lanes.within(made.w).extents()
	}
	t.widens = append(t.widens, w)
	return true
}

// rateAt is where what a number goes on by is, if it is not fixed.
func (k *turning) rateAt(r rate) x86.Mem {
	if r.plain() {
		return r.at
	}
	return x86.At(rCtx, saveRow+8*int32(1+slices.Index(k.computed, r)))
}

// maxRates is how many of them are computed.
const maxRates = 16

// rates computes what numbers go on by that is at no place.
func (k *turning) rates() {
	for _, r := range k.computed {
		if r.wide {
			k.c.RM(x86.MOV, x86.S64, x86.RAX, r.at)
		} else {
			k.c.RM(x86.MOVSXD, x86.S64, x86.RAX, r.at)
		}
		if r.scale != 1 {
			k.c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, int32(r.scale))
		}
		if r.by != 0 {
			k.c.RI(x86.ADD, x86.S64, x86.RAX, int32(r.by))
		}
		k.c.MR(x86.MOV, x86.S64, k.rateAt(r), x86.RAX)
	}
}

// needRates finds what has to be computed; false if there is too much.
func (k *turning) needRates() bool {
	for i := range k.t.advances {
		if r := k.t.advances[i].rate; !r.fixed() && !r.plain() && !slices.Contains(k.computed, r) {
			k.computed = append(k.computed, r)
		}
	}
	return len(k.computed) <= maxRates
}

// divide leaves in RCX how often a counter is certain to compare alike, or goes to other; one that is RBX further on if it
// is far. All of it has 32 bits, so that nothing wraps in 64.
func (k *turning) divide(far bool, other x86.Label) {
	n := &k.t.counter
	if n.fixed() {
		k.c.MovImm(x86.R8, uint64(n.by))
	} else {
		k.c.RM(x86.MOV, x86.S64, x86.R8, k.rateAt(n.rate))
		k.c.RR(x86.TEST, x86.S64, x86.R8, x86.R8)
		k.c.Jcc(x86.LE, other)
	}
	k.operand32(x86.RAX, n.v, n.signed)
	k.c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtIndex(x86.RAX, x86.R8, 1, int32(n.high)))
	if far {
		k.c.RR(x86.ADD, x86.S64, x86.RAX, x86.RBX)
	}
	k.operand32(x86.RCX, n.b, n.signed)
	k.c.RR(x86.SUB, x86.S64, x86.RCX, x86.RAX)
	k.c.Jcc(x86.L, other)
	last := int32(-1)
	if n.cond == x86.LE || n.cond == x86.BE {
		last = 0
	}
	k.c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtIndex(x86.RCX, x86.R8, 1, last))
	k.c.Zero(x86.RDX)
	k.c.R(x86.DIV, x86.S64, x86.R8)
	k.c.RR(x86.MOV, x86.S64, x86.RCX, x86.RAX)
}

// again computes numbers as they are in the first turn, and goes to other if one wraps in any.
func (k *turning) again(other x86.Label) {
	k.anew(other)
	if len(k.t.widens) > 0 {
		k.toLast()
	}
	k.eachWidening(func(w *widening, run int) { k.widens(w, run, other) })
}

// anew computes numbers as they are in the first turn, and goes to other if one wraps there.
func (k *turning) anew(other x86.Label) {
	for i := range k.t.advances {
		switch a := &k.t.advances[i]; {
		case !a.anew:
		case a.s.made != nil:
			k.c.makeNumbers(a.s, other)
		default:
			k.c.slotNumbers(a.s)
		}
	}
}

// eachWidening visits the numbers that are extended.
func (k *turning) eachWidening(visit func(w *widening, run int)) {
	for i := range k.t.widens {
		w := &k.t.widens[i]
		runs := 1
		if w.src.pat != nil {
			runs = w.src.pat.n()
		}
		for run := range runs {
			visit(w, run)
		}
	}
}

// toLast loads how many turns the last one is behind the first, into R9.
func (k *turning) toLast() {
	k.c.RM(x86.MOV, x86.S64, x86.R9, turnsLeft)
	k.c.RI(x86.SUB, x86.S64, x86.R9, 1)
}

// widens goes to other if a number does not fit 32 bits for some lane in the last turn.
func (k *turning) widens(w *widening, run int, other x86.Label) {
	op, size := x86.MOVSXD, x86.S64
	if !w.signed {
		op, size = x86.MOV, x86.S32
	}
	k.c.RM(op, size, x86.RAX, k.number(&w.src, run))
	k.goOn(w.goes, other)
	k.fits(w, op, size, other)
}

// fits goes to other if a number in RAX does not fit 32 bits for some lane.
func (k *turning) fits(w *widening, op x86.Op, size x86.Size, other x86.Label) {
	for _, far := range []int64{w.low, w.high} {
		if far != int64(int32(far)) {
			k.c.Jmp(other)
			return
		}
		k.c.RM(x86.LEA, x86.S64, x86.R8, x86.At(x86.RAX, int32(far)))
		k.c.RR(op, size, x86.R10, x86.R8)
		k.c.RR(x86.CMP, x86.S64, x86.R10, x86.R8)
		k.c.Jcc(x86.NE, other)
	}
}

// goOn makes of RAX, which has a number at the first turn, the one at the last, R9 turns later, or goes to other.
func (k *turning) goOn(r rate, other x86.Label) {
	k.ahead(x86.R10, r, x86.R9)
	k.c.Jcc(x86.O, other)
	k.c.RR(x86.ADD, x86.S64, x86.RAX, x86.R10)
	k.c.Jcc(x86.O, other)
}

// ahead computes what a number goes on by in some turns, and sets the flag of overflow.
func (k *turning) ahead(to x86.Reg, r rate, turns x86.Reg) {
	if r.fixed() {
		k.c.RRI(x86.IMUL, x86.S64, to, turns, int32(r.by))
		return
	}
	k.c.RM(x86.MOV, x86.S64, to, k.rateAt(r))
	k.c.RR(x86.IMUL, x86.S64, to, turns)
}
