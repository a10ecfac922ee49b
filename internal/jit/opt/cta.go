package opt

import (
	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This pass tests in front of a hot copy whether its condition holds for all warps of the CTA. That does not depend on the warp, so it
// is computed once for these; only where it does not hold each warp tests for itself.
//
//	b2: if v26 b3() else b4()   →   b2: if v40 b3() else b9()
//	                                b9: if v26 b3() else b4()
//
// v40 is what ssa.Throughout makes of v26. It does not apply where that finds nothing, or nothing else than it was given.

func forCTA(f *ssa.Func, _ *analysis.Cache, _ *Knobs) (changed bool) {
	running := f.Copy
	defer func() { f.Copy = running }()
	if f.Copy = 0; f.Warps == 0 {
		return false
	}
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
		b.Cond, b.Out[1] = all, &ssa.Edge{To: each}
		changed = true
	}
	return changed
}

// testsAddress tells whether a condition tests an address.
func testsAddress(f *ssa.Func, cond ssa.Value) bool {
	o := &f.Ops[cond]
	return o.Code == ssa.Inside || (o.Code == ssa.And || o.Code == ssa.Or) && (testsAddress(f, o.A) || testsAddress(f, o.B))
}
