package pipeline

// This file breaks passes: what a pass has made is changed as if it had a mistake, and validating it has to find that.

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// mistake changes what a pass has made; it tells whether there was something to change.
type mistake struct {
	stage, name string
	make        func(g *rand.Rand, f *ssa.Func) bool
}

var mistakes = []mistake{
	{"built", "a step too many", atEffect(ssa.Steps, func(_ *ssa.Func, _ *ssa.Block, e *ssa.Effect) bool { e.N++; return true })},
	{"built", "a store of the lanes of another mask", atEffect(ssa.Store, func(f *ssa.Func, _ *ssa.Block, e *ssa.Effect) bool {
		e.Mask = f.Not(e.Mask)
		return true
	})},
	{"built", "an element behind the right one", atEffect(ssa.Load, func(_ *ssa.Func, _ *ssa.Block, e *ssa.Effect) bool {
		e.Access.Disp += int64(e.Access.Elem)
		return true
	})},
	{"tests", "a check that is an element short", aCheck(func(c *ssa.Check) { c.Hi-- })},
	{"tests", "a test that is gone", atEffect(ssa.Leave, remove)},
	{"cta", "a test of one warp for all", aTest},
	{"counts", "a count that is lost", atEffect(ssa.Lanes, remove)},
	{"counts", "an instruction that is taken back", aState(func(s *ssa.State) bool { s.Undo++; return true })},
	{"counts", "a back edge that costs nothing", atEffect(ssa.Fuel, remove)},
	{"regions", "a state without its last home", aState(func(s *ssa.State) bool {
		if len(s.Homes) == 0 {
			return false
		}
		s.Homes = s.Homes[:len(s.Homes)-1]
		return true
	})},
	{"regions", "operands in the wrong order", anOperation(ssa.Sub, func(o *ssa.Op) { o.A, o.B = o.B, o.A })},
	{"regions", "arguments in the wrong order", anEdge},
	{"place", "an operation above its operands", misplaced},
	{"place", "effects in the wrong order", exchanged},
}

// pick has something at random, and false if there is nothing.
func pick[T any](g *rand.Rand, list []T) (one T, ok bool) {
	if len(list) == 0 {
		return one, false
	}
	return list[g.IntN(len(list))], true
}

// atEffect changes an effect of a kind.
func atEffect(k ssa.Kind, change func(*ssa.Func, *ssa.Block, *ssa.Effect) bool) func(*rand.Rand, *ssa.Func) bool {
	type at struct {
		*ssa.Block
		*ssa.Effect
	}
	return func(g *rand.Rand, f *ssa.Func) bool {
		var list []at
		for _, b := range f.Blocks {
			for _, e := range b.Effects {
				if e.Kind == k {
					list = append(list, at{b, e})
				}
			}
		}
		x, ok := pick(g, list)
		return ok && change(f, x.Block, x.Effect)
	}
}

func remove(_ *ssa.Func, b *ssa.Block, e *ssa.Effect) bool {
	b.Effects = slices.DeleteFunc(b.Effects, func(x *ssa.Effect) bool { return x == e })
	return true
}

func aCheck(change func(*ssa.Check)) func(*rand.Rand, *ssa.Func) bool {
	return func(g *rand.Rand, f *ssa.Func) bool {
		if len(f.Checks) > 1 {
			change(&f.Checks[1+g.IntN(len(f.Checks)-1)])
		}
		return len(f.Checks) > 1
	}
}

// aTest has the test in front of a hot copy hold for all warps if it does for one.
func aTest(g *rand.Rand, f *ssa.Func) bool {
	var list []*ssa.Block
	for _, b := range f.Blocks {
		if b.Cond != 0 && !b.Out[0].To.Cold && b.Out[1].To.Cold {
			list = append(list, b)
		}
	}
	b, ok := pick(g, list)
	if ok {
		b.Cond = f.Truth(true)
	}
	return ok
}

func aState(change func(*ssa.State) bool) func(*rand.Rand, *ssa.Func) bool {
	return func(g *rand.Rand, f *ssa.Func) bool {
		return len(f.States) > 1 && change(&f.States[1+g.IntN(len(f.States)-1)])
	}
}

func anOperation(c ssa.Code, change func(*ssa.Op)) func(*rand.Rand, *ssa.Func) bool {
	return func(g *rand.Rand, f *ssa.Func) bool {
		var list []*ssa.Op
		for i := range f.Ops {
			if f.Ops[i].Code == c {
				list = append(list, &f.Ops[i])
			}
		}
		o, ok := pick(g, list)
		if ok {
			change(o)
		}
		return ok
	}
}

// anEdge exchanges two arguments of an edge.
func anEdge(g *rand.Rand, f *ssa.Func) bool {
	var list []*ssa.Edge
	for _, b := range f.Blocks {
		for _, e := range b.Out {
			if n := len(e.Args); n > 1 && f.TypeOf(e.Args[n-1]) == f.TypeOf(e.Args[n-2]) && f.IsNum(e.Args[n-1]) == f.IsNum(e.Args[n-2]) {
				list = append(list, e)
			}
		}
	}
	e, ok := pick(g, list)
	if ok {
		n := len(e.Args)
		e.Args[n-1], e.Args[n-2] = e.Args[n-2], e.Args[n-1]
	}
	return ok
}

// misplaced moves an operation in front of all that its block does.
func misplaced(g *rand.Rand, f *ssa.Func) bool {
	var list []*ssa.Block
	for _, b := range f.Blocks {
		if len(b.Order) > 2 {
			list = append(list, b)
		}
	}
	b, ok := pick(g, list)
	if ok {
		i := 1 + g.IntN(len(b.Order)-1)
		item := b.Order[i]
		b.Order = slices.Insert(slices.Delete(b.Order, i, i+1), 0, item)
	}
	return ok
}

// exchanged has two effects of a block in the other order.
func exchanged(g *rand.Rand, f *ssa.Func) bool {
	for range 100 {
		b := f.Blocks[g.IntN(len(f.Blocks))]
		var at []int
		for i, item := range b.Order {
			if e := item.Effect; e != nil && (e.Kind == ssa.Load || e.Kind == ssa.Store || e.Kind == ssa.Barrier) {
				at = append(at, i)
			}
		}
		if n := len(at); n > 1 && b.Order[at[n-1]].Effect.Kind != b.Order[at[n-2]].Effect.Kind {
			b.Order[at[n-1]], b.Order[at[n-2]] = b.Order[at[n-2]], b.Order[at[n-1]]
			return true
		}
	}
	return false
}

// TestValidateFinds makes each mistake in random kernels until one is found: at the latest in the 40th.
func TestValidateFinds(t *testing.T) {
	for _, m := range mistakes {
		made, found := 0, ""
		for n := uint64(1); n <= 40 && found == ""; n++ {
			g := rand.New(rand.NewPCG(n, 44))
			_, wrong, _ := validateRandom(t, n, func(stage string, f *ssa.Func) {
				if stage == m.stage && m.make(g, f) {
					made++
				}
			})
			if found = wrong; wrong != "" && !strings.HasPrefix(wrong, m.stage) {
				t.Fatalf("%s in %s: found in %s", m.name, m.stage, wrong)
			}
		}
		if t.Logf("%s in %s: %d times, then %.200s", m.name, m.stage, made, found); found == "" {
			t.Errorf("%s in %s, %d times, is not found", m.name, m.stage, made)
		}
	}
}
