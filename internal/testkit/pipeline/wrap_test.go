package pipeline

// This file has kernels in which words wrap between the warps of a CTA, or between lanes, where both ends look right.

import (
	"encoding/binary"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// wraps32 are bodies of kernels for blocks of 32 by 4 threads: %r1 is the lane, %r2 the warp, %r3 the thread in the grid, %r4 and %r5 the
// parameters n and s, %rd1 and %rd2 the places of the thread in what is read and written, %rd3 the first of what is read. %r9 is stored.
var wraps32 = []struct{ name, text string }{
	// The index is the lane for warp 0 and two more for warp 3, and far outside for those between, where no lane reads.
	{"between warps", `mul.lo.s32 %r6, %r2, 0x55555556; add.s32 %r6, %r6, %r1; setp.lt.u32 %p1, %r6, 64;
		mul.wide.s32 %rd4, %r6, 4; add.s64 %rd4, %rd4, %rd3; mov.u32 %r9, 7; @%p1 ld.global.u32 %r9, [%rd4];`},
	// So for steps that only the launch knows.
	{"between warps, by a parameter", `mul.lo.s32 %r6, %r2, %r5; add.s32 %r6, %r6, %r1; setp.lt.u32 %p1, %r6, 64;
		mul.wide.s32 %rd4, %r6, 4; add.s64 %rd4, %rd4, %rd3; mov.u32 %r9, 7; @%p1 ld.global.u32 %r9, [%rd4];`},
	// A sum that is too large for warps 0 and 1 is negative for the others: only these go on.
	{"a bound", `shl.b32 %r6, %r2, 5; add.s32 %r6, %r6, %r1; add.s32 %r6, %r6, 0x7fffffc0; setp.ge.s32 %p1, %r6, %r4; @%p1 ret;
		ld.global.u32 %r9, [%rd1]; add.s32 %r9, %r9, 1;`},
	// The upper half of an index that wraps between lanes, in one turn of a loop.
	{"between lanes", `mov.u32 %r6, 0x7fffffd8; mov.u32 %r7, 0; mov.u32 %r9, 0;
	L: add.s32 %r8, %r6, %r1; cvt.s64.s32 %rd4, %r8; shr.u64 %rd4, %rd4, 32; cvt.u32.u64 %r8, %rd4; mad.lo.s32 %r9, %r9, 3, %r8;
		ld.global.u32 %r8, [%rd1]; add.s32 %r9, %r9, %r8; add.s32 %r6, %r6, 16; add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, 3; @%p1 bra L;`},
	// So by a step that only the launch knows.
	{"between lanes, by a parameter", `mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r9, 0;
	L: add.s32 %r8, %r6, %r1; cvt.s64.s32 %rd4, %r8; shr.u64 %rd4, %rd4, 32; cvt.u32.u64 %r8, %rd4; mad.lo.s32 %r9, %r9, 3, %r8;
		ld.global.u32 %r8, [%rd1]; add.s32 %r9, %r9, %r8; add.s32 %r6, %r6, %r5; add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, 7; @%p1 bra L;`},
}

// leavesAll is the one of which each warp leaves where it would wrap, and goes back to its start.
const leavesAll = "between lanes"

// wrapKernel is a kernel with such a body.
func wrapKernel(body string) string {
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 s)
{
	.reg .pred %p<3>;
	.reg .b32 %r<12>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd3, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r4, [n]; ld.param.u32 %r5, [s];
	cvta.to.global.u64 %rd3, %rd3; cvta.to.global.u64 %rd2, %rd2;
	mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; shl.b32 %r3, %r3, 2; add.s32 %r3, %r3, %r2;
	shl.b32 %r3, %r3, 5; add.s32 %r3, %r3, %r1; mul.wide.s32 %rd5, %r3, 4; add.s64 %rd1, %rd3, %rd5; add.s64 %rd2, %rd2, %rd5;
	` + body + `
	st.global.u32 [%rd2], %r9;
	ret;
}
`
}

// TestWraps: what holds for the first and the last warp, or lane, holds between them only if nothing wraps there.
func TestWraps(t *testing.T) {
	const ctas = 5
	in := &corpus.Buffer{Name: "in", Elem: corpus.S32, Init: make([]byte, 4*128*ctas)}
	for i := range in.Init {
		in.Init[i] = byte(5 * i)
	}
	out := &corpus.Buffer{Name: "out", Elem: corpus.S32, Init: make([]byte, len(in.Init))}
	word := func(v uint32) corpus.Arg {
		return corpus.Arg{Elem: corpus.S32, Scalar: binary.LittleEndian.AppendUint32(nil, v)}
	}
	r := &corpus.Run{Buffers: []*corpus.Buffer{in, out}, Launches: []corpus.Launch{{Kernel: "k", Grid: [3]int{ctas, 1, 1}, Block: [3]int{32, 4, 1},
		Args: []corpus.Arg{{Buffer: in}, {Buffer: out}, word(600), word(0x55555556)}}}}
	backEnds(t, func(t *testing.T, b backEnd) {
		for _, k := range wraps32 {
			text, refused := wrapKernel(k.text), map[string]error{}
			got := run(t, text, r, 3, b.with(&jit.PipelineC{}, refused))
			same(t, k.name, &run(t, text, r, 1, nil)[0], got)
			if err := refused["k"]; err != nil || got[2].byC == 0 && k.name != leavesAll {
				t.Errorf("%s: %v, %d lane operations are compiled code's", k.name, err, got[2].byC)
			}
		}
	})
}
