package jit

// Which values a register can have, as far as they follow from the thread index, the extents of a CTA and constants: enough
// to know of most accesses to shared memory that they are inside, so that nothing is tested. What is said holds for every
// lane that executes, whatever way it has come, since each definition of the register was looked at.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// span says that values are at least low, at most high and multiples of 1<<zeros, up to multiples of two to the power of
// their width. Where low is not negative and high fits, they are the values themselves.
type span struct {
	low, high int64
	zeros     int
	known     bool
}

// farSpan bounds what is kept: no sum or product of two spans overflows.
const farSpan = 1 << 31

// spans are those of what instructions make: found counts from 1 on by pc, -1 while one is being found.
type spans struct {
	found []int32
	list  []span
}

func oneSpan(v int64) span { return spanTo(v, v, bits.TrailingZeros64(uint64(v))) }

func spanTo(low, high int64, zeros int) span {
	return span{low, high, min(zeros, 31), low >= -farSpan && high < 2*farSpan}
}

// whole tells whether the values of a type are those themselves.
func (a span) whole(t typ) bool {
	return a.known && a.low >= 0 && (t == tX || a.high < 1<<32)
}

// meet is what two definitions have in common.
func (a span) meet(b span) span {
	s := spanTo(min(a.low, b.low), max(a.high, b.high), min(a.zeros, b.zeros))
	s.known = a.known && b.known
	return s
}

// spanAt finds the span of a register before an instruction: of the definition that is certain to be the last one, or of
// all that there are.
func (r *region) spanAt(pc int32, g ir.Reg) span {
	if from, ok := r.lastWriter(pc, g); ok {
		return r.madeSpan(from)
	}
	if r.live.entry.Has(int(g)) { // somebody may have left it
		return span{}
	}
	var s span
	for i, from := range r.live.uses.writers(g) {
		one := r.madeSpan(from)
		if i > 0 {
			one = one.meet(s)
		}
		if s = one; !s.known {
			break
		}
	}
	return s
}

// maxBack is through how many blocks the last definition is looked for.
const maxBack = 8

// lastWriter finds the instruction that has written a register for all lanes that come to a pc.
func (r *region) lastWriter(pc int32, g ir.Reg) (from int32, ok bool) {
	b := r.live.blockOf[pc]
	for range maxBack {
		blk := &r.f.Blocks[b]
		from = -1
		for _, at := range r.live.uses.writers(g) {
			if at >= blk.First && at < pc {
				from = at
			}
		}
		if from >= 0 {
			return from, r.insts[from].Guard == machine.NoGuard
		}
		if len(blk.Preds) != 1 {
			break
		}
		b = blk.Preds[0]
		pc = r.f.Blocks[b].End
	}
	return -1, false
}

// madeSpan is the span of what an instruction makes; nothing is known of what follows from itself.
func (r *region) madeSpan(pc int32) span {
	if r.spans.found == nil {
		r.spans.found = make([]int32, len(r.steps))
	}
	switch at := r.spans.found[pc]; {
	case at > 0:
		return r.spans.list[at-1]
	case at < 0:
		return span{}
	}
	r.spans.found[pc] = -1
	s := r.computedSpan(pc)
	r.spans.list = append(r.spans.list, s)
	r.spans.found[pc] = int32(len(r.spans.list))
	return s
}

func (r *region) computedSpan(pc int32) span {
	s := &r.steps[pc]
	if m := &s.op.Memory; s.op.Kind == sem.OpLoad && m.Elem < 4 && !m.Signed {
		return spanTo(0, 1<<(8*m.Elem)-1, 0)
	}
	if s.prog == nil || s.op.Kind != sem.OpLane && s.op.Kind != sem.OpSelect || s.dst.typ == tM || len(r.live.uses.writes(pc)) != 1 {
		return span{}
	}
	out := make([]span, len(s.prog.ops))
	for i, need := range needed(s.prog) {
		if !need {
			continue
		}
		if o := &s.prog.ops[i]; o.code == cIn {
			out[i] = r.sourceSpan(pc, &s.in[o.imm])
		} else {
			out[i] = s.prog.span(o, out)
		}
	}
	return out[s.prog.result]
}

// sourceSpan is the span of an operand.
func (r *region) sourceSpan(pc int32, src *source) span {
	switch {
	case src.typ == tM:
		return span{}
	case src.known:
		return constantSpan(src.typ, src.value)
	}
	for i := range r.code.Specials {
		if s := &r.code.Specials[i]; s.Off == src.off {
			return r.specialSpan(s)
		}
	}
	if g := r.sourceReg(pc, src); g != ir.NoReg {
		return r.spanAt(pc, g)
	}
	return span{}
}

// sourceReg is the register that an operand reads, as a row or as a slot; NoReg if that is not certain.
func (r *region) sourceReg(pc int32, src *source) ir.Reg {
	off := src.off
	if src.slot {
		off = noRow
		for i := range r.code.Scalars {
			if c := &r.code.Scalars[i]; c.Slot == src.off && c.Width != regs.Pred && c.LiveAt(pc) {
				off = c.Row
			}
		}
	}
	found := ir.NoReg
	for _, g := range r.live.uses.reads(pc) {
		if r.live.rowOf[g] == off && off != noRow && r.f.Regs[g].Bits > 1 {
			if found != ir.NoReg && found != g {
				return ir.NoReg
			}
			found = g
		}
	}
	return found
}

func constantSpan(t typ, v uint64) span {
	if t == tW {
		return oneSpan(int64(int32(v)))
	}
	return oneSpan(int64(v))
}

// tableSpan is the span of a value for each lane.
func tableSpan(t *[32]uint32) span {
	s := constantSpan(tW, uint64(t[0]))
	for _, v := range t {
		s = s.meet(constantSpan(tW, uint64(v)))
	}
	return s
}

// specialSpan is the span of a special register.
func (r *region) specialSpan(s *specials.Ref) span {
	sol, ok := decode.ClassesOf(r.code.Func)
	if !ok || s.Add != 0 {
		return span{}
	}
	shape := [...]int64{int64(sol.Shape.BlockX), int64(sol.Shape.BlockY), int64(sol.Shape.BlockZ)}
	switch {
	case s.Reg == laneID():
		return spanTo(0, 31, 0)
	case s.Reg == threadID() && s.Comp < 3:
		return spanTo(0, shape[s.Comp]-1, 0)
	case s.Reg == blockExtent() && s.Comp < 3:
		return oneSpan(shape[s.Comp])
	}
	return span{}
}

// span is that of the result of an operation.
func (p *program) span(o *operation, out []span) span {
	switch o.code {
	case cConst:
		return constantSpan(o.typ, o.imm)
	case cTable:
		return tableSpan(&p.tables[o.imm])
	}
	var a, b span
	if o.n > 0 {
		a = out[o.a]
	}
	if o.n > 1 {
		b = out[o.b]
	}
	switch o.code {
	case cSel:
		return b.meet(out[o.c])
	case cAnd:
		return p.masked(o, a, b)
	case cShrI:
		return a.shifted(p.typ(o.a), o.imm)
	case cSarI:
		if a.positive(p.typ(o.a)) {
			return a.shifted(p.typ(o.a), o.imm)
		}
	}
	if !a.known || o.n > 1 && !b.known {
		return span{}
	}
	from := p.typ(o.a)
	switch o.code {
	case cAdd:
		return spanTo(a.low+b.low, a.high+b.high, min(a.zeros, b.zeros))
	case cSub:
		return spanTo(a.low-b.high, a.high-b.low, min(a.zeros, b.zeros))
	case cShlI:
		return a.times(oneSpan(1 << min(o.imm, 31)))
	case cMul:
		return a.times(b)
	case cMulLU:
		if a.whole(tW) && b.whole(tW) {
			return a.times(b)
		}
	case cTrunc:
		return a
	case cZext:
		if a.whole(tW) {
			return a
		}
	case cSext:
		if a.low >= -1<<31 && a.high < 1<<31 {
			return a
		}
	case cOr, cXor:
		if a.whole(from) && b.whole(from) {
			return spanTo(0, 1<<bits.Len64(uint64(a.high|b.high))-1, min(a.zeros, b.zeros))
		}
	}
	return span{}
}

// shifted is the span of values shifted right, whatever they are.
func (a span) shifted(t typ, n uint64) span {
	if a.whole(t) {
		return spanTo(a.low>>n, a.high>>n, max(a.zeros-int(n), 0))
	}
	return spanTo(0, int64(^uint64(0)>>(64-t.bits())>>n), 0)
}

// masked is the span of a with the bits that a constant has, whatever a is.
func (p *program) masked(o *operation, a, b span) span {
	k, known := p.known(o.b)
	if !known {
		k, known = p.known(o.a)
		a = b
	}
	if !known || k >= 1<<31 {
		return span{}
	}
	zeros := bits.TrailingZeros64(k | 1<<31)
	if a.known {
		zeros = max(zeros, a.zeros)
	}
	return spanTo(0, int64(k), zeros)
}

// times is the span of a product.
func (a span) times(b span) span {
	if a.high >= farSpan || b.high >= farSpan {
		return span{}
	}
	w, x, y, z := a.low*b.low, a.low*b.high, a.high*b.low, a.high*b.high
	return spanTo(min(w, x, y, z), max(w, x, y, z), a.zeros+b.zeros)
}

// lies tells whether bytes [low, high) from the address register of an access on are certain to lie in the shared memory
// that every CTA has, for each lane that executes it, and the register to have multiples of align.
func (a *accessed) lies(low, high, align int64) bool {
	src := &a.src[0]
	if a.bound >= 0 || a.c.code.SharedBytes == 0 || a.m.By == sem.ByConst || src.known {
		return false
	}
	g := a.c.sourceReg(a.pc, src)
	if src.pat != nil {
		g = src.pat.reg
	}
	if g == ir.NoReg {
		return false
	}
	v, first := a.c.spanAt(a.pc, g), int64(a.c.code.SharedFirst)
	return v.whole(src.typ) && bits.TrailingZeros64(uint64(align)) <= v.zeros && v.low+low >= first && v.high+high <= first+int64(a.c.code.SharedBytes)
}

// certain tells whether n bytes at the address of each lane that executes an access are inside and aligned.
func (a *accessed) certain(n int64) bool {
	d, align := int64(a.in.Imm), max(int64(a.m.Align), 1)
	return d%align == 0 && a.lies(d, d+n, align)
}

// certain is the same of what has been found of the base of a run.
func (s *static) certain(v *cover) bool {
	if first := int64(s.acc.c.code.SharedFirst); s.acc.absolute() {
		return v.low >= first && v.high <= first+int64(s.acc.c.code.SharedBytes)
	}
	before, behind := s.stride.extents()
	return v.disp%s.align == 0 && s.acc.lies(v.low-before, v.high-behind, s.align)
}

// positive tells whether values of a type, as signed ones, are themselves and not below 0.
func (a span) positive(t typ) bool { return a.whole(t) && (t == tX || a.high < 1<<31) }
