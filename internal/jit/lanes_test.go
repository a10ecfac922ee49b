package jit_test

import (
	"fmt"
	"testing"
)

// laneSums follow sweepHeader: shuffles of which some lanes are taken, by a predicate that follows from the lane alone.
var laneSums = map[string]string{
	"sum":         "shfl.sync.up.b32 %r12|%p1, %r10, 1, 0, -1; setp.eq.u32 %p2, %r11, 0; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"turned":      "shfl.sync.up.b32 %r12, %r10, 3, 0, -1; setp.gt.u32 %p2, %r11, 2; selp.b32 %r13, %r12, 0, %p2; xor.b32 %r10, %r13, %r10;",
	"down":        "shfl.sync.down.b32 %r12, %r10, 5, 31, -1; setp.lt.u32 %p2, %r11, 27; selp.b32 %r13, %r12, 0, %p2; sub.u32 %r10, %r13, %r10;",
	"others":      "shfl.sync.up.b32 %r12, %r10, 2, 0, -1; setp.lt.u32 %p2, %r11, 5; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"fewer":       "shfl.sync.up.b32 %r12, %r10, 8, 0, -1; setp.eq.u32 %p2, %r11, 3; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"crossed":     "shfl.sync.bfly.b32 %r12, %r10, 9, 31, -1; and.b32 %r14, %r11, 4; setp.ne.u32 %p2, %r14, 0; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"one lane":    "shfl.sync.idx.b32 %r12, %r10, 7, 31, -1; setp.ge.u32 %p2, %r11, 20; selp.b32 %r13, %r12, 0, %p2; add.u32 %r10, %r13, %r10;",
	"segments":    "shfl.sync.up.b32 %r12, %r10, 4, 0x1800, -1; and.b32 %r14, %r11, 7; setp.lt.u32 %p2, %r14, 4; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"nobody":      "shfl.sync.up.b32 %r12, %r10, 1, 0, -1; setp.lt.u32 %p2, %r11, 32; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"in place":    "mul.lo.u32 %r15, %r10, 3; shfl.sync.up.b32 %r10, %r10, 6, 0, -1; setp.lt.u32 %p2, %r11, 6; selp.b32 %r10, 0, %r10, %p2; add.u32 %r10, %r10, %r15;",
	"read twice":  "shfl.sync.up.b32 %r12, %r10, 1, 0, -1; setp.eq.u32 %p2, %r11, 0; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r12;",
	"not zero":    "shfl.sync.up.b32 %r12, %r10, 1, 0, -1; setp.eq.u32 %p2, %r11, 0; selp.b32 %r13, 1, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"overwritten": "mov.u32 %r13, %r1; shfl.sync.up.b32 %r12, %r10, 1, 0, -1; add.u32 %r10, %r10, %r13; setp.eq.u32 %p2, %r11, 0; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"by threads":  "shfl.sync.up.b32 %r12, %r10, 1, 0, -1; setp.lt.u32 %p2, %r2, 40; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"by memory":   "shfl.sync.up.b32 %r12, %r10, 1, 0, -1; and.b32 %r14, %r10, 4; setp.eq.u32 %p2, %r14, 0; selp.b32 %r13, 0, %r12, %p2; add.u32 %r10, %r13, %r10;",
	"predicates":  "setp.lt.u32 %p1, %r11, 13; setp.lt.and.u32 %p2, %r10, 77, %p1; selp.u32 %r12, %r10, %r11, %p2; @%p1 add.u32 %r12, %r12, 5; setp.gt.u32 %p3, %r11, 3; selp.u32 %r13, %r11, %r12, %p3; add.u32 %r10, %r12, %r13;",
	"wide":        "setp.lt.u32 %p1, %r11, 13; cvt.u64.u32 %rd4, %r10; mul.lo.u64 %rd5, %rd4, %rd3; selp.b64 %rd6, %rd4, %rd5, %p1; cvt.u32.u64 %r10, %rd6;",
	"parted":      "and.b32 %r14, %r10, 1; setp.ne.u32 %p3, %r14, 0; @%p3 bra A; setp.lt.u32 %p1, %r11, 9; selp.u32 %r10, %r10, %r11, %p1; @%p1 bra A; add.u32 %r10, %r10, 7; A: ",
	"exits":       "setp.gt.u32 %p1, %r11, 29; @%p1 exit; add.u32 %r10, %r10, 7;",
}

const laneFirst = "ld.global.u32 %r10, [%rd3]; and.b32 %r11, %r2, 31;\n"
const laneLast = "\nst.global.u32 [%rd3], %r10; st.global.u32 [%rd3+8192], %r11; ret;"

// laneLoop does it in a loop, whose turns find in registers what the one before has left there.
func laneLoop(body string) string {
	return laneFirst + "mov.u32 %r16, 0; L: " + body + " add.u32 %r16, %r16, 1; setp.lt.u32 %p6, %r16, 3; @%p6 bra L;" + laneLast
}

var laneShapes = [][3]uint32{{256, 1, 1}, {32, 1, 1}, {64, 2, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}}

// TestLanes compares what follows from the lane alone with the interpreter's.
func TestLanes(t *testing.T) {
	for name, body := range laneSums {
		t.Run(name, func(t *testing.T) {
			for _, block := range laneShapes {
				compareSweep(t, laneFirst+body+laneLast, [3]uint32{3, 1, 1}, block, 0)
				compareSweep(t, laneLoop(body), [3]uint32{3, 1, 1}, block, 0)
			}
		})
	}
}

// TestLaneDistances moves lanes by every distance, up and down.
func TestLaneDistances(t *testing.T) {
	for by := range 32 {
		up := fmt.Sprintf("shfl.sync.up.b32 %%r12, %%r10, %d, 0, -1; setp.lt.u32 %%p2, %%r11, %d; selp.b32 %%r13, 0, %%r12, %%p2; add.u32 %%r10, %%r13, %%r10;", by, by)
		down := fmt.Sprintf("shfl.sync.down.b32 %%r12, %%r10, %d, 31, -1; setp.lt.u32 %%p3, %%r11, %d; selp.b32 %%r14, %%r12, 0, %%p3; mad.lo.u32 %%r10, %%r10, 3, %%r14;", by, 32-by)
		plain := fmt.Sprintf("shfl.sync.up.b32 %%r15, %%r10, %d, 0, -1; add.u32 %%r10, %%r15, %%r10;", by)
		compareSweep(t, laneFirst+up+down+plain+laneLast, [3]uint32{2, 1, 1}, [3]uint32{64, 1, 1}, 0)
	}
}
