package judge

// Every cvt, cell by cell (9.7.9.21; tables 15 to 18 are parts of it): 96,000 candidates, of
// which ptxas accepts what testdata/cvt.txt lists.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

const recordedCvt = "testdata/cvt.txt"

// The types of the scalar form; the destinations and sources of packed ones.
var (
	cvtScalars = strings.Fields("u8 u16 u32 u64 s8 s16 s32 s64 bf16 f16 f32 f64")
	cvtPacked  = strings.Fields("f16x2 bf16x2 tf32 e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4 ue8m0x2 ue5m3x2 s2f6x2 ue8m0x4 ue5m3x4 s2f6x4 ue4m3x2")
	cvtSources = strings.Fields("f32 f16x2 bf16x2 e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2 ue5m3x2 s2f6x2")
)

// cvtForm is one candidate: its types and its modifiers in the order of the syntax.
type cvtForm struct{ pair, mods string }

// product lists every choice of one word a column, joined; "" is none.
func product(columns ...string) []string {
	list := []string{""}
	for _, c := range columns {
		var next []string
		for _, head := range list {
			for word := range strings.SplitSeq(c, " ") {
				next = append(next, head+word)
			}
		}
		list = next
	}
	return list
}

// cvtCandidates are all pairs of types with all combinations of modifiers.
func cvtCandidates() (list []cvtForm) {
	add := func(dst, src, mods []string) {
		for _, d := range dst {
			for _, s := range src {
				for _, m := range mods {
					list = append(list, cvtForm{d + "." + s, m})
				}
			}
		}
	}
	add(cvtScalars, cvtScalars, product(" .rn .rz .rm .rp .rna .rs .rni .rzi .rmi .rpi", " .ftz", " .sat", " .relu", " .satfinite", " .pzo"))
	add(cvtPacked, cvtSources, product(" .rn .rz .rp .rm .rna .rs", " .relu", " .satfinite", " .pzo", " .scaled::n1::ue8m0 .scaled::n2::ue8m0"))
	return list
}

// register is the type of a register exactly as wide as a type.
func register(t string) string {
	switch t {
	case "f16x2", "bf16x2", "tf32":
		return "b32"
	case "f32", "f64":
		return t
	case "e2m1x2":
		return "b8"
	case "f16", "bf16", "e2m1x4":
		return "b16"
	}
	switch {
	case strings.HasSuffix(t, "x2"):
		return "b16"
	case strings.HasSuffix(t, "x4"):
		return "b32"
	}
	return "b" + t[1:]
}

// kernel is a candidate as an entry on one line.
func (f cvtForm) kernel(name string) string {
	d, a, _ := strings.Cut(f.pair, ".")
	operands := "d, a"
	packed := slices.Contains(cvtPacked, d) && d != "tf32" && slices.Contains(cvtSources, a)
	switch {
	case packed && strings.HasSuffix(d, "x4"):
		operands = "d, {a, b, e, f}"
	case packed && a == "f32":
		operands = "d, a, b"
	}
	for mod, operand := range map[string]string{"::n1": ", s", "::n2": ", t", ".rs": ", r"} {
		if strings.Contains(f.mods+".", mod+":") || strings.Contains(f.mods+".", mod+".") {
			operands += operand
		}
	}
	return fmt.Sprintf(".entry %s { .reg .%s d; .reg .%s a, b, e, f; .reg .b32 r; .reg .b8 s; .reg .b16 t; cvt%s.%s %s; ret; }\n",
		name, register(d), register(a), f.mods, f.pair, operands)
}

// cvtModule prints candidates as entries from line 4 on.
func cvtModule(list []cvtForm, v isa.Version, t isa.Target) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %v\n.target %v\n", v, t)
	if !v.Before(isa.V(2, 3)) {
		b.WriteString(".address_size 64")
	}
	b.WriteString("\n")
	for i, f := range list {
		b.WriteString(f.kernel(fmt.Sprintf("f%d", i)))
	}
	return b.String()
}

// rejectedHere tells which candidates the checker rejects.
func rejectedHere(t *testing.T, list []cvtForm, v isa.Version, target isa.Target) []bool {
	t.Helper()
	out := make([]bool, len(list))
	diags, err := ptxvm.Check("cvt.ptx", []byte(cvtModule(list, v, target)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		if d.Severity != diag.Error {
			continue
		}
		line, _ := d.Source.Position(d.Span.Start)
		if line < 4 {
			t.Fatal(d)
		}
		out[line-4] = true
	}
	return out
}

// cvtGate is a set of candidates with the first version for each target.
type cvtGate struct {
	since map[string]isa.Version
	forms []cvtForm
}

func readCvt(t *testing.T) (gates []*cvtGate) {
	t.Helper()
	text, err := os.ReadFile(recordedCvt)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "gate":
			g := &cvtGate{since: map[string]isa.Version{}}
			for _, w := range words[1:] {
				target, v, _ := strings.Cut(w, ":")
				g.since[target] = mustVersion(v)
			}
			gates = append(gates, g)
		default:
			g, colon := gates[len(gates)-1], slices.Index(words, ":")
			for _, pair := range words[:colon] {
				for _, m := range words[colon+1:] {
					g.forms = append(g.forms, cvtForm{pair, strings.Replace(m, "-", "", 1)})
				}
			}
		}
	}
	return gates
}

func mustVersion(s string) isa.Version {
	var major, minor int
	if _, err := fmt.Sscanf(s, "%d.%d", &major, &minor); err != nil {
		panic(s)
	}
	return isa.V(major, minor)
}

// Where every recorded form is accepted.
var (
	newest       = isa.V(9, 5)
	newestTarget = isa.MustTarget("sm_107a")
)

// TestCvtCells: of all candidates exactly the recorded ones are accepted. Without -full a
// sample of the rejected ones is looked at.
func TestCvtCells(t *testing.T) {
	legal := map[cvtForm]bool{}
	for _, g := range readCvt(t) {
		for _, f := range g.forms {
			legal[f] = true
		}
	}
	r := rand.New(rand.NewPCG(*seed, 21))
	all := slices.DeleteFunc(cvtCandidates(), func(f cvtForm) bool { return !*full && !legal[f] && r.IntN(60) != 0 })
	wrong := 0
	for part := range slices.Chunk(all, 4000) {
		for i, rejected := range rejectedHere(t, part, newest, newestTarget) {
			if f := part[i]; rejected == legal[f] && wrong < 20 {
				t.Errorf("cvt%s.%s: rejected %v, recorded %v", f.mods, f.pair, rejected, !legal[f])
				wrong++
			}
		}
	}
	t.Logf("%d candidates, %d legal", len(all), len(legal))
}

// versions lists all PTX versions.
func versions() (list []isa.Version) {
	for i, last := range []int{5, 3, 2, 3, 0, 5, 8, 8, 5} {
		for minor := range last + 1 {
			list = append(list, isa.V(i+1, minor))
		}
	}
	return list
}

// TestCvtGates: each recorded form is accepted from its first version on and not one version
// earlier, nor on the targets that lack it.
func TestCvtGates(t *testing.T) {
	gates, targets, intro := readCvt(t), map[string]bool{}, map[string]isa.Version{}
	for _, g := range gates {
		for name, v := range g.since {
			if old, ok := intro[name]; !ok || v.Before(old) {
				intro[name] = v
			}
			targets[name] = true
		}
	}
	all, checked := versions(), 0
	for _, g := range gates {
		for name := range targets {
			target := isa.MustTarget(name)
			since, has := g.since[name]
			if has {
				expect(t, g.forms, since, target, false)
			} else {
				expect(t, g.forms, newest, target, true)
			}
			if at := slices.Index(all, since); has && at > 0 && !all[at-1].Before(intro[name]) {
				expect(t, g.forms, all[at-1], target, true)
			}
			checked += len(g.forms)
		}
	}
	t.Logf("%d forms on targets", checked)
}

func expect(t *testing.T, list []cvtForm, v isa.Version, target isa.Target, rejected bool) {
	t.Helper()
	for i, is := range rejectedHere(t, list, v, target) {
		if is != rejected {
			t.Errorf("%v %v: cvt%s.%s: rejected %v, recorded %v", v, target, list[i].mods, list[i].pair, is, rejected)
			return
		}
	}
}

// TestCvtSweep asks ptxas about every candidate anew.
func TestCvtSweep(t *testing.T) {
	if !*judge && !*full {
		t.Skip("asks ptxas; -judge")
	}
	path := assembler(t)
	for part := range slices.Chunk(cvtCandidates(), 4000) {
		here := rejectedHere(t, part, newest, newestTarget)
		there, err := rejectedThere(path, part)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range part {
			if here[i] != there[i] {
				t.Errorf("cvt%s.%s: rejected %v, by ptxas %v", f.mods, f.pair, here[i], there[i])
			}
		}
	}
}

// rejectedThere asks ptxas; what passes beside errors is asked again, since errors hide others.
func rejectedThere(path string, list []cvtForm) ([]bool, error) {
	out := make([]bool, len(list))
	for {
		var left []cvtForm
		var at []int
		for i, f := range list {
			if !out[i] {
				left, at = append(left, f), append(at, i)
			}
		}
		r, err := ptxas.Judge(path, cvtModule(left, newest, newestTarget), newestTarget)
		if err != nil || r.Accepted || len(left) == 0 {
			return out, err
		}
		found := false
		for _, e := range r.Errors {
			if i := e.Line - 4; i >= 0 && i < len(at) {
				out[at[i]], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("an error without a line: %s", r.Stderr)
		}
	}
}
