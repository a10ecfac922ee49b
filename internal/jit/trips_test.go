package jit_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
)

// tripBodies are loops that lanes leave one after the other; each leaves its result in %r7.
var tripBodies = map[string]string{
	"arms": `and.b32 %r6, %r3, 127; add.u32 %r6, %r6, 1; mov.u32 %r7, 0;
L:	and.b32 %r10, %r6, 1; setp.eq.u32 %p, %r10, 1; @%p bra O; shr.u32 %r6, %r6, 1; bra.uni B;
O:	mad.lo.u32 %r6, %r6, 3, 1;
B:	add.u32 %r7, %r7, 1; setp.ne.u32 %p, %r6, 1; @%p bra L;`,
	"tested first": `and.b32 %r6, %r3, 31; mov.u32 %r7, 0;
L:	setp.eq.u32 %p, %r6, 0; @%p bra E; mad.lo.u32 %r7, %r7, 5, %r6; sub.u32 %r6, %r6, 1; bra.uni L; E:`,
	"breaks": `and.b32 %r6, %r3, 63; mov.u32 %r7, %r3; mov.u32 %r10, 0; mov.u32 %r11, 9;
L:	mad.lo.u32 %r7, %r7, 0x19660d, 0x3c6ef35f; add.u32 %r11, %r11, %r7; shr.u32 %r12, %r7, 27; setp.eq.u32 %p, %r12, 3; @%p bra E;
	xor.b32 %r7, %r7, %r11; setp.lt.s32 %q, %r7, -2000000000; @%q bra E; add.u32 %r11, %r11, 77;
	add.u32 %r10, %r10, 1; setp.lt.u32 %z, %r10, %r6; @%z bra L;
E:	mad.lo.u32 %r7, %r11, 31, %r7; mad.lo.u32 %r7, %r10, 7, %r7;`,
	"places": `and.b32 %r6, %r3, 15; mov.u32 %r7, %r3; mov.u32 %r10, 0;
L:	add.u32 %r10, %r10, 1; mad.lo.u32 %r7, %r7, 0x19660d, 0x3c6ef35f; shr.u32 %r12, %r7, 28; setp.eq.u32 %p, %r12, 3; @%p bra A;
	setp.lt.u32 %z, %r10, %r6; @%z bra L;
	add.u32 %r7, %r7, 1000; bra.uni E;
A:	mad.lo.u32 %r7, %r10, 3, %r7; E:`,
	"a break of nobody else": `mov.u32 %r7, 0; and.b32 %r6, %r3, 3;
L:	add.u32 %r7, %r7, 1; setp.gt.u32 %p, %r7, 40; @%p bra E; mad.lo.u32 %r6, %r6, 5, 1; add.u32 %r6, %r6, %r7; bra.uni L; E: add.u32 %r7, %r7, %r6;`,
	"arms in arms": `and.b32 %r6, %r3, 31; mov.u32 %r7, %r3; mov.u32 %r10, 0; mov.u32 %r11, 5;
L:	and.b32 %r12, %r7, 3; setp.eq.u32 %p, %r12, 0; @%p bra A; setp.eq.u32 %q, %r12, 1; @%q bra B; add.u32 %r11, %r11, %r7;
B:	mad.lo.u32 %r7, %r7, 5, 3; bra.uni C;
A:	shr.u32 %r7, %r7, 2; add.u32 %r7, %r7, %r11;
C:	add.u32 %r10, %r10, 1; setp.le.u32 %p, %r10, %r6; @%p bra L; add.u32 %r7, %r7, %r11;`,
	"guards": `and.b32 %r6, %r3, 31; mov.u32 %r7, %r3; mov.u32 %r10, 0; mov.u32 %r11, 5;
L:	and.b32 %r12, %r7, 1; setp.eq.u32 %p, %r12, 0; @%p add.u32 %r11, %r11, %r7; @!%p mad.lo.u32 %r7, %r7, 3, 1;
	add.u32 %r10, %r10, 1; shr.u32 %r7, %r7, 1; setp.le.u32 %q, %r10, %r6; @%q bra L; add.u32 %r7, %r7, %r11;`,
	// Selected sums: read by others, by nobody else, live behind, selected by themselves.
	"sums": `and.b32 %r6, %r3, 31; mov.u32 %r7, %r3; mov.u32 %r10, 0; mov.u32 %r11, 5; mov.u32 %r13, 1;
L:	mad.lo.u32 %r7, %r7, 0x19660d, 7; setp.lt.s32 %p, %r7, 0; add.u32 %r12, %r11, %r7; selp.u32 %r11, %r12, %r11, %p; mad.lo.u32 %r13, %r12, 5, %r13;
	add.u32 %r14, %r13, %r7; selp.u32 %r13, %r14, %r13, %p; add.u32 %r15, %r11, 3; selp.u32 %r11, %r15, %r11, %p; add.u32 %r12, %r13, %r11; setp.gt.s32 %z, %r12, 0; selp.u32 %r13, %r12, %r13, %z;
	add.u32 %r10, %r10, 1; setp.le.u32 %q, %r10, %r6; @%q bra L; mad.lo.u32 %r7, %r11, 31, %r7; mad.lo.u32 %r7, %r13, 7, %r7; mad.lo.u32 %r7, %r15, 3, %r7;`,
	"predicates": `and.b32 %r6, %r3, 31; mov.u32 %r7, %r3; mov.u32 %r10, 0; setp.ne.u32 %z, %r6, 4; setp.eq.u32 %q, %r6, 4;
L:	mad.lo.u32 %r7, %r7, 0x19660d, 7; setp.lt.s32 %q, %r7, 0; xor.pred %z, %z, %q; selp.u32 %r11, 3, 1, %z; add.u32 %r10, %r10, %r11;
	setp.le.u32 %p, %r10, %r6; @%p bra L; selp.u32 %r11, 1, 0, %z; selp.u32 %r12, 2, 0, %q; add.u32 %r7, %r7, %r11; add.u32 %r7, %r7, %r12;`,
	"exchanged": `and.b32 %r6, %r3, 31; mov.u32 %r7, 1; mov.u32 %r10, 0; mov.u32 %r11, 3;
L:	add.u32 %r12, %r7, %r11; mov.u32 %r11, %r7; mov.u32 %r7, %r12; add.u32 %r10, %r10, 1; setp.lt.u32 %p, %r10, %r6; @%p bra L; xor.b32 %r7, %r7, %r11;`,
	"NaNs": `and.b32 %r6, %r3, 31; cvt.rn.f32.u32 %f1, %r6; or.b32 %r10, %r3, 0x7fa00000; mov.b32 %f2, %r10; setp.gt.u32 %p, %r6, 20; selp.f32 %f2, %f2, %f1, %p; mov.u32 %r10, 0;
L:	fma.rn.f32 %f1, %f1, %f2, %f1; sub.f32 %f3, %f1, %f2; mul.f32 %f2, %f3, 0f3f000000; add.u32 %r10, %r10, 1; setp.lt.u32 %p, %r10, %r6; @%p bra L;
	mov.b32 %r7, %f1; mov.b32 %r11, %f2; xor.b32 %r7, %r7, %r11;`,
	"NaNs of any kind": `and.b32 %r6, %r3, 31; cvt.rn.f32.u32 %f1, %r6; or.b32 %r10, %r3, 0x7fa00000; mov.b32 %f2, %r10; setp.gt.u32 %p, %r6, 20; selp.f32 %f2, %f2, %f1, %p; mov.u32 %r10, 0; mov.u32 %r7, 0;
L:	fma.rn.f32 %f1, %f1, %f2, %f1; mul.f32 %f1, %f1, 0f3f000000; add.u32 %r10, %r10, 1; setp.lt.u32 %p, %r10, %r6; @%p bra L;
	st.global.f32 [%rd3+16384], %f1;`,
	"outer": `and.b32 %r6, %r3, 7; mov.u32 %r7, %r3; mov.u32 %r10, 0; mov.u32 %r11, 0;
K:	mov.u32 %r12, 0;
L:	mad.lo.u32 %r7, %r7, 5, %r12; add.u32 %r12, %r12, 1; setp.le.u32 %p, %r12, %r10; @%p bra L;
	add.u32 %r11, %r11, %r7; add.u32 %r10, %r10, 1; setp.le.u32 %q, %r10, %r6; @%q bra K; xor.b32 %r7, %r7, %r11;`,
	"some": `and.b32 %r6, %r3, 31; mov.u32 %r7, 7; mov.u32 %r10, %r3; and.b32 %r11, %r3, 1; setp.eq.u32 %p, %r11, 1; @%p bra E; mov.u32 %r10, 2;
L:	mad.lo.u32 %r7, %r7, 5, %r10; add.u32 %r10, %r10, 3; setp.le.u32 %p, %r10, %r6; @%p bra L;
E:	mad.lo.u32 %r7, %r10, 17, %r7;`,
	"leaving arms": `and.b32 %r6, %r3, 31; mov.u32 %r7, %r3; mov.u32 %r10, 0;
L:	mad.lo.u32 %r7, %r7, 0x19660d, 0x3c6ef35f; shr.u32 %r12, %r7, 29; setp.ne.u32 %p, %r12, 3; @%p bra M; add.u32 %r7, %r7, %r10; bra.uni E;
M:	add.u32 %r10, %r10, 1; setp.le.u32 %q, %r10, %r6; @%q bra L;
E:	add.u32 %r7, %r7, %r10;`,
	"wide": `and.b32 %r6, %r3, 31; cvt.u64.u32 %rd4, %r3; mov.u64 %rd5, 1; mov.u32 %r10, 0;
L:	mad.lo.u64 %rd5, %rd5, 3, %rd4; shr.u64 %rd4, %rd5, 1; add.u32 %r10, %r10, 1; setp.le.u32 %p, %r10, %r6; @%p bra L;
	shr.u64 %rd5, %rd5, 11; cvt.u32.u64 %r7, %rd5; add.u32 %r7, %r7, %r10;`,
	// The first warp pays for 16,384 trips, also for those that lanes leave in their middle, and gives way; the second is there first.
	"paid": `and.b32 %r6, %r1, 31; setp.eq.u32 %p, %r6, 31; mul.lo.u32 %r6, %r6, 10; selp.u32 %r6, 100000, %r6, %p; setp.lt.u32 %p, %r1, 32; selp.u32 %r16, 16400, 5, %p; mov.u32 %r10, 0; mov.u32 %r11, 3;
L:	setp.eq.u32 %p, %r10, %r6; @%p bra E; mad.lo.u32 %r11, %r11, 5, %r10; add.u32 %r10, %r10, 1; setp.lt.u32 %q, %r10, %r16; @%q bra L;
E:	atom.global.add.u32 %r7, [%rd1+16384], 1; mad.lo.u32 %r7, %r7, 64, %r11;`,
	// The first warp does not give way, though compiled code looks at the clock among its 16,000 trips.
	"clock": `and.b32 %r6, %r1, 31; setp.eq.u32 %p, %r6, 31; mul.lo.u32 %r6, %r6, 10; selp.u32 %r6, 100000, %r6, %p; setp.lt.u32 %p, %r1, 32; selp.u32 %r16, 16000, 5, %p; mov.u32 %r10, 0; mov.u32 %r11, 3;
L:	mad.lo.u32 %r11, %r11, 5, %r10; xor.b32 %r11, %r11, %r3; mad.lo.u32 %r11, %r11, 7, %r10; xor.b32 %r11, %r11, %r3; mad.lo.u32 %r11, %r11, 3, %r10; xor.b32 %r11, %r11, %r3;
	setp.eq.u32 %p, %r10, %r6; @%p bra E; add.u32 %r10, %r10, 1; setp.lt.u32 %q, %r10, %r16; @%q bra L;
E:	atom.global.add.u32 %r7, [%rd1+16384], 1; mad.lo.u32 %r7, %r7, 64, %r11;`,
	"fuel": `and.b32 %r6, %r3, 31; mad.lo.u32 %r6, %r6, 150, 14000; mov.u32 %r7, %r3; mov.u32 %r10, 0;
L:	mad.lo.u32 %r7, %r7, 5, %r10; add.u32 %r10, %r10, 1; setp.lt.u32 %p, %r10, %r6; @%p bra L;`,
}

// compareTrips is compareBatch for a body that ends with the result.
func compareTrips(t *testing.T, body string, grid, block [3]uint32, o jit.Options, change func(*host.Launch)) (listings []string) {
	t.Helper()
	last := (*host.Launch)(nil)
	compareBatch(t, batchHeader+body+"\n\tst.global.u32 [%rd3], %r7; ret;\n}\n", grid, block, o, func(x *host.Launch) {
		if last = x; change != nil {
			change(x)
		}
	})
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		out, err := jit.Compile(last.Entry, decode.FuncOf(last.Entry.Func), jit.Options{Vectors: v, List: true})
		if err != nil {
			t.Skip(err)
		}
		listings = append(listings, out.Listing)
	}
	return listings
}

// isTrip tells whether a listing has such a loop.
func isTrip(listing string) bool { return strings.Contains(listing, "some lanes, a trip from") }

// TestTrips runs them in both widths, some in all shapes: memory, steps and lane-ops are the interpreter's.
func TestTrips(t *testing.T) {
	for k, name := range slices.Sorted(maps.Keys(tripBodies)) {
		shapes, grid := batchShapes[k%3:k%3+1], [3]uint32{2, 2, 1}
		switch name {
		case "fuel", "paid", "clock":
			shapes, grid = batchShapes[1:2], [3]uint32{1, 1, 1}
		case "arms", "breaks", "some", "outer":
			shapes = batchShapes[:6]
		}
		for _, block := range shapes {
			t.Run(fmt.Sprint(name, block), func(t *testing.T) {
				for i, l := range compareTrips(t, tripBodies[name], grid, block, jit.Options{}, nil) {
					if !isTrip(l) && (name != "wide" || i == 1) && block[0] > 1 { // with one thread all is uniform
						t.Errorf("width %d: there is no loop of trips", i)
					}
				}
			})
		}
	}
}

// TestTripsLeaving enters such loops in the middle, since one of their instructions is left to the interpreter, and at
// their header with some lanes, since one in front of them is.
func TestTripsLeaving(t *testing.T) {
	for _, name := range []string{"arms", "breaks", "arms in arms", "outer", "some", "NaNs of any kind"} {
		for way := range int32(4) {
			t.Run(fmt.Sprint(name, way), func(t *testing.T) {
				o := jit.Leaving(jit.Options{}, func(pc int32) bool { return pc%13 == 3*way })
				compareTrips(t, tripBodies[name], [3]uint32{2, 1, 1}, [3]uint32{80, 1, 1}, o, nil)
			})
		}
	}
}

// TestEndlessTrips has lanes that never leave: limits end the launch, with and without others that wait.
func TestEndlessTrips(t *testing.T) {
	for name, body := range map[string]string{
		"all":  "mov.u32 %r7, %r3; L: mad.lo.u32 %r7, %r7, 5, 1; setp.ne.u32 %p, %r3, 4000; @%p bra L;",
		"some": "mov.u32 %r7, %r3; L: mad.lo.u32 %r7, %r7, 5, 1; setp.lt.u32 %p, %r3, 5; @%p bra L;",
	} {
		t.Run(name, func(t *testing.T) {
			compareTrips(t, body, [3]uint32{1, 1, 1}, [3]uint32{33, 1, 1}, jit.Options{}, func(l *host.Launch) { l.MaxSteps = 1 << 18 })
		})
	}
}

// TestRandomTrips makes loops of random statements: arms, breaks and guards in any order.
func TestRandomTrips(t *testing.T) {
	found := [2]int{}
	const n = 24
	for seed := range uint64(n) {
		g := &tripMaker{Rand: rand.New(rand.NewPCG(seed, 6))}
		body := g.kernel()
		for i, l := range compareTrips(t, body, [3]uint32{1, 1, 1}, batchShapes[seed%6], jit.Options{}, nil) {
			if isTrip(l) {
				found[i]++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, body)
		}
	}
	for i, k := range found {
		if k < n/2 {
			t.Errorf("width %d: only %d of %d loops are of trips", i, k, n)
		}
	}
}

// tripMaker writes a loop over the registers %r10 to %r15; %r6 counts up to %r16.
type tripMaker struct {
	*rand.Rand
	strings.Builder
	labels, masks int
}

func (g *tripMaker) reg() string { return fmt.Sprint("%r", 10+g.IntN(6)) }

func (g *tripMaker) label() string {
	g.labels++
	return fmt.Sprint("M", g.labels)
}

func (g *tripMaker) kernel() string {
	g.WriteString("mov.u32 %r6, 0; and.b32 %r16, %r3, 31;\n")
	for k := range 6 {
		fmt.Fprintf(g, "mad.lo.u32 %%r%d, %%r3, %d, %d;\n", 10+k, g.Uint32N(1<<30)|1, g.Uint32())
	}
	g.WriteString("L:\n")
	for range 2 + g.IntN(4) {
		g.statement(2)
	}
	g.WriteString("add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, %r16; @%p bra L;\n")
	g.WriteString("OUT: mov.u32 %r7, %r6;\n")
	for k := range 6 {
		if g.IntN(3) > 0 { // the others are not live behind the loop
			fmt.Fprintf(g, "mad.lo.u32 %%r7, %%r7, 31, %%r%d;\n", 10+k)
		}
	}
	return g.String()
}

// condition sets %p.
func (g *tripMaker) condition() {
	fmt.Fprintf(g, "shr.u32 %%r17, %s, %d; and.b32 %%r17, %%r17, 7; setp.%s.u32 %%p, %%r17, %d;\n", g.reg(), g.IntN(29), []string{"lt", "eq", "ge", "ne"}[g.IntN(4)], 1+g.IntN(6))
}

func (g *tripMaker) statement(depth int) {
	kind := g.IntN(8)
	if kind >= 5 && (depth == 0 || g.masks >= 2) {
		kind = 0
	}
	switch kind {
	default:
		fmt.Fprintf(g, "mad.lo.u32 %s, %s, %d, %s;\n", g.reg(), g.reg(), 1+g.IntN(9), g.reg())
	case 1:
		fmt.Fprintf(g, "xor.b32 %s, %s, %s;\n", g.reg(), g.reg(), g.reg())
	case 2:
		fmt.Fprintf(g, "mov.u32 %s, %s;\n", g.reg(), g.reg())
	case 5:
		g.masks++
		g.condition()
		fmt.Fprintf(g, "@%s%%p add.u32 %s, %s, %s;\n", []string{"", "!"}[g.IntN(2)], g.reg(), g.reg(), g.reg())
	case 6:
		g.masks++
		g.condition()
		fmt.Fprintf(g, "%s", []string{"@%p bra OUT;\n", "@!%p bra OUT;\n"}[g.IntN(2)])
	case 7:
		g.masks++
		g.condition()
		skip, end := g.label(), g.label()
		fmt.Fprintf(g, "@%%p bra %s;\n", skip)
		g.statement(depth - 1)
		g.statement(depth - 1)
		fmt.Fprintf(g, "bra.uni %s;\n%s:\n", end, skip)
		if g.IntN(2) == 0 {
			g.statement(depth - 1)
		}
		fmt.Fprintf(g, "%s:\n", end)
	}
}
