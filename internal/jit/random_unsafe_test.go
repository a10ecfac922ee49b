package jit

import (
	"flag"
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var randomRounds = flag.Int("jit.rounds", 12, "rounds of 32 operands of TestRandomFloats for each function and way to compile it")

// formats describes the floats of a row: bits of the exponent and of the fraction.
var formats = map[typ][][2]int{tW: {{8, 23}, {5, 10}, {8, 7}}, tX: {{11, 52}}}

// float draws a float where formats change their behaviour: exponents at the ends, around one, and
// those whose products are the least normal number; fractions at the ends and of one bit.
func float(r *rand.Rand, exp, frac int) uint64 {
	top, one := uint64(1)<<exp-1, uint64(1)<<frac
	e := []uint64{0, 1, 2, top - 1, top, top / 2, top/2 + 1, top/4 + 1, top/4 + 2, r.Uint64(), r.Uint64(), 1 + r.Uint64N(uint64(frac)+2)}[r.IntN(12)] & top
	f := []uint64{0, 1, one - 1, one - 2, one / 2, one/2 + 1, one / 2 >> r.IntN(frac), r.Uint64(), r.Uint64(), r.Uint64()}[r.IntN(10)] & (one - 1)
	return (r.Uint64()&1<<exp|e)<<frac | f
}

// drawFloat draws the bits of a row's element; two halves of 16 bits, or one.
func drawFloat(r *rand.Rand, t typ) uint64 {
	list := formats[t]
	f := list[r.IntN(len(list))]
	if f[0]+f[1] > 15 {
		return float(r, f[0], f[1])
	}
	v := float(r, f[0], f[1])
	if r.IntN(2) == 0 {
		v |= float(r, f[0], f[1]) << 16
	}
	return v
}

// TestRandomFloats compares the twins of floats on operands of every exponent, in both widths and on
// slots. The last source is often the negated product of the others, or one off it.
func TestRandomFloats(t *testing.T) {
	twinTables() // fills the maps
	some := func(name uop.Op) bool {
		return doubleTwins[name] != nil || flushTwins[name] != nil || halfTwins[name] != nil
	}
	compareAll(t, some, *randomRounds, (*bench).fillFloats)
}

// TestApproximate compares the approximate functions on bits of every exponent and sign.
func TestApproximate(t *testing.T) {
	compareAll(t, func(name uop.Op) bool { return approxTwins[name] != nil }, 200, (*bench).fillBits)
}

// compareAll compares the twins of some functions, in both widths and on slots, for so many rounds of
// operands.
func compareAll(t *testing.T, some func(name uop.Op) bool, rounds int, fill func(b *bench, r *rand.Rand, fn uop.Op, scalar bool)) {
	if err := (Options{}).possible(); err != nil {
		t.Skip(err)
	}
	b, r := newBench(), rand.New(rand.NewPCG(7, 8))
	for _, fn := range sem.LaneFunctions() {
		if !some(fn) {
			continue
		}
		for _, x := range []trial{{mask: ^uint32(0)}, {mask: ^uint32(0), wide512: true}, {scalar: true, mask: ^uint32(0)}} {
			if x.wide512 && !native.HasAVX512() {
				continue
			}
			code := x.assemble(t, b, fn)
			if code == nil {
				t.Errorf("%s, %+v: not compiled", fn, x)
				continue
			}
			c, err := native.New(code)
			if err != nil {
				t.Skip(err)
			}
			for range rounds {
				fill(b, r, fn, x.scalar)
				x.compare(t, b, fn, c.Addr(0), r)
			}
			c.Free()
		}
	}
}

// fillBits draws operands of 32 bits, of a slot one for all lanes.
func (b *bench) fillBits(r *rand.Rand, fn uop.Op, _ bool) {
	for k := range fn.Shape().Operands() {
		for i := range 32 {
			b.put(k*rowBytes, tW, i, r.Uint64())
		}
		b.put(slotsAt+8*k, tW, 0, b.get(k*rowBytes, tW, 0))
	}
}

// fillFloats draws operands, of a slot one for all lanes; a third one is often what cancels the product.
func (b *bench) fillFloats(r *rand.Rand, fn uop.Op, scalar bool) {
	for k, bits := range fn.Shape().Operands() {
		t := typeOf(bits)
		for i := range 32 {
			v := drawFloat(r, t)
			if k == 2 && r.IntN(3) == 0 {
				v = uint64(num.MulF32(uint32(b.get(0, tW, i)), uint32(b.get(rowBytes, tW, i)))^1<<31) + uint64(r.IntN(3)-1)
				if t == tX {
					v = num.MulF64(b.get(0, tX, i), b.get(rowBytes, tX, i)) ^ 1<<63 + uint64(r.IntN(3)-1)
				}
			}
			if scalar && i > 0 {
				v = b.get(k*rowBytes, t, 0)
			}
			b.put(k*rowBytes, t, i, v)
		}
		b.put(slotsAt+8*k, tX, 0, b.get(k*rowBytes, t, 0))
	}
}
