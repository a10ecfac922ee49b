package opt

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This pass tests in front of a hot copy whether its condition holds for all warps of the CTA. That does not depend on the warp, so it
// is computed once for these; only where it does not hold each warp tests for itself.
//
//	b1: goto b2(v9)                    b1: if v40 b10(true) else b11()
//	b2(v1): if v26 b3() else b4()  →   b10(v50): goto b2(v9)
//	                                   b11: goto b10(false)
//	                                   b2(v1): if v50 b3() else b9()
//	                                   b9: if v26 b3() else b4()
//
// v40 is what ssa.Throughout makes of v26: a conjunction on which b1 branches, so the first test that fails ends it. What it asks of values that
// are not there in b1 stays in b2. The pass does not apply where that finds nothing, or nothing else than it was given.

func forCTA(f *ssa.Func, _ *analysis.Cache, _ *Knobs) (changed bool) {
	running := f.Copy
	defer func() { f.Copy = running }()
	if f.Copy = 0; f.Warps == 0 {
		return false
	}
	c := &ctaTests{f: f, before: beforeWarps(f)}
	for _, b := range f.Blocks { // not those that are added
		if b.Cold || b.Cond == 0 || b.Out[0].To.Cold || !b.Out[1].To.Cold || len(b.Out[0].Args) != 0 || !testsAddress(f, b.Cond) {
			continue
		}
		all := f.Throughout(b.Cond, f.Warp, f.Warps)
		if k, known := f.Known(all); all == 0 || all == b.Cond || known && k == 0 {
			continue
		}
		each := f.NewBlock(b.Level)
		each.Cond, each.Out = b.Cond, []*ssa.Edge{{To: b.Out[0].To}, b.Out[1]}
		b.Cond, b.Out[1] = c.once(all), &ssa.Edge{To: each}
		changed = true
	}
	return changed
}

// ctaTests makes tests where a CTA begins.
type ctaTests struct {
	f      *ssa.Func
	before *ssa.Block // which leads to the first warp of a CTA, and nowhere else; nil: there is none
}

// beforeWarps is the block of a CTA that leads to its warps.
func beforeWarps(f *ssa.Func) *ssa.Block {
	for _, b := range f.Blocks {
		if b.Level == 1 && len(b.Out) == 1 && slices.Contains(b.Out[0].To.Params, f.Warp) {
			return b
		}
	}
	return nil
}

// once is a condition, as far as it can be so decided once for all warps of a CTA.
func (c *ctaTests) once(all ssa.Value) ssa.Value {
	f, here, early := c.f, nothing, nothing
	for _, t := range c.f.Terms(all) {
		if c.before != nil && c.there(t) {
			early = and(f, early, t)
		} else {
			here = and(f, here, t)
		}
	}
	if early == 0 || c.before == nil {
		return here
	}
	from, no, to := c.before, f.NewBlock(1), f.NewBlock(1)
	holds := f.NewParam(to, ssa.M, true)
	to.Out, from.Out, from.Cond, no.Cold = from.Out, nil, early, true
	from.Jump(to, f.Truth(true))
	from.Jump(no)
	no.Jump(to, f.Truth(false))
	c.before = to
	return and(f, here, holds)
}

// nothing is a conjunction without terms.
const nothing = ssa.Value(0)

func and(f *ssa.Func, all, t ssa.Value) ssa.Value {
	if all == nothing {
		return t
	}
	return f.And(all, t)
}

// there tells whether a number can be computed in front of the warps of a CTA.
func (c *ctaTests) there(v ssa.Value) bool {
	if b := c.f.Info[v].Block; b >= 0 && c.f.Blocks[b].Level > 1 {
		return false
	}
	for _, a := range c.f.Ops[v].Operands() {
		if !c.there(a) {
			return false
		}
	}
	return true
}

// testsAddress tells whether a condition tests an address.
func testsAddress(f *ssa.Func, cond ssa.Value) bool {
	o := &f.Ops[cond]
	return o.Code == ssa.Inside || (o.Code == ssa.And || o.Code == ssa.Or) && (testsAddress(f, o.A) || testsAddress(f, o.B))
}
