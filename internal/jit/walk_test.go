package jit_test

// Lanes that walk their loops alone: operations, ends of loops and of walks, what misses. Each is made as for processors with and
// without slow gathers.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxvm/internal/jit"
)

// walkBodies are loops that lanes walk alone, behind turnHead.
var walkBodies = map[string]string{
	"sparse": turnBodies["sparse"],
	"words": `mov.u32 %r15, 77; mov.u32 %r16, 5;
L:	ld.global.u32 %r11, [%rd5]; ld.global.u32 %r7, [%rd5+256]; sub.u32 %r15, %r11, %r15; mul.lo.u32 %r7, %r7, 21; xor.b32 %r7, %r7, %r15; and.b32 %r17, %r7, %r11; or.b32 %r16, %r16, %r17; shl.b32 %r18, %r16, 3; shr.u32 %r19, %r7, 5;
	shr.s32 %r20, %r15, 2; sub.u32 %r18, %r18, %r19; mad.lo.u32 %r7, %r18, %r20, %r7; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;
	xor.b32 %r7, %r7, %r15; xor.b32 %r7, %r7, %r16;`,
	"floats": `mov.f32 %f4, 0f3f800000; mov.f32 %f5, 0f40000000;
L:	ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd5+128]; add.rn.f32 %f4, %f4, %f2; sub.rn.f32 %f5, %f3, %f5; mul.rn.f32 %f4, %f4, 0f3f000000; fma.rn.f32 %f4, %f4, %f2, %f3;
	add.s64 %rd5, %rd5, 8; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L; mov.b32 %r7, %f4; mov.b32 %r11, %f5; xor.b32 %r7, %r7, %r11;`,
	"turned": `L:	ld.global.u32 %r11, [%rd5]; add.u32 %r7, %r7, %r11; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.gt.s32 %p, %r12, %r6; @!%p bra L; selp.u32 %r11, 1, 0, %p; add.u32 %r7, %r7, %r11;`,
	"until":  `L:	ld.global.u32 %r11, [%rd5+4]; add.u32 %r7, %r7, %r11; add.s64 %rd5, %rd5, 4; setp.ne.u32 %p, %r12, %r6; add.u32 %r12, %r12, 1; @%p bra L; selp.u32 %r11, 1, 0, %p; add.u32 %r7, %r7, %r11; add.u32 %r7, %r7, %r12;`,
	"a constant": `sub.u32 %r12, 40, %r6;
L:	ld.global.u32 %r11, [%rd5]; add.u32 %r7, %r7, %r11; add.s64 %rd5, %rd5, 16; add.u32 %r12, %r12, 1; setp.lt.s32 %p, %r12, 40; @%p bra L;`,
	"far": `mul.lo.u32 %r6, %r6, 40; add.u32 %r6, %r6, 3; and.b32 %r6, %r6, 1023;
L:	ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r7, %r7, 3, %r11; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
	"together": `mul.lo.u32 %r6, %r6, 0; add.u32 %r6, %r6, 300; and.b32 %r15, %r3, 1; add.u32 %r6, %r6, %r15;
L:	ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r7, %r7, 3, %r11; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
	"places": `L:	mad.lo.u32 %r15, %r12, 77, %r10; and.b32 %r15, %r15, 2047; mul.wide.s32 %rd6, %r15, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r11, [%rd7+16]; mad.lo.u32 %r7, %r7, 5, %r11; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
	"fuel":   turnBodies["fuel"],
}

// walkTraits are code as for this machine's processor and as for others.
var walkTraits = []jit.Traits{0, jit.AllTraits}

// isWalk tells whether a listing has such a loop.
func isWalk(listing string) bool { return strings.Contains(listing, "each alone from") }

// TestWalks runs them in both widths: memory, steps and lane-ops are the interpreter's.
func TestWalks(t *testing.T) {
	for k, name := range slices.Sorted(maps.Keys(walkBodies)) {
		shapes, grid := batchShapes[1:2], [3]uint32{2, 2, 1}
		switch name {
		case "fuel":
			grid = [3]uint32{1, 1, 1}
		case "sparse":
			shapes = batchShapes[1:4]
		default:
			shapes = append(shapes, batchShapes[2+k%4])
		}
		for _, block := range shapes {
			t.Run(fmt.Sprint(name, block), func(t *testing.T) {
				walks := 0
				for _, other := range walkTraits {
					for _, l := range compareTrips(t, turnHead+walkBodies[name], grid, block, jit.Options{Against: other}, nil) {
						if isWalk(l) {
							walks++
						}
					}
				}
				want := 2
				if name == "floats" { // AVX2 has too few registers
					want = 1
				}
				if walks != want && block[0] > 1 {
					t.Errorf("%d of 4 programs walk", walks)
				}
			})
		}
	}
}

// TestWalksMiss: in the n-th trip an address of one lane is outside, of a load whose index goes on or of another; or it is
// inside, where only who does not walk goes on.
func TestWalksMiss(t *testing.T) {
	for trip := range 3 {
		for lane := range 3 {
			odd := fmt.Sprintf(`xor.b32 %%r15, %%r12, %d; xor.b32 %%r16, %%r1, %d; or.b32 %%r15, %%r15, %%r16; sub.u32 %%r15, %%r15, 1; shr.s32 %%r15, %%r15, 31; and.b32 %%r15, %%r15, 0x100000; `, 7*trip, 31-9*lane)
			for what, body := range map[string]string{
				"anywhere": `L: ` + odd + `add.u32 %r15, %r15, %r10; mul.wide.s32 %rd6, %r15, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r11, [%rd7]; mad.lo.u32 %r7, %r7, 5, %r11; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
				"going on": fmt.Sprintf(`mov.u32 %%r12, %d; `, 7*trip) + odd + `and.b32 %r15, %r15, 8100; add.u32 %r15, %r15, %r10; mul.wide.s32 %rd6, %r15, 4; add.s64 %rd5, %rd1, %rd6; mov.u32 %r12, 0;
L:	ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r7, %r7, 5, %r11; add.s64 %rd5, %rd5, 16; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, 200; @%p bra L;`,
			} {
				for _, other := range walkTraits {
					t.Run(fmt.Sprint(what, trip, lane, other), func(t *testing.T) {
						compareTrips(t, turnHead+body, [3]uint32{2, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{Against: other}, nil)
					})
				}
			}
		}
	}
}

// TestNoWalks: where a lane loads from follows from what it has loaded before, what is loaded are no words, others are stored.
func TestNoWalks(t *testing.T) {
	for name, body := range map[string]string{
		"chase":  `L:	mul.wide.s32 %rd6, %r10, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r10, [%rd7]; and.b32 %r10, %r10, 1023; add.u32 %r7, %r7, %r10; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
		"bytes":  `L:	ld.global.u8 %r11, [%rd5]; add.u32 %r7, %r7, %r11; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
		"guards": turnBodies["guards"],
	} {
		t.Run(name, func(t *testing.T) {
			for _, other := range walkTraits {
				for _, l := range compareTrips(t, turnHead+body, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{Against: other}, nil) {
					if isWalk(l) {
						t.Error("lanes walk")
					}
				}
			}
		})
	}
}
