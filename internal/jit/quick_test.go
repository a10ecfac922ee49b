package jit_test

// This file tests the quick tier: templates and how they are filled in, and that better code replaces what they make.

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// quickBodies have displacements of every class, by row and by slot, of global and shared memory, of words, bytes and
// vectors, under guards and not; registers that are read and written at once; and branches, exits and loops of all lanes
// and of some.
var quickBodies = map[string]string{
	"near":      quickAccess(16, 4) + quickAccess(-16, 4) + quickAccess(0, 4),
	"unaligned": quickAccess(6, 2) + quickAccess(-6, 2),
	"bounds":    quickAccess(1<<24-16, 4) + quickAccess(1<<24, 4) + quickAccess(-(1<<24), 4) + quickAccess(16-1<<24, 4),
	"far":       quickAccess(1<<30, 4) + quickAccess(-(1<<30), 4) + quickAccess(1<<31-16, 4) + quickAccess(-(1<<31), 4),
	"shared": `
	mov.u32 %r10, smem; add.u32 %r10, %r10, %r8;
	st.shared.u32 [%r10+4096], %r1; add.u32 %r11, %r10, 5000; st.shared.u32 [%r11+-4936], %r8;
	ld.shared.u32 %r12, [%r10+4096]; ld.shared.u32 %r13, [%r11+-4936]; mov.u32 %r14, smem;
	atom.shared.add.u32 %r15, [%r14+8000], %r1; ld.shared.v2.u32 {%r10, %r11}, [%r14+8];
	mad.lo.u32 %r12, %r12, 3, %r13; xor.b32 %r12, %r12, %r10; add.u32 %r12, %r12, %r11; st.global.u32 [%rd2], %r12;`,
	"alias": `
	shfl.sync.bfly.b32 %r1|%p1, %r1, 21, 31, -1; @%p1 add.u32 %r1, %r1, 7; st.global.u32 [%rd2+8192], %r1; shl.b32 %r2, %r8, 1; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; ld.global.u64 %rd2, [%rd2]; mov.b64 {%r1, %r8}, %rd2; mov.b64 %rd2, {%r8, %r1};
	vote.sync.ballot.b32 %r8, %p1, -1; add.cc.u32 %r1, %r1, %r8; addc.u32 %r8, %r8, %r1; mov.u32 %r2, %tid.x; cvt.u64.u32 %rd3, %r2; shl.b64 %rd3, %rd3, 3; add.u64 %rd3, %rd1, %rd3;
	cvt.rn.f16.f32 %h1, 0f3fc00000; cvt.u32.u16 %r2, %h1; add.u32 %r8, %r8, %r2; st.global.u32 [%rd3], %r8; st.global.u64 [%rd3+4096+0], %rd2;`,
	"control": `
	setp.lt.u32 %p1, %r9, 100; @%p1 bra A; st.global.u32 [%rd2], 1; A: setp.gt.u32 %p2, %r9, 100; @%p2 bra B; mov.u32 %r10, 0;
L:	add.u32 %r10, %r10, 1; @!%p1 st.global.u32 [%rd2+4], %r10; setp.lt.u32 %p3, %r10, %r9; @%p3 bra L; st.global.u32 [%rd2], %r10;
	and.b32 %r11, %r1, 3; setp.eq.u32 %p3, %r11, 2; @%p3 bra C; st.global.u32 [%rd2+4096], %r11;
C:	setp.eq.u32 %p3, %r11, 1; @%p3 exit; st.global.u32 [%rd2+8192], %r10; @%p2 exit; @%p1 exit; B: st.global.u32 [%rd2], 9;`,
}

// quickAccess adds up and stores at a displacement of so many bytes, aligned so.
func quickAccess(disp int64, align int) string {
	kind := map[int]string{2: "u16", 4: "u32"}[align]
	s := fmt.Sprintf(`
	sub.s64 %%rd4, %%rd2, %d; ld.global.%[2]s %%r10, [%%rd4+%[1]d]; add.u32 %%r10, %%r10, %%r1; st.global.%[2]s [%%rd4+%[1]d], %%r10;
	sub.s64 %%rd5, %%rd1, %[1]d; ld.global.%[2]s %%r11, [%%rd5+%[1]d]; xor.b32 %%r11, %%r11, %%r10;
	shl.b32 %%r12, %%r1, 3; cvt.u64.u32 %%rd6, %%r12; add.u64 %%rd6, %%rd5, %%rd6; setp.ne.u32 %%p1, %%r1, 5; @%%p1 st.global.%[2]s [%%rd6+%[1]d], %%r11;`, disp, kind)
	if align == 4 {
		s += fmt.Sprintf("\n	@!%%p1 atom.global.max.u32 %%r13, [%%rd6+%d], %%r11; ld.global.v2.u32 {%%r14, %%r15}, [%%rd6+%[1]d]; xor.b32 %%r14, %%r14, %%r15; st.global.u32 [%%rd6+%[1]d], %%r14;", disp)
	}
	return s
}

// TestQuick runs kernels by the quick tier, in all blocks and both widths.
func TestQuick(t *testing.T) {
	for name, body := range quickBodies {
		t.Run(name, func(t *testing.T) {
			l := newLaboratory(t, "k.ptx", accessHeader+body+"\n\tret;\n}\n")
			const size = 1 << 16
			buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
			all := l.arena.Bytes(buf, size)
			for _, block := range blocks {
				run := func(compile host.Compiler) (machine.Stats, []byte) {
					for i := range all {
						all[i] = byte(i*11 + i>>8)
					}
					return l.run(t, "k", 3, block, compile, buf+size/2, uint32(12)), bytes.Clone(all)
				}
				want, memory := run(nil)
				for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
					got, have := run(engine(t, jit.Options{Vectors: v, Quick: true}).Install)
					if !bytes.Equal(have, memory) || got.LaneOps != want.LaneOps || got.Steps != want.Steps {
						t.Errorf("%v, %v: %d steps and %d lane-ops, the interpreter %d and %d; memory is the same: %v", block, v, got.Steps, got.LaneOps, want.Steps, want.LaneOps, bytes.Equal(have, memory))
					}
					if whole := block[0]*block[1]*block[2] >= 32; whole != (got.NativeOps > 0) {
						t.Errorf("%v, %v: %d of %d lane-ops compiled", block, v, got.NativeOps, got.LaneOps)
					}
				}
			}
		})
	}
}

// TestBetter replaces what the quick tier has made by better code in the middle of a launch, in all blocks and both widths.
func TestBetter(t *testing.T) {
	l, at, all, fill := accessRoom(t, lazyBody)
	r := rand.New(rand.NewPCG(7, 8))
	tiers := map[bool]int{}
	for _, block := range blocks {
		fill()
		want := l.run(t, "k", 7, block, nil, at, uint32(40))
		memory := bytes.Clone(all)
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			for i := range 4 {
				e := engine(t, jit.Options{Vectors: v})
				quick, better := r.Uint32N(4), []uint32{r.Uint32N(12), 1 << 30}[i%2]
				var code *machine.Code
				fill()
				got, err := l.launch(t, "k", [3]uint32{7, 1, 1}, block, func(x *host.Launch) {
					x.Compile, x.CompileAfter, x.PartsAfter = func(c *machine.Code, stopped func() bool) { code = c; e.InstallQuick(c, stopped) }, quick, r.Uint32N(10)
					x.Better, x.BetterAfter, x.CompileParts = e.InstallWhole, better, e.Install
				}, at, uint32(40))
				if err != nil {
					t.Fatal(err)
				}
				if code != nil {
					tiers[code.Native().Quick]++
				}
				if !bytes.Equal(all, memory) || got.LaneOps != want.LaneOps || got.Steps != want.Steps {
					t.Errorf("%v, %v, after %d and %d: %d steps and %d lane-ops, the interpreter %d and %d; memory is the same: %v", block, v, quick, better,
						got.Steps, got.LaneOps, want.Steps, want.LaneOps, bytes.Equal(all, memory))
				}
			}
		}
	}
	if tiers[false] < len(blocks) || tiers[true] == 0 {
		t.Errorf("launches that ended in quick code, and in better: %v", tiers)
	}
}
