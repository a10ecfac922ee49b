package sanitize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestPairs: each buggy kernel is reported, at its lines; its reference never is, whatever the seed and the workers.
func TestPairs(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no tables", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := readPairs(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, p := range pairs {
			t.Run(p.name, p.try)
		}
	}
}

func (p *pair) try(t *testing.T) {
	for seed := range uint64(4) {
		for workers := 1; workers <= 2; workers++ {
			text, _, _ := p.module(false)
			if reports := p.run(t, text, seed, workers); len(reports) != 0 {
				t.Fatalf("the corrected kernel, seed %d, %d workers:\n%s\n%s", seed, workers, reports[0].Detail(), text)
			}
		}
	}
	text, here, other := p.module(true)
	reports := p.run(t, text, 0, 1)
	for _, r := range reports {
		if p.matches(r, here, other) {
			return
		}
	}
	var got strings.Builder
	for _, r := range reports {
		fmt.Fprintln(&got, r.Detail())
	}
	t.Errorf("want %s %q at line %d, other %d; got\n%s\n%s", p.code, p.words, here, other, got.String(), text)
}

// matches tells whether a report is that of the table.
func (p *pair) matches(r *ptxvm.Report, here, other int) bool {
	if r.Code.String() != p.code || !strings.Contains(r.Msg, p.words) || r.Here.PTX.Line != here {
		return false
	}
	return other == 0 || r.Other != nil && r.Other.PTX.Line == other
}

// run launches a kernel under the pair's check and returns the reports.
func (p *pair) run(t *testing.T, text string, seed uint64, workers int) []*ptxvm.Report {
	t.Helper()
	checks, err := ptxvm.ParseSanitize(p.check)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptxvm.Compile("k.ptx", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: p.target(), Memory: 1 << 22, Seed: seed, Workers: workers, Sanitize: checks, MaxSteps: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	prog, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := prog.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	buf, err := ptxvm.Upload(d, make([]uint32, 1024))
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: p.grid}, Block: ptxvm.Dim3{X: p.block}, Cluster: ptxvm.Dim3{X: p.cluster}}, buf)
	var found *ptxvm.SanitizerError
	switch {
	case errors.As(err, &found):
		return found.Reports
	case err != nil:
		t.Fatalf("%v\n%s", err, text)
	}
	return nil
}
