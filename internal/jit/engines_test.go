package jit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

const threadHeader = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p; .reg .f32 %f<9>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
`

// same runs a kernel of 64 threads in both engines, with both widths, and leaving at one of five
// instructions.
func same(t *testing.T, src string) {
	t.Helper()
	l := newLaboratory(t, "k.ptx", src)
	buf, _ := l.arena.Alloc(4096, mem.Info{Label: "buf"})
	out := l.arena.Bytes(buf, 4096)
	want := l.run(t, "k", 1, [3]uint32{64, 1, 1}, nil, buf)
	memory := bytes.Clone(out)
	for way := range 4 {
		v, o := jit.AVX2+jit.Vectors(way%2), jit.Options{Vectors: jit.AVX2 + jit.Vectors(way%2)}
		if way >= 2 {
			o = jit.Leaving(o, func(pc int32) bool { return pc%5 == 2 })
		}
		clear(out)
		got := l.run(t, "k", 1, [3]uint32{64, 1, 1}, engine(t, o).Install, buf)
		if !bytes.Equal(out, memory) || got.LaneOps != want.LaneOps || got.Steps != want.Steps {
			t.Errorf("%d: memory equal: %v; %d steps and %d lane-ops, the interpreter %d and %d", v, bytes.Equal(out, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
		}
		if way < 2 && got.NativeOps*2 < got.LaneOps {
			t.Errorf("%d: only %d of %d lane-ops ran in compiled code", v, got.NativeOps, got.LaneOps)
		}
	}
}

// TestManyWaits has more places at which lanes can wait than a word has bits: a jump over lanes that wait must find them.
func TestManyWaits(t *testing.T) {
	var b strings.Builder
	b.WriteString(threadHeader + "\tmad.lo.u32 %r2, %r1, 0x9e3779b1, 12345;\n")
	for k := range 100 {
		fmt.Fprintf(&b, "\tshr.u32 %%r3, %%r2, %d;\n\tand.b32 %%r4, %%r3, 1;\n\tsetp.eq.u32 %%p, %%r4, 0;\n\t@%%p bra L%d;\n", k%31, k)
		fmt.Fprintf(&b, "\tmad.lo.u32 %%r2, %%r2, 5, %d;\n\tbra.uni M%d;\nL%d:\txor.b32 %%r2, %%r2, %%r1;\n\tadd.u32 %%r2, %%r2, 77;\nM%d:\n", k, k, k, k)
	}
	b.WriteString("\tst.global.u32 [%rd3], %r2;\n\tret;\n}\n")
	same(t, b.String())
}

// TestNaNs: a NaN that a loop of arithmetic makes is canonical in memory, in integer registers, where
// lanes part, and in what the interpreter reads; a loaded payload stays where nothing computes.
func TestNaNs(t *testing.T) {
	for name, end := range map[string]string{
		"stored":  "st.global.f32 [%rd3], %f1;",
		"bits":    "mov.b32 %r3, %f1; st.global.u32 [%rd3], %r3;",
		"parted":  "setp.lt.u32 %p, %r1, 9; @%p bra A; st.global.f32 [%rd3], %f1; bra.uni B; A: neg.f32 %f3, %f1; st.global.f32 [%rd3], %f3; B:",
		"left":    "shfl.sync.bfly.b32 %r3, %f1, 1, 31, -1; st.global.u32 [%rd3], %r3;",
		"guarded": "setp.lt.u32 %p, %r1, 9; @%p add.f32 %f1, %f1, 0f3F800000; st.global.f32 [%rd3], %f1;",
		"sum":     "mov.f32 %f5, 0f00000000; fma.rn.f32 %f5, %f1, %f2, %f5; st.global.f32 [%rd3], %f5;",
		"kept":    "mov.b32 %f5, 0x7fc12345; setp.lt.u32 %p, %r1, 9; @%p add.f32 %f5, %f1, %f2; st.global.f32 [%rd3], %f5;",
		"chosen":  "setp.lt.u32 %p, %r1, 9; selp.b32 %r3, 0x7fc12345, 5, %p; mov.b32 %f5, %r3; setp.lt.u32 %p, %r1, 4; @%p add.f32 %f5, %f1, %f2; st.global.f32 [%rd3], %f5;",
		"picked":  "or.b32 %r4, %r1, 0x7fa00000; and.b32 %r3, %r4, 0xffffff0f; mov.b32 %f5, %r3; setp.lt.u32 %p, %r1, 4; @%p add.f32 %f5, %f1, %f2; st.global.f32 [%rd3], %f5;",
		"payload": "st.global.f32 [%rd3], %f4; add.f32 %f1, %f1, %f4; st.global.f32 [%rd3+512], %f1;",
	} {
		t.Run(name, func(t *testing.T) {
			same(t, threadHeader+`
	mov.b32 %f4, 0x7f812345;
	cvt.rn.f32.u32 %f1, %r1;
	sub.f32 %f2, %f1, 0f41200000;
	mov.u32 %r2, 0;
L:	fma.rn.f32 %f1, %f1, %f2, %f1;
	sub.f32 %f1, %f1, %f1;
	fma.rn.f32 %f1, %f1, %f2, %f2;
	mul.f32 %f2, %f2, %f2;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, 12;
	@%p bra L;
	`+end+"\n\tret;\n}\n")
		})
	}
}

// TestManyPredicates has more predicates alive at a time than a run can write, and than it looks ahead for.
func TestManyPredicates(t *testing.T) {
	const n = 150
	var b strings.Builder
	b.WriteString(strings.Replace(threadHeader, ".reg .pred %p;", fmt.Sprintf(".reg .pred %%p, %%q<%d>;", n), 1))
	b.WriteString("\tbra.uni BEGIN;\nBEGIN:\n") // where the first warp enters that has missed its parameters
	for i := range n {
		fmt.Fprintf(&b, "\tsetp.lt.u32 %%q%d, %%r1, %d;\n", i, i/2)
	}
	b.WriteString("\tmov.u32 %r2, 0;\n")
	for i := range n {
		fmt.Fprintf(&b, "\tselp.u32 %%r3, %d, 7, %%q%d;\n\tmad.lo.u32 %%r2, %%r2, 31, %%r3;\n", i, i)
	}
	b.WriteString("\tst.global.u32 [%rd3], %r2;\n\tret;\n}\n")
	same(t, b.String())
}
