package jit_test

import (
	"bytes"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// blocks are the shapes of blocks that addresses follow from in different ways.
var blocks = [][3]uint32{{32, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}, {8, 3, 2}, {4, 16, 1}}

// accessHeader has the linear thread index in %r1, x and y in %r2 and %r3, and in %rd1 the middle of
// a buffer.
const accessHeader = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf, .param .u32 n) {
	.shared .align 16 .b8 smem[8192];
	.reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .b16 %h<9>; .reg .pred %p<4>; .reg .f32 %f<9>;
	ld.param.u64 %rd1, [buf];
	ld.param.u32 %r9, [n];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %tid.y;
	mov.u32 %r4, %tid.z;
	mov.u32 %r5, %ntid.x;
	mov.u32 %r6, %ntid.y;
	mad.lo.u32 %r1, %r4, %r6, %r3;
	mad.lo.u32 %r1, %r1, %r5, %r2;
	shl.b32 %r8, %r1, 2;
	cvt.u64.u32 %rd2, %r8;
	add.u64 %rd2, %rd1, %rd2;
`

// accessRoom has a kernel behind accessHeader, a buffer of which its first parameter is the middle, and what fills that.
func accessRoom(t *testing.T, body string) (l *laboratory, at uint64, all []byte, fill func()) {
	t.Helper()
	l = newLaboratory(t, "k.ptx", accessHeader+body+"\n\tret;\n}\n")
	const size = 1 << 17
	buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
	all = l.arena.Bytes(buf, size)
	return l, buf + size/2, all, func() {
		for i := range all {
			all[i] = byte(i*11 + i>>8)
		}
	}
}

// compareBlocks runs a kernel in both engines, both widths and all blocks; where leave is given it
// leaves at those instructions, too.
func compareBlocks(t *testing.T, body string, leave func(pc int32) bool) (native uint64) {
	t.Helper()
	l, at, all, fill := accessRoom(t, body)
	for _, block := range blocks {
		fill()
		want := l.run(t, "k", 2, block, nil, at, uint32(24))
		memory := bytes.Clone(all)
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			o := jit.Options{Vectors: v}
			if leave != nil {
				o = jit.Leaving(o, leave)
			}
			fill()
			got := l.run(t, "k", 2, block, engine(t, o).Install, at, uint32(24))
			native += got.NativeOps
			if !bytes.Equal(all, memory) || got.LaneOps != want.LaneOps || got.Steps != want.Steps {
				t.Errorf("%v, %d: memory equal: %v; %d steps and %d lane-ops, the interpreter %d and %d", block, v, bytes.Equal(all, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
			}
		}
	}
	return native
}

// accessCases are what kernels do with addresses that follow from few.
var accessCases = map[string]string{
	"contiguous":     "ld.global.u32 %r10, [%rd2]; add.u32 %r10, %r10, %r1; st.global.u32 [%rd2+4096], %r10;",
	"row and column": "mad.lo.u32 %r10, %r3, %r9, %r2; mul.wide.u32 %rd3, %r10, 4; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r11, [%rd3+64]; st.global.u32 [%rd2+8192], %r11;",
	"one per row":    "mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd2+8192], %r11;",
	"last wins":      "mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r1; st.global.u16 [%rd3+1024], %r1;",
	"columns":        "mul.lo.u32 %r10, %r2, 132; cvt.u64.u32 %rd3, %r10; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd3+4], %r11; st.global.u32 [%rd2+-8192], %r11;",
	"far apart":      "mad.lo.u32 %r10, %r3, 16, %r2; mul.wide.u32 %rd3, %r10, 0x10000000; mul.lo.u32 %r11, %r3, %r9; cvt.u64.u32 %rd4, %r11; add.u64 %rd3, %rd3, %rd4; mul.wide.u32 %rd5, %r1, 8; add.u64 %rd5, %rd1, %rd5; st.global.u64 [%rd5], %rd3;",
	"rows of rows":   "mad.lo.u32 %r10, %r3, 72, %r2; mul.wide.u32 %rd3, %r10, 4; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r11, [%rd3+64]; mul.lo.u32 %r12, %r3, %r9; add.u32 %r12, %r12, %r10; mul.wide.u32 %rd4, %r12, 4; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r13, [%rd4+64]; mul.wide.s32 %rd5, %r3, -300; add.s64 %rd5, %rd5, %rd1; ld.global.u32 %r14, [%rd5]; add.u32 %r11, %r11, %r13; xor.b32 %r11, %r11, %r14; st.global.u32 [%rd2+8192], %r11; st.global.u32 [%rd3+16384], %r11; st.global.u16 [%rd5+-8192], %r11;",
	"backwards":      "neg.s32 %r10, %r1; mul.wide.s32 %rd3, %r10, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r11, [%rd3]; st.global.u32 [%rd2+4096], %r11; st.global.u32 [%rd3+-4096], %r1;",
	"pairs":          "mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd1, %rd3; ld.global.v2.u32 {%r10, %r11}, [%rd3]; st.global.v2.u32 [%rd3+8192], {%r11, %r10};",
	"fours":          "mul.wide.u32 %rd3, %r1, 16; add.u64 %rd3, %rd1, %rd3; ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd3]; st.global.v4.u32 [%rd3+8192], {%r13, %r12, %r11, %r10};",
	"64 bits":        "mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd1, %rd3; ld.global.u64 %rd4, [%rd3]; add.u64 %rd4, %rd4, %rd3; st.global.u64 [%rd3+8192], %rd4; mul.wide.u32 %rd5, %r1, 24; add.u64 %rd5, %rd1, %rd5; ld.global.u64 %rd6, [%rd5]; st.global.u64 [%rd5+16], %rd6;",
	"widened":        "ld.global.s32 %rd4, [%rd2]; ld.global.u32 %rd5, [%rd2]; sub.s64 %rd4, %rd4, %rd5; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd1, %rd3; st.global.u64 [%rd3+8192], %rd4;",
	"bytes":          "cvt.u64.u32 %rd3, %r1; add.u64 %rd3, %rd1, %rd3; ld.global.u8 %r10, [%rd3]; ld.global.s8 %r11, [%rd3+3]; add.u32 %r10, %r10, %r11; st.global.u8 [%rd3+4096], %r10; st.global.u32 [%rd2+8192], %r10;",
	"halves":         "mul.wide.u32 %rd3, %r1, 2; add.u64 %rd3, %rd1, %rd3; ld.global.u16 %h1, [%rd3]; ld.global.s16 %r11, [%rd3+6]; st.global.u16 [%rd3+4096], %h1; st.global.u32 [%rd2+8192], %r11;",
	"loop":           "mov.u64 %rd3, %rd2; mov.u32 %r10, 0; mov.u32 %r12, 0;\nL: ld.global.u32 %r11, [%rd3]; ld.global.u32 %r13, [%rd3+8]; xor.b32 %r11, %r11, %r13; add.u32 %r12, %r12, %r11; add.u64 %rd3, %rd3, 4; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r9; @%p1 bra L; st.global.u32 [%rd2+8192], %r12;",
	"parted":         "setp.lt.u32 %p1, %r2, 5; mov.u64 %rd3, %rd2; @%p1 bra A; ld.global.u32 %r10, [%rd3+16]; bra.uni B;\nA: add.u64 %rd3, %rd3, 4; ld.global.u32 %r10, [%rd3];\nB: st.global.u32 [%rd2+4096], %r10;  sub.u64 %rd4, %rd3, %rd1; mul.wide.u32 %rd5, %r1, 8; add.u64 %rd5, %rd5, %rd1; st.global.u64 [%rd5+8192], %rd4;",
	"guarded":        "setp.lt.u32 %p1, %r1, 7; mov.u32 %r10, 1; @%p1 ld.global.u32 %r10, [%rd2]; @!%p1 st.global.u32 [%rd2+4096], %r10; @%p1 add.u64 %rd2, %rd2, 64; ld.global.u32 %r11, [%rd2]; st.global.u32 [%rd2+8192], %r11;",
	"guarded home":   "add.u64 %rd3, %rd2, 64; setp.lt.u32 %p1, %r1, 7; @%p1 mov.u64 %rd3, %rd2; st.global.u32 [%rd3+4096], %r1;",
	"shared":         "mov.u32 %r10, smem; add.u32 %r11, %r10, %r8; st.shared.u32 [%r11], %r1; bar.sync 0; mul.lo.u32 %r12, %r3, 64; add.u32 %r12, %r10, %r12; ld.shared.u32 %r13, [%r12+4]; ld.shared.u32 %r14, [%r12+8]; mad.lo.u32 %r15, %r2, 4, %r10; ld.shared.u32 %r16, [%r15]; add.u32 %r13, %r13, %r14; add.u32 %r13, %r13, %r16; bar.sync 0; st.shared.u32 [%r11+1024], %r13; bar.sync 0; ld.shared.u32 %r17, [%r11+1024]; st.global.u32 [%rd2], %r17;",
	"shared bases":   "mov.u32 %r10, smem; add.u32 %r11, %r10, %r8; st.shared.u32 [%r11], %r1; st.shared.u32 [%r11+4], %r8; bar.sync 0; mad.lo.u32 %r15, %r2, 4, %r10; mov.u32 %r20, 0;\nL: ld.shared.u32 %r12, [%r11]; ld.shared.u32 %r13, [%r15]; ld.shared.u32 %r14, [%r15+4]; add.u32 %r12, %r12, %r13; ld.shared.u32 %r16, [%r11+8]; add.u32 %r11, %r11, 4; ld.shared.u32 %r17, [%r11]; ld.shared.u32 %r18, [%r11+4]; ld.shared.u32 %r19, [%r15+8]; xor.b32 %r12, %r12, %r14; add.u32 %r12, %r12, %r16; xor.b32 %r12, %r12, %r17; add.u32 %r12, %r12, %r18; add.u32 %r12, %r12, %r19; st.global.u32 [%rd2], %r12; add.u64 %rd2, %rd2, 1024; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 20; @%p1 bra L;",
	"wraps":          "add.u32 %r10, %r1, 0x7ffffff0; mul.wide.s32 %rd3, %r10, 4; shr.u64 %rd4, %rd3, 20; xor.b64 %rd3, %rd3, %rd4; mul.wide.u32 %rd5, %r1, 8; add.u64 %rd5, %rd1, %rd5; st.global.u64 [%rd5], %rd3; add.u32 %r11, %r1, 0xfffffff8; cvt.u64.u32 %rd6, %r11; and.b64 %rd7, %rd6, 0xff8; add.u64 %rd7, %rd7, %rd1; st.global.u64 [%rd5+8192], %rd6; ld.global.u32 %r12, [%rd7]; st.global.u32 [%rd2+-8192], %r12;",
	"wraps, loop":    "mov.u32 %r12, 0; mov.u32 %r10, %r1;\nL: add.u32 %r11, %r10, 0xffffffe8; cvt.u64.u32 %rd3, %r11; shl.b64 %rd4, %rd3, 2; add.u64 %rd5, %rd4, %rd1; and.b64 %rd6, %rd5, 0xfffc; add.u64 %rd6, %rd6, 0; mul.wide.u32 %rd7, %r1, 8; add.u64 %rd7, %rd1, %rd7; st.global.u64 [%rd7], %rd5; add.u32 %r10, %r10, 1; add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 30; @%p1 bra L;",
	"same register":  "mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd1, %rd3; st.global.u64 [%rd3], %rd3; ld.global.u64 %rd3, [%rd3]; ld.global.u64 %rd3, [%rd3]; st.global.u64 [%rd3+8192], %rd3;",
	"across lanes":   "shfl.sync.bfly.b32 %r10, %r8, 1, 31, -1; add.u32 %r11, %r8, 4; shfl.sync.idx.b32 %r12, %r11, 0, 31, -1; add.u32 %r10, %r10, %r12; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r10;",
	"atomic":         "atom.global.add.u32 %r10, [%rd2], %r1; red.global.add.u32 [%rd2+4096], %r8; st.global.u32 [%rd2+8192], %r10;",
	"vectors read":   "add.u32 %r10, %r8, 12; cvt.u64.u32 %rd3, %r10; add.u64 %rd3, %rd3, %rd1; cvt.rn.f32.u32 %f1, %r10; st.global.f32 [%rd3], %f1; sub.u64 %rd4, %rd3, %rd2; cvt.u32.u64 %r11, %rd4; st.global.u32 [%rd2+-4096], %r11; setp.gt.u32 %p1, %r10, 40; selp.u32 %r12, %r10, 3, %p1; st.global.u32 [%rd2+-8192], %r12;",
}

// TestAccesses compares the engines at addresses that follow from few, as they come and leaving at one
// of three instructions.
func TestAccesses(t *testing.T) {
	for name, body := range accessCases {
		t.Run(name, func(t *testing.T) {
			if compareBlocks(t, body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			for way := range int32(3) {
				compareBlocks(t, body, func(pc int32) bool { return pc%3 == way })
			}
		})
	}
}

// TestAccessFaults: what lies outside, or is not aligned, faults as in the interpreter: the first
// lane, the last one, one of a row in the middle, by a displacement, and in the second access from a
// base whose first one is inside.
func TestAccessFaults(t *testing.T) {
	const size = 4096
	for name, body := range map[string]string{
		"last":         "st.global.u32 [%rd2+3972], %r1;",
		"first":        "st.global.u32 [%rd2+-4], %r1;",
		"far":          "mul.wide.u32 %rd3, %r1, 512; add.u64 %rd3, %rd3, %rd1; ld.global.u32 %r10, [%rd3]; st.global.u32 [%rd2], %r10;",
		"near the top": "sub.u64 %rd3, %rd2, %rd1; sub.u64 %rd3, %rd3, 8; ld.global.u32 %r10, [%rd3]; st.global.u32 [%rd2], %r10;",
		"second":       "ld.global.u32 %r10, [%rd2]; st.global.u32 [%rd2], %r1; ld.global.u32 %r11, [%rd2+4092];",
		"not aligned":  "ld.global.u32 %r10, [%rd2]; st.global.u32 [%rd2], %r1; ld.global.u32 %r11, [%rd2+2];",
		"shared":       "mov.u32 %r10, smem; add.u32 %r10, %r10, %r8; st.shared.u32 [%r10], %r1; st.shared.u32 [%r10+8132], %r1; st.global.u32 [%rd2], %r1;",
		"below shared": "mov.u32 %r10, smem; add.u32 %r10, %r10, %r8; ld.shared.u32 %r11, [%r10+-8]; st.global.u32 [%rd2], %r11;",
	} {
		t.Run(name, func(t *testing.T) {
			l := newLaboratory(t, "k.ptx", accessHeader+body+"\n\tret;\n}\n")
			buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
			all := l.arena.Bytes(buf, size)
			for _, block := range [][3]uint32{{32, 1, 1}, {16, 4, 1}, {8, 8, 1}} {
				clear(all)
				want := l.fault(t, block, nil, buf)
				memory := bytes.Clone(all)
				for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
					clear(all)
					if got := l.fault(t, block, engine(t, jit.Options{Vectors: v}).Install, buf); got != want || got == "<nil>" {
						t.Errorf("%v, %d: %s\nthe interpreter: %s", block, v, got, want)
					}
					if !bytes.Equal(all, memory) {
						t.Errorf("%v, %d: memory differs", block, v)
					}
				}
			}
		})
	}
}

// fault runs one CTA and returns how it ends.
func (l *laboratory) fault(t *testing.T, block [3]uint32, compile host.Compiler, buf uint64) string {
	t.Helper()
	_, err := l.launch(t, "k", [3]uint32{1, 1, 1}, block, func(x *host.Launch) { x.Compile = compile }, buf, uint32(24))
	return fmt.Sprint(err)
}

// alikeFaults runs a body of one warp with a buffer of 8192 bytes, whose middle it gets: in both widths fault and memory are the
// interpreter's. around may look at what installing compiled code does.
func alikeFaults(t *testing.T, what, body string, around func(v jit.Vectors, install host.Compiler) host.Compiler) {
	t.Helper()
	const size = 8192
	l := newLaboratory(t, "k.ptx", accessHeader+body+"\n\tret;\n}\n")
	buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
	all := l.arena.Bytes(buf, size)
	for i := range all {
		all[i] = byte(i * 7)
	}
	start := bytes.Clone(all)
	want := l.fault(t, [3]uint32{32, 1, 1}, nil, buf+size/2)
	memory := bytes.Clone(all)
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		copy(all, start)
		install := engine(t, jit.Options{Vectors: v}).Install
		if around != nil {
			install = around(v, install)
		}
		if got := l.fault(t, [3]uint32{32, 1, 1}, install, buf+size/2); got != want || !bytes.Equal(all, memory) {
			t.Errorf("%s, %v: %s\nthe interpreter: %s\nmemory equal: %v", what, v, got, want, bytes.Equal(all, memory))
		}
	}
}
