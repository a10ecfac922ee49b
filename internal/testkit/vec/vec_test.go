package vec

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	_ "ptxvm.invalid/ptxvm/internal/testkit/rig" // the flag -pipeline
)

// TestVectors runs all vector files of package sem.
func TestVectors(t *testing.T) { runFiles(t, ptxvm.Interp) }

// TestVectorsCompiled runs them in compiled code, as far as that goes; by the new pipeline with -pipeline (rig).
func TestVectorsCompiled(t *testing.T) {
	if d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Engine: ptxvm.JIT, Memory: 1 << 20}); errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip(err)
	} else {
		d.Close()
	}
	runFiles(t, ptxvm.JIT)
}

func runFiles(t *testing.T, engine ptxvm.Engine) {
	files, err := filepath.Glob("../../sem/testdata/vec/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no vector files", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			blocks, err := Parse(f)
			if err != nil {
				t.Fatal(err)
			}
			r := NewRunner()
			r.Engine = engine
			defer r.Close()
			todo := 0
			for _, b := range blocks {
				if b.Todo != "" {
					todo++
				}
				for _, err := range r.Block(b) {
					t.Error(err)
				}
			}
			t.Logf("%d blocks, %d of them not executed yet; %d of %d lane operations are the new pipeline's", len(blocks), todo, r.New, r.LaneOps)
		})
	}
}

// TestFailures: a vector file that is wrong in every line fails in every line, and says how.
func TestFailures(t *testing.T) {
	blocks, err := Parse("testdata/wrong.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := NewRunner()
	defer r.Close()
	for _, b := range blocks {
		errs := r.Block(b)
		if len(errs) == 0 {
			t.Errorf("%s:%d: %s: nothing is wrong", b.File, b.Line, b.Text)
			continue
		}
		if want := b.Cases[0].Source; !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%v\nwant %q in it", errs[0], want)
		}
	}
}
