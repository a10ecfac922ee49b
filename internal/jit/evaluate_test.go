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

// evaluate runs a program for n lanes, operation by operation; nil if it has some that are not known. Sources without values
// are constants of the program, or not read.
func (p *program) evaluate(in [][]uint64, n int) []uint64 {
	vals := make([][]uint64, len(p.ops))
	for i, need := range needed(p) {
		if !need {
			continue
		}
		o := &p.ops[i]
		switch o.code {
		case cIn:
			vals[i] = in[o.imm]
		case cTable:
			vals[i] = byLane(n, func(i int) uint64 { return uint64(p.tables[o.imm][i]) })
		case cLanes:
			vals[i] = byLane(n, func(i int) uint64 { return o.imm >> i & 1 })
		default:
			vals[i] = p.evaluateOne(o, vals, n)
		}
		if vals[i] == nil {
			return nil
		}
	}
	return vals[p.result]
}

// byLane repeats the values of lanes.
func byLane(n int, value func(i int) uint64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = value(i % 32)
	}
	return out
}

func (p *program) evaluateOne(o *operation, vals [][]uint64, n int) []uint64 {
	out := make([]uint64, n)
	var a, b, c []uint64
	for k, v := range o.args() {
		*[...]*[]uint64{&a, &b, &c}[k] = vals[v]
	}
	mask := ^uint64(0) >> (64 - o.typ.bits())
	from := tM
	if o.n > 0 {
		from = p.typ(o.a)
	}
	for i := range out {
		var x, y, z uint64
		if a != nil {
			x = a[i]
		}
		if b != nil {
			y = b[i]
		}
		if c != nil {
			z = c[i]
		}
		v, ok := evaluateLane(o, from, x, y, z)
		if !ok {
			return nil
		}
		out[i] = v & mask
	}
	return out
}
