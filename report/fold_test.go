package report_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/report"
)

// TestFoldLaunches: reports of the same instructions, and those of other instances of a template at the same lines, are one.
func TestFoldLaunches(t *testing.T) {
	made := func(id, kernel string, line int) *report.Report {
		at := report.Involved{PTX: report.Location{File: "k.ptx", Line: 1, Function: kernel}, Source: []report.Location{{File: "k.cu", Line: line}}}
		return &report.Report{Code: diag.DataRace, Kind: "RAW", ID: id, Kernel: kernel, Here: at, Other: &at, Times: 1}
	}
	const ints, floats = "_Z4sumsIiEvPT_", "_Z4sumsIfEvPT_"
	folded := report.FoldLaunches([]*report.SanitizerError{
		{Kernel: ints, Reports: []*report.Report{made("a", ints, 5), made("b", ints, 5), made("c", ints, 6)}},
		{Kernel: floats, Reports: []*report.Report{made("d", floats, 5), made("e", floats, 5), made("f", floats, 5), made("g", floats, 7)}},
		{Kernel: ints, Reports: []*report.Report{made("a", ints, 5)}},
		{Kernel: "other", Reports: []*report.Report{made("h", "other", 5)}},
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
