package pipeline

// This file runs random kernels with loops that lanes leave one by one: at the end of a turn, or in its middle, by an index that is strided
// or by what was loaded, alone and in loops that all threads take the same number of times, with barriers between them.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// parting writes the text of such a kernel.
type parting struct {
	waiting
	by string // a word that only the launch knows
}

// goesOn is the condition on which a loop goes round again, and what a turn does for it to end.
func (g *parting) goesOn(x string) (step, cond string) {
	if g.IntN(3) == 0 { // as often as what was loaded says
		left := g.word()
		g.line("and.b32 %s, %s, %d", left, g.pick(), []int{1, 3, 7}[g.IntN(3)])
		return fmt.Sprintf("add.s32 %s, %s, -1", left, left), fmt.Sprintf("gt.s32 %%p3, %s, 0", left)
	}
	i := g.word()
	g.line("mov.u32 %s, %s", i, []string{x, x, "%r1"}[g.IntN(3)])
	g.words = append(g.words, i, i)
	by := []string{"32", "64", "128", "200", "37", g.by}[g.IntN(6)]
	limit := []string{"%r4", "%r4", "640", "512", "96", "33"}[g.IntN(6)]
	return fmt.Sprintf("add.s32 %s, %s, %s", i, i, by), fmt.Sprintf("lt.%s32 %%p3, %s, %s", []string{"s", "s", "u"}[g.IntN(3)], i, limit)
}

// lanes is a loop that they leave one by one.
func (g *parting) lanes(x string) {
	g.loops++
	again, out := fmt.Sprintf("P%d", g.loops), fmt.Sprintf("O%d", g.loops)
	sum := g.word()
	g.line("mov.u32 %s, 3", sum)
	kept := append([]string{}, g.words...)
	step, cond := g.goesOn(x)
	indices := g.words[len(kept):]
	form := g.IntN(3)
	if form == 0 {
		g.line("setp.%s", cond)
		g.line("@!%%p3 bra %s", out)
	}
	g.WriteString(again + ":\n")
	if form != 0 {
		if g.IntN(2) == 0 {
			g.turn(sum)
		}
		g.line("setp.%s", cond)
		g.line("@!%%p3 bra %s", out)
	}
	g.turn(sum)
	g.line("%s", step)
	if form == 1 {
		g.line("bra.uni %s", again)
	} else {
		g.line("setp.%s", cond)
		g.line("@%%p3 bra %s", again)
	}
	g.WriteString(out + ":\n")
	g.words = append(append(kept, sum), indices...)
}

// turn is what a loop does in a turn.
func (g *parting) turn(sum string) {
	kept := append([]string{}, g.words...)
	for range 1 + g.IntN(2) {
		switch g.IntN(5) {
		case 0:
			g.arm()
		case 1, 2:
			g.load()
		default:
			g.add()
		}
	}
	g.line("mad.lo.s32 %s, %s, 5, %s", sum, sum, g.words[len(g.words)-1])
	if g.IntN(4) == 0 {
		g.line("st.global.u32 [%%rd7], %s", sum)
	}
	g.words = kept
}

// add is a sum without what works across lanes: those that are in a loop are no whole warp.
func (g *parting) add() {
	r := g.word()
	g.line("%s.s32 %s, %s, %s", []string{"add", "sub", "min", "max"}[g.IntN(4)], r, g.pick(), g.pick())
	g.words = append(g.words, r)
}

// kernel is a kernel of blocks of 128 threads.
func (g *parting) kernel(block shape) string {
	g.begin("\t.reg .b32 %r<900>;\n\t.reg .b64 %rd<299>;\n\t.shared .align 4 .b8 tile[512];\n")
	tile, x := g.word(), g.word()
	g.line("mov.u32 %s, tile", tile)
	g.thread(x, block)
	for i := range 3 {
		g.line("cvt.u64.u32 %%rd%d, %s", 4+i, x)
	}
	g.line("setp.ge.s32 %%p2, %s, %%r4", x)
	g.line("mul.wide.u32 %%rd7, %s, 4", x)
	g.line("add.s64 %%rd7, %%rd7, %%rd2")
	by := g.word()
	g.line("add.s32 %s, %%r4, -340", by)
	g.by = by
	if g.IntN(6) == 0 {
		g.line("%s", exits)
	}
	g.words = append(g.words, x, x)
	g.load()
	for range 1 + g.IntN(3) {
		switch g.IntN(5) {
		case 0:
			g.round(x)
		case 1:
			g.exchange()
		}
		g.lanes(x)
	}
	g.end(x)
	return g.String()
}

// round is a loop that all threads take the same number of times, round one that they do not.
func (g *parting) round(x string) {
	g.loops++
	turn, label := g.word(), fmt.Sprintf("R%d", g.loops)
	g.line("mov.u32 %s, 0", turn)
	kept := append([]string{}, g.words...)
	g.WriteString(label + ":\n")
	g.words = append(g.words, turn)
	g.lanes(x)
	g.line("add.s32 %%r5, %%r5, %s", g.words[len(g.words)-1])
	g.words = kept
	g.line("add.s32 %s, %s, 1", turn, turn)
	g.line("setp.lt.u32 %%p1, %s, %d", turn, 1+g.IntN(3))
	g.line("@%%p1 bra %s", label)
}

func parts(g *rand.Rand, block shape) string {
	return (&parting{waiting: waiting{addresses: addresses{Rand: g}}}).kernel(block)
}

// TestParting holds them to the interpreter, and counts those that have a copy of a loop for all lanes.
func TestParting(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n := b.howMany(100)
		together, compiled := 0, 0
		for i := range n {
			text, l := randomKernel(*seed+uint64(i), 43, parts)
			keep("kernel.ptx", text)
			want := run(t, text, l.run(), 1, nil)
			c := []jit.PipelineC{{}, {}, {Build: build.Options{Rest: true}}, {Build: build.Options{Leave: func(pc int32) bool { return pc%5 == 0 }}}}[i%4]
			c.Build.Waits = true
			if b.compareRandom(t, text, l, &want[0], &c) > 0 {
				compiled++
			}
			if b.textOf(t, text, l.run(), nil) != b.textOf(t, text, l.run(), map[string]bool{"loops of all lanes": true}) {
				together++
			}
			if t.Failed() {
				t.Fatalf("seed %d", l.seed)
			}
		}
		if t.Logf("%d of %d ran compiled, %d have loops of all lanes", compiled, n, together); b.own && 2*compiled < n || 2*together < n {
			t.Error("too few")
		}
	})
}

// textOf is what becomes of a kernel as it is placed.
func (b backEnd) textOf(t *testing.T, text string, r *corpus.Run, off map[string]bool) (placed string) {
	t.Helper()
	c := &jit.PipelineC{Own: b.own, Without: off, Build: build.Options{Waits: true}, Note: func(string, error) {}}
	c.Opt = opt.Options{Behind: func(pass, text string) {
		if pass == opt.Placing {
			placed = text[strings.Index(text, "\n"):]
		}
	}}
	run(t, text, r, 1, func(d *ptxvm.Device) error {
		return vm.CompileWith(d, jit.ThroughC(jit.Options{Vectors: b.vectors}, c))
	})
	return placed
}

// TestLoopOfAll: loops load and store whole vectors while all lanes are in them, also those to which lanes come that have parted in one
// before: these go on apart. gemv has two loops, rms four, softmax six.
func TestLoopOfAll(t *testing.T) {
	var gemv string
	for _, k := range kernels.All() {
		if k.Name == "gemv" {
			gemv = source(t, k)
		}
	}
	for _, k := range []struct {
		kernel, text string
		accesses     int
	}{{"gemv", gemv, 10}, {"rms", loopsOf(t, "rms"), 20}, {"softmax", loopsOf(t, "softmax"), 20}} {
		m, err := load.Text(k.kernel, k.text)
		if err != nil {
			t.Fatal(err)
		}
		code, err := decoded(m, m.Func(k.kernel), ir.LaunchShape{BlockX: 128, BlockY: 1, BlockZ: 1})
		if err != nil {
			t.Fatal(err)
		}
		text, err := jit.Stage(code, "jit-ssa", jit.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		whole, apart := 0, 0
		for _, block := range strings.Split(text, "\nb") {
			if head, _, _ := strings.Cut(block, "\n"); strings.Contains(head, "level 3") && !strings.Contains(head, "cold") {
				whole, apart = whole+strings.Count(block, " step 4 "), apart+strings.Count(block, " index ")
			}
		}
		if whole != k.accesses || apart != 0 {
			t.Errorf("%s: %d accesses of whole vectors in loops, want %d, and %d by an index:\n%s", k.kernel, whole, k.accesses, apart, text)
		}
	}
}

// loopsOf is a kernel of testdata.
func loopsOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/loops/" + name + ".ptx")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestApart: what lanes that have parted in a loop do behind it is what the interpreter does, wherever they have; they meet others of that
// kind in the copy of the code that they share.
func TestApart(t *testing.T) {
	const rows, most, launches = 8, 300, 12 // each of the first learns of what one access touches
	text := loopsOf(t, "softmax")
	x := &corpus.Buffer{Name: "x", Elem: corpus.F32, Init: make([]byte, 4*rows*most)}
	for i := range rows * most {
		binary.LittleEndian.PutUint32(x.Init[4*i:], math.Float32bits(float32(i*7919%1000)/100))
	}
	y := &corpus.Buffer{Name: "y", Elem: corpus.F32, Init: make([]byte, len(x.Init))}
	word := func(v uint32) corpus.Arg {
		return corpus.Arg{Elem: corpus.S32, Scalar: binary.LittleEndian.AppendUint32(nil, v)}
	}
	backEnds(t, func(t *testing.T, b backEnd) {
		list := []uint32{171, 0, 5, 32, 100, 128, 160, 256, 261, most}
		if !b.own {
			list = list[:1] // each takes the C compiler seconds
		}
		for _, cols := range list {
			r := &corpus.Run{Buffers: []*corpus.Buffer{x, y}, Launches: []corpus.Launch{{Kernel: "softmax", Grid: [3]int{rows / 4, 1, 1}, Block: [3]int{128, 1, 1},
				Args: []corpus.Arg{{Buffer: x}, {Buffer: y}, word(rows), word(cols)}}}}
			refused := map[string]error{}
			got := run(t, text, r, launches, b.with(&jit.PipelineC{}, refused))
			same(t, fmt.Sprintf("%d columns", cols), &run(t, text, r, 1, nil)[0], got)
			if err, n := refused["softmax"], got[launches-1].byC; err != nil || n == 0 {
				t.Errorf("%d columns: %v, %d lane operations are compiled code's", cols, err, n)
			}
		}
	})
}
