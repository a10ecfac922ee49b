//go:build !interp

package vec

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

var updateComplete = flag.Bool("complete.update", false, "write testdata/complete.txt anew")

// classList has the forms that are not vector code by both widths: the class by AVX-512, by AVX2, and the form.
type classList struct{ file, head string }

// compiler tells how it executes a function, or why it does not.
type compiler struct {
	name              string
	complete, emitted classList
	classes           func(code *machine.Code, f *ir.Func, v jit.Vectors) ([]jit.Class, error)
}

// compilers are the one that is to go, and the new pipeline, which refuses some kernels as a whole.
var compilers = []compiler{
	{
		"old", classList{"testdata/complete.txt", "Forms of the vector files"},
		classList{"testdata/emitted.txt", "Forms that nvcc, clang and Triton emit for the corpus and the broad kernels"},
		func(code *machine.Code, f *ir.Func, v jit.Vectors) ([]jit.Class, error) {
			return jit.Classes(code, f, jit.Options{Vectors: v}), nil
		},
	},
	{
		"new", classList{"testdata/complete-new.txt", "Forms of the vector files by the new pipeline"},
		classList{"testdata/emitted-new.txt", "Forms that nvcc, clang and Triton emit, and kernels that are refused as a whole, by the new pipeline, those"},
		func(code *machine.Code, _ *ir.Func, v jit.Vectors) ([]jit.Class, error) { return jit.ClassesC(code, v) },
	},
}

// each runs a test for each of them.
func eachCompiler(t *testing.T, test func(c *compiler, t *testing.T)) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	for i := range compilers {
		t.Run(compilers[i].name, func(t *testing.T) { test(&compilers[i], t) })
	}
}

// widths are in the order of the list's letters.
var widths = []jit.Vectors{jit.AVX512, jit.AVX2}

// nowhere places functions and variables.
type nowhere struct{}

func (nowhere) Func(*ir.Func) uint64 { return mem.CodeWindow }
func (nowhere) Var(*ir.Var) uint64   { return 1 << 20 }

// TestComplete plans the code of all forms of the vector files for both widths: how each is executed is in a list, and may
// only become better.
func TestComplete(t *testing.T) {
	eachCompiler(t, func(c *compiler, t *testing.T) { c.complete.hold(t, c.formClasses(t), 2000) })
}

// hold holds the classes of at least some forms to the list.
func (l classList) hold(t *testing.T, got map[string]string, least int) {
	want := l.read(t)
	if len(got) < least {
		t.Fatalf("only %d forms were found", len(got))
	}
	count := map[string]int{}
	for _, form := range slices.Sorted(maps.Keys(got)) {
		now, before := got[form], cmp.Or(want[form], "VV")
		count[now]++
		if *updateComplete || now == before {
			continue
		}
		verdict := "better: go test -run '^(TestComplete|TestEmitted)$' -complete.update writes the list"
		for k := range widths {
			if strings.IndexByte(jit.Letters, now[k]) > strings.IndexByte(jit.Letters, before[k]) {
				verdict = "worse"
			}
		}
		t.Errorf("%s: %s, it was %s: %s", form, now, before, verdict)
	}
	t.Logf("%d forms, by AVX-512 and AVX2: %v", len(got), count)
	if *updateComplete {
		l.write(t, got)
	}
}

func (l classList) read(t *testing.T) map[string]string {
	text, err := os.ReadFile(l.file)
	if err != nil && !*updateComplete {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] != "#" {
			list[f[1]] = f[0]
		}
	}
	return list
}

func (l classList) write(t *testing.T, got map[string]string) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s that are not vector code (V) by AVX-512 and AVX2: L is a loop over lanes,\n# H a helper, X is left to the interpreter.\n", l.head)
	for _, form := range slices.Sorted(maps.Keys(got)) {
		if got[form] != "VV" {
			fmt.Fprintf(&b, "%s %s\n", got[form], form)
		}
	}
	if err := os.WriteFile(l.file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// formClasses has the worst class of each form.
func (c *compiler) formClasses(t *testing.T) map[string]string {
	all, err := Load("../../sem/testdata/vec")
	if err != nil {
		t.Fatal(err)
	}
	worst := map[string]string{}
	for _, w := range all {
		if w.Todo != "" {
			continue
		}
		for form, now := range c.blockClasses(t, w) {
			worst[form] = worse(worst[form], now)
		}
	}
	return worst
}

// worse has the worse class by each width.
func worse(was, now string) string {
	out := []byte(cmp.Or(was, "VV"))
	for k := range out {
		if strings.IndexByte(jit.Letters, now[k]) > strings.IndexByte(jit.Letters, out[k]) {
			out[k] = now[k]
		}
	}
	return string(out)
}

// refused is the class of what is not compiled by either width.
const refused = "XX"

// blockClasses has those of a block's forms.
func (c *compiler) blockClasses(t *testing.T, w *Wrapped) map[string]string {
	forms := map[string]string{}
	for _, s := range w.Stmts {
		if s.Sel != nil {
			forms[s.Sel.Text()] = refused
		}
	}
	m, err := load.Text(w.File, w.Header()+w.Kernel("k"))
	if err != nil {
		t.Fatalf("%s:%d: %v", w.File, w.Line, err)
	}
	f := m.Func("k")
	all, why, err := c.kernelClasses(m, f, 32, w.Target.Arch)
	if err != nil {
		t.Fatalf("%s:%d: %v", w.File, w.Line, err)
	} else if why != nil {
		return forms
	}
	maps.DeleteFunc(all, func(form, _ string) bool { _, ours := forms[form]; return !ours })
	return all
}

// kernelClasses has the worst class of each form of a kernel, for CTAs of some threads, by both widths, or why the kernel is refused.
func (c *compiler) kernelClasses(m *ir.Module, f *ir.Func, threads int32, arch int) (forms map[string]string, why, err error) {
	p, err := decode.New(m, nowhere{}).Inlined(f, ir.LaunchShape{BlockX: threads, BlockY: 1, BlockZ: 1}, sizes.Of(arch), uint32(f.SharedBytes), assume.Set{})
	if err != nil {
		return nil, nil, err
	}
	forms = map[string]string{}
	f = decode.FuncOf(p.Entry.Func) // with functions in place
	for _, v := range widths {
		list, not := c.classes(p.Entry, f, v)
		if why = cmp.Or(why, not); list == nil {
			return nil, why, nil
		}
		for form, class := range worstOf(list, f) {
			forms[form] += string(jit.Letters[class])
		}
	}
	return forms, why, nil
}

// worstOf has the worst class of a function's instructions, by form.
func worstOf(classes []jit.Class, f *ir.Func) map[string]jit.Class {
	worst := map[string]jit.Class{}
	for pc, c := range classes {
		form := f.Insts[pc].Sel.Text()
		worst[form] = max(worst[form], c)
	}
	return worst
}
