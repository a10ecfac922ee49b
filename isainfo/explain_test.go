package isainfo_test

import (
	"bytes"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/isainfo"
)

// TestExplain explains every entry of the data: in words, with an example that `check` has
// nothing to say against and that has a statement of the entry.
func TestExplain(t *testing.T) {
	for _, e := range isa.Table().Entries() {
		if e.About == "" {
			t.Errorf("%s: nothing says what it does", e.Name)
		}
	}
	for _, f := range isainfo.Forms("") {
		text, err := isainfo.Explain(f.Name)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		for _, part := range []string{f.Name + ": " + f.Doc, "\nForms:\n\n    " + f.Forms[0], "\nLegal:\n\n    ", "since PTX ", "\nStatus: ", "\nExample:\n\n    .version"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in\n%s", f.Name, part, text)
			}
		}
		checkInstructionExample(t, f.Name)
	}
}

// TestExplainAssumptions: each assumption is known by id and name, in any case, with all of its positions.
func TestExplainAssumptions(t *testing.T) {
	for _, a := range isainfo.Assumptions() {
		for _, name := range []string{a.ID, strings.ToLower(a.ID), a.Name} {
			text, err := isainfo.Explain(name)
			if err != nil || !strings.HasPrefix(text, a.ID+": an assumption about hardware, "+a.Name) || !strings.Contains(text, a.About) {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
			for _, p := range a.Positions {
				if !strings.Contains(text, p.Name) || !strings.Contains(text, p.Means) {
					t.Errorf("%s: position %s is missing", name, p.Name)
				}
			}
		}
	}
}

// TestExplainBeginnings: the beginning of several opcodes stands for all of them.
func TestExplainBeginnings(t *testing.T) {
	text, err := isainfo.Explain("cp.async")
	for _, name := range []string{"cp.async.ca: ", "cp.async.wait_group: ", "cp.async.bulk.tensor: "} {
		if err != nil || !strings.Contains(text, name) {
			t.Errorf("no %q: %v", name, err)
		}
	}
}

// TestExplainDirectives: every directive is described, and its example checks.
func TestExplainDirectives(t *testing.T) {
	for _, d := range isa.Directives() {
		text, err := isainfo.Explain(d.Name)
		if err != nil || !strings.Contains(text, d.About) || !strings.Contains(text, "since PTX ") {
			t.Errorf("%s: %v in\n%s", d.Name, err, text)
			continue
		}
		if d.Name == ".unified" {
			continue // for modules that are linked; Check judges whole programs
		}
		_, example, _ := strings.Cut(text, "\nExample:\n\n")
		if diags, err := ptxvm.Check(d.Name, []byte(example), nil); err != nil || diags.HasErrors() {
			t.Errorf("%s: %v, %v in\n%s", d.Name, err, diags, example)
		}
	}
}

// TestExplainSpecials: every special register is described, and its example checks.
func TestExplainSpecials(t *testing.T) {
	for _, s := range isa.Specials() {
		text, err := isainfo.Explain(s.String())
		_, example, found := strings.Cut(text, "\nExample:\n\n")
		if err != nil || !found || s.Info().Doc == "" || !strings.Contains(text, s.Info().Doc) {
			t.Errorf("%v: %v in\n%s", s, err, text)
			continue
		}
		if diags, err := ptxvm.Check("example", []byte(example), nil); err != nil || diags.HasErrors() {
			t.Errorf("%v: %v, %v in\n%s", s, err, diags, example)
		}
	}
}

func checkInstructionExample(t *testing.T, name string) {
	t.Helper()
	example, ok := isainfo.Example(name)
	if !ok {
		t.Errorf("%s has no example; go generate ./internal/isa", name)
		return
	}
	diags, err := ptxvm.Check(name, []byte(example), nil)
	if err != nil || len(diags) > 0 {
		t.Errorf("%s: %v, %v in\n%s", name, err, diags, example)
		return
	}
	var info bytes.Buffer
	if err := cli.Dump(&info, name, []byte(example), "info"); err != nil || !strings.Contains(info.String(), " "+name+" ") {
		t.Errorf("%s: the example shows something else (%v):\n%s\n%s", name, err, example, info.String())
	}
}
