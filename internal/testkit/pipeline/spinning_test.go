package pipeline

// This file runs random kernels whose CTAs wait for each other in loops: how often such a loop goes round depends on how long turns are.

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// spinning writes the text of a random kernel of which all CTAs have to be there. Each CTA has a word, its tick, which tells others how far it
// has come: %r5 is what it stores there next. %r6 counts rounds of loops, and %r7 is made of what memory tells.
type spinning struct {
	*rand.Rand
	strings.Builder
	labels int
}

func (g *spinning) line(format string, a ...any) { fmt.Fprintf(g, "\t"+format+";\n", a...) }

func (g *spinning) label() string {
	g.labels++
	return fmt.Sprintf("L%d", g.labels)
}

func (g *spinning) bind(label string) { g.WriteString(label + ":\n") }

// bar lets the warps of a CTA wait for each other, mostly.
func (g *spinning) bar() {
	if g.IntN(3) > 0 {
		g.line("bar.sync 0")
	}
}

// tick tells others of another step.
func (g *spinning) tick() {
	g.line("add.s32 %%r5, %%r5, 1")
	g.bar()
	g.line("setp.eq.s32 %%p1, %%r1, 0")
	g.line("@%%p1 st.volatile.global.u32 [%%rd3], %%r5")
}

// wait spins until another CTA, so many farther on, has come as far; by lane tells each lane to wait for one of its own.
func (g *spinning) wait(on int, byLane bool) {
	of := "%r2"
	if byLane {
		g.line("add.s32 %%r10, %%r2, %%r4")
		of = "%r10"
	}
	again := g.label()
	g.line("add.s32 %%r10, %s, %d", of, on)
	g.line("rem.u32 %%r10, %%r10, %%r3")
	g.line("mul.wide.u32 %%rd5, %%r10, 4")
	g.line("add.s64 %%rd5, %%rd5, %%rd1")
	g.bind(again)
	g.line("add.s32 %%r6, %%r6, 1")
	g.line("ld.%s.global.u32 %%r11, [%%rd5]", []string{"volatile", "acquire.gpu", "relaxed.gpu"}[g.IntN(3)])
	if g.IntN(6) == 0 {
		g.quiet(8)
	}
	g.line("setp.lt.s32 %%p2, %%r11, %%r5")
	g.line("@%%p2 bra %s", again)
}

// quiet is a loop that does not wait, of up to so many rounds, or of others for each lane.
func (g *spinning) quiet(most int) {
	again := g.label()
	g.line("mov.u32 %%r12, %d", 1+g.IntN(most))
	if g.IntN(2) == 0 {
		g.line("mul.lo.s32 %%r12, %%r4, %d", 1+g.IntN(1+most/32))
	}
	g.bind(again)
	g.line("mad.lo.s32 %%r7, %%r7, 5, %%r12")
	g.line("sub.s32 %%r12, %%r12, 1")
	g.line("setp.gt.s32 %%p3, %%r12, 0")
	g.line("@%%p3 bra %s", again)
}

// some lets some lanes do one thing, and the others another, or nothing.
func (g *spinning) some(depth int) {
	others, meet := g.label(), g.label()
	p := 4 + depth
	switch g.IntN(3) {
	case 0:
		g.line("setp.ge.u32 %%p%d, %%r4, %d", p, g.IntN(33))
	case 1:
		g.line("setp.ne.s32 %%p%d, %%r1, %d", p, g.IntN(64))
	default:
		g.line("and.b32 %%r13, %%r7, %d", 1+g.IntN(7))
		g.line("setp.ne.s32 %%p%d, %%r13, 0", p)
	}
	if g.IntN(3) == 0 {
		g.line("@%%p%d bra %s", p, meet)
		g.arm(depth)
		g.bind(meet)
		return
	}
	g.line("@%%p%d bra %s", p, others)
	g.arm(depth)
	g.line("bra.uni %s", meet)
	g.bind(others)
	g.arm(depth)
	g.bind(meet)
}

// arm is what some lanes do.
func (g *spinning) arm(depth int) {
	for range 1 + g.IntN(2) {
		switch g.IntN(6) {
		case 0:
			g.quiet(400)
		case 1:
			g.take()
		case 2, 3:
			if depth > 0 {
				g.some(depth - 1)
				continue
			}
			fallthrough
		default:
			g.wait(1+g.IntN(3), g.IntN(2) == 0)
		}
	}
}

// take has each lane take a number: who comes first has the least.
func (g *spinning) take() {
	g.line("atom.global.add.u32 %%r14, [%%rd4], 1")
	g.line("mad.lo.s32 %%r7, %%r7, 3, %%r14")
}

// grid is a barrier of the whole grid, by one thread of each CTA, as libraries have it.
func (g *spinning) grid() {
	behind, last, again, done := g.label(), g.label(), g.label(), g.label()
	g.line("bar.sync 0")
	g.line("setp.ne.s32 %%p1, %%r1, %d", g.IntN(64))
	g.line("@%%p1 bra %s", behind)
	g.line("ld.volatile.global.u32 %%r10, [%%rd4+8]")
	g.line("membar.gl")
	g.line("atom.global.add.u32 %%r11, [%%rd4+4], 1")
	g.line("sub.s32 %%r12, %%r3, 1")
	g.line("setp.eq.s32 %%p2, %%r11, %%r12")
	g.line("@%%p2 bra %s", last)
	g.bind(again)
	g.line("add.s32 %%r6, %%r6, 1")
	g.line("ld.volatile.global.u32 %%r11, [%%rd4+8]")
	g.line("setp.eq.s32 %%p2, %%r11, %%r10")
	g.line("@%%p2 bra %s", again)
	g.line("bra.uni %s", done)
	g.bind(last)
	g.line("st.volatile.global.u32 [%%rd4+4], 0")
	g.line("membar.gl")
	g.line("atom.global.add.u32 %%r11, [%%rd4+8], 1")
	g.bind(done)
	g.line("membar.gl")
	g.bind(behind)
	g.bar()
}

// kernel has rounds of some steps.
func (g *spinning) kernel() string {
	g.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 ticks, .param .u64 shared, .param .u64 out, .param .u32 rounds)\n{\n" +
		"\t.reg .b32 %r<20>;\n\t.reg .b64 %rd<10>;\n\t.reg .pred %p<10>;\n")
	for i, name := range []string{"ticks", "shared", "out"} {
		g.line("ld.param.u64 %%rd%d, [%s]", []int{1, 4, 2}[i], name)
	}
	g.line("ld.param.u32 %%r9, [rounds]")
	for i, name := range []string{"%tid.x", "%ctaid.x", "%nctaid.x"} {
		g.line("mov.u32 %%r%d, %s", 1+i, name)
	}
	g.line("and.b32 %%r4, %%r1, 31")
	g.line("mul.wide.u32 %%rd3, %%r2, 4")
	g.line("add.s64 %%rd3, %%rd3, %%rd1")
	g.line("mov.u32 %%r5, 0")
	g.line("mov.u32 %%r6, 0")
	g.line("mad.lo.s32 %%r7, %%r2, 7, %%r1")
	g.line("mov.u32 %%r8, 0")
	g.bind("ROUND")
	for range 1 + g.IntN(4) {
		if g.IntN(3) == 0 {
			g.grid()
			continue
		}
		if g.tick(); g.IntN(3) == 0 {
			g.wait(1+g.IntN(3), g.IntN(2) == 0)
		} else {
			g.some(1)
		}
		g.bar()
	}
	g.line("add.s32 %%r8, %%r8, 1")
	g.line("setp.lt.s32 %%p1, %%r8, %%r9")
	g.line("@%%p1 bra ROUND")
	g.line("shl.b32 %%r10, %%r2, 6")
	g.line("add.s32 %%r10, %%r10, %%r1")
	g.line("mul.wide.u32 %%rd5, %%r10, 8")
	g.line("add.s64 %%rd5, %%rd5, %%rd2")
	g.line("st.global.v2.u32 [%%rd5], {%%r6, %%r7}")
	g.WriteString("\tret;\n}\n")
	return g.String()
}

// run launches so many CTAs of 64 threads.
func (g *spinning) run(ctas int) *corpus.Run {
	words := func(name string, n int) *corpus.Buffer {
		return &corpus.Buffer{Name: name, Elem: corpus.U32, Init: make([]byte, 4*n)}
	}
	r := &corpus.Run{Buffers: []*corpus.Buffer{words("ticks", ctas), words("shared", 3), words("out", 2*64*ctas)}}
	l := corpus.Launch{Kernel: "kernel", Grid: [3]int{ctas, 1, 1}, Block: [3]int{64, 1, 1}}
	for _, b := range r.Buffers {
		l.Args = append(l.Args, corpus.Arg{Buffer: b})
	}
	l.Args = append(l.Args, corpus.Arg{Scalar: []byte{byte(1 + g.IntN(3)), 0, 0, 0}})
	r.Launches = []corpus.Launch{l}
	return r
}

// TestSpinning holds kernels whose CTAs wait for each other to the interpreter, by the old compiler and as devices compile, too: threads have
// gone round their loops as often as there, and the launch has executed as many instructions.
func TestSpinning(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n := b.howMany(25)
		taken := 0
		for s := *seed; s < *seed+uint64(n); s++ {
			g := &spinning{Rand: rand.New(rand.NewPCG(s, 53))}
			text := g.kernel()
			r := g.run(2 + g.IntN(6))
			want, refused := run(t, text, r, 1, nil), map[string]error{}
			got := run(t, text, r, 3, b.with(&jit.PipelineC{Build: build.Options{Waits: true}}, refused))
			if refused["kernel"] != nil {
				t.Logf("kernel %d: %v", s, refused["kernel"])
			} else {
				taken++
			}
			if b.own && !b.eval {
				got = append(got, run(t, text, r, 2, by(jit.ThroughC(jit.Options{Vectors: b.vectors}, nil)))...)
				got = append(got, run(t, text, r, 2, by(jit.ByDefault(jit.Options{Vectors: b.vectors})))...)
				if taken := refused["kernel"] == nil; taken != (got[len(got)-1].byC > 0) {
					t.Errorf("kernel %d: taken %v, and not by default", s, taken)
				}
			}
			for i := range got {
				if diff := got[i].differs(&want[0]); diff != "" {
					t.Errorf("kernel %d, run %d: %s", s, i, diff)
				}
			}
			if t.Failed() {
				t.Fatal(text)
			}
		}
		if taken*4 < 3*n {
			t.Errorf("%d of %d kernels are the new pipeline's", taken, n)
		}
	})
}

// by makes a device compile with some options.
func by(o jit.Options) func(*ptxvm.Device) error {
	return func(d *ptxvm.Device) error { return vm.CompileWith(d, o) }
}
