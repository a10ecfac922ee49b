package pipeline

// This file runs random kernels whose addresses are sums that may wrap: in lanes, in loops, in numbers that are the same for a warp.

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

var (
	random = flag.Int("random", defaultRandom, "random kernels")
	seed   = flag.Uint64("seed", 1, "of the first random kernel")
)

// addresses writes the text of a random kernel.
type addresses struct {
	*rand.Rand
	strings.Builder
	words []string // registers of 32 bits that may be read
	n     int      // registers so far
	wide  int
	preds int
	arms  int
}

func (g *addresses) line(format string, a ...any) { fmt.Fprintf(g, "\t"+format+";\n", a...) }

func (g *addresses) word() string {
	g.n++
	return fmt.Sprintf("%%r%d", g.n)
}

func (g *addresses) pick() string { return g.words[g.IntN(len(g.words))] }

// constant is small, or near where words wrap.
func (g *addresses) constant() int32 {
	return []int32{1, 2, 3, 4, 8, -1, -2, 31, 32, 33, 100, 255, 1<<31 - 1, -1 << 31, 1<<31 - 16, -1<<31 + 40, 1 << 30, 1<<30 - 8}[g.IntN(18)]
}

// sum makes a word of others.
func (g *addresses) sum() {
	r := g.word()
	switch a, b := g.pick(), g.pick(); g.IntN(16) {
	case 0, 1:
		g.line("add.s32 %s, %s, %s", r, a, b)
	case 2, 3:
		g.line("add.s32 %s, %s, %d", r, a, g.constant())
	case 4:
		g.line("sub.s32 %s, %s, %s", r, a, b)
	case 5:
		g.line("mul.lo.s32 %s, %s, %d", r, a, g.constant())
	case 6:
		g.line("shl.b32 %s, %s, %d", r, a, g.IntN(4))
	case 7:
		g.line("and.b32 %s, %s, %d", r, a, []int{1, 15, 31, 63, 255, 1023}[g.IntN(6)])
	case 10:
		g.line("%s.s32 %s, %s, %s", []string{"rem", "div"}[g.IntN(2)], r, a, []string{b, fmt.Sprint(1 + g.IntN(70))}[g.IntN(2)])
	case 11:
		g.line("bfe.%s %s, %s, %d, %d", []string{"u32", "s32"}[g.IntN(2)], r, a, g.IntN(34), g.IntN(34))
	case 12:
		g.line("bfi.b32 %s, %s, %s, %d, %d", r, a, b, g.IntN(34), g.IntN(34))
	case 13:
		g.line("shf.%s.%s.b32 %s, %s, %s, %s", []string{"l", "r"}[g.IntN(2)], []string{"wrap", "clamp"}[g.IntN(2)], r, a, b, []string{g.pick(), fmt.Sprint(g.IntN(40))}[g.IntN(2)])
	case 14:
		g.line("%s %s, %s", []string{"clz.b32", "brev.b32", "bfind.u32"}[g.IntN(3)], r, a)
	case 8:
		g.line("min.s32 %s, %s, %d", r, a, g.IntN(2000))
	case 9:
		how := []string{"up", "down", "bfly", "idx"}[g.IntN(4)]
		by := []string{b, fmt.Sprint(g.IntN(33))}[g.IntN(2)]
		limits := []string{"0x1f", "0", "0x181f", "0x1007", "0x1818", a}[g.IntN(6)]
		g.line("shfl.sync.%s.b32 %s|%%p1, %s, %s, %s, -1", how, r, a, by, limits)
		g.line("@!%%p1 add.s32 %s, %s, 77", r, r)
	default:
		g.line("setp.lt.s32 %%p1, %s, %s", a, b)
		g.line("selp.b32 %s, %s, %s, %%p1", r, a, b)
	}
	g.words = append(g.words, r)
}

// load reads an element by an index: as it is where it is below a limit, or anywhere, and takes what was added to the index off again.
func (g *addresses) load() {
	index, elem := g.pick(), []int{1, 2, 4}[g.IntN(3)]
	if g.IntN(3) > 0 { // within the buffer
		r := g.word()
		g.line("and.b32 %s, %s, %d", r, index, []int{15, 127, 1023}[g.IntN(3)])
		index = r
	}
	added, by := index, int64(g.constant())
	if g.IntN(2) == 0 {
		by = int64(g.IntN(8))
	}
	if g.IntN(3) > 0 {
		added = g.word()
		g.line("add.s32 %s, %s, %d", added, index, by)
	} else {
		by = 0
	}
	sign := []string{"s32", "u32"}[g.IntN(2)]
	if sign == "u32" {
		by = int64(uint32(by))
	}
	g.wide++
	rd := fmt.Sprintf("%%rd%d", 8+g.wide)
	g.line("mul.wide.%s %s, %s, %d", sign, rd, added, elem)
	g.line("add.s64 %s, %s, %%rd1", rd, rd)
	r := g.word()
	g.line("mov.u32 %s, 7", r)
	guard := ""
	if g.IntN(4) > 0 {
		g.preds++
		p := fmt.Sprintf("%%p%d", 4+g.preds%4)
		g.line("setp.lt.u32 %s, %s, %d", p, index, 900)
		guard = "@" + p + " "
	}
	g.line("%sld.global.u%d %s, [%s+%d]", guard, 8*elem, r, rd, -by*int64(elem))
	g.words = append(g.words, r)
}

// arm adds to a register in some lanes, all or none: what is compared may be the same for a warp, also as floats.
func (g *addresses) arm() {
	a, b, r := g.pick(), g.pick(), g.word()
	g.line("mov.u32 %s, %s", r, a)
	how := []string{"lt", "ge", "eq", "ne"}[g.IntN(4)]
	if g.IntN(2) == 0 {
		g.line("setp.%s.s32 %%p8, %s, %s", how, a, b)
	} else {
		as := []string{"cvt.rn.f32.s32", "mov.b32"}[g.IntN(2)]
		g.line("%s %%f1, %s", as, a)
		g.line("%s %%f2, %s", as, b)
		g.line("setp.%s.f32 %%p8, %%f1, %%f2", []string{how, how + "u"}[g.IntN(2)])
	}
	g.arms++
	fmt.Fprintf(g, "\t@%%p8 bra A%d;\n", g.arms)
	g.line("mad.lo.s32 %s, %s, 5, %s", r, b, r)
	fmt.Fprintf(g, "A%d:\n", g.arms)
	g.words = append(g.words, r)
}

// begin writes the head of a kernel with registers and variables, and reads what it is launched with.
func (g *addresses) begin(declarations string) {
	g.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 s)\n{\n" +
		"\t.reg .pred %p<9>;\n" + declarations)
	g.line("ld.param.u64 %%rd1, [in]")
	g.line("ld.param.u64 %%rd2, [out]")
	g.line("cvta.to.global.u64 %%rd1, %%rd1")
	g.line("cvta.to.global.u64 %%rd2, %%rd2")
	for _, from := range []string{"%tid.x", "%ctaid.x", "%tid.y", "[n]", "[s]"} {
		r := g.word()
		if g.words = append(g.words, r); from[0] == '[' {
			g.line("ld.param.u32 %s, %s", r, from)
		} else {
			g.line("mov.u32 %s, %s", r, from)
		}
	}
}

// shape is that of a block: of 128 threads, as much as a test knows.
type shape [3]int

// shapes are those of random kernels: rows that are whole warps, and shorter ones.
var shapes = []shape{{128, 1, 1}, {32, 4, 1}, {128, 1, 1}, {32, 4, 1}, {64, 2, 1}, {16, 8, 1}, {8, 4, 4}, {32, 2, 2}}

// thread makes %r1 the thread's number in its block, and x that in the grid.
func (g *addresses) thread(x string, block shape) {
	if block[1] > 1 {
		g.line("mad.lo.s32 %%r1, %%r3, %d, %%r1", block[0])
	}
	if block[2] > 1 {
		z := g.word()
		g.line("mov.u32 %s, %%tid.z", z)
		g.line("mad.lo.s32 %%r1, %s, %d, %%r1", z, block[0]*block[1])
	}
	g.line("mad.lo.s32 %s, %%r2, 128, %%r1", x)
}

// kernel is a kernel of one block of straight code, a loop, and a store.
func (g *addresses) kernel(block shape) string {
	g.begin("\t.reg .b32 %r<200>;\n\t.reg .b64 %rd<99>;\n\t.reg .f32 %f<3>;\n")
	x := g.word()
	g.thread(x, block)
	if g.IntN(2) == 0 { // some lanes exit
		g.line("setp.ge.s32 %%p2, %s, %%r4", x)
		g.line("%s", exits)
	}
	g.words = append(g.words, x, x)
	for range 3 + g.IntN(8) {
		g.sum()
	}
	for range g.IntN(3) {
		g.arm()
	}
	for range 1 + g.IntN(3) {
		g.load()
	}
	if g.IntN(2) == 0 {
		g.loop()
	}
	acc := g.word()
	g.line("mov.u32 %s, 0", acc)
	for _, r := range g.words {
		g.line("mad.lo.s32 %s, %s, 31, %s", acc, acc, r)
	}
	g.line("mul.wide.s32 %%rd3, %s, 4", x)
	g.line("add.s64 %%rd3, %%rd3, %%rd2")
	g.line("st.global.u32 [%%rd3], %s", acc)
	g.WriteString("\tret;\n}\n")
	return g.String()
}

// loop goes round some times, with an index that goes on.
func (g *addresses) loop() {
	turn, index, sum := g.word(), g.word(), g.word()
	g.line("mov.u32 %s, 0", turn)
	g.line("mov.u32 %s, %s", index, g.pick())
	g.line("mov.u32 %s, 0", sum)
	g.WriteString("L:\n")
	kept := g.words
	g.words = append(append([]string{}, g.words...), index, index, turn)
	g.sum()
	g.load()
	g.line("add.s32 %s, %s, %s", sum, sum, g.words[len(g.words)-1])
	g.words = append(kept, sum, index)
	g.line("add.s32 %s, %s, %d", index, index, g.constant())
	g.line("add.s32 %s, %s, 1", turn, turn)
	g.line("setp.lt.u32 %%p3, %s, %d", turn, 1+g.IntN(9))
	g.WriteString("\t@%p3 bra L;\n")
}

// exits is where some lanes do.
const exits = "@%p2 ret"

// randomLaunch is how a random kernel is launched.
type randomLaunch struct {
	seed  uint64 // of what it reads
	block shape
	n, s  uint32 // parameters
}

// randomLine begins the text of a random kernel that is kept: a randomLaunch.
const randomLine = "// seed %d, block %d %d %d, n %d, s %d\n"

// defaultRandom is how many random kernels there are where -random does not say it.
const defaultRandom = 6

// howMany is how many random kernels of a test a back end runs, if -random does not say it: so many by code of our own, few by a C compiler, which
// takes seconds.
func (b backEnd) howMany(own int) int {
	switch {
	case *random != defaultRandom:
		return *random
	case b.own:
		return own
	}
	return 2
}

// randomKernel is the text of a random kernel, and how it is launched; write writes the text for a shape of blocks.
func randomKernel(seed, stream uint64, write func(g *rand.Rand, block shape) string) (text string, l *randomLaunch) {
	g := rand.New(rand.NewPCG(seed, stream))
	l = &randomLaunch{seed: seed, block: shapes[g.IntN(len(shapes))]}
	text = write(g, l.block)
	l.n, l.s = uint32(500+g.IntN(200)), []uint32{1, 20, 1<<31 - 64, 1 << 31}[g.IntN(4)]
	return fmt.Sprintf(randomLine, l.seed, l.block[0], l.block[1], l.block[2], l.n, l.s) + text, l
}

// run is the launch: the size of what the kernel reads decides what faults.
func (l *randomLaunch) run() *corpus.Run {
	g := rand.New(rand.NewPCG(l.seed, 37))
	in, out := &corpus.Buffer{Name: "in", Elem: corpus.S32, Init: make([]byte, 4096)}, &corpus.Buffer{Name: "out", Elem: corpus.S32, Init: make([]byte, 4096*5)}
	for i := range in.Init {
		in.Init[i] = byte(g.Uint32())
	}
	scalar := func(v uint32) corpus.Arg {
		return corpus.Arg{Elem: corpus.S32, Scalar: binary.LittleEndian.AppendUint32(nil, v)}
	}
	return &corpus.Run{Buffers: []*corpus.Buffer{in, out}, Launches: []corpus.Launch{{Kernel: "kernel", Grid: [3]int{5, 1, 1}, Block: l.block,
		Args: []corpus.Arg{{Buffer: in}, {Buffer: out}, scalar(l.n), scalar(l.s)}}}}
}

// randomWays are the ways in which a random kernel is compiled: as it is, in the copy for any lanes alone, with little fuel, and leaving
// before loads, and with every second instruction executed by the interpreter.
func randomWays() []jit.PipelineC {
	leave := func(pc int32) bool { return pc%3 == 0 }
	help := func(pc int32) bool { return pc%2 == 0 }
	return []jit.PipelineC{{}, {Build: build.Options{Rest: true}}, {Turn: 3}, {Build: build.Options{Leave: leave}}, {Build: build.Options{Help: help}},
		{Build: build.Options{Help: help, Rest: true}}}
}

// TestRandom holds random kernels to the interpreter. Where -keep says it writes each, as kernel.ptx, before it runs: in testdata it is a
// test of its own (TestFound).
func TestRandom(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n := *random
		if b.own && *random == defaultRandom {
			n = 200 // without a C compiler a kernel takes ten milliseconds
		}
		testRandom(t, n, b, 36, wraps)
	})
}

// wraps writes a kernel whose addresses may wrap.
func wraps(g *rand.Rand, block shape) string { return (&addresses{Rand: g}).kernel(block) }

func testRandom(t *testing.T, kernels int, b backEnd, stream uint64, write func(g *rand.Rand, block shape) string) {
	ways := randomWays()
	compiled := 0
	for i := range kernels {
		n := *seed + uint64(i)
		text, l := randomKernel(n, stream, write)
		keep("kernel.ptx", text)
		c := ways[[]int{0, 0, 0, 1, 2, 3, 4, 5}[i%8]]
		if c.Build.Waits = true; strings.Contains(text, exits) && strings.Contains(text, ".sync") {
			c.Turn = 0 // a warp for which others wait until they exit executes the barrier twice: fuel decides who that is
		}
		if b.compareRandom(t, text, l, &run(t, text, l.run(), 1, nil)[0], &c) > 0 {
			compiled++
		}
	}
	if 3*compiled < kernels {
		t.Errorf("%d of %d kernels ran compiled", compiled, kernels)
	}
}
