package isainfo_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/isainfo"
)

var update = flag.Bool("update", false, "write generated documents instead of comparing them")

// TestISADocument holds docs/isa.md, and what the README says of forms, to the data and the semantics table:
// go test ./isainfo -run TestISADocument -update writes both.
func TestISADocument(t *testing.T) {
	var list bytes.Buffer
	if err := isainfo.Write(&list, "", "md"); err != nil {
		t.Fatal(err)
	}
	generated(t, "../docs/isa.md", func([]byte) ([]byte, error) { return list.Bytes(), nil })
	generated(t, "../README.md", func(have []byte) ([]byte, error) {
		before, rest, begins := bytes.Cut(have, []byte("<!-- forms -->\n"))
		_, after, ends := bytes.Cut(rest, []byte("<!-- /forms -->\n"))
		if !begins || !ends {
			return nil, errors.New("no <!-- forms --> and <!-- /forms -->")
		}
		return fmt.Appendf(nil, "%s<!-- forms -->\n%s<!-- /forms -->\n%s", before, formsInWords(isainfo.Forms("")), after), nil
	})
}

// generated compares a document with what build makes of it, or writes that.
func generated(t *testing.T, path string, build func(have []byte) ([]byte, error)) {
	t.Helper()
	have, err := os.ReadFile(path)
	want, bad := build(have)
	switch {
	case bad != nil:
		t.Errorf("%s: %v", path, bad)
	case *update:
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	case err != nil || !bytes.Equal(have, want):
		t.Errorf("%s is not what the data says (%v); go test ./isainfo -run TestISADocument -update writes it", path, err)
	}
}

// formsInWords says how many forms run, and which do not: by the first word of their names where all with it do not.
func formsInWords(forms []isainfo.Form) string {
	count, runs := map[string]int{}, map[string]bool{}
	for _, f := range forms {
		count[f.Status]++
		word, _, _ := strings.Cut(f.Name, ".")
		runs[word] = runs[word] || f.Status == "done" || f.Status == "partial"
	}
	var missing []string
	for _, f := range forms {
		name, _, _ := strings.Cut(f.Name, ".")
		if runs[name] {
			name = f.Name
		}
		if name = "`" + name + "`"; f.Status != "done" && f.Status != "partial" && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	limits := ""
	if n := count["partial"] + count["todo"]; n > 0 {
		limits = fmt.Sprintf(", %d of them in part or not yet", n)
	}
	return fmt.Sprintf("`check` knows %d forms of instructions. The %d that the manual describes run%s. The others (%s), and some [modifiers\n"+
		"and operands](docs/isa.md#undocumented), only `ptxas` knows: `run` refuses them by name, with exit status 5.\n", len(forms), len(forms)-count["undocumented"], limits, strings.Join(missing, ", "))
}
