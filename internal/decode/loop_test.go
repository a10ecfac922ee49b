package decode

import (
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// TestLoops compares what is said of loops with a look into each of them, for the kernels of the corpus.
func TestLoops(t *testing.T) {
	found := [4]int{}
	kernels(t, func(name string, m *ir.Module, f *ir.Func) {
		u := &unit{d: New(m, &onDevice{m: m}), waiting: map[*ir.Func]bool{}}
		x, inLoop := &function{unit: u, f: f}, make([]bool, len(f.Insts))
		for x.pc = range int32(len(f.Insts)) {
			in := &f.Insts[x.pc]
			if !in.IsBranch() {
				continue
			}
			waits, stores := x.inLoops(in, u.waits), x.inLoops(in, func(in *ir.Inst) bool { return in.Sel.Entry.Effects.Has(isa.Writes) })
			if x.quiet(in) != !waits || x.stores(in) != stores {
				t.Fatalf("%s: the branch at %d is quiet %v, stores %v", name, x.pc, !waits, stores)
			}
			for _, to := range in.Targets {
				for pc := f.Blocks[to].First; pc <= x.pc; pc++ {
					found[0], found[1] = found[0]+btoi(waits), found[1]+btoi(stores)
					inLoop[pc] = inLoop[pc] || waits || !stores
				}
			}
		}
		if !slices.Equal(x.loops(), inLoop) {
			t.Fatalf("%s: in loops %v, want %v", name, x.loops(), inLoop)
		}
		found[2] += btoi(slices.Contains(inLoop, true))
		found[3] += btoi(slices.Contains(inLoop, false))
	})
	if slices.Contains(found[:], 0) {
		t.Errorf("loops that wait, that store, kernels with such and without: %d", found)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inLoops looks at each instruction of the loops that the branch at x.pc closes.
func (x *function) inLoops(in *ir.Inst, is func(*ir.Inst) bool) bool {
	return slices.ContainsFunc(in.Targets, func(to ir.BlockID) bool {
		for pc := x.f.Blocks[to].First; pc < x.pc; pc++ {
			if is(&x.f.Insts[pc]) {
				return true
			}
		}
		return false
	})
}
