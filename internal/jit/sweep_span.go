package jit

// Spans: the sweep of several CTAs at once. Where the index goes on from the last warp of a CTA to the first of the
// next as it does from warp to warp (ctaid·ntid + tid), all warps of CTAs that follow each other in a row of the grid
// are one loop, with one test for all.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// A span has at most so many CTAs, and so many instructions of warps: compiled code returns between two spans only.
const (
	maxSpan      = 16
	maxSpanSteps = 8192
)

// sweepSpan finds which values of a sweep go on from CTA to CTA, and how.
type sweepSpan struct {
	*region
	w        *sweep
	specials map[uint32]drift
	slots    map[uint32]drift
	pats     map[*pattern]drift
}

// drift is what is known of a value of the first warp of a CTA: by how much it differs in the next CTA, and what it is
// if that is known.
type drift struct {
	step  int64
	value uint64
	known bool // the value
}

// findSpan makes a sweep of several CTAs of one; nil if that is not possible.
func (r *region) findSpan() *sweep {
	if !r.allows(Spans) {
		return nil
	}
	w := r.swept
	ctas := min(maxSpan, maxSpanSteps/(int(w.warps)*len(w.spine)))
	if ctas < 2 {
		return nil
	}
	wide := *w
	wide.warps, wide.ctas = w.warps*int32(ctas), int32(ctas)
	sp := &sweepSpan{region: r, w: w, specials: map[uint32]drift{}, slots: map[uint32]drift{}, pats: map[*pattern]drift{}}
	sol, _ := decode.ClassesOf(r.code.Func)
	shape := sol.Shape
	for i := range r.code.Specials {
		sp.special(&r.code.Specials[i], shape)
	}
	for i := range w.spine {
		if at := &w.spine[i]; !sp.follows(at) || r.steps[at.pc].decided != nil && !wide.decides(r.steps[at.pc].decided) {
			return nil
		}
	}
	return &wide
}

// special notes how a special register goes on along a row of the grid; it is missing if nothing is known.
func (sp *sweepSpan) special(s *specials.Ref, shape ir.LaunchShape) {
	extents := [...]int32{shape.BlockX, shape.BlockY, shape.BlockZ}
	switch part, cta := s.CTAPart(); {
	case s.Reg == blockExtent() && s.Comp < 3:
		sp.specials[s.Off] = drift{value: uint64(extents[s.Comp]) + s.Add, known: true}
	case cta && part == 0:
		sp.specials[s.Off] = drift{step: 1}
	case !cta || part < 3:
		sp.specials[s.Off] = drift{}
	}
}

// follows finds how what an instruction makes goes on; false if the instruction is not the same in all CTAs.
func (sp *sweepSpan) follows(at *sweepStep) bool {
	s, in := &sp.steps[at.pc], &sp.insts[at.pc]
	switch {
	case s.op.Kind == sem.OpBranch || s.op.Kind == sem.OpExit || s.op.Kind == sem.OpReturn:
		return s.decided == nil || sp.decides(s.decided)
	case at.once && s.op.Kind == sem.OpLoad:
		for k := range s.op.Memory.At {
			sp.slots[s.full[1+k].off] = drift{}
		}
		return true
	case s.op.Kind == sem.OpLoad:
		return sp.steady(&s.full[0])
	case s.op.Kind == sem.OpStore:
		return !slices.ContainsFunc(s.full, func(src source) bool { return src.off != machine.NoGuard && !sp.steady(&src) })
	case s.op.Kind == sem.OpNothing || s.moot:
		return true
	case s.made != nil:
		if a, ok := sp.makes(s, s.full); ok {
			sp.pats[s.made] = a
		}
		return !s.made.home || sp.goesOn(s.made)
	case s.onSlots():
		if a, ok := sp.makes(s, s.in); ok {
			sp.slots[s.dst.off] = a
		}
		return true
	}
	reads, _ := s.lanesTouch(in, false)
	return !slices.ContainsFunc(reads, func(src source) bool { return !sp.steady(&src) })
}

// decides tells whether what decides for the first and the last warp does so for all between.
func (sp *sweepSpan) decides(d *decision) bool {
	both := func(c *comparison) bool { return sp.steady(c.a) && sp.steady(c.b) }
	for i := range d.terms {
		if !both(&d.terms[i].comparison) {
			return false
		}
	}
	return d.terms != nil || both(&d.comparison)
}

// steady tells whether a source goes on from CTA to CTA as from warp to warp.
func (sp *sweepSpan) steady(src *source) bool {
	switch {
	case src.known:
		return true
	case src.pat != nil:
		return sp.goesOn(src.pat)
	case src.slot:
		a, ok := sp.slotOf(src.off)
		return ok && a.step == 0
	}
	a, ok := sp.specials[src.off]
	return !sp.w.reads[src.off] || ok && a.step == 0
}

// goesOn tells whether a pattern does.
func (sp *sweepSpan) goesOn(p *pattern) bool {
	a, ok := sp.pats[p]
	return ok && a.step == p.typ.wrapped(sp.w.steps[p]*int64(sp.w.warps))
}

// slotOf is what is known of a slot, which an instruction or a special register has.
func (sp *sweepSpan) slotOf(off uint32) (a drift, ok bool) {
	if a, ok = sp.slots[off]; !ok {
		a, ok = sp.specials[off]
	}
	return a, ok
}

// source is what is known of a source; false if nothing is.
func (sp *sweepSpan) source(src *source) (a drift, ok bool) {
	switch {
	case src.known:
		return drift{value: src.value, known: true}, true
	case src.pat != nil:
		a, ok = sp.pats[src.pat]
	case src.slot:
		a, ok = sp.slotOf(src.off)
	default:
		a, ok = sp.specials[src.off]
	}
	return a, ok
}

// makes finds how the result of a program goes on.
func (sp *sweepSpan) makes(s *step, in []source) (a drift, ok bool) {
	p := *s.prog
	p.steps, p.flat, p.ops = true, false, slices.Clone(p.ops)
	for i := range p.ops {
		if o := &p.ops[i]; o.code == cIn {
			if a, ok := sp.source(&in[o.imm]); ok && a.known {
				*o = operation{code: cConst, typ: o.typ, imm: a.value}
			}
		}
	}
	out, _ := sp.follow(&p, func(k int) stride {
		a, ok := sp.source(&in[k])
		if !ok {
			return stride{}
		}
		return stride{w: 32, row: 32, step: a.step}
	})
	if !out[p.result].known() || !sp.extendsAlike(s, &p, out) {
		return drift{}, false
	}
	a.step = out[p.result].step
	a.value, a.known = p.known(p.result)
	return a, true
}

// extendsAlike tells whether the tests of a sweep, that nothing wraps from its first to its last warp, are those of the span:
// what is extended goes on alike. Numbers of a CTA have no tests.
func (sp *sweepSpan) extendsAlike(s *step, p *program, out []stride) bool {
	need := needed(p)
	var over []stride
	for i := range p.ops {
		if !need[i] || !p.extends(val(i)) || out[i].step == 0 {
			continue
		}
		if s.made == nil {
			return false
		}
		if over == nil {
			over, _ = sp.w.follow(sp.region, s)
		}
		if !over[i].known() || out[i].step != over[i].step*int64(sp.w.warps) {
			return false
		}
	}
	return true
}
