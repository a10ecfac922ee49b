package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
)

// loopOf is a loop of %r11 from 0 by steps, while it is below the height; %f1 is a sum, %rd10 goes on with the rows.
func loopOf(body string, step int) string {
	return fmt.Sprintf("mov.u32 %%r11, 0; mov.f32 %%f1, 0f00000000; mov.u64 %%rd10, %%rd3; mov.u32 %%r20, %%r3; setp.lt.s32 %%p1, %%r9, 1; @%%p1 bra E;\nL: %s add.u32 %%r20, %%r20, %d; add.u32 %%r11, %%r11, %d; setp.lt.s32 %%p2, %%r11, %%r9; @%%p2 bra L;\nE: %s st.global.f32 [%%rd3+32768], %%f1;", body, step, step, eachApart)
}

// eachApart has %rd3 go by the number of the thread in the grid, so that what CTAs and warps store lies apart.
const eachApart = "mov.u32 %r57, %nctaid.x; mad.lo.u32 %r57, %r55, %r57, %r54; mul.lo.u32 %r58, %r51, %r52; mov.u32 %r59, %ntid.z; mul.lo.u32 %r58, %r58, %r59; mad.lo.u32 %r57, %r57, %r58, %r5; mul.wide.u32 %rd13, %r57, 4; add.s64 %rd3, %rd1, %rd13;"

// tiled keeps a tile in shared memory for each turn.
const tiled = "ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; xor.b32 %r13, %r56, 128; add.u32 %r13, %r13, %r7; ld.shared.f32 %f3, [%r13]; ld.shared.f32 %f4, [%r7+64]; fma.rn.f32 %f1, %f3, %f4, %f1; bar.sync 0; add.s64 %rd10, %rd10, 64;"

var ctaLoops = []ctaEdge{
	{name: "many turns", body: loopOf(tiled, 1)},
	{name: "one turn", height: 16, body: loopOf(tiled, 16)},
	{name: "no turn", height: 1 << 31, body: loopOf(tiled, 16)},
	{name: "steps of three", height: 31, body: loopOf(tiled, 3)},
	{name: "guarded, all inside", height: 48, body: loopOf("mov.f32 %f2, 0f00000000; setp.ge.s32 %p3, %r20, %r9; @%p3 bra S; ld.global.f32 %f2, [%rd10];\nS: st.shared.f32 [%r10], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10]; ld.shared.f32 %f4, [%r7+64]; fma.rn.f32 %f1, %f3, %f4, %f1; bar.sync 0; add.s64 %rd10, %rd10, 64;", 16)},
	{name: "guarded, the last tile in part", height: 50, body: loopOf("mov.f32 %f2, 0f00000000; setp.ge.s32 %p3, %r20, %r9; @%p3 bra S; ld.global.f32 %f2, [%rd10];\nS: st.shared.f32 [%r10], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10]; ld.shared.f32 %f4, [%r7+64]; fma.rn.f32 %f1, %f3, %f4, %f1; bar.sync 0; add.s64 %rd10, %rd10, 64;", 16)},
	{name: "rows of a parameter", height: 48, body: loopOf("mad.lo.s32 %r21, %r11, %r8, %r6; mul.wide.s32 %rd11, %r21, 4; add.s64 %rd12, %rd1, %rd11; ld.global.f32 %f2, [%rd12]; st.shared.f32 [%r10], %f2; bar.sync 0; xor.b32 %r13, %r56, 192; add.u32 %r13, %r13, %r7; ld.shared.f32 %f3, [%r13]; fma.rn.f32 %f1, %f3, %f3, %f1; bar.sync 0;", 5)},
	{name: "a pitch", height: 12, pitch: 36, body: "shl.b64 %rd20, %rd20, 2; " + loopOf("ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10]; fma.rn.f32 %f1, %f3, %f3, %f1; bar.sync 0; add.s64 %rd10, %rd10, %rd20;", 4)},
	{name: "a pitch back", height: 12, pitch: 1<<64 - 36, body: "shl.b64 %rd20, %rd20, 2; " + loopOf("ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10]; fma.rn.f32 %f1, %f3, %f3, %f1; bar.sync 0; add.s64 %rd10, %rd10, %rd20;", 4)},
	{name: "a pitch that wraps", height: 4, pitch: 1 << 60, body: "shl.b64 %rd20, %rd20, 2; " + loopOf("ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10]; fma.rn.f32 %f1, %f3, %f3, %f1; bar.sync 0; add.s64 %rd10, %rd10, %rd20; add.s64 %rd10, %rd10, %rd20;", 1)},
	{name: "beside in a later turn", height: 12, pitch: 22500, body: "shl.b64 %rd20, %rd20, 2; " + loopOf("ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10]; fma.rn.f32 %f1, %f3, %f3, %f1; bar.sync 0; add.s64 %rd10, %rd10, %rd20;", 4)},
	{name: "one byte beside in a later turn", ordinary: true, height: 12, pitch: 1, body: loopOf("ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; ld.shared.f32 %f3, [%r10]; fma.rn.f32 %f1, %f3, %f3, %f1; bar.sync 0; add.s64 %rd10, %rd10, %rd20;", 4)},
	{name: "a place in the first turns", ordinary: true, height: 12, pitch: 10000, body: "shl.b64 %rd20, %rd20, 2; add.s64 %rd3, %rd3, 90000; " + loopOf("st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f3, [%r10]; bar.sync 0; ld.global.f32 %f2, [%rd10]; fma.rn.f32 %f1, %f2, %f3, %f1; add.s64 %rd10, %rd10, %rd20;", 3)},
	{name: "beside in the first turn", height: 3, body: "mov.u32 %r11, 0; mov.u32 %r12, 0; mul.wide.u32 %rd4, %r54, 20000; add.s64 %rd10, %rd3, %rd4; add.s64 %rd10, %rd10, 100000;\nL: ld.global.u32 %r13, [%rd10]; add.u32 %r12, %r12, %r13; bar.sync 0; add.s64 %rd10, %rd10, -10000; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nbar.sync 0; st.global.u32 [%rd3], %r12;"},
	{name: "loaded in a turn, read behind the last", height: 5, body: "mov.u32 %r11, 0; mov.f32 %f1, %f9; mov.u64 %rd10, %rd3;\nL: ld.global.f32 %f5, [%rd10]; st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f3, [%r7+64]; fma.rn.f32 %f1, %f3, %f9, %f1; bar.sync 0; add.s64 %rd10, %rd10, 64; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nadd.f32 %f6, %f5, %f1; st.global.f32 [%rd3], %f6;"},
	{name: "a NaN of the first turn", height: 1, body: "or.b32 %r12, %r5, 0x7fc00000; mov.b32 %f1, %r12; mov.u32 %r11, 0;\nL: st.shared.f32 [%r10+2048], %f1; bar.sync 0; add.f32 %f1, %f1, %f9; bar.sync 0; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nld.shared.u32 %r14, [%r10+2048]; st.global.u32 [%rd3], %r14; st.global.f32 [%rd3+32768], %f1;"},
	{name: "CTAs take turns", body: "mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r54; bar.sync 0; " + loopOf(tiled, 1) + " bar.sync 0; ld.global.u32 %r14, [%rd5]; bar.sync 0; st.global.u32 [%rd3+65536], %r14;"},
	{name: "differs", height: 7, body: "mov.u32 %r11, 0; mov.u32 %r12, 5;\nL: st.shared.u32 [%r10], %r12; bar.sync 0; ld.shared.u32 %r13, [%r7+100]; mad.lo.u32 %r12, %r13, 3, %r12; bar.sync 0; add.u32 %r11, %r11, 1; setp.ne.s32 %p2, %r11, %r9; @%p2 bra L;\nst.global.u32 [%rd3], %r12;"},
	{name: "differs, down", height: 24, body: "mov.u32 %r11, %r9; mov.u32 %r12, 5;\nL: st.shared.u32 [%r10], %r12; bar.sync 0; ld.shared.u32 %r13, [%r7+100]; mad.lo.u32 %r12, %r13, 3, %r12; bar.sync 0; add.u32 %r11, %r11, -4; setp.ne.s32 %p2, %r11, 0; @%p2 bra L;\nst.global.u32 [%rd3], %r12;"},
	{name: "differs for long", height: 25, launch: func(x *host.Launch) { x.MaxSteps = 40000 }, body: "mov.u32 %r11, %r9; mov.u32 %r12, 5;\nL: st.shared.u32 [%r10], %r12; bar.sync 0; ld.shared.u32 %r13, [%r7+100]; mad.lo.u32 %r12, %r13, 3, %r12; bar.sync 0; add.u32 %r11, %r11, -4; setp.ne.s32 %p2, %r11, 0; @%p2 bra L;\nst.global.u32 [%rd3], %r12;"},
	{name: "down, not below", height: 25, body: "mov.u32 %r11, %r9; mov.u32 %r12, 5;\nL: st.shared.u32 [%r10], %r12; bar.sync 0; ld.shared.u32 %r13, [%r7+100]; mad.lo.u32 %r12, %r13, 3, %r12; bar.sync 0; add.u32 %r11, %r11, -4; setp.lt.s32 %p2, %r11, 1; @!%p2 bra L;\nst.global.u32 [%rd3], %r12; st.global.u32 [%rd3+32768], %r11;"},
	{name: "unsigned", height: 25, body: "mov.u32 %r11, 8; mov.u32 %r12, 5;\nL: st.shared.u32 [%r10], %r12; bar.sync 0; ld.shared.u32 %r13, [%r7+100]; mad.lo.u32 %r12, %r13, 3, %r12; bar.sync 0; add.u32 %r11, %r11, 2; setp.le.u32 %p2, %r11, %r9; @%p2 bra L;\nst.global.u32 [%rd3], %r12; st.global.u32 [%rd3+32768], %r11;"},
	{name: "the turn as a value", height: 9, body: "mov.u32 %r11, 0; mov.u32 %r12, 5; mov.u32 %r20, %r54;\nL: add.u32 %r14, %r12, %r11; mad.lo.u32 %r20, %r8, 3, %r20; st.shared.u32 [%r10], %r14; bar.sync 0; ld.shared.u32 %r13, [%r7+100]; mad.lo.u32 %r12, %r13, %r20, %r12; xor.b32 %r12, %r12, %r11; bar.sync 0; mad.lo.u32 %r21, %r11, %r4, %r3; add.u32 %r12, %r12, %r21; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nst.global.u32 [%rd3], %r12; st.global.u32 [%rd3+32768], %r20; st.global.u32 [%rd3+65536], %r21;"},
	{name: "what a turn leaves", height: 9, body: "mov.f32 %f2, %f9; mov.f32 %f3, %f9; mov.f32 %f5, %f9; " + loopOf("ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; ld.shared.f32 %f3, [%r7+68]; fma.rn.f32 %f1, %f3, %f2, %f1; ld.shared.f32 %f5, [%r10]; bar.sync 0; add.s64 %rd10, %rd10, 64;", 1) + " st.global.f32 [%rd3], %f3; add.f32 %f6, %f2, %f5; st.global.f32 [%rd3+65536], %f6; st.global.u32 [%rd3+98304], %r20;"},
	{name: "what was before", height: 9, body: "ld.global.f32 %f5, [%rd3+128]; ld.shared.f32 %f6, [%r10]; mul.f32 %f7, %f5, %f9; " + loopOf(tiled+" fma.rn.f32 %f1, %f5, %f7, %f1; add.f32 %f1, %f1, %f6;", 1) + " st.global.f32 [%rd3], %f7; st.global.f32 [%rd3+65536], %f5;"},
	{name: "exchanged", height: 9, ordinary: true, body: "ld.global.u32 %r12, [%rd3]; mov.u32 %r13, %r5; mov.u32 %r11, 0;\nL: st.shared.u32 [%r10], %r12; bar.sync 0; mov.u32 %r14, %r12; mov.u32 %r12, %r13; mov.u32 %r13, %r14; bar.sync 0; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nst.global.u32 [%rd3], %r12; st.global.u32 [%rd3+32768], %r13;"},
	{name: "passed on", height: 9, body: "ld.global.u32 %r12, [%rd3]; mov.u32 %r13, %r5; mov.u32 %r11, 0;\nL: st.shared.u32 [%r10], %r12; bar.sync 0; add.u32 %r14, %r12, %r13; sub.u32 %r12, %r13, 7; add.u32 %r13, %r14, 1; bar.sync 0; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nst.global.u32 [%rd3], %r12; st.global.u32 [%rd3+32768], %r13;"},
	{name: "NaNs carried", height: 9, body: "ld.global.u32 %r12, [%rd3]; or.b32 %r12, %r12, 0x7f800000; mov.b32 %f1, %r12; mov.f32 %f2, 0fffc12345; mov.f32 %f5, 0f00000000; mov.u32 %r11, 0;\nL: st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f3, [%r10]; fma.rn.f32 %f2, %f3, %f9, %f2; fma.rn.f32 %f5, %f3, %f9, %f5; add.f32 %f1, %f1, %f9; bar.sync 0; st.shared.f32 [%r10+2048], %f5; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nst.global.f32 [%rd3], %f1; st.global.f32 [%rd3+32768], %f2; st.global.f32 [%rd3+65536], %f5;"},
	{name: "a NaN that stays", height: 9, body: "ld.global.u32 %r12, [%rd3]; or.b32 %r12, %r12, 0x7f800000; mov.b32 %f1, %r12; mov.u32 %r11, 0;\nL: st.shared.f32 [%r10], %f1; bar.sync 0; setp.gt.u32 %p3, %r3, 9; @%p3 add.f32 %f1, %f1, %f9; bar.sync 0; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nst.global.f32 [%rd3], %f1;"},
	{name: "some lanes", height: 9, body: "ld.global.u32 %r12, [%rd3]; mov.u32 %r11, 0; setp.lt.u32 %p3, %r3, 6; setp.gt.u32 %p4, %r5, 100;\nL: st.shared.u32 [%r10], %r12; bar.sync 0; ld.shared.u32 %r13, [%r10]; @%p3 bra A; mad.lo.u32 %r12, %r13, 5, %r11; bra B;\nA: add.u32 %r12, %r12, %r13;\nB: @%p4 add.u32 %r12, %r12, 3; bar.sync 0; add.u32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r9; @%p2 bra L;\nst.global.u32 [%rd3], %r12;"},
	{name: "some warps end before", ordinary: true, height: 9, body: "setp.lt.u32 %p3, %r5, 64; @%p3 exit; " + loopOf(tiled, 1)},
	{name: "leaves in the middle", height: 9, body: loopOf("setp.gt.u32 %p3, %r54, 3; @%p3 bra E; "+tiled, 1)},
	{name: "read without a barrier", ordinary: true, body: loopOf("ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; xor.b32 %r13, %r56, 128; add.u32 %r13, %r13, %r7; ld.shared.f32 %f3, [%r13]; fma.rn.f32 %f1, %f3, %f3, %f1; add.s64 %rd10, %rd10, 64;", 1)},
	{name: "stores at places of others, later", body: loopOf("ld.global.f32 %f2, [%rd10]; st.shared.f32 [%r10], %f2; bar.sync 0; fma.rn.f32 %f1, %f2, %f2, %f1; add.s64 %rd10, %rd10, 64;", 1) + " xor.b32 %r13, %r56, 128; add.u32 %r13, %r13, %r7; st.shared.u32 [%r13], %r5; bar.sync 0; ld.shared.u32 %r14, [%r10]; st.global.u32 [%rd3], %r14;"},
	{name: "read without a barrier, before", ordinary: true, body: "st.shared.u32 [%r10], %r5; " + loopOf("xor.b32 %r13, %r56, 128; add.u32 %r13, %r13, %r7; ld.shared.f32 %f3, [%r13]; bar.sync 0; fma.rn.f32 %f1, %f3, %f3, %f1;", 1)},
	{name: "warps store at one place", ordinary: true, height: 5, body: loopOf("st.shared.u32 [%r7+20], %r5; bar.sync 0; ld.shared.f32 %f3, [%r7+20]; add.f32 %f1, %f1, %f3; bar.sync 0;", 1)},
	{name: "one place is stored for all", ordinary: true, height: 5, body: loopOf(tiled, 1) + " mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r5;"},
	{name: "one place is loaded by all and stored by the first", ordinary: true, height: 5, body: "and.b32 %r14, %r5, 31; mul.wide.u32 %rd4, %r14, 4; add.s64 %rd5, %rd1, %rd4; setp.ge.u32 %p3, %r5, 32; " +
		strings.Replace(loopOf("ld.global.u32 %r15, [%rd5]; cvt.rn.f32.u32 %f5, %r15; add.f32 %f1, %f1, %f5; st.shared.f32 [%r10], %f1; bar.sync 0; ld.shared.f32 %f3, [%r7+64]; fma.rn.f32 %f1, %f3, %f9, %f1; bar.sync 0; @!%p3 st.global.u32 [%rd5], %r11;", 1), "E:", "E: bar.sync 0;", 1)},
	{name: "two buffers", ordinary: true, height: 5, body: loopOf(tiled, 1) + " add.s64 %rd5, %rd3, %rd20; st.global.u32 [%rd5], %r5;"},
	{name: "rows that overlap", height: 5, pitch: 20, body: loopOf(tiled, 1) + " bar.sync 0; ld.param.u32 %r14, [pitch]; mad.lo.s32 %r15, %r14, %r4, %r3; mul.wide.s32 %rd4, %r15, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r5;"},
	{name: "rows that nearly overlap", height: 5, pitch: 15, body: loopOf(tiled, 1) + " bar.sync 0; ld.param.u32 %r14, [pitch]; mad.lo.s32 %r15, %r14, %r4, %r3; mul.wide.s32 %rd4, %r15, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r5;"},
	{name: "stores in turns", height: 5, body: loopOf(tiled+" st.global.f32 [%rd3+32768], %f1; bar.sync 0;", 1)},
	{name: "stores that go on", ordinary: true, height: 5, body: loopOf(tiled+" st.global.f32 [%rd10+65536], %f1;", 1)},
	{name: "two loops", height: 6, body: loopOf(tiled, 1) + " mov.u32 %r11, 3; bar.sync 0;\nM: " + tiled + " add.u32 %r11, %r11, 3; setp.lt.s32 %p2, %r11, %r8; @%p2 bra M;\nst.global.f32 [%rd3+32768], %f1;"},
	{name: "a loop in a loop", height: 6, body: loopOf("mov.u32 %r14, 0;\nN: add.u32 %r14, %r14, 1; ld.global.f32 %f5, [%rd10+4]; fma.rn.f32 %f1, %f5, %f9, %f1; setp.lt.u32 %p4, %r14, 3; @%p4 bra N; "+tiled, 1)},
	{name: "a loop with barriers in a loop", ordinary: true, height: 6, body: loopOf("mov.u32 %r14, 0;\nN: add.u32 %r14, %r14, 1; "+tiled+" setp.lt.u32 %p4, %r14, %r9; @%p4 bra N; bar.sync 0;", 1)},
	{name: "three turns", body: "mov.u32 %r9, 3; " + loopOf(tiled, 1)},
	{name: "two hundred turns", body: "mov.u32 %r9, 200; " + loopOf(tiled, 1)},
	{name: "barriers change places", height: 6, body: loopOf("ld.global.f32 %f2, [%rd10]; setp.lt.u32 %p4, %r5, 96; @%p4 bra A; st.shared.f32 [%r10], %f2; bar.sync 0; bra B;\nA: st.shared.f32 [%r10], %f2; add.f32 %f1, %f1, %f9; bar.sync 0;\nB: ld.shared.f32 %f3, [%r7+64]; fma.rn.f32 %f1, %f3, %f2, %f1; bar.sync 0; add.s64 %rd10, %rd10, 64;", 1)},
	{name: "two workers", workers: 2, grid: [3]uint32{60, 1, 1}, height: 7, body: loopOf(tiled, 1)},
	{name: "cluster", launch: func(x *host.Launch) { x.Cluster = [3]uint32{2, 1, 1} }, height: 7, body: loopOf(tiled, 1)},
	{name: "seed", launch: func(x *host.Launch) { x.Seed = 7 }, height: 7, body: loopOf(tiled, 1)},
	{name: "a limit", grid: [3]uint32{300, 1, 1}, launch: func(x *host.Launch) { x.MaxSteps = 100000 }, height: 99, body: loopOf(tiled, 1)},
	{name: "rows of others", block: [3]uint32{32, 4, 1}, height: 12, body: loopOf(tiled, 1)},
	{name: "one warp", block: [3]uint32{32, 1, 1}, height: 12, body: loopOf(tiled, 1)},
	{name: "many carries", height: 5, body: manyCarries()},
}

// manyCarries has more sums than there are registers.
func manyCarries() string {
	sums := ""
	stores := ""
	for i := range 5 {
		sums += fmt.Sprintf("fma.rn.f32 %%f%d, %%f3, %%f%d, %%f4; ", 10+i, 10+i)
		stores += fmt.Sprintf(" st.global.f32 [%%rd3+%d], %%f%d;", 4096*i, 10+i)
	}
	first := ""
	for i := range 5 {
		first += fmt.Sprintf("mov.f32 %%f%d, 0f%08x; ", 10+i, 0x3f800000+i<<20)
	}
	return first + loopOf(tiled+" "+sums, 1) + stores
}

// TestCTALoops runs loops with barriers in CTAs of one program.
func TestCTALoops(t *testing.T) {
	for i := range ctaLoops {
		e := ctaLoops[i]
		t.Run(e.name, func(t *testing.T) {
			if e.grid == ([3]uint32{}) {
				e.grid = flat
			}
			if e.block == ([3]uint32{}) {
				e.block = square
			}
			if !strings.Contains(e.body, eachApart) {
				e.body = eachApart + e.body
			}
			e.compare(t)
		})
	}
}

// TestCTALoopBlocks runs them in all shapes of blocks.
func TestCTALoopBlocks(t *testing.T) {
	for i := range ctaLoops {
		e := &ctaLoops[i]
		if e.launch != nil || e.pitch != 0 || e.height == 1<<31 || i%6 != 0 && testing.Short() || e.workers != 0 {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			for _, block := range [][3]uint32{{256, 1, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}} {
				compareCTAs(t, e.body, [3]uint32{3, 2, 1}, block, 64, 8)
			}
		})
	}
}
