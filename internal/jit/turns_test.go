package jit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
)

// turnHead gives each lane a number of turns in %r6, a row of memory in %r10 and %rd5, and a sum in %f1.
const turnHead = `and.b32 %r6, %r3, 31; mul.lo.u32 %r10, %r3, 13; and.b32 %r10, %r10, 1023; mov.f32 %f1, 0f00000000; mov.u32 %r7, 1; mov.u32 %r12, 0;
	mul.wide.s32 %rd4, %r10, 4; add.s64 %rd5, %rd1, %rd4; shl.b32 %r13, %r10, 2; add.u32 %r14, %r4, %r13; cvta.shared.u64 %rd8, s; and.b32 %r16, %r3, 7; setp.eq.u32 %q, %r16, 3; `

// turnBodies are loops of one segment that load; lanes leave them one after the other.
var turnBodies = map[string]string{
	"sparse": `L:	ld.global.u32 %r11, [%rd5]; and.b32 %r11, %r11, 1023; mul.wide.s32 %rd6, %r11, 4; add.s64 %rd7, %rd1, %rd6; ld.global.f32 %f2, [%rd7]; ld.global.f32 %f3, [%rd5+64];
	fma.rn.f32 %f1, %f2, %f3, %f1; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L; st.global.f32 [%rd3+16384], %f1;`,
	"NaNs": `setp.eq.u32 %z, %r16, 6; @%z bra E; // what lanes leave with is stored while others are elsewhere
L:	ld.global.u32 %r11, [%rd5]; or.b32 %r11, %r11, 0x7fa00000; mov.b32 %f2, %r11; fma.rn.f32 %f1, %f2, %f2, %f1; mul.f32 %f3, %f1, %f2; add.f32 %f1, %f1, %f3;
	add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L; st.global.f32 [%rd3+16384], %f1; E:`,
	"NaNs that are seen": `L:	ld.global.u32 %r11, [%rd5]; or.b32 %r11, %r11, 0x7fa00000; mov.b32 %f2, %r11; selp.f32 %f2, %f2, %f1, %q; fma.rn.f32 %f1, %f2, %f2, %f1;
	add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L; mov.b32 %r7, %f1;`,
	"shared": `st.shared.u32 [%r5], %r3; bar.sync 0;
L:	ld.shared.u32 %r11, [%r14]; mad.lo.u32 %r7, %r7, 5, %r11; add.u32 %r14, %r14, 4; ld.shared.v2.u32 {%r15, _}, [%r4+8]; xor.b32 %r7, %r7, %r15; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
	"guards": `L:	@%q ld.global.u32 %r11, [%rd5]; @!%q ld.global.u8 %r11, [%rd5+3]; mad.lo.u32 %r7, %r7, 5, %r11; @%q add.u32 %r7, %r7, 3; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.lt.u32 %p, %r6, %r12; @!%p bra L;`,
	"wide": `L:	ld.global.v2.u32 {%r11, %r15}, [%rd8]; cvt.u64.u32 %rd7, %r15; mad.lo.u64 %rd7, %rd7, 3, %rd8; cvt.u32.u64 %r11, %rd7; ld.global.u16 %r15, [%rd5+2]; add.u32 %r7, %r7, %r11; mad.lo.u32 %r7, %r7, 3, %r15;
	add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
	"one value": `L:	ld.global.u32 %r11, [%rd1+64]; mad.lo.u32 %r7, %r7, %r11, %r12; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
	"outer": `mov.u32 %r15, 0;
K:	mov.u32 %r12, 0;
L:	ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r7, %r7, 5, %r11; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r15; @%p bra L;
	add.s64 %rd5, %rd5, 4; add.u32 %r15, %r15, 3; setp.le.u32 %q, %r15, %r6; @%q bra K;`,
	// Generic addresses of some turns are in shared memory, where code leaves in the middle of a turn.
	"leaving": `st.shared.u32 [%r5], %r3; mov.u32 %r15, 0; cvt.u64.u32 %rd6, %r5;
L:	ld.global.f32 %f2, [%rd5]; fma.rn.f32 %f1, %f2, %f2, %f1; mad.lo.u32 %r15, %r15, 3, %r3; shr.u32 %r16, %r15, 3; and.b32 %r16, %r16, 7; setp.eq.u32 %z, %r16, 5; selp.b64 %rd7, %rd8, %rd5, %z; ld.u32 %r11, [%rd7];
	mad.lo.u32 %r7, %r7, 5, %r11; ld.global.f32 %f3, [%rd5+4]; add.f32 %f1, %f1, %f3; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L; st.global.f32 [%rd3+16384], %f1;`,
	"fuel": `mad.lo.u32 %r6, %r6, 150, 14000;
L:	ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r7, %r7, 5, %r11; add.u32 %r12, %r12, 1; setp.lt.u32 %p, %r12, %r6; @%p bra L;`,
}

// isTurn tells whether a listing has such a loop.
func isTurn(listing string) bool { return strings.Contains(listing, "some lanes, a turn from") }

// TestTurns runs them in both widths, some in all shapes: memory, steps and lane-ops are the interpreter's.
func TestTurns(t *testing.T) {
	for k, name := range slices.Sorted(maps.Keys(turnBodies)) {
		shapes, grid := batchShapes[k%3:k%3+1], [3]uint32{2, 2, 1}
		switch name {
		case "fuel":
			shapes, grid = batchShapes[1:2], [3]uint32{1, 1, 1}
		case "sparse", "leaving":
			shapes = batchShapes[:6]
		}
		for _, block := range shapes {
			t.Run(fmt.Sprint(name, block), func(t *testing.T) {
				for i, l := range compareTrips(t, turnHead+turnBodies[name], grid, block, jit.Options{}, nil) {
					if !isTurn(l) && block[0] > 1 {
						t.Errorf("width %d: there is no loop of turns", i)
					}
				}
			})
		}
	}
}

// TestTurnsLeaving enters such loops with some lanes, since an instruction in front of them is left to the interpreter, and limits
// end endless ones.
func TestTurnsLeaving(t *testing.T) {
	for way := range int32(3) {
		o := jit.Leaving(jit.Options{}, func(pc int32) bool { return pc%17 == 5*way })
		for _, name := range []string{"sparse", "NaNs", "leaving"} {
			compareTrips(t, turnHead+turnBodies[name], [3]uint32{2, 1, 1}, [3]uint32{80, 1, 1}, o, nil)
		}
	}
	for _, when := range []string{"setp.ne.u32 %p, %r3, 4000", "setp.lt.u32 %p, %r3, 5"} {
		body := turnHead + "L: ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r7, %r7, 5, %r11; " + when + "; @%p bra L;"
		compareTrips(t, body, [3]uint32{1, 1, 1}, [3]uint32{33, 1, 1}, jit.Options{}, func(l *host.Launch) { l.MaxSteps = 1 << 18 })
	}
}

// TestTurnFaults: in the n-th turn an address of one lane is outside, at any of three loads: the fault is the interpreter's.
func TestTurnFaults(t *testing.T) {
	for load := range 3 {
		for turn := range 4 {
			lane, bad := 5*load+7*turn, [3]string{"%rd9", "%rd9", "%rd9"}
			for k := range bad {
				if k != load {
					bad[k] = "%rd4"
				}
			}
			body := fmt.Sprintf(`mov.u32 %%r18, 0; mul.wide.u32 %%rd3, %%r1, 4; add.s64 %%rd4, %%rd1, %%rd3; and.b32 %%r12, %%r1, 3; add.u32 %%r12, %%r12, 3; setp.eq.u32 %%p1, %%r1, 33; @%%p1 bra E;
L:	setp.eq.u32 %%p2, %%r1, %d; setp.eq.and.u32 %%p2, %%r18, %d, %%p2; selp.b64 %%rd9, 16, %%rd4, %%p2; ld.global.u32 %%r14, [%s]; ld.global.u32 %%r11, [%s]; add.u32 %%r14, %%r14, %%r11; ld.global.u32 %%r11, [%s];
	add.u32 %%r18, %%r18, 1; setp.lt.u32 %%p3, %%r18, %%r12; @%%p3 bra L;
E:	st.global.u32 [%%rd2], %%r18;`, lane, turn, bad[0], bad[1], bad[2])
			alikeFaults(t, fmt.Sprint(load, turn), body, func(_ jit.Vectors, install host.Compiler) host.Compiler { return install })
		}
	}
}
