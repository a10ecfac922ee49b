package check

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/syntax"
	"ptxvm.invalid/ptxvm/internal/testkit/fuzzseed"
)

// FuzzCheck: no input makes the checker panic; every diagnostic lies in the text; and an
// accepted module has a form for each instruction.
func FuzzCheck(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.ptx")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	files, _ = filepath.Glob("testdata/verdicts/*.txt")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for i, v := range verdicts(strings.Split(string(text), "\n")) {
			if i%16 == 0 {
				f.Add([]byte(v.module))
			}
		}
	}
	for _, text := range nameAsOpcode {
		f.Add([]byte(text))
	}
	fuzzseed.Vectors(func(s string) { f.Add([]byte(s)) }, 16)
	f.Fuzz(checkHostile)
}

// nameAsOpcode has declared names where opcodes belong; a name has no form, whatever number its use has.
var nameAsOpcode = []string{
	".version 8.0\n.target sm_80\n.entry k() {\n.reg .u64 a, b;\nb [a];\nret;\n}",
	".version 8.0\n.target sm_80\n.entry k() {\n.reg .u64 a, b;\nadd.u64 a, a, b;\n@b a.x.y b;\nret;\n}",
	".version 8.0\n.target sm_80\n.global .u32 x;\n.entry k() {\nx.wide.u32 x;\nx: x [x];\n}",
}

func TestNameAsOpcode(t *testing.T) {
	for _, text := range nameAsOpcode {
		checkHostile(t, []byte(text))
	}
}

// checkHostile holds what is true of every input.
func checkHostile(t *testing.T, text []byte) {
	file := syntax.Parse("fuzz.ptx", text)
	info, list := Check(file, Options{WholeProgram: true})
	sameWhenPacked(t, text, list)
	sameWhenSlow(t, file)
	for _, d := range list {
		if d.Span.Start < 0 || d.Span.End < d.Span.Start || int(d.Span.End) > len(text) {
			t.Fatalf("%v has the span %v", d, d.Span)
		}
		for _, fix := range d.Fixes {
			for _, e := range fix.Edits {
				if e.Span.Start < 0 || e.Span.End < e.Span.Start || int(e.Span.End) > len(text) {
					t.Fatalf("%v has the edit %v", d, e)
				}
			}
		}
	}
	eachInstruction(file.Stmts, func(s *syntax.Instruction) {
		if info.Sel(s) == nil && !list.HasErrors() {
			t.Fatalf("no form for %s", file.RangeText(s.Range))
		}
		if n := len(info.ModifierOrder(s)); n != len(s.Mods) {
			t.Fatalf("%s has %d modifiers, the formatter prints %d", file.RangeText(s.Range), len(s.Mods), n)
		}
	})
}

// TestMutations is the fuzz target on a fixed sequence: words of the recorded verdicts are
// deleted, doubled and exchanged.
func TestMutations(t *testing.T) {
	rounds := 1500
	if *full {
		rounds = 100_000
	}
	files, _ := filepath.Glob("testdata/verdicts/*.txt")
	var modules []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range verdicts(strings.Split(string(text), "\n")) {
			modules = append(modules, v.module)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		checkHostile(t, []byte(mutate(rng, modules[rng.IntN(len(modules))], modules[rng.IntN(len(modules))])))
	}
}

var full = flag.Bool("full", false, "run the long variants of the tests")

// mutate changes some words of a; new ones come from b.
func mutate(rng *rand.Rand, a, b string) string {
	words, other := pieces.FindAllString(a, -1), pieces.FindAllString(b, -1)
	for range 1 + rng.IntN(4) {
		i := rng.IntN(len(words))
		switch rng.IntN(4) {
		case 0:
			words[i] = ""
		case 1:
			words[i] += words[i]
		case 2:
			words[i] = other[rng.IntN(len(other))]
		case 3:
			j := rng.IntN(len(words))
			words[i], words[j] = words[j], words[i]
		}
	}
	return strings.Join(words, "")
}

var pieces = regexp.MustCompile(`[.%\w$]+|\s+|.`)

func eachInstruction(stmts []syntax.Stmt, visit func(*syntax.Instruction)) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.Instruction:
			visit(s)
		case *syntax.Block:
			eachInstruction(s.Stmts, visit)
		case *syntax.Function:
			if s.Body != nil {
				eachInstruction(s.Body.Stmts, visit)
			}
		}
	}
}

const head = ".version 9.0\n.target sm_90\n.address_size 64\n"

// TestLinear: four times the text takes about four times the processor time, for inputs made to
// ask for more.
func TestLinear(t *testing.T) {
	kernel := func(line string) func(n int) string {
		return func(n int) string {
			return head + ".shared .b8 sm[50000];\n.entry k() { .reg .b32 %r<9>;\n" + strings.Repeat(line+"\n", n) + "}"
		}
	}
	for name, text := range map[string]func(n int) string{
		"undeclared": kernel("add.s32 %x, %y, %z;"),
		"mismatches": kernel("add.sat.u32 %r1, %r2, 1.5;"),
		"unknown":    kernel("frobnicate.s32 %r1;"),
		"families":   kernel("{ .reg .b32 a<9>, b<9>; add.s32 a1, b2, a3; }"),
		"many names": func(n int) string {
			return head + ".entry k() {" + numbered(".reg .b32 r#x; mov.b32 r#x, 1;\n", n) + "}"
		},
		"many kernels": func(n int) string { return head + numbered(".entry k#() { ret; }\n", n) },
		"call chain":   func(n int) string { return head + ".func f0() { ret; }\n" + chained(n) },
		"open blocks":  func(n int) string { return head + ".entry k() {" + strings.Repeat("{", n) },
		"dimensions":   func(n int) string { return head + ".global .u8 x" + strings.Repeat("[1]", 20*n) + ";" },
		"calls through one list": func(n int) string {
			return head + ".func f() { ret; }\n.func g() { ret; }\n.entry k() { .reg .b64 %a;\nT: .calltargets f" +
				strings.Repeat(", g, f", n) + ";\n" + strings.Repeat("call %a, T;\n", n) + "ret; }"
		},
		"one list that is wrong": func(n int) string {
			return head + ".func f() { ret; }\n.func g(.reg .b32 a) { ret; }\n.entry k() { .reg .b64 %a;\nT: .calltargets f" +
				strings.Repeat(", f", n) + ", g;\n" + strings.Repeat("call %a, T;\n", n) + "ret; }"
		},
		"wide functions in one list": func(n int) string {
			wide := "(.reg .b32 a0" + numbered(", .reg .b32 p#", n) + ") { ret; }\n"
			return head + ".func f" + wide + ".func g" + wide + ".func h" + wide + ".entry k() { .reg .b64 %a;\nT: .calltargets f" +
				strings.Repeat(", g, h", n) + ";\ncall %a, (%a), T;\nret; }"
		},
		"scopes": kernel("{ .reg .b32 a; mov.b32 a, 1; mov.b32 %r1, a; }"),
		"ranges beside registers": func(n int) string {
			return head + ".entry k() {" + numbered(".reg .b32 a#b1; .reg .b32 c#b<2>;\n", n) + "}"
		},
		"prefixes": func(n int) string {
			return head + ".entry k() {" + numbered(".reg .b32 p#_<2>; mov.b32 p#_1, 1;\n", n) + "}"
		},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) time.Duration {
				src := []byte(text(n))
				best := time.Hour
				for range 3 {
					start := processorTime()
					Check(syntax.Parse(name, src), Options{WholeProgram: true})
					best = min(best, processorTime()-start)
				}
				return best
			}
			runtime.LockOSThread() // whose processor time is taken, whatever else the machine does
			defer runtime.UnlockOSThread()
			// Quadratic work shows a ratio of 16 each time; cold caches do not.
			for try := 1; ; try++ {
				small, large := cost(1000), cost(4000)
				if large <= 10*small || large < 20*time.Millisecond {
					return
				}
				if try == 5 {
					t.Fatalf("1000 lines take %v, 4000 take %v", small, large)
				}
			}
		})
	}
}

// TestManyTargets: a few bytes of text name millions of targets, but only some times.
func TestManyTargets(t *testing.T) {
	const n, lists = 30_000, 40
	text := head + ".entry k() {\n" + numbered("L#:\n", n) + numbered("T#: .branchtargets L<30000>;\n", lists) + "}"
	_, diags := Check(syntax.Parse("targets", []byte(text)), Options{})
	if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == diag.FileTooLarge }) {
		t.Errorf("%d targets in all are taken", n*lists)
	}
}

// TestManyDiagnostics: warnings and errors beyond a limit are counted, and warnings hide no error.
func TestManyDiagnostics(t *testing.T) {
	const n = maxDiagnostics + 5
	for name, c := range map[string]struct {
		lines                    string
		errors, warnings, others int
	}{
		"errors":   {strings.Repeat("add.s32 %x, %x, %x;\n", n), maxDiagnostics, 0, 2*maxDiagnostics + 15},
		"forms":    {strings.Repeat("add.s32 %r1, %r1, 1.5;\n", n), maxDiagnostics, 0, 5},
		"warnings": {strings.Repeat(".pragma \"frob\";\n", n) + "mov.b32 %r1, 1;\nadd.s32 %x, 1, 1;", 1, maxDiagnostics, 5},
		"fewer":    {strings.Repeat(".pragma \"frob\";\n", 5) + "add.s32 %x, 1, 1;", 1, 5, 0},
	} {
		_, diags := Check(syntax.Parse(name, []byte(head+".entry k() { .reg .b32 %r<9>;\n"+c.lines+"}")), Options{})
		var by [diag.Remark + 1]int
		for i := range diags {
			by[diags[i].Severity]++
		}
		said := 0
		if last := diags[len(diags)-1]; last.Code == diag.Unlisted {
			said, _ = strconv.Atoi(strings.Fields(last.Msg)[0])
		}
		if by[diag.Error] != c.errors || by[diag.Warning] != c.warnings || said != c.others {
			t.Errorf("%s: %d errors, %d warnings, %d said to be more; want %d, %d and %d",
				name, by[diag.Error], by[diag.Warning], said, c.errors, c.warnings, c.others)
		}
	}
}

// TestManyModifiers: no repair is sought for a statement of many modifiers, which would try each in the place of each
// other: this one would take minutes.
func TestManyModifiers(t *testing.T) {
	text := head + ".entry k() { .reg .b32 %r<9>;\nadd" + strings.Repeat(".s32", 3000) + " %r1, %r1, %r1;\n}"
	_, diags := Check(syntax.Parse("modifiers", []byte(text)), Options{})
	if len(diags) != 1 || diags[0].Code != diag.RepeatedModifier {
		t.Errorf("have %v", diags)
	}
}

func numbered(line string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", strconv.Itoa(i)))
	}
	return b.String()
}

func chained(n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		b.WriteString(".func f" + strconv.Itoa(i) + "() { call f" + strconv.Itoa(i-1) + "; ret; }\n")
	}
	return b.String() + ".entry k() { call f" + strconv.Itoa(n-1) + "; ret; }"
}
