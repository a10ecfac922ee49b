package isainfo_test

import (
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/isainfo"
)

var (
	versionLine = regexp.MustCompile(`(?m)^ *\.version .*$`)
	targetLine  = regexp.MustCompile(`(?m)^ *\.target .*$`)
)

// TestISATargets holds what is listed for a target to the checker: an entry that is not
// listed has an example that is rejected there; one that is listed with nothing missing has an
// example that is accepted there.
func TestISATargets(t *testing.T) {
	for _, target := range []string{"sm_75", "sm_100a", "sm_120a"} {
		forms, err := isainfo.FormsFor("", target)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]*isainfo.Form{}
		for i := range forms {
			listed[forms[i].Name] = &forms[i]
		}
		for _, f := range isainfo.Forms("") {
			valid := validFor(t, f.Name, "9.5", target)
			info := listed[f.Name]
			if info == nil && valid || info != nil && info.Without == nil && !valid {
				t.Errorf("%s on %s: listed %v, its example is valid there: %v", f.Name, target, info != nil, valid)
			}
		}
	}
}

// validFor judges an entry's example for another version and target.
func validFor(t *testing.T, name, version, target string) bool {
	t.Helper()
	text, ok := isainfo.Example(name)
	if !ok {
		t.Fatalf("%s has no example", name)
	}
	text = targetLine.ReplaceAllString(versionLine.ReplaceAllString(text, ".version "+version), ".target "+target)
	diags, err := ptxvm.Check(name, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return !diags.HasErrors()
}

// TestISAChanges holds comparisons to the checker: what is new in 9.4 has an example that 9.1
// rejects; an entry that did not change has one that both judge alike.
func TestISAChanges(t *testing.T) {
	changes, err := isainfo.Changes("9.1", "9.4", "")
	if err != nil {
		t.Fatal(err)
	}
	kind := map[string]string{}
	for _, c := range changes {
		kind[c.Name] = c.Kind
		if len(c.What) == 0 {
			t.Errorf("%s is %s, but nothing says how", c.Name, c.Kind)
		}
	}
	for name, want := range map[string]string{"clmad.lo": "new", "add.mixed2": "new", "add.int": "more", "mul.lo": "", "sm_107": "new", "sm_90": ""} {
		if kind[name] != want {
			t.Errorf("%s is %q, want %q", name, kind[name], want)
		}
	}
	for _, f := range isainfo.Forms("") {
		for _, target := range []string{"sm_90a", "sm_100a"} {
			before, after := validFor(t, f.Name, "9.1", target), validFor(t, f.Name, "9.4", target)
			if before != after && kind[f.Name] == "" || before && kind[f.Name] == "new" {
				t.Errorf("%s on %s: valid in 9.1 %v, in 9.4 %v; listed as %q", f.Name, target, before, after, kind[f.Name])
			}
		}
	}
	for _, bad := range [][3]string{{"9.4", "9.1", ""}, {"9.1", "9.1", ""}, {"x", "9.1", ""}, {"9.1", "9.4", "sm_1"}} {
		if _, err := isainfo.Changes(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// oddExample has keywords whose examples need more than they do: .attribute is shown with .managed, and .unified is
// for modules that are linked, not for whole programs, which Check judges.
var oddExample = map[string]bool{".attribute": true, ".unified": true}

// TestKeywordTargets holds what is listed of directives and special registers for a target to the checker.
func TestKeywordTargets(t *testing.T) {
	for _, target := range []string{"sm_20", "sm_75", "sm_100a"} {
		list, err := isainfo.KeywordsFor("", target)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		for _, k := range list {
			listed[k.Name] = true
		}
		for _, k := range isainfo.Keywords("") {
			if oddExample[k.Name] {
				continue
			}
			if valid := keywordValid(t, k, "9.5", target); valid != listed[k.Name] {
				t.Errorf("%s on %s: listed %v, its example is valid there: %v", k.Name, target, listed[k.Name], valid)
			}
		}
	}
}

// TestKeywordChanges holds comparisons to the checker: what is new in a version has an example that the one
// before rejects, what is gone one that it accepted.
func TestKeywordChanges(t *testing.T) {
	for _, step := range [][3]string{{"1.4", "1.5", "sm_10"}, {"2.0", "2.1", "sm_20"}, {"7.4", "7.5", "sm_80"}, {"8.6", "8.7", "sm_90"}, {"9.3", "9.4", "sm_90"}} {
		changes, err := isainfo.Changes(step[0], step[1], step[2])
		if err != nil {
			t.Fatal(err)
		}
		kind := map[string]string{}
		for _, c := range changes {
			kind[c.Name] = c.Kind
		}
		for _, k := range isainfo.Keywords("") {
			before, after := keywordValid(t, k, step[0], step[2]), keywordValid(t, k, step[1], step[2])
			if after && !before && kind[k.Name] != "new" || before && !after && kind[k.Name] != "gone" || before && after && kind[k.Name] == "new" {
				t.Errorf("%s on %s: valid in %s %v, in %s %v; listed as %q", k.Name, step[2], step[0], before, step[1], after, kind[k.Name])
			}
		}
	}
}

// keywordValid judges a keyword's example for another version and target.
func keywordValid(t *testing.T, k isainfo.Keyword, version, target string) bool {
	t.Helper()
	text, err := isainfo.Explain(k.Name)
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(text, "\nExample:\n\n")
	_, options, _ := strings.Cut(targetLine.FindString(example), ",")
	if options != "" {
		target += "," + options
	}
	example = targetLine.ReplaceAllString(versionLine.ReplaceAllString(example, ".version "+version), ".target "+target)
	diags, err := ptxvm.Check(k.Name, []byte(example), nil)
	if err != nil {
		t.Fatal(err)
	}
	return !diags.HasErrors()
}
