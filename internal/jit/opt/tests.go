package opt

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This pass has one test for the accesses of a block by one base, in front of the first of them, where each would test itself: of a loop's
// addresses, which are not known in front of the hot copy. The test leaves where it fails, as the first access would.
//
//	load base v1 disp 0 state 3        leave 1 mask (not inside v1 #1) state 3
//	load base v1 disp 128 state 4  →   load base v1 disp 0 check 1
//	                                   load base v1 disp 128 check 1
//
// It does not apply in cold blocks, whose accesses are of some lanes, by an index, or far from their base.

// mostSpan is how far from their base accesses may be that have one test.
const mostSpan = 1 << 20

func tests(f *ssa.Func, _ *analysis.Cache, _ *Knobs) bool {
	running := f.Copy
	defer func() { f.Copy = running }()
	for _, b := range f.Blocks {
		if !b.Cold {
			(&tester{f: f, block: b, checks: map[tested]ssa.CheckID{}}).run()
		}
	}
	return false
}

// tester goes through one block.
type tester struct {
	f      *ssa.Func
	block  *ssa.Block
	checks map[tested]ssa.CheckID
}

// tested is a base that is tested by a table of bounds.
type tested struct {
	base   ssa.Value
	bounds int32
}

func (t *tester) run() {
	for i := 0; i < len(t.block.Effects); i++ {
		e := t.block.Effects[i]
		lo, hi, ok := t.reach(e)
		if !ok {
			continue
		}
		key := tested{e.Access.Base, e.Access.Bounds}
		id, known := t.checks[key]
		if !known {
			id = t.test(key, i, e)
			i++
		}
		t.f.Checks[id].Widen(lo, hi, e)
		e.Access.Check, e.State = id, 0
	}
}

// reach is what all lanes of an access touch, from its base on; false if it cannot have a test with others.
func (t *tester) reach(e *ssa.Effect) (lo, hi int64, ok bool) {
	a := e.Access
	if a == nil || a.Check != 0 || a.Index != 0 || e.State == 0 {
		return 0, 0, false
	}
	align := int64(max(a.Align, 1))
	if k, known := t.f.Known(e.Mask); !known || k == 0 || a.Disp%align != 0 || a.Step%align != 0 || max(a.Step, -a.Step) > mostSpan {
		return 0, 0, false
	}
	span := int64(t.f.LanesIn(t.block)-1) * a.Step
	lo, hi = a.Disp+min(span, 0), a.Disp+max(span, 0)+a.Bytes()
	return lo, hi, lo >= -mostSpan && hi <= mostSpan
}

// test puts a test in front of effect i.
func (t *tester) test(key tested, i int, e *ssa.Effect) ssa.CheckID {
	f := t.f
	a := e.Access
	f.Checks = append(f.Checks, ssa.Check{Bounds: a.Bounds, Lo: a.Disp, Hi: a.Disp + a.Bytes(), Align: 1})
	id := ssa.CheckID(len(f.Checks) - 1)
	t.checks[key] = id
	f.Copy = 0
	for _, v := range append(e.Reads(), e.Results...) {
		f.Copy = max(f.Copy, f.Ops[v].Copy) // a copy's number is larger than that of what it is part of
	}
	fails := f.Not(f.Make(ssa.Inside, ssa.M, uint64(id), a.Base))
	t.block.Effects = slices.Insert(t.block.Effects, i, &ssa.Effect{Kind: ssa.Leave, N: 1, Mask: fails, State: e.State, PC: e.PC})
	return id
}
