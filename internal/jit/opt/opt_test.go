package opt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

var update = flag.Bool("update", false, "write what passes make of the texts of testdata")

// TestPasses holds each pass to pairs of texts: testdata/PASS.in.ssa becomes PASS.out.ssa, which reads back.
func TestPasses(t *testing.T) {
	for _, p := range Passes {
		in, err := os.ReadFile(filepath.Join("testdata", p.Name+".in.ssa"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := ssa.Parse(string(in))
		if err != nil {
			t.Fatal(err)
		}
		p.Run(f, analysis.NewCache(f), &Knobs{})
		if err := ssa.Verify(f); err != nil {
			t.Error(err)
		}
		path, got := filepath.Join("testdata", p.Name+".out.ssa"), f.String()
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v; made\n%s", p.Name, err, got)
		}
		again, err := ssa.Parse(got)
		if err != nil || again.String() != got {
			t.Errorf("%s does not read back: %v", path, err)
		} else if err := ssa.Verify(again); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestRun: options leave passes out, look behind each, and say which one has broken a function.
func TestRun(t *testing.T) {
	in, err := os.ReadFile(filepath.Join("testdata", "place.in.ssa"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ssa.Parse(string(in))
	if err != nil {
		t.Fatal(err)
	}
	seen := ""
	look := func(pass, text string) { seen += pass + ":" + text[:4] + " " }
	if err := Run(f, Options{Verify: true, Without: map[string]bool{"place": true, "cta": true}, Behind: look}); err != nil || seen != "tests:func counts:func regions:func nan:func place:func " {
		t.Errorf("%v, %q", err, seen) // place is never left out
	}
	all := ""
	for _, p := range Passes {
		all += p.Name + ":func "
	}
	seen = ""
	if err := Run(f, Options{Verify: true, Behind: look}); err != nil || seen != all {
		t.Errorf("%v, %q", err, seen)
	}
	f.Blocks[2].Cond = f.Blocks[1].Params[0]
	if err := Run(f, Options{Verify: true}); err == nil || !strings.HasPrefix(err.Error(), "behind tests: ") {
		t.Errorf("%v", err)
	}
}
