package pipeline

// This file runs random kernels with branches by the number of the thread round accesses that only threads have in bounds which do not take
// them: scans, reductions in trees, and the borders of stencils are so.

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// guarded writes the text of such a kernel.
type guarded struct {
	waiting
	x string // the thread's number in the grid
}

// guard branches to a label for threads that are not in front of a bound, or not behind it.
func (g *guarded) guard(v string, bound int, label string) {
	d := fmt.Sprint(bound)
	if g.IntN(3) == 0 { // only the launch knows it
		r := g.word()
		g.line("sub.s32 %s, %%r4, %%r4", r)
		g.line("add.s32 %s, %s, %d", r, r, bound)
		d = r
	}
	g.line("setp.ge.%s32 %%p3, %s, %s", []string{"s", "s", "u"}[g.IntN(3)], v, d)
	g.line("@%%p3 bra %s", label)
}

// guardedArm is an arm for threads in front of a bound; what it touches is in bounds for them, but for one arm of thirty.
func (g *guarded) guardedArm(depth, most int, v, base, space string, words int) {
	g.labels++
	label, end := fmt.Sprintf("G%d", g.labels), fmt.Sprintf("H%d", g.labels)
	bound, shift := 1+g.IntN(most), g.IntN(5)
	for (bound-1)<<shift >= words {
		shift--
	}
	off := g.IntN(words - (bound-1)<<shift)
	if g.IntN(30) == 0 {
		off += words
	}
	sum := g.word()
	g.line("mov.u32 %s, %d", sum, g.IntN(9))
	kept := append([]string{}, g.words...)
	into := ""
	if g.IntN(5) == 0 { // a way leads into it from in front of the branch
		into = fmt.Sprintf("I%d", g.labels)
		g.line("setp.lt.u32 %%p1, %%r4, %d", 500+g.IntN(200))
		g.line("@%%p1 bra %s", into)
	}
	g.guard(v, bound, label)
	g.place(v, base, space, shift, off, sum)
	if into != "" {
		g.words = append([]string{}, kept...)
		g.WriteString(into + ":\n")
		g.place(v, base, space, 0, 0, sum)
	}
	if depth > 0 && g.IntN(2) == 0 {
		g.guardedArm(depth-1, bound, v, base, space, words)
		g.line("add.s32 %s, %s, %s", sum, sum, g.words[len(g.words)-1])
	}
	g.words = append([]string{}, kept...)
	if g.IntN(3) == 0 {
		g.line("bra.uni %s", end)
		g.WriteString(label + ":\n")
		g.place(v, base, space, 0, 0, sum)
		g.words = append([]string{}, kept...)
		g.WriteString(end + ":\n")
	} else {
		g.WriteString(label + ":\n")
	}
	g.words = append(kept, sum)
}

// place loads a word of (v<<shift) + off, and may store there.
func (g *guarded) place(v, base, space string, shift, off int, sum string) {
	at, r := g.word(), g.word()
	g.line("shl.b32 %s, %s, %d", at, v, shift)
	if g.IntN(2) == 0 && off > 0 {
		g.line("add.s32 %s, %s, %d", at, at, off)
		off = 0
	}
	g.line("shl.b32 %s, %s, 2", at, at)
	if space == "global" {
		g.wide++
		rd := fmt.Sprintf("%%rd%d", 20+g.wide)
		g.line("cvt.s64.s32 %s, %s", rd, at)
		g.line("add.s64 %s, %s, %s", rd, rd, base)
		at = rd
	} else {
		g.line("add.s32 %s, %s, %s", at, at, base)
	}
	g.line("ld.%s.u32 %s, [%s+%d]", space, r, at, 4*off)
	g.line("mad.lo.s32 %s, %s, 7, %s", sum, sum, r)
	if space == "shared" && g.IntN(2) == 0 {
		g.line("st.shared.u32 [%s+%d], %s", at, 4*off, g.pick())
	}
	g.words = append(g.words, r)
}

// kernel is a kernel of blocks of 128 threads.
func (g *guarded) kernel(block shape) string {
	g.begin("\t.reg .b32 %r<900>;\n\t.reg .b64 %rd<299>;\n\t.shared .align 4 .b8 tile[512];\n")
	tile := g.word()
	g.x = g.word()
	g.line("mov.u32 %s, tile", tile)
	g.thread(g.x, block)
	for i := range 3 {
		g.line("cvt.u64.u32 %%rd%d, %s", 4+i, g.x)
	}
	g.line("setp.ge.s32 %%p2, %s, %%r4", g.x)
	if g.IntN(6) == 0 {
		g.line("%s", exits)
	}
	g.words = append(g.words, g.x)
	for range 2 + g.IntN(4) {
		if g.IntN(3) == 0 {
			g.guardedArm(1, 640, g.x, "%rd1", "global", 1024)
		} else {
			g.guardedArm(2, 128, "%r1", "%r6", "shared", 128)
		}
		switch g.IntN(4) {
		case 0, 1:
			g.bar()
		case 2:
			g.sum()
		}
	}
	g.end(g.x)
	return g.String()
}

func guards(g *rand.Rand, block shape) string {
	return (&guarded{waiting: waiting{addresses: addresses{Rand: g}}}).kernel(block)
}

// TestArms holds them to the interpreter, and counts those in which an arm has tests of its own.
func TestArms(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n := b.howMany(40)
		testRandom(t, n, b, 45, guards)
		own := 0
		for i := range n {
			text, l := randomKernel(*seed+uint64(i), 45, guards)
			if b.textOf(t, text, l.run(), nil) != b.textOf(t, text, l.run(), map[string]bool{"arms": true}) {
				own++
			}
		}
		if t.Logf("%d of %d have tests of arms", own, n); 2*own < n {
			t.Error("too few")
		}
	})
}
