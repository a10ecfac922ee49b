package jit_test

import (
	"bytes"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// helpKernel counts in local memory that it has not written, in a loop that lanes leave apart and around a barrier, in each CTA anew.
// What it writes to, of the depot of 16 words, goes beyond that in thread %ctaid.x = 29, %tid.x = 40 if the parameter q is set.
const helpKernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 q) {
	.local .align 8 .b8 depot[64];
	.shared .align 4 .b8 smem[1024];
	.reg .b32 %r<16>;
	.reg .b64 %d<10>;
	.reg .f32 %f<4>;
	.reg .pred %p<6>;
	ld.param.u64 %d1, [p];
	ld.param.u32 %r9, [q];
	mov.u64 %d2, depot;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r2, %r3, %r1;
	and.b32 %r5, %r1, 7;
	mov.u32 %r6, 0;
	setp.eq.u32 %p1, %r2, 29;
	setp.eq.and.u32 %p1, %r1, 40, %p1;
	setp.ne.and.u32 %p1, %r9, 0, %p1;
	selp.b32 %r10, 9, 0, %p1;
L:	add.u32 %r7, %r6, %r10;
	mul.wide.u32 %d3, %r7, 8;
	add.u64 %d4, %d2, %d3;
	ld.local.u32 %r8, [%d4+4];
	mad.lo.u32 %r8, %r8, 3, %r4;
	cvt.rn.f32.u32 %f1, %r8;
	add.rn.f32 %f1, %f1, 0f3f000000;
	cvt.rzi.u32.f32 %r8, %f1;
	st.local.u32 [%d4+4], %r8;
	add.u32 %r6, %r6, 1;
	setp.le.u32 %p2, %r6, %r5;
	@%p2 bra L;
	mov.u32 %r11, smem;
	and.b32 %r12, %r1, 63;
	mad.lo.u32 %r11, %r12, 4, %r11;
	st.shared.u32 [%r11], %r8;
	bar.sync 0;
	ld.shared.u32 %r12, [%r11];
	ld.local.v2.u32 {%r13, %r14}, [%d2];
	ld.local.u32 %r15, [%d2+28];
	add.u32 %r13, %r13, %r14;
	add.u32 %r13, %r13, %r15;
	xor.b32 %r13, %r13, %r12;
	mul.wide.u32 %d5, %r4, 4;
	add.u64 %d6, %d1, %d5;
	st.global.u32 [%d6], %r13;
	ret;
}
`

// TestHelp has handlers execute all instructions that they may, or some, in batches over many CTAs, where lanes have parted and behind
// barriers: memory, counts and the fault are the interpreter's, and local memory is that of one CTA.
func TestHelp(t *testing.T) {
	l := newLaboratory(t, "k.ptx", helpKernel)
	buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
	data := l.arena.Bytes(buf, 1<<15)
	run := func(block, fault uint32, compile host.Compiler) (machine.Stats, string, []byte) {
		clear(data)
		var s machine.Stats
		var err error
		for range 2 {
			s, err = l.launch(t, "k", [3]uint32{40, 1, 1}, [3]uint32{block, 1, 1}, func(x *host.Launch) { x.Compile = compile }, buf, fault)
		}
		return s, fmt.Sprint(err), bytes.Clone(data)
	}
	every := func(n int32) func(pc int32) bool { return func(pc int32) bool { return n != 0 && pc%n == 0 } }
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		for _, n := range []int32{0, 1, 2, 3, 5} {
			for _, block := range []uint32{64, 128, 100, 41} {
				for fault := range uint32(2) {
					want, wantErr, memory := run(block, fault, nil)
					e := engine(t, jit.Helping(jit.Options{Vectors: v}, every(n)))
					got, err, mem := run(block, fault, e.Install)
					what := fmt.Sprintf("%v, every %d, %d threads, fault %d", v, n, block, fault)
					if err != wantErr {
						t.Fatalf("%s: %s; the interpreter: %s", what, err, wantErr)
					}
					if !bytes.Equal(mem, memory) || fault == 0 && (got.Steps != want.Steps || got.LaneOps != want.LaneOps) {
						t.Fatalf("%s: %s; %d steps, %d lane-ops; the interpreter %d and %d", what, firstDifference(mem, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
					}
					helped := uint64(0)
					for _, left := range got.Left {
						if left.Helped {
							helped += left.Times
						}
					}
					if fault == 0 && n != 0 && helped == 0 {
						t.Errorf("%s: no handler was called", what)
					}
				}
			}
		}
	}
}

// BenchmarkHelp is what one instruction costs that a handler executes in the middle of compiled code: behind it is what the
// same costs in the interpreter, of which a part is the handler's.
func BenchmarkHelp(b *testing.B) {
	const turns, ctas = 4096, 16
	for _, op := range []struct{ name, text string }{
		{"add.u32", "add.u32 %r3, %r3, %r2;"}, {"add.f32", "add.rn.f32 %f2, %f2, %f1;"}, {"ld.global.u32", "ld.global.u32 %r3, [%d2];"},
	} {
		src := fmt.Sprintf(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) { .reg .b32 %%r<6>; .reg .b64 %%d<3>; .reg .f32 %%f<3>; .reg .pred %%p1;
ld.param.u64 %%d1, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%laneid; mul.wide.u32 %%d2, %%r1, 4; add.u64 %%d2, %%d1, %%d2; mov.u32 %%r4, 0; mov.b32 %%f1, %%r2; mov.b32 %%f2, 0;
mov.u32 %%r3, %%r2;
L: %s
add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p1, %%r4, %d; @%%p1 bra L;
cvt.rzi.u32.f32 %%r5, %%f2; add.u32 %%r3, %%r3, %%r5; st.global.u32 [%%d2], %%r3; ret; }`, op.text, turns)
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512, jit.Best} {
			name := op.name + "/" + v.String()
			if v == jit.Best {
				name = op.name + "/interpreter, the loop"
			}
			b.Run(name, func(b *testing.B) {
				l := newLaboratory(b, "k.ptx", src)
				buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
				l.keep = true
				var compile host.Compiler
				if v != jit.Best {
					compile = engine(b, jit.Helping(jit.Options{Vectors: v}, func(pc int32) bool { return pc == 9 })).Install
				}
				for b.Loop() {
					l.run(b, "k", ctas, [3]uint32{32, 1, 1}, compile, buf)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*turns*ctas), "ns/turn")
			})
		}
	}
}
