package jit_test

import (
	"fmt"
	"strings"
	"testing"
)

// edgeWords are where floats and integers, whole and as halves, change behaviour.
var edgeWords = []uint32{
	0, 1, 0x80000000, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc12345, 0x7fffffff, 0xffffffff,
	0x33000000, 0x33000001, 0x32ffffff, 0x387fc000, 0x387fe000, 0x387fffff, 0x38800000, 0x477fe000, 0x477fefff, 0x477ff000, 0x47800000, 0x3f801000, 0x3f803000, 0x3f800800, 0x3f808000, 0x3f818000,
	0x42fe0000, 0x42ff0000, 0x43000000, 0xc3000000, 0xc3010000, 0x437f0000, 0x437f8000, 0x46fffe00, 0x46ffff00, 0x47000000, 0xc7000000, 0x477fff00, 0x3effffff, 0x3f000000, 0x3fc00000, 0xbf000001,
	0x7fff8000, 0x7fff7fff, 0x8000ffff, 0xffff0001, 0x7c007c01, 0xfc00fc01, 0x03ff0400, 0x3c00bc00, 0x7bff7bff, 0x00010080, 0xff7f7f7f, 0x80ff00ff, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000,
}

// edgesAt is where compareOp puts them in its buffer.
const edgesAt = 24576

// valueHeader is opHeader with %r2, %r3 and %r4 from the table, pairs of them in %rd8 to %rd10, %r2 as halves in %rs1 and %rs2.
var valueHeader = func() string {
	load := ""
	for i, r := range []string{"%r2", "%r3", "%r4"} {
		load += fmt.Sprintf("mad.lo.u32 %%r38, %%r1, %d, %d; and.b32 %%r38, %%r38, %d; mul.wide.u32 %%rd5, %%r38, 4; add.u64 %%rd5, %%rd5, %%rd1; ld.global.u32 %s, [%%rd5+%d];\n",
			[]int{1, 5, 3}[i], []int{0, 3, 7}[i], len(edgeWords)-1, r, edgesAt)
	}
	return strings.Replace(strings.Replace(opHeader, ".target sm_90", ".target sm_100", 1), ".reg .pred", ".reg .b16 %rs<9>; .reg .pred", 1) + load +
		"mov.b64 %rd8, {%r2, %r3}; mov.b64 %rd9, {%r3, %r4}; mov.b64 %rd10, {%r4, %r2}; mov.b32 {%rs1, %rs2}, %r2; mov.b64 %rd11, 5;\n"
}()

const valueFooter = "st.global.u64 [%rd3+16392], %rd11;\n" + opFooter

// compareValues runs statements for whole warps and in one other place, or, with -shapes, in all; compiled
// code must not leave at them.
func compareValues(t *testing.T, list []string) {
	t.Helper()
	others := []string{"loop", "half", "guard", "nobody"}
	for k, op := range list {
		for place, with := range memoryPlaces {
			if !*allShapes && place != "all" && place != others[k%len(others)] {
				continue
			}
			t.Run(place+" "+op, func(t *testing.T) {
				compareOp(t, valueHeader+with(op)+valueFooter, shapesOf(k), func(text string) bool { return misses(text) || place == "half" })
			})
		}
	}
}

// TestConversions: those without a lane function.
func TestConversions(t *testing.T) {
	var list []string
	for _, mods := range []string{"rn", "rz", "rn.relu"} {
		list = append(list, "cvt."+mods+".f16x2.f32 %r10, %r2, %r3;", "cvt."+mods+".bf16x2.f32 %r10, %r2, %r3;",
			"cvt."+mods+".f16.f32 %rs1, %r2; cvt.u32.u16 %r10, %rs1;", "cvt."+mods+".bf16.f32 %rs1, %r2; cvt.u32.u16 %r10, %rs1;")
	}
	for _, mods := range []string{"rm", "rp"} {
		list = append(list, "cvt."+mods+".f16.f32 %rs1, %r2; cvt.u32.u16 %r10, %rs1;")
	}
	for _, mods := range []string{"rni", "rzi", "rmi", "rpi"} {
		for _, to := range []string{"s8", "u8", "s16", "u16"} {
			list = append(list, "cvt."+mods+"."+to+".f32 %rs1, %r2; cvt.u32.u16 %r10, %rs1;", "cvt."+mods+"."+to+".f32 %r10, %r2;", "cvt."+mods+"."+to+".f16 %rs1, %rs2; cvt.u32.u16 %r10, %rs1;")
		}
	}
	for _, from := range []string{"s8", "u8", "s16", "u16"} {
		list = append(list, "cvt.rn.f16."+from+" %rs1, %rs2; cvt.u32.u16 %r10, %rs1;")
	}
	for _, types := range strings.Fields("u8.s8 u16.s8 u32.s8 s8.u8 s8.s16 u8.s16 u16.s16 u32.s16 s8.u16 u8.u16 s16.u16") {
		list = append(list, "cvt.sat."+types+" %r10, %rs2;")
	}
	for _, types := range strings.Fields("s8.s32 u8.s32 s16.s32 u16.s32 u32.s32 s8.u32 u8.u32 s16.u32 u16.u32 s32.u32") {
		list = append(list, "cvt.sat."+types+" %r10, %r2;")
	}
	list = append(list, "cvt.rn.f16.s32 %rs1, %r2; cvt.u32.u16 %r10, %rs1;", "cvt.rn.f16.u32 %rs1, %r2; cvt.u32.u16 %r10, %rs1;")
	compareValues(t, list)
}

// TestCarries: chains, a carry alone, operands that the result overwrites.
func TestCarries(t *testing.T) {
	compareValues(t, []string{
		"add.cc.u32 %r10, %r2, %r3; addc.u32 %r11, %r3, %r4;", "sub.cc.u32 %r10, %r2, %r3; subc.u32 %r11, %r3, %r4;",
		"add.cc.u32 %r2, %r2, %r3; addc.cc.u32 %r3, %r3, %r4; addc.u32 %r10, %r2, %r3;", "sub.cc.u32 %r2, %r2, %r3; subc.cc.u32 %r3, %r3, %r3; subc.u32 %r10, %r2, 0;",
		"add.cc.u32 %r10, %r2, -1; addc.cc.u32 %r11, %r3, -1; addc.cc.u32 %r10, %r4, 0; addc.u32 %r11, %r11, %r10;",
		"mad.lo.cc.u32 %r10, %r2, %r3, %r4; madc.hi.u32 %r11, %r2, %r3, %r4;", "mad.lo.cc.u32 %r2, %r2, %r3, %r2; madc.hi.cc.u32 %r3, %r2, %r3, %r4; madc.lo.u32 %r10, %r2, %r3, 0;",
		"mad.hi.cc.s32 %r10, %r2, %r3, %r4; madc.hi.cc.s32 %r11, %r3, %r4, %r2; addc.u32 %r10, %r10, 0;", "mad.hi.cc.u32 %r10, %r2, %r3, %r4; madc.lo.cc.u32 %r11, %r3, %r4, %r2; subc.u32 %r10, %r10, 0;",
		"add.cc.u64 %rd11, %rd8, %rd9; addc.u64 %rd9, %rd9, %rd10; cvt.u32.u64 %r10, %rd9;", "sub.cc.u64 %rd11, %rd8, %rd9; subc.cc.u64 %rd9, %rd8, %rd8; subc.u64 %rd9, %rd9, %rd10; cvt.u32.u64 %r10, %rd9;",
		"mad.lo.cc.u64 %rd11, %rd8, %rd9, %rd10; madc.hi.u64 %rd9, %rd8, %rd9, 0; cvt.u32.u64 %r10, %rd9;", "mad.hi.cc.s64 %rd11, %rd8, %rd9, %rd10; madc.hi.cc.u64 %rd9, %rd8, %rd9, -1; addc.u32 %r10, %r2, 0;",
		"add.cc.u32 %r10, %r2, %r3; setp.lt.u32 %p6, %r2, %r3; addc.u32 %r11, %r4, %r4; selp.u32 %r10, %r10, %r11, %p6;",
	})
}

// TestPairs: two f32 in a register.
func TestPairs(t *testing.T) {
	var list []string
	for _, op := range []string{"add.f32x2", "sub.f32x2", "mul.f32x2", "mul.ftz.f32x2", "add.ftz.f32x2"} {
		list = append(list, op+" %rd11, %rd8, %rd9;", op+" %rd8, %rd8, %rd8; mov.b64 %rd11, %rd8;")
	}
	list = append(list, "fma.rn.f32x2 %rd11, %rd8, %rd9, %rd10;", "fma.rn.f32x2 %rd8, %rd8, %rd9, %rd8; fma.rn.f32x2 %rd11, %rd9, %rd8, %rd10;", "fma.rn.ftz.f32x2 %rd11, %rd8, %rd9, %rd10;",
		"mov.b64 %rd12, 0x3f80000040000000; fma.rn.f32x2 %rd11, %rd8, %rd12, %rd9; add.f32x2 %rd11, %rd11, %rd12;")
	compareValues(t, list)
}
