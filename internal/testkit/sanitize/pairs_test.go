package sanitize

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/report"
)

var seeds = flag.Uint64("seeds", 2, "schedules of each pair beside that in order, each with one and two workers; the full run has 20")

// TestPairs: each buggy kernel is reported, at its lines; its correction never is, whatever the seed and the workers. At the end
// it prints the totals, which are held to the goals.
func TestPairs(t *testing.T) {
	var sum tally
	for _, p := range append(readTables(t), readCUDA(t)...) {
		t.Run(p.name, func(t *testing.T) { p.try(t, &sum) })
	}
	sum.judge(t)
}

// readTables reads the pairs in PTX.
func readTables(t *testing.T) (all []*pair) {
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
		all = append(all, pairs...)
	}
	return all
}

// readCUDA reads the pairs in CUDA C++; none without nvcc.
func readCUDA(t *testing.T) []*pair {
	if _, err := nvcc.Find(); err != nil {
		t.Log("the pairs in CUDA C++ are left out:", err)
		return nil
	}
	text, err := os.ReadFile("testdata/pairs.cu")
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := readSource(string(text))
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs("testdata/pairs.cu")
	if err != nil {
		t.Fatal(err)
	}
	buggy, correct := nvcc.Compile(t, source, 90, "-lineinfo", "-DBUG=1"), nvcc.Compile(t, source, 90, "-lineinfo", "-DBUG=0")
	for _, p := range pairs {
		p.ptx = [2]string{correct, buggy}
	}
	return pairs
}

// tally counts runs of buggy kernels, and of corrected ones that are reported.
type tally struct {
	pairs, runs     int
	found, line     int // with the code; and at the line
	races, both     int // with two places; and at both
	correct, silent int
}

// judge prints the totals and holds them to the goals.
func (s *tally) judge(t *testing.T) {
	t.Logf("%d pairs: of %d runs with a bug %d are reported (%.1f %%), %d of these at the right line (%.1f %%), %d of %d with two places at both (%.1f %%); of %d runs without, %d are reported",
		s.pairs, s.runs, s.found, percent(s.found, s.runs), s.line, percent(s.line, s.found), s.both, s.races, percent(s.both, s.races), s.correct, s.correct-s.silent)
	if percent(s.found, s.runs) < 95 || percent(s.line, s.found) < 98 || percent(s.both, s.races) < 95 || s.silent != s.correct {
		t.Error("want 95 %, 98 %, 95 % and none")
	}
}

// percent is all of nothing, so that one pair may run alone.
func percent(n, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(n) / float64(of)
}

func (p *pair) try(t *testing.T, sum *tally) {
	sum.pairs++
	correct, _, _ := p.module(false)
	buggy, here, other := p.module(true)
	for seed := range *seeds + 1 {
		for workers := 1; workers <= 2; workers++ {
			sum.correct++
			reports, fault := p.run(t, correct, seed, workers)
			switch {
			case fault != nil:
				t.Errorf("the corrected kernel, seed %d, %d workers: %v\n%s", seed, workers, fault, p.shown(correct))
				return
			case len(reports) != 0:
				t.Errorf("the corrected kernel, seed %d, %d workers:\n%s\n%s", seed, workers, reports[0].Detail(), p.shown(correct))
				return
			}
			sum.silent++
			if reports, fault = p.run(t, buggy, seed, workers); fault != nil && seed+uint64(workers) > 1 { // what the missing order allows has come first
				sum.addFault(p, fault, here)
				continue
			}
			if sum.add(p, reports, here, other); seed == 0 && workers == 1 && !p.found(reports, here, other) {
				t.Errorf("want %s %q at line %d, other %d; got\n%s\n%s", p.code, p.words, here, other, details(reports), p.shown(buggy))
			}
		}
	}
}

// shown is a module in PTX; one that nvcc made is long.
func (p *pair) shown(text string) string {
	if p.ptx[0] != "" {
		return "testdata/pairs.cu"
	}
	return text
}

func details(reports []*ptxvm.Report) string {
	var b strings.Builder
	for _, r := range reports {
		fmt.Fprintln(&b, r.Detail())
	}
	return b.String()
}

// found reports whether one of the reports is that of the table. Both directions of a race are one report.
func (p *pair) found(reports []*ptxvm.Report, here, other int) bool {
	for _, r := range reports {
		at, with := p.line(&r.Here), p.line(r.Other)
		if r.Code.String() == p.code && strings.Contains(r.Msg, p.words) && (at == here && (other == 0 || with == other) || other != 0 && at == other && with == here) {
			return true
		}
	}
	return false
}

// add counts a run. In another order the two places of a race may change theirs, and what a report says of them.
func (s *tally) add(p *pair, reports []*ptxvm.Report, here, other int) {
	found, line, both := false, false, false
	for _, r := range reports {
		if r.Code.String() != p.code {
			continue
		}
		at, with := p.line(&r.Here), p.line(r.Other)
		found = true
		line = line || at == here || at == other && other != 0
		both = both || at == here && with == other || at == other && with == here
	}
	s.runs++
	s.found += one(found)
	s.line += one(line)
	if other != 0 && found {
		s.races++
		s.both += one(both)
	}
}

// addFault counts a run that ended in a fault, which has one place.
func (s *tally) addFault(p *pair, fault *ptxvm.Fault, here int) {
	s.runs++
	s.found++
	s.line += one(p.line(&report.Involved{PTX: fault.PTX, Source: fault.Source}) == here)
}

// line is the line of a place, in the language of the pair; 0 if there is none.
func (p *pair) line(v *report.Involved) int {
	switch {
	case v == nil:
		return 0
	case p.ptx[0] == "":
		return v.PTX.Line
	case len(v.Source) == 0:
		return 0
	}
	return v.Source[len(v.Source)-1].Line // where it has been inlined: the pair's own line
}

// run launches a kernel under the pair's check and returns the reports, or the fault that ended it.
func (p *pair) run(t *testing.T, text string, seed uint64, workers int) ([]*ptxvm.Report, *ptxvm.Fault) {
	t.Helper()
	return p.runUnder(t, text, p.check, &ptxvm.DeviceConfig{Seed: seed, Workers: workers}, func(*ptxvm.Device) {})
}

// runUnder is run under other checks, on a device of which cfg says some and set does more.
func (p *pair) runUnder(t *testing.T, text, names string, cfg *ptxvm.DeviceConfig, set func(*ptxvm.Device)) ([]*ptxvm.Report, *ptxvm.Fault) {
	t.Helper()
	checks, err := ptxvm.ParseSanitize(names)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptxvm.Compile("k.ptx", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.shown(text))
	}
	cfg.Arch, cfg.Memory, cfg.Sanitize, cfg.MaxSteps, cfg.Alone = p.target(), 1<<24, checks, 1<<28, true
	d, err := ptxvm.NewDevice(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	set(d)
	prog, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := prog.Kernel(p.kernel)
	if err != nil {
		t.Fatal(err)
	}
	buf, err := ptxvm.Upload(d, make([]uint32, 1024))
	if err != nil {
		t.Fatal(err)
	}
	args := []any{buf}
	if p.ptx[0] == "" {
		tiles, err := d.NewTensorMap(ptxvm.TensorMapTiled{Buffer: buf, Type: "u32", Dims: []uint32{32, 32}, Box: []uint32{8, 4}})
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, tiles)
		bindImages(t, d, buf)
	}
	_, err = k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: p.grid}, Block: ptxvm.Dim3{X: p.block}, Cluster: ptxvm.Dim3{X: p.cluster}}, args...)
	var found *ptxvm.SanitizerError
	var fault *ptxvm.Fault
	switch {
	case errors.As(err, &found):
		return append(found.Reports, prog.Leaks()...), nil
	case errors.As(err, &fault):
		return nil, fault
	case err != nil:
		t.Fatalf("%v\n%s", err, p.shown(text))
	}
	return prog.Leaks(), nil
}

// bindImages makes the images that the tables' modules declare.
func bindImages(t *testing.T, d *ptxvm.Device, buf ptxvm.Buffer) {
	t.Helper()
	words, err := ptxvm.ParseSampleFormat("u32x1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewArray(ptxvm.ArrayDesc{Name: "pic", Geometry: ptxvm.Array1D, Size: []int{256}, Format: words}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewTexture(ptxvm.TextureDesc{Name: "line", Buffer: buf, Format: words, Width: 1024}); err != nil {
		t.Fatal(err)
	}
}
