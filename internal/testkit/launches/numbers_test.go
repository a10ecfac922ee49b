package launches_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// overflows are the cases whose results are right and leave what their type can hold.
var overflows = map[string]string{"haxpy": "a*x+y of random f16 is beyond 65504 in some lanes"}

// TestCorpusNumbers: what compilers have made of correct kernels makes no NaN, and no infinity but where it is known to.
func TestCorpusNumbers(t *testing.T) {
	for _, c := range corpus.Cases() {
		arch := c.Archs[len(c.Archs)-1]
		t.Run(fmt.Sprintf("%s/sm_%d", c.Name, arch), func(t *testing.T) {
			reports := corpusNumbers(t, c, arch)
			known := func(r *ptxvm.Report) bool { return overflows[c.Name] != "" && r.Kind == "inf" }
			for _, r := range reports {
				if !known(r) {
					t.Error(r.Detail())
				}
			}
			if overflows[c.Name] != "" && len(reports) == 0 {
				t.Error("nothing overflows any more")
			}
		})
	}
}

// corpusNumbers runs a case, and returns what is reported.
func corpusNumbers(t *testing.T, c corpus.Case, arch int) (reports []*ptxvm.Report) {
	path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptxvm.Compile(path, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{
		Arch: fmt.Sprintf("sm_%d", arch), Workers: 1, Stdout: &out, Memory: 1 << 30, Sanitize: ptxvm.SanitizeNaN | ptxvm.SanitizeNaNInf,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	r, buffers := c.Make(corpus.Target{Arch: arch}), map[*corpus.Buffer]ptxvm.Buffer{}
	for _, b := range r.Buffers {
		if buffers[b], err = ptxvm.Upload(d, b.Init); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range r.Launches {
		stats, err := rig.Launch(d, p, l, buffers, nil)
		var found *ptxvm.SanitizerError
		switch {
		case errors.As(err, &found):
			reports = append(reports, found.Reports...)
		case err != nil && r.Fault == nil:
			t.Fatal(err)
		}
		reports = append(reports, stats.Notes...)
	}
	if r.Fault == nil {
		checkResults(t, r, buffers, out.String())
	}
	return slices.Clip(reports)
}
