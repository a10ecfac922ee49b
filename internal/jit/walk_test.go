package jit_test

// Lanes that walk their loops alone: operations, ends of loops and of walks, what misses. Each is made as for processors with and
// without slow gathers.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
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
	"border": `and.b32 %r6, %r3, 3; add.u32 %r6, %r6, 254;
L:	ld.global.f32 %f2, [%rd5]; fma.rn.f32 %f1, %f1, %f2, %f2; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L; mov.b32 %r7, %f1; add.u32 %r7, %r7, %r12;`,
	"places": `L:	mad.lo.u32 %r15, %r12, 77, %r10; and.b32 %r15, %r15, 2047; mul.wide.s32 %rd6, %r15, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r11, [%rd7+16]; mad.lo.u32 %r7, %r7, 5, %r11; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r6; @%p bra L;`,
	"fuel":   turnBodies["fuel"],
	"search": `and.b32 %r6, %r6, 15;
L:	ld.global.u32 %r11, [%rd5]; mad.lo.u32 %r7, %r7, 3, %r11; add.s64 %rd5, %rd5, 4; shr.u32 %r15, %r11, 9; and.b32 %r15, %r15, 15; setp.ne.u32 %p, %r15, %r6; @%p bra L;`,
}

// walkCosts are code as for this machine's processor, and where all walks pay, and none.
var walkCosts = []int{0, jit.DearGathers, 1}

// isWalk tells whether a listing has such a loop.
func isWalk(listing string) bool { return strings.Contains(listing, "each alone from") }

// compareWalks is compareTrips; it tells how many programs have such loops, and in how many of them lanes have walked.
func compareWalks(t *testing.T, body string, grid, block [3]uint32, o jit.Options) (walks, walked int) {
	t.Helper()
	for _, n := range jit.CountDuring(func() {
		for _, l := range compareTrips(t, turnHead+body, grid, block, o, nil) {
			if isWalk(l) {
				walks++
			}
		}
	}) {
		if n.Times("lanes walk") > 0 {
			walked++
		}
	}
	return walks, walked
}

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
				for _, cost := range walkCosts {
					want, walks, walked := map[int]int{jit.DearGathers: 2}[cost], 0, 0
					if walks, walked = compareWalks(t, walkBodies[name], grid, block, jit.Options{GatherCost: cost}); cost == 0 || block[0] == 1 {
						continue
					}
					if name == "floats" { // AVX2 has too few registers
						want /= 2
					}
					if walks != want || walked < want {
						t.Errorf("cost %d: %d programs have walks, %d times lanes walk", cost, walks, walked)
					}
				}
			})
		}
	}
}

// lengthLoops is how many of them there are.
const lengthLoops = 2 * 2 * 5 * 3 * 5 * 3 * 2

// lengthLoop is a loop of %r6 and %r12: how these are compared in the n-th of many ways, and what they begin with, so that it
// ends, or goes on until it faults where the row steps over its bound to the other end of the numbers. It is sure that lanes may walk, but
// for a constant that it may step over.
func lengthLoop(n int) (body string, sure bool) {
	pick := func(list ...string) string { s := list[n%len(list)]; n /= len(list); return s }
	before := pick("", "before") != ""
	typ := pick("s32", "u32")
	rel := pick("lt", "le", "gt", "ge", "ne")
	step := map[string]int{"1": 1, "2": 2, "4": 4}[pick("1", "2", "4")]
	if rel == "ne" {
		step = 1
	}
	end := map[string]int{"s32": 0x7fffffff, "u32": 0xffffffff}[typ]
	last := end - step // where rows that go up do not wrap
	if rel == "lt" || rel == "gt" {
		last++
	}
	near := pick("few", "last", "first", "zero", "past")
	bound := map[string]int{"few": 100, "last": last, "first": end + 40, "zero": 0, "past": end}[near]
	form, known := pick("plain", "swapped", "not"), pick("", "known") != ""
	by, go1 := step, "sub.u32 %r12, %r6, %r12; "
	if rel == "gt" || rel == "ge" || rel == "ne" && bound == 0 {
		by, go1, bound = -step, "add.u32 %r12, %r6, %r12; ", ^bound
	}
	s := fmt.Sprintf("and.b32 %%r12, %%r3, 31; mul.lo.u32 %%r12, %%r12, %d; add.u32 %%r12, %%r12, %d; and.b32 %%r6, %%r3, 0; add.u32 %%r6, %%r6, %d; ", step, step, uint32(bound))
	other := "%r6"
	if known {
		other = fmt.Sprint(int32(bound))
	}
	s += go1 + "mov.u32 %r15, %r12;\nL:	ld.global.f32 %f2, [%rd5]; fma.rn.f32 %f1, %f2, %f2, %f1; add.s64 %rd5, %rd5, 4; "
	compare := fmt.Sprintf("setp.%s.%s %%p, %%r12, %s; ", rel, typ, other)
	switch form {
	case "swapped":
		compare = fmt.Sprintf("setp.%s.%s %%p, %%r6, %%r12; ", map[string]string{"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "ne": "ne"}[rel], typ)
	case "not":
		compare = fmt.Sprintf("setp.%s.%s %%p, %%r12, %s; ", map[string]string{"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "ne": "eq"}[rel], typ, other)
	}
	add := fmt.Sprintf("add.u32 %%r12, %%r12, %d; ", by)
	if before {
		s += compare + add
	} else {
		s += add + compare
	}
	if form == "not" {
		s += "@!%p bra L; "
	} else {
		s += "@%p bra L; "
	}
	return s + "mov.b32 %r7, %f1; xor.b32 %r7, %r7, %r12; selp.u32 %r16, 1, 0, %p; add.u32 %r7, %r7, %r16;", !known || near != "past"
}

// TestWalkLengths has loops that say from the start how many trips they have, near both ends of the numbers, and where they wrap.
func TestWalkLengths(t *testing.T) {
	for n := 0; n < lengthLoops; n += 17 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			body, sure := lengthLoop(n)
			walks, _ := compareWalks(t, body, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{GatherCost: jit.DearGathers})
			if sure && walks != 2 {
				t.Errorf("%d programs have walks", walks)
			}
		})
	}
}

// TestWalksPay has 32 warps with few lanes at work, or all of them, in loops whose trips are known from the start or not: where walks do not
// pay, most warps do not even ask, and where nobody knows before, few walk.
func TestWalksPay(t *testing.T) {
	for what, most := range map[string][2]uint64{"and.b32 %r17, %r3, 7; setp.eq.u32 %q, %r17, 5; selp.u32 %r6, 20, 1, %q; ": {32, 32}, "and.b32 %r6, %r3, 1; add.u32 %r6, %r6, 20; ": {0, 5}} {
		for k, mask := range []string{"", "and.b32 %r12, %r12, 0xffff; "} {
			body := turnHead + what + "mov.u32 %r12, 0;\nL:	ld.global.f32 %f2, [%rd5]; fma.rn.f32 %f1, %f2, %f2, %f1; add.s64 %rd5, %rd5, 4; add.u32 %r12, %r12, 1; " + mask + "setp.lt.u32 %p, %r12, %r6; @%p bra L; mov.b32 %r7, %f1;"
			for _, n := range jit.CountDuring(func() {
				compareTrips(t, body, [3]uint32{8, 1, 1}, [3]uint32{128, 1, 1}, jit.Options{GatherCost: 500}, nil)
			}) {
				asked, walked := n.Times("some lanes, each alone"), n.Times("lanes walk")
				if walked > most[k] || most[k] == 32 && walked < 24 || most[k] < 32 && (asked > 5 || asked == 0) {
					t.Errorf("%s%s: %d warps ask, %d walk", what, mask, asked, walked)
				}
			}
		}
	}
}

// TestWalkPastBound has a row that goes on by two and is to be equal to a bound, which the row of a lane steps over: that walks until it faults,
// behind a warp that has learned of the allocation.
func TestWalkPastBound(t *testing.T) {
	compareWalks(t, `shl.b32 %r6, %r6, 1; add.u32 %r6, %r6, 2; setp.eq.u32 %q, %r1, 49; selp.u32 %r15, 1, 0, %q; add.u32 %r6, %r6, %r15;
L:	ld.global.u32 %r11, [%rd5]; add.u32 %r7, %r7, %r11; add.s64 %rd5, %rd5, 16; add.u32 %r12, %r12, 2; setp.ne.u32 %p, %r12, %r6; @%p bra L;`, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{GatherCost: jit.DearGathers})
}

// TestWalksPaid: the first warp pays for trips that lanes leave in their middle as the interpreter's does, and gives way, or is the first behind.
func TestWalksPaid(t *testing.T) {
	for trips := 16360; trips < 16480; trips += 8 {
		body := fmt.Sprintf(`setp.lt.u32 %%p, %%r1, 32; and.b32 %%r6, %%r1, 31; setp.eq.u32 %%z, %%r6, 31; mad.lo.u32 %%r6, %%r6, 7, 5; selp.u32 %%r6, %d, %%r6, %%z; selp.u32 %%r6, %%r6, 5, %%p;
L:	ld.global.u32 %%r11, [%%rd5]; mad.lo.u32 %%r7, %%r7, 5, %%r11; add.u32 %%r12, %%r12, 1; setp.lt.u32 %%p, %%r12, %%r6; @%%p bra L; atom.global.add.u32 %%r11, [%%rd1+16384], 1; mad.lo.u32 %%r7, %%r7, 64, %%r11;`, trips)
		if walks, walked := compareWalks(t, body, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{GatherCost: jit.DearGathers}); walks != 2 || walked < 2 {
			t.Errorf("%d programs have walks, %d times lanes walk", walks, walked)
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
				for _, other := range walkCosts {
					t.Run(fmt.Sprint(what, trip, lane, other), func(t *testing.T) {
						compareTrips(t, turnHead+body, [3]uint32{2, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{GatherCost: other}, nil)
					})
				}
			}
		}
	}
}

// TestWalksEnd: the last index of a lane is the last one inside, or the one behind it, with steps of one and of four words.
func TestWalksEnd(t *testing.T) {
	for _, step := range []int{1, 4} {
		for _, past := range []int{0, 1} {
			body := fmt.Sprintf(`setp.eq.u32 %%q, %%r1, 19; selp.u32 %%r15, %d, 0, %%q; mul.lo.u32 %%r16, %%r6, %d; sub.u32 %%r16, 8191, %%r16; add.u32 %%r16, %%r16, %%r15; mul.wide.s32 %%rd6, %%r16, 4; add.s64 %%rd5, %%rd1, %%rd6;
L:	ld.global.f32 %%f2, [%%rd5]; fma.rn.f32 %%f1, %%f1, %%f2, %%f2; add.s64 %%rd5, %%rd5, %d; add.u32 %%r12, %%r12, 1; setp.le.u32 %%p, %%r12, %%r6; @%%p bra L; mov.b32 %%r7, %%f1;`, past, step, 4*step)
			t.Run(fmt.Sprint(step, past), func(t *testing.T) {
				if walks, walked := compareWalks(t, body, [3]uint32{2, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{GatherCost: jit.DearGathers}); walks != 2 || walked == 0 && past == 0 {
					t.Errorf("%d programs have walks, %d times lanes walk", walks, walked)
				}
			})
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
			for _, other := range walkCosts {
				for _, l := range compareTrips(t, turnHead+body, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{GatherCost: other}, nil) {
					if isWalk(l) {
						t.Error("lanes walk")
					}
				}
			}
		})
	}
}
