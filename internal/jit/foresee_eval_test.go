package jit

import (
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// TestEvaluate compares what twins come to when compiled with their lane functions.
func TestEvaluate(t *testing.T) {
	b, r, found := newBench(), rand.New(rand.NewPCG(5, 6)), map[uop.Op]bool{}
	for _, fn := range sem.LaneFunctions() {
		twin, shape := laneOf(fn).twin, fn.Shape()
		if twin == nil {
			continue
		}
		for _, evex := range []bool{false, true} {
			p := &program{evex: evex}
			var vals []val
			for k, bits := range shape.Operands() {
				vals = append(vals, p.input(k, typeOf(bits)))
			}
			if p.result = twin(p, vals); p.result == none {
				continue
			}
			for range 4 {
				b.fill(r, &trial{}, fn)
				in := make([][]uint64, len(vals))
				for k := range in {
					for lane := range 32 {
						in[k] = append(in[k], b.get(k*rowBytes, typeOf(shape.Operand[k]), lane))
					}
				}
				got := p.evaluate(in, 32)
				if got == nil {
					break
				}
				found[fn] = true
				for lane := range got {
					if want := b.want(fn, lane); got[lane] != want {
						t.Fatalf("%s: %#x, want %#x of %#x", fn, got[lane], want, in)
					}
				}
			}
		}
	}
	for _, name := range []uop.Op{uop.Add32, uop.Eq32, uop.MulHiU32, uop.MulHiS32, uop.MinS32, uop.MaxU32, uop.LtU32, uop.GeS32} {
		if !found[name] {
			t.Errorf("%s is not evaluated", name)
		}
	}
	if len(found) < 60 {
		t.Errorf("only %d functions are evaluated", len(found))
	}
}
