package ptxvm_test

import (
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
)

// TestFoldReports: reports of the same instructions, and those of other instances of a template at the same lines, are one.
func TestFoldReports(t *testing.T) {
	report := func(id, kernel string, line int) *ptxvm.Report {
		at := ptxvm.Involved{PTX: ptxvm.Location{File: "k.ptx", Line: 1, Function: kernel}, Source: []ptxvm.Location{{File: "k.cu", Line: line}}}
		return &ptxvm.Report{Code: diag.DataRace, Kind: "RAW", ID: id, Kernel: kernel, Here: at, Other: &at, Times: 1}
	}
	const ints, floats = "_Z4sumsIiEvPT_", "_Z4sumsIfEvPT_"
	folded := ptxvm.FoldReports([]*ptxvm.SanitizerError{
		{Kernel: ints, Reports: []*ptxvm.Report{report("a", ints, 5), report("b", ints, 5), report("c", ints, 6)}},
		{Kernel: floats, Reports: []*ptxvm.Report{report("d", floats, 5), report("e", floats, 5), report("f", floats, 5), report("g", floats, 7)}},
		{Kernel: ints, Reports: []*ptxvm.Report{report("a", ints, 5)}},
		{Kernel: "other", Reports: []*ptxvm.Report{report("h", "other", 5)}},
	})
	want := map[string]int{"a": 3, "b": 2, "c": 1, "f": 1, "g": 1, "h": 1}
	n := 0
	for _, l := range folded {
		for _, r := range l.Reports {
			if n++; r.Times != want[r.ID] {
				t.Errorf("%s: %d times, want %d", r.ID, r.Times, want[r.ID])
			}
			if r.ID == "a" && (len(r.Instances) != 1 || r.Instances[0] != floats) {
				t.Errorf("instances %q", r.Instances)
			}
		}
	}
	if n != len(want) || len(folded) != 3 {
		t.Errorf("%d reports of %d launches", n, len(folded))
	}
}
