package modifiers

import (
	"flag"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

var update = flag.Bool("update", false, "rewrite the lists of what is not shown yet")

const vectorDir = "../../sem/testdata/vec"

func load(t *testing.T) []*vec.Wrapped {
	t.Helper()
	vectors, err := vec.Load(vectorDir)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// TestCoverage: every form with its types and every modifier value that is executed appears in
// a vector, changes nothing, or is on the list, which may only shrink.
func TestCoverage(t *testing.T) {
	covered := Covered(load(t))
	var missing []string
	executed := Executed()
	for u := range executed {
		if !covered[u] && (u.Mod == 0 || !sem.HasNoEffect(u.Mod)) {
			missing = append(missing, u.String())
		}
	}
	t.Logf("%d units executed, %d without a vector", len(executed), len(missing))
	shrinks(t, "uncovered.txt", "Executed statements without a vector: form, types, modifier. This list may only shrink.", missing)
}

// TestSensitivity: every modifier value has a vector whose result changes when the value is
// removed or replaced, is needed for the statement to be legal, or is on one of the lists.
func TestSensitivity(t *testing.T) {
	reviewed := noEffect(t)
	var missing []string
	found := Sensitivity(load(t), func(v Value) bool {
		return reviewed[v.String()] != "" || reviewed["* "+v.Mod.String()] != ""
	})
	for v, what := range found {
		if what == blind {
			missing = append(missing, v.String())
		}
	}
	t.Logf("%d modifier values, %d that no vector tells from another", len(found), len(missing))
	shrinks(t, "insensitive.txt", "Modifier values that no vector tells from their absence or another value. This list may only shrink.", missing)
}

// noEffect reads the reviewed list of values that change no result of one warp; each has a
// reason.
func noEffect(t *testing.T) map[string]string {
	t.Helper()
	list, err := readList(filepath.Join("testdata", "noeffect.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for entry, reason := range list {
		if reason == "" {
			t.Errorf("noeffect.txt: %s has no reason", entry)
		}
	}
	return list
}

// shrinks holds a list of gaps to its file: none may be new, and those that are gone leave it.
func shrinks(t *testing.T, name, head string, gaps []string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := writeList(file, head, gaps); err != nil {
			t.Fatal(err)
		}
		return
	}
	known, err := readList(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gaps {
		if _, ok := known[g]; !ok {
			t.Errorf("%s: no vector shows it", g)
		}
		delete(known, g)
	}
	for g := range known {
		t.Errorf("%s: shown by now; take it off %s", g, name)
	}
}
