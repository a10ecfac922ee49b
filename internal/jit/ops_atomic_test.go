package jit_test

import (
	"fmt"
	"strings"
	"testing"
)

// memoryPlaces are where a statement on memory stands. %rd4 and %r4 are an address of each lane in
// global and shared memory: many share one, aligned for 8 bytes; %rd8 is a 64-bit operand.
var memoryPlaces = map[string]func(op string) string{
	"all": func(op string) string { return op },
	"loop": func(op string) string {
		return "L: " + op + "\nadd.u32 %r9, %r9, 1; xor.b32 %r2, %r2, %r10; setp.lt.u32 %p6, %r9, 5; @%p6 bra L;"
	},
	"half":  func(op string) string { return "@%p2 bra E;\n" + op + "\nE:" },
	"guard": func(op string) string { return "@%p2 " + op },
	"nobody": func(op string) string {
		return "setp.eq.u32 %p6, %r1, 99999; @%p6 " + op
	},
}

const memoryHeader = opHeader + `
	and.b32 %r5, %r2, 0x38; cvt.u64.u32 %rd5, %r5; add.u64 %rd4, %rd1, %rd5;
	mov.u32 %r6, smem; add.u32 %r4, %r6, %r5;
	cvt.u64.u32 %rd8, %r2; mul.lo.u64 %rd8, %rd8, 0x1234567;
	st.shared.u64 [%r4], %rd8; bar.sync 0;
	cvt.rn.f32.s32 %f1, %r2; mul.f32 %f1, %f1, 0f0A000000;
	mov.b64 %rd9, 0;
`

const memoryFooter = `
	bar.sync 0;
	ld.shared.u64 %rd10, [%r4]; st.global.u64 [%rd3+8192], %rd10; st.global.u64 [%rd3+8200], %rd9;
` + opFooter

// atomicStatements: SP is the state space, AD the address.
func atomicStatements() (list []string) {
	for _, op := range []string{"add.u32", "add.s32", "and.b32", "or.b32", "xor.b32", "exch.b32", "min.u32", "min.s32", "max.u32", "max.s32", "inc.u32", "dec.u32"} {
		list = append(list, "atom.SP."+op+" %r10, [AD], %r2;")
		if op != "exch.b32" {
			list = append(list, "red.SP."+op+" [AD], %r2;")
		}
	}
	for _, op := range []string{"add.u64", "and.b64", "or.b64", "xor.b64", "exch.b64", "min.u64", "min.s64", "max.u64", "max.s64"} {
		list = append(list, "atom.SP."+op+" %rd9, [AD], %rd8;")
	}
	return append(list,
		"atom.SP.cas.b32 %r10, [AD], %r2, %r3;", "atom.SP.cas.b32 %r10, [AD], %r10, 5;", "atom.SP.cas.b64 %rd9, [AD], %rd8, %rd2;",
		"atom.SP.add.u32 %r2, [AD], %r2; mov.u32 %r10, %r2;", "atom.SP.add.u32 %r11, [AD], 1;", "red.SP.add.u32 [AD], 1;", "atom.SP.inc.u32 %r10, [AD], 7;", "atom.SP.dec.u32 %r10, [AD], 7;",
		"atom.SP.add.f32 %f2, [AD], %f1; mov.b32 %r10, %f2;", "red.SP.add.f32 [AD], %f1;", "red.SP.add.f32 [AD], 0f7F800000;",
		"atom.SP.add.f64 %rd9, [AD], %rd8;", "red.SP.add.f64 [AD], %rd8;", "red.SP.add.f64 [AD], 0dFFF8000000012345;",
		"red.SP.add.f64 [AD], 0dFFF8000000012345; red.SP.add.f64 [AD], 0d7FF8000000054321;", // both are NaNs

		"atom.SP.acq_rel.gpu.add.u32 %r10, [AD+4], %r2;", "atom.SP.exch.b32 _, [AD], %r2;", "red.SP.add.u64 [AD], 0x123456789abc;")
}

// strongStatements are accesses that are not weak.
var strongStatements = []string{
	"ld.volatile.SP.u32 %r10, [AD];", "st.volatile.SP.u32 [AD], %r2;", "ld.relaxed.gpu.SP.u32 %r10, [AD+4];", "st.relaxed.gpu.SP.u64 [AD], %rd8;",
	"ld.acquire.gpu.SP.u64 %rd9, [AD];", "st.release.gpu.SP.u32 [AD], %r2;", "ld.volatile.SP.u8 %r10, [AD+1];", "st.volatile.SP.u16 [AD+2], %r2;",
	"ld.volatile.SP.v2.u32 {%r10, %r11}, [AD];", "st.volatile.SP.v2.u32 [AD], {%r2, %r3};",
}

// inSpace are a statement's forms for the state spaces and kinds of addresses.
func inSpace(op string) map[string]string {
	form := func(space, at string) string {
		return strings.ReplaceAll(strings.ReplaceAll(op, "SP", space), "AD", at)
	}
	list := map[string]string{"global": form("global", "%rd4"), "shared": form("shared", "%r4"), "one": form("global", "%rd1+64"), "symbol": form("shared", "smem+8")}
	if strings.Contains(op, ".SP.") && !strings.Contains(op, "add.f32") {
		list["generic"] = strings.ReplaceAll(strings.ReplaceAll(op, ".SP", ""), "AD", "%rd4")
	}
	return list
}

// TestAtomics compares operations on memory in both engines; those whose allocation is known leave nowhere.
func TestAtomics(t *testing.T) {
	k := 0
	for _, op := range append(atomicStatements(), strongStatements...) {
		for space, op := range inSpace(op) {
			for place, with := range memoryPlaces {
				if k++; !*allShapes && k%13 != 0 {
					continue
				}
				t.Run(fmt.Sprint(place, " ", space, " ", op), func(t *testing.T) {
					compareOp(t, memoryHeader+with(op)+memoryFooter, shapesOf(k), func(text string) bool {
						return misses(text) || text == "bar.sync" || space == "generic" || place == "half" && text == "mov.b64" || place == "half" && space != "shared"
					})
				})
			}
		}
	}
}

// TestAtomicFaults: an address that is misaligned or outside in one lane faults before anything is done.
func TestAtomicFaults(t *testing.T) {
	for _, at := range []string{"add.u64 %rd4, %rd4, 2; add.u32 %r4, %r4, 2;", "add.u64 %rd4, %rd4, 0x100000000; add.u32 %r4, %r4, 0x10000;", "mov.u64 %rd4, 0; mov.u32 %r4, 4;", "sub.u32 %r4, 0, 8; mov.u64 %rd4, -8;"} {
		for _, op := range []string{"atom.SP.add.u32 %r10, [AD], %r2;", "red.SP.or.b32 [AD], %r2;", "atom.SP.cas.b64 %rd9, [AD+8], %rd8, %rd2;"} {
			for space, op := range inSpace(op) {
				if space == "global" || space == "shared" {
					src := strings.ReplaceAll(memoryHeader, "bar.sync 0;", "") + "setp.eq.u32 %p6, %r1, 17; @!%p6 bra G; " + at + "G: " + op + memoryFooter
					compareOp(t, src, [][3]uint32{{32, 1, 1}}, nil)
				}
			}
		}
	}
}

// TestNarrowLoads: bytes and halves of lanes that follow each other, or do not, into all registers.
func TestNarrowLoads(t *testing.T) {
	for _, load := range []string{"ld.SP.u8 %r10, [AD];", "ld.SP.s8 %r10, [AD];", "ld.SP.u16 %r10, [AD];", "ld.SP.s16 %r10, [AD];", "ld.SP.u8 %rs1, [AD]; cvt.u32.u16 %r10, %rs1;", "ld.SP.s8 %rs1, [AD]; cvt.u32.u16 %r10, %rs1;"} {
		for space, op := range inSpace(load) {
			if space == "generic" {
				continue
			}
			for at, step := range map[string]string{"row": "1", "rows": "2", "apart": "6"} {
				src := strings.Replace(memoryHeader, ".reg .pred", ".reg .b16 %rs<2>; .reg .pred", 1) +
					"mul.lo.u32 %r5, %r1, " + step + "; and.b32 %r5, %r5, 510; cvt.u64.u32 %rd5, %r5; add.u64 %rd4, %rd1, %rd5; add.u32 %r4, %r6, %r5;"
				if at == "row" {
					src = strings.ReplaceAll(src, "510", "511")
					op = strings.ReplaceAll(strings.ReplaceAll(op, "u16 %r10", "u8 %r10"), "s16 %r10", "s8 %r10")
				}
				compareOp(t, src+"mov.u32 %r4, %r4; "+op+"mov.b32 %r4, %r6;"+memoryFooter, [][3]uint32{{64, 1, 1}, {33, 1, 1}}, nil)
			}
		}
	}
}
