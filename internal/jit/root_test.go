package jit_test

import (
	"encoding/binary"
	"flag"
	"math"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/num"
)

var allRoots = flag.Bool("roots", false, "TestRoots: the roots of every fraction")

const rootKernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf) {
	.reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .f32 %f<9>; .reg .pred %p<3>;
	ld.param.u64 %rd1, [buf];
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
	mul.wide.u32 %rd2, %r1, 8; add.u64 %rd1, %rd1, %rd2;
	ld.global.v2.f32 {%f1, %f2}, [%rd1];
	BODY
	st.global.v2.f32 [%rd1], {%f3, %f4};
	ret;
}
`

// rootBits is operand i of a run: the edges of what is computed beside the divider, then all kinds, small ones, and fractions of two exponents.
func rootBits(i int) uint32 {
	edges := [...]uint32{0, 1 << 31, 1, 0x7fffff, 0x800000, 0x0cffffff, 0x0d000000, 0x0d000001, 0x0d7fffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fffffff, 0x7f800001, 0xffc00000, 0xbf800000, 0x80000001, 0x3f800000, 0x40000000, 0x7effffff}
	if i < 8*len(edges) {
		return edges[i/8] // beside each other and beside others
	}
	switch i / 64 % 8 { // whole warps are of one kind
	case 0:
		return uint32(i) * 0x9e3779b1
	case 1:
		return 0x800000 + uint32(i)*0x9e3779b1>>4
	}
	return 0x3f800000 + uint32(i)*0x9e3779b1>>8
}

// TestRoots: square roots beside the divider are rounded correctly, in code for all lanes and for some.
func TestRoots(t *testing.T) {
	for name, body := range map[string]string{
		"all":  "sqrt.rn.f32 %f3, %f1; sqrt.rn.f32 %f4, %f2;",
		"some": "mov.f32 %f3, %f1; mov.f32 %f4, %f2; and.b32 %r4, %r1, 5; setp.eq.u32 %p1, %r4, 1; @%p1 bra E; sqrt.rn.f32 %f3, %f1; sqrt.rn.f32 %f4, %f2;\nE:",
	} {
		t.Run(name, func(t *testing.T) {
			l := newLaboratory(t, "k.ptx", strings.Replace(rootKernel, "BODY", body, 1))
			const n = 1 << 14
			buf, _ := l.arena.Alloc(4*n, mem.Info{Label: "buf"})
			data := l.arena.Bytes(buf, 4*n)
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				for i := range n {
					binary.LittleEndian.PutUint32(data[4*i:], rootBits(i))
				}
				got := l.run(t, "k", n/2/256, [3]uint32{256, 1, 1}, engine(t, jit.Options{Vectors: v}).Install, buf)
				for i := range n {
					want := num.SqrtF32(rootBits(i))
					if name == "some" && i/2&5 == 1 {
						want = rootBits(i)
					}
					if have := binary.LittleEndian.Uint32(data[4*i:]); have != want {
						t.Fatalf("%d: of %08x: %08x, want %08x", v, rootBits(i), have, want)
					}
				}
				if got.NativeOps == 0 {
					t.Error("nothing ran in compiled code")
				}
			}
		})
	}
}

// TestRootLater: where the divider has less to do than the rest, it does roots.
func TestRootLater(t *testing.T) {
	const few, many = "sqrt.rn.f32 %f1, %f1; sqrt.rn.f32 %f2, %f2;", "sqrt.rn.f32 %f1, %f1; add.f32 %f2, %f2, %f1;"
	body := "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+4]; "
	for turns, text := range map[int]string{1: few, 40: many} {
		text += strings.Repeat("fma.rn.f32 %f2, %f2, %f1, %f2;", turns-1)
		listing := listingOf(t, body+text+"st.global.f32 [%rd2], %f1; st.global.f32 [%rd2+4096], %f2;", jit.AVX512)
		if with := strings.Contains(listing, "vrsqrt14ps"); with != (turns == 1) {
			t.Errorf("%d fma beside roots: computed without the divider: %v", turns-1, with)
		}
	}
}

// rootFrom is the root that code computes from a guess of 1/sqrt(x).
func rootFrom(x, guess uint32) uint32 {
	const half, sign = 0x3f000000, 1 << 31
	g, h := num.MulF32(x, guess), num.MulF32(guess, half)
	e := num.FmaF32(h^sign, g, half)
	g, h = num.FmaF32(g, e, g), num.FmaF32(h, e, h)
	return num.FmaF32(h, num.FmaF32(g^sign, g, x), g)
}

// TestRootGuesses: it is rounded correctly whatever guess within 2^-14 a processor makes.
func TestRootGuesses(t *testing.T) {
	step := uint32(2039)
	if *allRoots {
		step = 1
	}
	for x := uint32(0x3f800000); x < 0x40800000; x += step {
		want, exact := num.SqrtF32(x), 1/math.Sqrt(float64(math.Float32frombits(x)))
		for _, off := range []float64{-1, -0.5, 0, 0.5, 1} {
			guess := math.Float32bits(float32(exact * (1 + off/(1<<14))))
			if got := rootFrom(x, guess); got != want {
				t.Fatalf("of %08x from %08x: %08x, want %08x", x, guess, got, want)
			}
		}
	}
}
