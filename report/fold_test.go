package report_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/report"
)

// TestFoldLaunches: reports of the same lines, of instances of one template too, are one.
func TestFoldLaunches(t *testing.T) {
	made := func(id, kernel string, line int) *report.Report {
		at := report.Involved{PTX: report.Location{File: "k.ptx", Line: 1, Function: kernel}, Source: []report.Location{{File: "k.cu", Line: line}}}
		return &report.Report{Code: diag.DataRace, Kind: "RAW", ID: id, Kernel: kernel, Here: at, Other: &at, Times: 1}
	}
	const ints, floats = "_Z4sumsIiEvPT_", "_Z4sumsIfEvPT_"
	folded := report.FoldLaunches([]*report.SanitizerError{
		{Kernel: ints, Reports: []*report.Report{made("a", ints, 5), made("b", ints, 5), made("c", ints, 6)}},
		{Kernel: floats, Reports: []*report.Report{made("d", floats, 5), made("e", floats, 5), made("g", floats, 7)}},
		{Kernel: ints, Reports: []*report.Report{made("a", ints, 5)}},
		{Kernel: "other", Reports: []*report.Report{made("h", "other", 5)}},
	})
	want := map[string][2]int{"a": {5, 4}, "c": {1, 1}, "g": {1, 1}, "h": {1, 1}}
	n := 0
	for _, l := range folded {
		for _, r := range l.Reports {
			if n++; want[r.ID] != [2]int{r.Times, r.Pairs} {
				t.Errorf("%s: %d times of %d pairs, want %d", r.ID, r.Times, r.Pairs, want[r.ID])
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

// TestFold: both directions of a race are one report with the fix that orders all of them, headers of the toolkit head none, and causes
// come first.
func TestFold(t *testing.T) {
	at := func(chain ...string) report.Involved {
		v := report.Involved{PTX: report.Location{File: "k.ptx", Line: len(chain)}}
		for i, file := range chain {
			v.Source = append(v.Source, report.Location{File: file, Line: 10 * (len(chain) - i)})
		}
		return v
	}
	const header = "/opt/cuda-13/bin/../include/sm_30_intrinsics.hpp"
	direct, inlined := at("k.cu"), at(header, "k.cu")
	race := func(kind, between, fix string, here, other report.Involved) *report.Report {
		return &report.Report{Code: diag.DataRace, Check: "race", Kind: kind, ID: kind + fix, Here: here, Other: &other, Times: 2, Between: between, Fix: fix}
	}
	unwritten := &report.Report{Code: diag.UninitializedRead, Check: "init", Kind: "memory", ID: "i", Here: direct, Times: 1}
	list := report.Fold([]*report.Report{unwritten, race("RAW", "warp", "a barrier of the warp", direct, inlined), race("WAR", "cta", "a barrier", inlined, direct), race("WAW", "warp", "", direct, direct)})
	if len(list) != 3 || list[0].Kind != "RAW" || list[1].Kind != "WAW" || list[2] != unwritten {
		t.Fatalf("%d reports, the first of %s", len(list), list[0].Kind)
	}
	if r := list[0]; r.Times != 4 || r.Pairs != 2 || r.Fix != "a barrier" || r.Between != "cta" {
		t.Errorf("%+v", r)
	}
	for _, file := range []string{header, "/usr/include/cuda_fp16.hpp", "x/nvidia/cu13/include/cub/warp/warp_reduce.cuh", "/usr/local/cuda/targets/x86_64-linux/include/cuda/std/atomic"} {
		if head, ok := report.Head(at(file, "mine/include/k.cuh").Source); !ok || head.File != "mine/include/k.cuh" {
			t.Errorf("%s heads a report", head.File)
		}
	}
	if head, _ := report.Head(at(header).Source); head.File != header {
		t.Error("a chain of headers alone has no head")
	}
}
