package pipeline

// This file runs random kernels whose warps wait for each other: shared memory, barriers in straight code, in loops and in branches that
// all warps take, with variables of all kinds that live across.

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// waiting writes the text of a random kernel with barriers.
type waiting struct {
	addresses
	labels int
	loops  int
}

// exchange stores a word for each thread and reads another's, with a barrier between and one behind.
func (g *waiting) exchange() {
	if g.IntN(3) == 0 {
		g.neighbours()
		return
	}
	at, from, other, r := g.word(), g.word(), g.word(), g.word()
	g.line("shl.b32 %s, %%r1, 2", at)
	g.line("add.s32 %s, %s, %%r6", at, at)
	g.line("st.shared.u32 [%s], %s", at, g.pick())
	g.bar()
	switch g.IntN(4) {
	case 0:
		g.line("xor.b32 %s, %%r1, %d", other, 1+g.IntN(127))
	case 1:
		g.line("add.s32 %s, %%r1, %d", other, 1+g.IntN(127))
		g.line("and.b32 %s, %s, 127", other, other)
	case 2:
		g.line("and.b32 %s, %s, 127", other, g.pick())
	default: // one for all
		g.line("and.b32 %s, %%r4, 127", other)
	}
	g.line("shl.b32 %s, %s, 2", from, other)
	g.line("add.s32 %s, %s, %%r6", from, from)
	g.line("ld.shared.%s %s, [%s]", []string{"u32", "s32"}[g.IntN(2)], r, from)
	if g.IntN(3) == 0 { // bytes of it
		b := g.word()
		g.line("ld.shared.%s %s, [%s+%d]", []string{"u8", "s8", "u16"}[g.IntN(3)], b, from, 2*g.IntN(2))
		g.words = append(g.words, b)
	}
	g.words = append(g.words, r)
	g.bar()
}

// neighbours stores a word for each thread, or for some, at the place of the thread whose number differs by a bit, and reads others that lie
// so, of the same warp without a barrier: it is known how far the lanes of a warp are apart.
func (g *waiting) neighbours() {
	place := func(m int) string {
		bit, at := g.word(), g.word()
		g.line("and.b32 %s, %%r1, %d", bit, m)
		g.line("shl.b32 %s, %s, 1", bit, bit)
		g.line("add.s32 %s, %%r1, %d", at, m)
		g.line("sub.s32 %s, %s, %s", at, at, bit)
		g.line("shl.b32 %s, %s, 2", at, at)
		g.line("add.s32 %s, %s, %%r6", at, at)
		return at
	}
	stored, read := 1<<g.IntN(6), 1<<g.IntN(6)
	at, from, r := place(stored), place(read), g.word()
	apart := g.IntN(2) == 0 // what other warps have stored
	if apart {              // one of two halves, in pieces as long as both
		half, rest := g.word(), g.word()
		g.line("and.b32 %s, %%r1, 63", half)
		g.line("and.b32 %s, %s, %d", rest, half, 1<<(1+g.IntN(4))-1)
		g.line("shl.b32 %s, %s, 1", half, half)
		g.line("sub.s32 %s, %s, %s", half, half, rest)
		g.line("shl.b32 %s, %s, 2", half, half)
		from = g.word()
		g.line("add.s32 %s, %s, %%r6", from, half)
	}
	g.line("st.shared.u32 [%s], %s", at, g.pick())
	if g.IntN(2) == 0 {
		g.line("setp.lt.s32 %%p1, %s, %s", g.pick(), g.pick())
		g.line("@%%p1 st.shared.u32 [%s], %s", at, g.pick())
	}
	if g.IntN(3) == 0 || apart || stored > 16 || read > 16 { // of another warp
		g.bar()
	}
	g.line("ld.shared.%s %s, [%s]", []string{"u32", "s32"}[g.IntN(2)], r, from)
	g.words = append(g.words, r)
	g.bar()
}

func (g *waiting) bar() {
	g.line("%s", []string{"bar.sync 0", "barrier.sync.aligned 0", "bar.sync 3"}[g.IntN(40)/19])
}

// arm is code that some lanes execute.
func (g *waiting) arm() {
	g.labels++
	p := 4 + g.IntN(4)
	g.line("setp.%s.s32 %%p%d, %s, %s", []string{"lt", "ge", "eq"}[g.IntN(3)], p, g.pick(), []string{g.pick(), fmt.Sprint(g.IntN(64))}[g.IntN(2)])
	r := g.word()
	g.line("mov.u32 %s, %d", r, g.IntN(9))
	label := fmt.Sprintf("A%d", g.labels)
	g.line("@%%p%d bra %s", p, label)
	kept := g.words
	for range 1 + g.IntN(3) {
		g.sum()
	}
	g.line("add.s32 %s, %s, %s", r, r, g.words[len(g.words)-1])
	g.words = append(kept, r)
	g.WriteString(label + ":\n")
}

// all is a branch that all threads take or none, round what may hold a barrier.
func (g *waiting) all(depth int) {
	g.labels++
	label, r := fmt.Sprintf("U%d", g.labels), g.word()
	g.line("mov.u32 %s, %d", r, g.IntN(9))
	g.line("setp.lt.u32 %%p1, %%r4, %d", 500+g.IntN(200))
	g.line("@%%p1 bra %s", label)
	kept := g.words
	g.body(depth)
	g.line("xor.b32 %s, %s, %s", r, r, g.pick())
	g.words = append(kept, r)
	g.WriteString(label + ":\n")
}

// turns is a loop that all threads take the same number of times, round what may hold a barrier.
func (g *waiting) turns(depth int) {
	g.loops++
	n, label := g.loops, fmt.Sprintf("T%d", g.loops)
	turn, sum, walk := g.word(), g.word(), g.word()
	g.line("mov.u32 %s, 0", turn)
	g.line("mov.u32 %s, 1", sum)
	g.line("mov.u32 %s, %s", walk, g.pick())
	g.WriteString(label + ":\n")
	kept := g.words
	g.words = append(append([]string{}, g.words...), turn, sum, walk, walk)
	g.body(depth)
	g.line("add.s32 %s, %s, %s", sum, sum, g.pick())
	g.line("add.s32 %s, %s, %d", walk, walk, g.constant())
	if g.IntN(3) == 0 {
		g.line("mad.wide.s32 %%rd%d, %s, 8, %%rd%d", 4+n%3, turn, 4+n%3)
	}
	g.words = append(kept, sum, walk)
	g.line("add.s32 %s, %s, 1", turn, turn)
	limit := fmt.Sprint(1 + g.IntN(5))
	if g.IntN(3) == 0 { // of the launch
		l := g.word()
		g.line("and.b32 %s, %%r4, 3", l)
		limit = l
	}
	g.line("setp.lt.u32 %%p3, %s, %s", turn, limit)
	g.line("@%%p3 bra %s", label)
}

// body is a few statements.
func (g *waiting) body(depth int) {
	for range 1 + g.IntN(3) {
		switch k := g.IntN(8); {
		case k == 0 && depth > 0:
			g.turns(depth - 1)
		case k == 1 && depth > 0:
			g.all(depth - 1)
		case k == 2:
			g.arm()
		case k == 3:
			g.load()
		case k < 6:
			g.exchange()
		default:
			g.sum()
		}
	}
}

// kernel is a kernel of blocks of 128 threads.
func (g *waiting) kernel(block shape) string {
	g.begin("\t.reg .b32 %r<900>;\n\t.reg .b64 %rd<299>;\n\t.shared .align 4 .b8 tile[512];\n")
	tile, x := g.word(), g.word()
	g.line("mov.u32 %s, tile", tile)
	g.thread(x, block)
	for i := range 3 {
		g.line("cvt.u64.u32 %%rd%d, %s", 4+i, x)
	}
	g.line("setp.ge.s32 %%p2, %s, %%r4", x)
	if g.IntN(4) == 0 { // some lanes exit
		g.line("%s", exits)
	}
	g.words = append(g.words, x, x)
	for range 1 + g.IntN(3) {
		g.body(2)
	}
	g.end(x)
	return g.String()
}

// end stores what has come of all.
func (g *waiting) end(x string) {
	acc, r := g.word(), g.word()
	g.line("selp.b32 %s, 3, 5, %%p2", acc)
	for _, w := range g.words {
		g.line("mad.lo.s32 %s, %s, 31, %s", acc, acc, w)
	}
	for i := range 3 {
		g.line("cvt.u32.u64 %s, %%rd%d", r, 4+i)
		g.line("mad.lo.s32 %s, %s, 31, %s", acc, acc, r)
	}
	g.line("mul.wide.s32 %%rd3, %s, 4", x)
	g.line("add.s64 %%rd3, %%rd3, %%rd2")
	g.line("st.global.u32 [%%rd3], %s", acc)
	g.WriteString("\tret;\n}\n")
}

// TestBarriers holds random kernels with barriers to the interpreter, as TestRandom does.
func TestBarriers(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n := b.howMany(100)
		testRandom(t, n, b, 38, exchanges)
	})
}

// exchanges writes a kernel whose threads give each other words.
func exchanges(g *rand.Rand, block shape) string {
	return (&waiting{addresses: addresses{Rand: g}}).kernel(block)
}
