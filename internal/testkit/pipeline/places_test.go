package pipeline

// This file runs random kernels whose lanes touch memory at places that follow from their numbers bit by bit: each is known but for a number
// that the lanes of a warp have in common.

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// places writes the text of such a kernel. Each warp has a KiB of shared memory and one of what is stored, for itself.
type places struct {
	waiting
}

// place is an index of a KiB of elements, made of bits of the thread's number: so many lanes, or all, may have the same.
func (g *places) place(elems int) string {
	at := "%r1"
	for range 1 + g.IntN(4) {
		r, k := g.word(), []int{1, 2, 3, 4, 6, 7, 8, 15, 16, 24, 28, 31, 63, 64, 127}[g.IntN(15)]
		switch g.IntN(9) {
		case 0:
			g.line("and.b32 %s, %s, %d", r, at, k)
		case 1:
			g.line("xor.b32 %s, %s, %d", r, at, k)
		case 2:
			g.line("or.b32 %s, %s, %d", r, at, k)
		case 3:
			g.line("shl.b32 %s, %s, %d", r, at, 1+g.IntN(3))
		case 4:
			g.line("shr.%s %s, %s, %d", []string{"u32", "s32"}[g.IntN(2)], r, at, 1+g.IntN(3))
		case 5:
			g.line("and.b32 %s, %s, %d", r, at, k)
			g.line("sub.s32 %s, %s, %s", r, at, r)
		case 6:
			g.line("add.s32 %s, %s, %d", r, at, k)
		case 7:
			g.line("bfi.b32 %s, %s, %%r1, %d, %d", r, at, g.IntN(6), 1+g.IntN(6))
		default:
			g.line("and.b32 %s, %%r1, %d", r, k)
			g.line("mad.lo.s32 %s, %s, %d, %s", r, r, 1+g.IntN(5), at)
		}
		at = r
	}
	r := g.word()
	g.line("and.b32 %s, %s, %d", r, at, elems-1)
	return r
}

// forms are elements of memory: how they are written, their bytes, and how many registers of which kind have them.
var forms = []struct {
	name  string
	bytes int
	n     int
	reg   string
}{{"u32", 4, 1, "r"}, {"u32", 4, 1, "r"}, {"u32", 4, 1, "r"}, {"v2.u32", 8, 2, "r"}, {"v2.u32", 8, 2, "r"}, {"v4.u32", 16, 4, "r"}, {"u8", 1, 1, "r"}, {"s8", 1, 1, "r"}, {"u16", 2, 1, "r"},
	{"s16", 2, 1, "r"}, {"u64", 8, 1, "rd"}, {"v2.u64", 16, 2, "rd"}, {"v2.u8", 2, 2, "r"}, {"v4.u8", 4, 4, "r"}}

// access stores or loads an element of each thread's warp, or of some threads.
func (g *places) access() {
	f := forms[g.IntN(len(forms))]
	shared, store := g.IntN(4) > 0, g.IntN(2) == 0
	index, base := g.place(1024/f.bytes), "%r6"
	space := "shared"
	at := g.word()
	g.line("shl.b32 %s, %s, %d", at, index, map[int]int{1: 0, 2: 1, 4: 2, 8: 3, 16: 4}[f.bytes])
	if shared {
		g.line("add.s32 %s, %s, %s", at, at, base)
	} else {
		space = "global"
		g.wide++
		rd := fmt.Sprintf("%%rd%d", 20+g.wide)
		g.line("cvt.u64.u32 %s, %s", rd, at)
		g.line("add.s64 %s, %s, %%rd7", rd, rd)
		at = rd
	}
	var regs []string
	for range f.n {
		switch {
		case f.reg == "rd":
			g.wide++
			rd := fmt.Sprintf("%%rd%d", 20+g.wide)
			g.line("cvt.s64.s32 %s, %s", rd, g.pick())
			g.line("mul.lo.s64 %s, %s, 4294967299", rd, rd)
			regs = append(regs, rd)
		case store:
			regs = append(regs, g.pick())
		default:
			r := g.word()
			g.line("mov.u32 %s, %d", r, g.IntN(9))
			regs = append(regs, r)
		}
	}
	guard := g.some()
	list := regs[0]
	for _, r := range regs[1:] {
		list += ", " + r
	}
	if f.n > 1 {
		list = "{" + list + "}"
	}
	if store {
		g.line("%sst.%s.%s [%s], %s", guard, space, f.name, at, list)
		return
	}
	g.line("%sld.%s.%s %s, [%s]", guard, space, f.name, list, at)
	for _, r := range regs {
		if f.reg == "rd" {
			low, high := g.word(), g.word()
			g.line("mov.b64 {%s, %s}, %s", low, high, r)
			g.line("xor.b32 %s, %s, %s", low, low, high)
			r = low
		}
		g.words = append(g.words, r)
	}
}

// some is a guard of what follows, or none: by numbers of lanes, or by what they have loaded.
func (g *places) some() string {
	if g.IntN(2) == 0 {
		return ""
	}
	of, k := g.pick(), g.IntN(64)
	if g.IntN(2) == 0 {
		of = g.place(64)
	}
	g.line("setp.%s.s32 %%p1, %s, %d", []string{"lt", "ge", "eq", "ne"}[g.IntN(4)], of, k)
	return []string{"@%p1 ", "@!%p1 "}[g.IntN(2)]
}

// exchange is the exchange of two places in order, as networks sort.
func (g *places) exchange() {
	i, step := g.place(128), 1<<g.IntN(5)
	low, at, x, y := g.word(), g.word(), g.word(), g.word()
	g.labels++
	g.line("and.b32 %s, %s, %d", low, i, step-1)
	g.line("shl.b32 %s, %s, 1", at, i)
	g.line("sub.s32 %s, %s, %s", at, at, low)
	g.line("and.b32 %s, %s, 127", at, at)
	g.line("shl.b32 %s, %s, 2", at, at)
	g.line("add.s32 %s, %s, %%r6", at, at)
	g.line("ld.shared.u32 %s, [%s]", x, at)
	g.line("ld.shared.u32 %s, [%s+%d]", y, at, 4*step)
	g.line("setp.le.u32 %%p1, %s, %s", x, y)
	g.line("@%%p1 bra X%d", g.labels)
	g.line("st.shared.u32 [%s], %s", at, y)
	g.line("st.shared.u32 [%s+%d], %s", at, 4*step, x)
	g.WriteString(fmt.Sprintf("X%d:\n", g.labels))
	g.words = append(g.words, x, y)
}

// kernel is one of straight code with a loop at times.
func (g *places) kernel(block shape) string {
	g.begin("\t.reg .b32 %r<900>;\n\t.reg .b64 %rd<400>;\n\t.shared .align 16 .b8 tile[4608];\n")
	tile, x := g.word(), g.word()
	g.line("mov.u32 %s, tile", tile)
	g.thread(x, block)
	g.line("shr.u32 %%r8, %%r1, 5")
	g.line("shl.b32 %%r8, %%r8, 10")
	g.line("add.s32 %%r6, %%r6, %%r8") // the warp's part
	g.n = max(g.n, 8)
	g.line("mul.wide.u32 %%rd7, %%r2, 4096")
	g.line("add.s64 %%rd7, %%rd7, %%rd2")
	g.line("cvt.u64.u32 %%rd8, %%r8")
	g.line("add.s64 %%rd7, %%rd7, %%rd8")
	g.words = append(g.words, x, x)
	g.zeros()
	for range 2 + g.IntN(6) {
		switch g.IntN(6) {
		case 0:
			g.sum()
		case 1:
			g.exchange()
		default:
			g.access()
		}
	}
	acc := g.word()
	g.line("mov.u32 %s, 0", acc)
	for _, w := range g.words {
		g.line("mad.lo.s32 %s, %s, 31, %s", acc, acc, w)
	}
	g.all32(acc)
	return g.String()
}

// zeros has the warp fill its part of shared memory.
func (g *places) zeros() {
	at := g.word()
	g.line("and.b32 %s, %%r1, 31", at)
	g.line("shl.b32 %s, %s, 2", at, at)
	g.line("add.s32 %s, %s, %%r6", at, at)
	for i := range 9 {
		v := g.word()
		g.line("mad.lo.s32 %s, %%r1, %d, %d", v, 7+i, 11*i)
		g.line("st.shared.u32 [%s+%d], %s", at, 128*i, v)
	}
}

// all32 stores what has come of a thread, and what is in the warp's shared memory.
func (g *places) all32(acc string) {
	at, rd := g.word(), "%rd9"
	g.line("and.b32 %s, %%r1, 31", at)
	g.line("shl.b32 %s, %s, 2", at, at)
	g.line("cvt.u64.u32 %s, %s", rd, at)
	g.line("add.s64 %s, %s, %%rd7", rd, rd)
	g.line("add.s32 %s, %s, %%r6", at, at)
	r := g.word()
	for i := range 8 {
		g.line("ld.shared.u32 %s, [%s+%d]", r, at, 128*i)
		g.line("mad.lo.s32 %s, %s, 31, %s", acc, acc, r)
	}
	g.line("ld.global.u32 %s, [%s+512]", r, rd)
	g.line("mad.lo.s32 %s, %s, 31, %s", acc, acc, r)
	g.line("st.global.u32 [%s+512], %s", rd, acc)
	g.WriteString("\tret;\n}\n")
}

// TestRandomPlaces holds random kernels with known places to the interpreter, as TestRandom does.
func TestRandomPlaces(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n := b.howMany(100)
		testRandom(t, n, b, 44, func(g *rand.Rand, block shape) string {
			return (&places{waiting: waiting{addresses: addresses{Rand: g}}}).kernel(block)
		})
	})
}
