package x86

import (
	"math/rand/v2"
	"testing"
)

// TestRandom: random forms with random operands, as GNU as encodes them: 4000, or half a million
// with -full. Without as nothing is compared.
func TestRandom(t *testing.T) {
	if _, ok := gnuAs(t, []string{"ret"}); !ok {
		t.Skip("GNU as is not installed")
	}
	r := rand.New(rand.NewPCG(1, 20))
	batch, batches := 4000, 1
	if *full {
		batch, batches = 50000, 10
	}
	a := New(nil)
	for range batches {
		var cases []*testCase
		var texts []string
		for len(cases) < batch {
			in, d := randomInst(r)
			if c := assemble(t, a, in, d); c != nil {
				cases, texts = append(cases, c), append(texts, c.text)
			}
		}
		code, _ := gnuAs(t, texts)
		checkCases(t, cases, code)
	}
}

// randomInst draws an instruction that some form may say.
func randomInst(r *rand.Rand) (in inst, d deco) {
	for {
		f := &allForms[r.IntN(len(allForms))]
		in = f.fill(opOf(f), uint8(r.IntN(4)), f.reg, r.IntN(4)).in
		if f.mem != noShape && (f.reg == noShape || r.IntN(2) == 0) {
			in.shape = f.mem
			in.m = randomMem(r, f.memory())
		}
		for i := range 4 {
			if f.operand[i].slot != 'C' && f.operand[i].slot != 'A' {
				in.n[i] = randomRegister(r, in.shape.at(i))
			}
		}
		in.cond = 0
		if f.flags&hasCond != 0 {
			in.cond = Cond(r.IntN(16))
		}
		if in.op != XCHG || in.shape != f.reg { // as has a short form with eax, which nothing needs
			return in, randomDeco(r, f)
		}
	}
}

// opOf returns the instruction of a form.
func opOf(f *form) Op {
	for op := range ops {
		for i := range Op(op).forms() {
			if &Op(op).forms()[i] == f {
				return Op(op)
			}
		}
	}
	panic("a form of no instruction")
}

func randomRegister(r *rand.Rand, kind shape) uint8 {
	if kind == kVec && r.IntN(2) == 0 { // not all of them out of reach of VEX
		return uint8(r.IntN(16))
	}
	return uint8(r.UintN(uint(lastRegister[kind]) + 1))
}

func randomDeco(r *rand.Rand, f *form) (d deco) {
	if f.flags&mustMask != 0 || r.IntN(4) == 0 {
		d.k = K(1 + r.IntN(7))
		d.zero = r.IntN(2) == 0
	}
	if r.IntN(4) == 0 {
		d.round = Rounding(r.IntN(6))
	}
	d.lock = f.flags&hasLock != 0 && r.IntN(2) == 0
	return d
}

// randomMem draws an address of any kind, with displacements around those that fit eight bits.
func randomMem(r *rand.Rand, o *operand) Mem {
	disps := []int32{0, 1, -1, 4, 8, 16, 32, 64, 127, 128, -128, -129, int32(r.Uint32()), 127 * 64, 128 * 64, 128 * 4, -128 * 8, int32(r.IntN(512)) * 16}
	disp := disps[r.IntN(len(disps))]
	base, index, scale := Reg(r.IntN(16)), Reg(r.IntN(16)), uint8(1)<<r.IntN(4)
	if r.IntN(8) == 0 {
		base = NoReg
	}
	var m Mem
	switch {
	case o.index != 0:
		m = AtVec(base, Vec(r.IntN(32)), scale, disp)
	case r.IntN(3) == 0 && index != RSP:
		m = AtIndex(base, index, scale, disp)
	case r.IntN(6) == 0:
		m = AtLabel(1).Plus(disp)
	default:
		m = At(base, disp)
	}
	m.bcast = o.bcast != 0 && r.IntN(3) == 0
	return m
}
