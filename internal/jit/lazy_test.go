package jit_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// lazyBody parts lanes at branches, exits and in loops, with values that code for whole warps keeps in
// other forms: NaNs, slots, numbers.
const lazyBody = `
	mul.wide.u32 %rd3, %r8, 1;
	add.u64 %rd4, %rd1, %rd3;
	mov.u32 %r20, 0;
	or.b32 %r21, %r1, 0x7fa00000;
	mov.b32 %f1, %r21;
	add.rn.f32 %f2, %f1, %f1;
	and.b32 %r22, %r1, 7;
L:	add.u32 %r20, %r20, 1;
	fma.rn.f32 %f2, %f2, %f1, %f2;
	bar.sync 0;
	setp.gt.u32 %p1, %r20, %r22;
	@%p1 bra M;
	mad.lo.u32 %r23, %r20, 5, %r1;
	st.global.u32 [%rd4+8192], %r23;
M:	setp.lt.u32 %p2, %r20, %r9;
	@%p2 bra L;
	st.global.f32 [%rd4+4096], %f2;
	add.rn.f32 %f2, %f2, %f1;
	setp.eq.u32 %p3, %r22, 3;
	@%p3 exit;
	st.global.f32 [%rd4], %f2;
`

// TestLazyParts makes code for some lanes before it is needed, never, and after it has been missed so often,
// in all shapes of blocks, in both widths.
func TestLazyParts(t *testing.T) {
	l, at, all, fill := accessRoom(t, lazyBody)
	r := rand.New(rand.NewPCG(5, 6))
	completed := 0
	for _, block := range blocks {
		fill()
		want := l.run(t, "k", 5, block, nil, at, uint32(12))
		memory := bytes.Clone(all)
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			for _, after := range []uint32{0, 1, 2 + r.Uint32N(30), 1 << 30} {
				e := engine(t, jit.Options{Vectors: v})
				fill()
				got, err := l.launch(t, "k", [3]uint32{5, 1, 1}, block, func(x *host.Launch) {
					x.Compile, x.PartsAfter = e.InstallWhole, after
					x.CompileParts = func(c *machine.Code, stopped func() bool) { completed++; e.Install(c, stopped) }
				}, at, uint32(12))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(all, memory) || got.LaneOps != want.LaneOps || got.Steps != want.Steps {
					t.Errorf("%v, %v, parts after %d: %d steps and %d lane-ops, the interpreter %d and %d; memory is the same: %v", block, v, after,
						got.Steps, got.LaneOps, want.Steps, want.LaneOps, bytes.Equal(all, memory))
				}
			}
		}
	}
	if completed < 2*len(blocks) {
		t.Errorf("code was completed %d times", completed)
	}
}

// TestPolls counts the steps between two returns of compiled code, which is where Go can collect garbage.
func TestPolls(t *testing.T) {
	for name, body := range map[string]string{
		"loop":      "mov.u32 %r20, 0;\nL: add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 60000; @%p1 bra L;",
		"arms":      "mov.u32 %r20, 0;\nL: and.b32 %r21, %r20, %r1; setp.eq.u32 %p2, %r21, 0; @%p2 bra M; add.u32 %r22, %r22, %r20;\nM: add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 30000; @%p1 bra L; st.global.u32 [%rd2], %r22;",
		"barrier":   "mov.u32 %r20, 0;\nL: add.u32 %r20, %r20, 1; bar.sync 0; setp.lt.u32 %p1, %r20, 9000; @%p1 bra L;",
		"some":      "setp.gt.u32 %p1, %r2, 20; @%p1 exit; mov.u32 %r20, 0;\nL: add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 60000; @%p1 bra L;",
		"many CTAs": "st.global.u32 [%rd2], %r1;",
	} {
		t.Run(name, func(t *testing.T) {
			const least, most = 1 << 15, 1<<17 + 100 // and what is behind the last back edge
			l := newLaboratory(t, "k.ptx", accessHeader+body+"\n\tret;\n}\n")
			buf, _ := l.arena.Alloc(1<<17, mem.Info{Label: "buf"})
			e, longest, calls := engine(t, jit.Options{}), uint64(0), 0
			grid := uint32(3)
			if name == "many CTAs" {
				grid = 20000
			}
			l.run(t, "k", grid, [3]uint32{64, 1, 1}, func(c *machine.Code, stopped func() bool) {
				e.Install(c, stopped)
				n := c.Native()
				call := n.Call
				n.Call = func(s *abi.State, entry uintptr) {
					call(s, entry)
					longest, calls = max(longest, s.Steps), calls+1
				}
			}, buf, uint32(24))
			if longest > most || name != "barrier" && longest < least { // a CTA that only waits returns sooner
				t.Errorf("%d calls of at most %d steps", calls, longest)
			}
		})
	}
}
