package jit

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"ptxvm.invalid/ptxvm/internal/sem"
)

// TestEvaluate compares what twins come to when compiled with their lane functions.
func TestEvaluate(t *testing.T) {
	b, r, found := newBench(), rand.New(rand.NewPCG(5, 6)), map[string]bool{}
	for _, fn := range sem.LaneFunctions() {
		twin, f := twinOf(fn), reflect.ValueOf(fn)
		if twin == nil {
			continue
		}
		for _, evex := range []bool{false, true} {
			p := &program{evex: evex}
			var vals []val
			for k := range f.Type().NumIn() {
				vals = append(vals, p.input(k, typeOf(f.Type().In(k))))
			}
			if p.result = twin(p, vals); p.result == none {
				continue
			}
			for range 4 {
				b.fill(r, &trial{}, f.Type())
				in := make([][]uint64, len(vals))
				for k := range in {
					for lane := range 32 {
						in[k] = append(in[k], b.get(k*rowBytes, typeOf(f.Type().In(k)), lane))
					}
				}
				got := p.evaluate(in, 32)
				if got == nil {
					break
				}
				found[functionName(fn)] = true
				for lane := range got {
					if want := b.want(f, lane); got[lane] != want {
						t.Fatalf("%s: %#x, want %#x of %#x", functionName(fn), got[lane], want, in)
					}
				}
			}
		}
	}
	for _, name := range []string{"Add32", "Eq32", "MulHiU32", "MulHiS32", "MinS32", "MaxU32", "LtU32", "GeS32"} {
		if !found[name] {
			t.Errorf("%s is not evaluated", name)
		}
	}
	if len(found) < 60 {
		t.Errorf("only %d functions are evaluated", len(found))
	}
}
