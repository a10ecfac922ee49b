package ptxvm_test

import (
	"regexp"
	"testing"

	"ptxvm"
)

var (
	versionLine = regexp.MustCompile(`(?m)^\.version .*$`)
	targetLine  = regexp.MustCompile(`(?m)^\.target .*$`)
)

// TestISATargets holds what is listed for a target to the checker: an entry that is not
// listed has an example that is rejected there; one that is listed with nothing missing has an
// example that is accepted there.
func TestISATargets(t *testing.T) {
	for _, target := range []string{"sm_75", "sm_100a", "sm_120a"} {
		forms, err := ptxvm.FormsFor("", target)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]*ptxvm.FormInfo{}
		for i := range forms {
			listed[forms[i].Name] = &forms[i]
		}
		for _, f := range ptxvm.Forms("") {
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
	text, ok := ptxvm.Example(name)
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
	changes, err := ptxvm.ISAChanges("9.1", "9.4", "")
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
	for _, f := range ptxvm.Forms("") {
		for _, target := range []string{"sm_90a", "sm_100a"} {
			before, after := validFor(t, f.Name, "9.1", target), validFor(t, f.Name, "9.4", target)
			if before != after && kind[f.Name] == "" || before && kind[f.Name] == "new" {
				t.Errorf("%s on %s: valid in 9.1 %v, in 9.4 %v; listed as %q", f.Name, target, before, after, kind[f.Name])
			}
		}
	}
	for _, bad := range [][3]string{{"9.4", "9.1", ""}, {"9.1", "9.1", ""}, {"x", "9.1", ""}, {"9.1", "9.4", "sm_1"}} {
		if _, err := ptxvm.ISAChanges(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
