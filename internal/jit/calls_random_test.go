package jit_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// randomCalls is how many modules TestRandomCalls makes.
var randomCalls = flag.Int("calls.n", 10, "modules that TestRandomCalls makes")

// callWriter writes a module of functions that call those before them.
type callWriter struct {
	strings.Builder
	rng       *rand.Rand
	functions int  // that can be called
	inside    bool // of a function
	labels    int
	faults    bool // loads may be out of bounds
}

const callRegs = 8

func (w *callWriter) r() string { return fmt.Sprintf("%%r%d", w.rng.IntN(callRegs)) }

// statements writes some, in each other to a depth.
func (w *callWriter) statements(n, depth int) {
	for range n {
		w.statement(depth)
	}
}

func (w *callWriter) statement(depth int) {
	kind := w.rng.IntN(12)
	switch {
	case kind < 5 || depth == 0:
		op := []string{"add.u32", "sub.u32", "xor.b32", "mul.lo.u32", "min.s32", "max.u32"}[w.rng.IntN(6)]
		fmt.Fprintf(w, "\t%s %s, %s, %s;\n", op, w.r(), w.r(), w.r())
	case kind < 6:
		mask := 63
		if w.faults && w.rng.IntN(4) == 0 {
			mask = 0x7ffff
		}
		fmt.Fprintf(w, "\tand.b32 %%t, %s, %d; mul.wide.u32 %%e, %%t, 4; add.u64 %%e, %%d, %%e; ld.global.u32 %s, [%%e];\n", w.r(), mask, w.r())
	case kind < 8:
		w.labels++
		l := w.labels
		fmt.Fprintf(w, "\tand.b32 %%t, %s, %d; setp.ne.u32 %%p, %%t, 0; @%%p bra L%d;\n", w.r(), 1+w.rng.IntN(3), l)
		w.statements(1+w.rng.IntN(4), depth-1)
		fmt.Fprintf(w, "L%d:\n", l)
	case kind < 9:
		w.labels++
		l, c := w.labels, fmt.Sprintf("%%c%d", depth)
		fmt.Fprintf(w, "\tand.b32 %s, %s, 3;\nL%d:\n", c, w.r(), l)
		w.statements(1+w.rng.IntN(4), depth-1)
		fmt.Fprintf(w, "\tsub.u32 %s, %s, 1; setp.gt.s32 %%p, %s, 0; @%%p bra L%d;\n", c, c, c, l)
	case kind < 10 && w.inside:
		fmt.Fprintf(w, "\tand.b32 %%t, %s, 3; setp.eq.u32 %%p, %%t, 1; st.param.b32 [z], %s; @%%p ret;\n", w.r(), w.r())
	case w.functions != 0:
		f, imm := w.rng.IntN(w.functions), w.r()
		if w.rng.IntN(3) == 0 {
			imm = fmt.Sprint(w.rng.IntN(100))
		}
		uni := []string{"", ".uni"}[w.rng.IntN(2)]
		fmt.Fprintf(w, "\t{ .param .b32 x; .param .align 8 .b8 y[16]; .param .b32 q; st.param.b32 [x], %s; st.param.b64 [y], %%d; st.param.b32 [y+8], %s; st.param.b32 [y+12], %s; call%s (q), f%d, (x, y); ld.param.b32 %s, [q]; }\n",
			imm, w.r(), w.r(), uni, f, w.r())
	}
}

func (w *callWriter) registers() {
	fmt.Fprintf(w, "\t.reg .b32 %%r<%d>, %%t, %%c<4>; .reg .b64 %%d, %%e, %%o; .reg .pred %%p;\n", callRegs)
}

func (w *callWriter) module() string {
	w.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n")
	for n := 2 + w.rng.IntN(4); w.functions < n; w.functions++ {
		fmt.Fprintf(w, ".func (.param .b32 z) f%d(.param .b32 x, .param .align 8 .b8 y[16]) {\n", w.functions)
		w.registers()
		w.WriteString("\tld.param.b32 %r0, [x]; ld.param.b64 %d, [y]; ld.param.b32 %r1, [y+8]; ld.param.b32 %r2, [y+12];\n")
		for i := 3; i < callRegs; i++ {
			fmt.Fprintf(w, "\tadd.u32 %%r%d, %%r%d, %d;\n", i, i-3, w.rng.IntN(1000))
		}
		w.inside = true
		w.statements(2+w.rng.IntN(8), 2)
		fmt.Fprintf(w, "\tst.param.b32 [z], %s;\n\tret;\n}\n", w.r())
	}
	w.inside = false
	w.WriteString(".visible .entry k(.param .u64 p) {\n")
	w.registers()
	w.WriteString("\tld.param.u64 %d, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r0, %r2, %r1, %r0; mul.wide.u32 %o, %r0, 4; add.u64 %o, %d, %o;\n")
	for i := 3; i < callRegs; i++ {
		fmt.Fprintf(w, "\tmul.lo.u32 %%r%d, %%r%d, %d;\n", i, i-3, 1+w.rng.IntN(9))
	}
	w.statements(4+w.rng.IntN(10), 3)
	w.WriteString("\txor.b32 %r0, %r0, %r1; xor.b32 %r0, %r0, %r2; st.global.u32 [%o+4096], %r0;\n\tret;\n}\n")
	return w.String()
}

// TestRandomCalls: random functions that call each other, in place of their calls or called by handlers, left at random instructions or
// nowhere, have the interpreter's memory, steps and lane-ops, and where they fault its fault with its callers.
func TestRandomCalls(t *testing.T) {
	inPlace, faulted := 0, 0
	for seed := range uint64(*randomCalls) {
		rng := rand.New(rand.NewPCG(seed, 20))
		w := &callWriter{rng: rng, faults: seed%3 == 2}
		text := w.module()
		l := newLaboratory(t, "k.ptx", text)
		if l.m.Func("k").Inline() != nil {
			inPlace++
		}
		r := l.calling([3]uint32{72, 1, 1})
		want := r.by(t, nil)
		if want.fault != "" {
			faulted++
		}
		n := int32(2 + rng.IntN(6))
		some := func(pc int32) bool { return pc%n == 0 }
		for _, v := range microWidths {
			for i, o := range []jit.Options{{Vectors: v}, jit.Leaving(jit.Options{Vectors: v}, some), jit.Helping(jit.Options{Vectors: v}, some), {Vectors: v, Whole: true}, {Vectors: v, Quick: true}} {
				for _, l.inline = range []bool{true, false} {
					if differs := r.by(t, engine(t, o).Install).differs(want); differs != "" {
						t.Fatalf("seed %d, %v, way %d, in place %v: %s\n%s", seed, v, i, l.inline, differs, text)
					}
				}
			}
		}
	}
	if inPlace == 0 || faulted == 0 {
		t.Errorf("%d kernels have functions in place, %d fault", inPlace, faulted)
	}
}

// callersOf is a fault with its callers, empty for none.
func callersOf(err error) string {
	f, ok := err.(*machine.Fault)
	switch {
	case err == nil:
		return ""
	case !ok:
		return err.Error()
	}
	text := f.Error()
	for _, c := range f.Calls {
		text += fmt.Sprintf(", from %s+%d", c.Func.Name, c.PC)
	}
	return text
}

// callingRun runs the kernel k, whose parameter is a buffer, again and again.
type callingRun struct {
	l     *laboratory
	buf   uint64
	block [3]uint32
}

// calledResult is what a run has left behind.
type calledResult struct {
	stats  machine.Stats
	fault  string // with its callers
	memory []byte
}

func (l *laboratory) calling(block [3]uint32) *callingRun {
	buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
	return &callingRun{l, buf, block}
}

// by runs it compiled, or with nil in the interpreter.
func (r *callingRun) by(t *testing.T, compile host.Compiler) *calledResult {
	t.Helper()
	data := r.l.arena.Bytes(r.buf, 1<<15)
	for i := range data {
		data[i] = byte(i * 7)
	}
	s, err := r.l.launch(t, "k", [3]uint32{4, 1, 1}, r.block, func(x *host.Launch) { x.Compile = compile }, r.buf)
	return &calledResult{s, callersOf(err), bytes.Clone(data)}
}

// differs says where a result differs from the interpreter's, "" if it does not.
func (r *calledResult) differs(want *calledResult) string {
	switch {
	case r.fault != want.fault:
		return fmt.Sprintf("%s; the interpreter: %s", r.fault, want.fault)
	case !bytes.Equal(r.memory, want.memory), r.fault == "" && (r.stats.Steps != want.stats.Steps || r.stats.LaneOps != want.stats.LaneOps):
		return fmt.Sprintf("%s; %d steps, %d lane-ops; the interpreter %d and %d", firstDifference(r.memory, want.memory), r.stats.Steps, r.stats.LaneOps, want.stats.Steps, want.stats.LaneOps)
	}
	return ""
}
