package pipeline

// This file has structures of four words that are stored between loads of the same ones.

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// structures are bodies of kernels of a block of 64 threads: %rd1 is where the thread's structure is, in memory that is written, and %r7 where it
// is in shared memory. %r9 is stored, in another
// basic block: loads are put off as long as none of their lanes are wanted, to its end.
var structures = []struct{ name, text string }{
	{"turned round", `ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; st.global.v4.u32 [%rd1], {%r4, %r3, %r2, %r1}; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd1];`},
	{"one word", `ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; add.u32 %r5, %r2, %r3; st.global.u32 [%rd1+4], %r5; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd1]; add.u32 %r9, %r9, %r10;`},
	{"by some lanes", `setp.lt.u32 %p1, %r6, 40; @%p1 st.shared.v4.u32 [%r7], {%r6, %r8, %r6, %r8}; ld.shared.v4.u32 {%r9, %r10, %r11, %r12}, [%r7];`},
	{"by one lane", `ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; setp.eq.u32 %p1, %r6, 5; @%p1 st.global.v2.u32 [%rd1+8], {%r1, %r2}; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd1]; mad.lo.u32 %r9, %r3, 3, %r11;`},
}

// TestStructures: what is loaded behind a store has been stored, although vectors of structures serve several loads.
func TestStructures(t *testing.T) {
	words := make([]byte, 3*64*16)
	for i := range words {
		words[i] = byte(i * 7)
	}
	mem, out := &corpus.Buffer{Name: "mem", Elem: corpus.U32, Init: words}, &corpus.Buffer{Name: "out", Elem: corpus.U32, Init: make([]byte, 3*64*4)}
	r := &corpus.Run{Buffers: []*corpus.Buffer{mem, out}, Launches: []corpus.Launch{{Kernel: "k", Grid: [3]int{3, 1, 1}, Block: [3]int{64, 1, 1}, Args: []corpus.Arg{{Buffer: mem}, {Buffer: out}}}}}
	for _, s := range structures {
		t.Run(s.name, func(t *testing.T) {
			text := `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem, .param .u64 out)
{
	.reg .pred %p<3>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<9>;
	.shared .align 16 .b8 smem[1024];
	ld.param.u64 %rd3, [mem]; ld.param.u64 %rd4, [out];
	mov.u32 %r6, %tid.x; mov.u32 %r8, %ctaid.x; mov.u32 %r7, smem; mad.lo.u32 %r7, %r6, 16, %r7;
	mad.lo.u32 %r13, %r8, 64, %r6; mul.wide.u32 %rd5, %r13, 16; add.s64 %rd1, %rd3, %rd5; mul.wide.u32 %rd5, %r13, 4; add.s64 %rd2, %rd4, %rd5;
	` + s.text + `
	setp.gt.u32 %p2, %r8, 7; @%p2 bra L;
L:	st.global.u32 [%rd2], %r9;
	ret;
}
`
			want := run(t, text, r, 1, nil)
			backEnds(t, func(t *testing.T, b backEnd) {
				refused := map[string]error{}
				for i, got := range run(t, text, r, 3, b.with(&jit.PipelineC{}, refused)) {
					if diff := got.differs(&want[0]); diff != "" || got.err != "" || refused["k"] != nil {
						t.Errorf("run %d: %s%s; %v", i, diff, got.err, refused["k"])
					}
				}
			})
		})
	}
}
