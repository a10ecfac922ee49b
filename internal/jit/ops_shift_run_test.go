package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// upSteps has a number for each step, which has registers of its own.
type upSteps int

// up is `d = a + (lane >= by ? shfl.up(a, by) : 0)`; %r11 is the lane.
func (n *upSteps) up(d, a string, by int) string { return n.upOver(d, a, by, "") }

// upOver has an instruction between the shuffle and the selection.
func (n *upSteps) upOver(d, a string, by int, between string) string {
	*n++
	return fmt.Sprintf("shfl.sync.up.b32 %%s%d, %s, %d, 0, -1; setp.lt.u32 %%b%d, %%r11, %d; %s selp.b32 %%t%d, 0, %%s%d, %%b%d; add.u32 %s, %s, %%t%d;\n", *n, a, by, *n, by, between, *n, *n, *n, d, a, *n)
}

const movedFirst = ".reg .b32 %s<64>; .reg .b32 %t<64>; .reg .pred %b<64>; and.b32 %r11, %r2, 31; ld.global.u32 %r13, [%rd3]; ld.global.u32 %r14, [%rd3+4];\n"

// The lane is read to the end: where its row ends, a selection takes it.
const movedLast = "add.u32 %r16, %r16, %r11; st.global.u32 [%rd3], %r16; ret;"

// movedBodies are computations between shuffles that move lanes up.
func movedBodies() map[string]string {
	n := new(upSteps)
	up := n.up
	m := map[string]string{
		"sum":      "add.u32 %r16, %r13, 1; " + up("%r16", "%r16", 1) + up("%r16", "%r16", 2) + up("%r16", "%r16", 4) + up("%r16", "%r16", 8) + up("%r16", "%r16", 16),
		"loaded":   up("%r16", "%r13", 3) + up("%r16", "%r16", 11),
		"twice":    "add.u32 %r17, %r13, %r14; " + up("%r16", "%r17", 1) + up("%r18", "%r17", 9) + up("%r19", "%r17", 1) + "xor.b32 %r16, %r16, %r18; sub.u32 %r16, %r16, %r19; mad.lo.u32 %r16, %r17, 3, %r16;",
		"both":     "add.u32 %r17, %r13, 7; " + up("%r18", "%r17", 5) + up("%r17", "%r18", 17) + up("%r18", "%r17", 30) + "xor.b32 %r16, %r17, %r18;",
		"itself":   up("%r13", "%r13", 7) + up("%r13", "%r13", 24) + "mov.u32 %r16, %r13;",
		"constant": "mov.u32 %r17, 5; add.u32 %r18, %r13, 2; " + up("%r16", "%r18", 6) + "add.u32 %r16, %r16, %r17;",
		"between":  "add.u32 %r18, %r13, 2; " + n.upOver("%r16", "%r18", 5, "cvt.u64.u32 %rd9, %r14; shl.b64 %rd9, %rd9, 3;") + "cvt.u32.u64 %r17, %rd9; xor.b32 %r16, %r16, %r17;",
		"wide":     "cvt.u64.u32 %rd9, %r14; add.u32 %r16, %r13, 9; add.u32 %r17, %r16, %r14; add.u32 %r18, %r17, 2; mul.lo.u32 %r18, %r18, 3; shfl.sync.up.b32 %r19, %r18, 5, 0, -1; setp.lt.u32 %p4, %r11, 5; shl.b64 %rd9, %rd9, 3; selp.b32 %r16, 0, %r19, %p4; add.u32 %r16, %r16, %r18; cvt.u32.u64 %r18, %rd9; xor.b32 %r16, %r16, %r18;",
		"live":     "add.u32 %r18, %r13, %r14; mul.lo.u32 %r18, %r18, 3; shfl.sync.up.b32 %r19|%p3, %r18, 4, 0, -1; setp.lt.u32 %p4, %r11, 4; selp.b32 %r20, 0, %r19, %p4; add.u32 %r16, %r18, %r20; setp.lt.u32 %p5, %r16, %r14; selp.u32 %r17, 9, 1, %p3; selp.u32 %r21, %r17, 5, %p5; add.u32 %r16, %r16, %r21;",
		"pair":     "setp.lt.u32 %p3, %r13, %r14; add.u32 %r18, %r13, 2; @%p3 add.u32 %r18, %r18, 5; add.u32 %r18, %r18, %r14; mul.lo.u32 %r18, %r18, 3; add.u32 %r21, %r18, 2; shfl.sync.up.b32 %r19|%p3, %r21, 4, 0, -1; setp.lt.u32 %p4, %r11, 4; selp.b32 %r20, 0, %r19, %p4; add.u32 %r16, %r21, %r20; @%p3 add.u32 %r16, %r16, 1;",
		"pattern":  "add.u32 %r17, %r2, 5; " + up("%r16", "%r17", 2) + up("%r16", "%r16", 1),
	}
	many, sum := "", "mov.u32 %r16, 0;"
	for k := range 9 { // more than registers can have wait
		many += fmt.Sprintf("mad.lo.u32 %%r%d, %%r13, %d, %%r14; ", 20+k, 2*k+3)
	}
	for k := range 9 {
		many += up(fmt.Sprintf("%%r%d", 20+k), fmt.Sprintf("%%r%d", 20+k), 3*k+1)
		sum += fmt.Sprintf("xor.b32 %%r16, %%r16, %%r%d; mul.lo.u32 %%r16, %%r16, 77;", 20+k)
	}
	m["many"] = many + sum
	*n = 0
	long := "add.u32 %r16, %r13, 1; "
	for k := range 20 {
		long += up("%r16", "%r16", 1+k%31)
	}
	m["long"] = long
	for by := 1; by < 32; by++ {
		*n = 0
		m[fmt.Sprint("by ", by)] = "xor.b32 %r17, %r13, 85; " + up("%r16", "%r17", by) + "sub.u32 %r16, %r16, %r14;"
	}
	return m
}

// TestMovedUp compares lanes that move up inside runs with the interpreter's.
func TestMovedUp(t *testing.T) {
	for name, body := range movedBodies() {
		t.Run(name, func(t *testing.T) {
			for _, block := range [][3]uint32{{64, 1, 1}, {16, 4, 1}, {33, 1, 1}} {
				compareSweep(t, movedFirst+body+movedLast, [3]uint32{2, 1, 1}, block, 0)
			}
		})
	}
}

// TestMovedUpCode holds that by AVX2 a sum over the lanes before is one run, whose values between stay in registers.
func TestMovedUpCode(t *testing.T) {
	list := sweepListing(t, movedFirst+movedBodies()["sum"]+movedLast, jit.AVX2)
	_, sum, _ := strings.Cut(list, "# all lanes")
	sum, _, _ = strings.Cut(sum, " st.global")
	between := strings.Split(sum[strings.Index(sum, " shfl.sync.up.b32"):strings.Index(sum, " setp.lt.u32 %b4")], "\n")
	for _, line := range between[1:] {
		if !strings.HasPrefix(line, "#") {
			t.Fatalf("machine code between the shuffles:\n%s", sum)
		}
	}
	if n := strings.Count(sum, "vpalignr"); n != 8 {
		t.Errorf("%d registers of 8 are shifted by less than half:\n%s", n, sum)
	}
}
