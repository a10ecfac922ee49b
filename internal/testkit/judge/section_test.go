package judge

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
)

// fullSection is a section of the manual with at least three numbers, or that of a special register, of which it has two.
var fullSection = regexp.MustCompile(`^(\d\.\d: )?(\d+\.\d+\.\d+|10\.\d+$)`)

// changesPerEntry are asked of each entry; -full asks all kinds.
const changesPerEntry = 5

// TestSections: whatever is wrong with an instruction, its diagnostic cites a section as exact as the manual's.
func TestSections(t *testing.T) {
	seen := map[*isa.Entry]bool{}
	asked := 0
	for _, e := range isa.Table().Entries() {
		g := generate.New(uint64(e.ID), nil, nil)
		for kind := range generate.Mutations {
			if !*full && kind >= changesPerEntry && seen[e] {
				break
			}
			s := g.Legal(e)
			if s == nil {
				continue
			}
			if s = g.Mutate(s, (kind+int(e.ID))%generate.Mutations); s == nil {
				continue
			}
			for _, d := range wrong(t, s) {
				asked++
				seen[e] = true
				if !fullSection.MatchString(d.Spec) && strings.Count(e.Section, ".") >= 2 {
					t.Errorf("%s: %s: section %q: %s", e.Name, s.Text(), d.Spec, d.Error())
				}
			}
		}
		if !seen[e] {
			t.Errorf("%s: no change of a statement is an error", e.Name)
		}
	}
	t.Logf("%d diagnostics", asked)
}

// wrong lists the errors that a statement's form has: those of the codes of instructions and gates, that is
// not of names and declarations.
func wrong(t *testing.T, s *generate.Statement) (list []diag.Diagnostic) {
	t.Helper()
	diags, err := ptxvm.Check("case.ptx", []byte(generate.Print([]generate.Function{s.Function()}).Text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		if code := fmt.Sprint(d.Code); d.Severity == diag.Error && (strings.HasPrefix(code, "P3") || strings.HasPrefix(code, "P4")) {
			list = append(list, d)
		}
	}
	return list
}
