package report_test

import (
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/report"
)

// TestFoldLaunches: reports of the same lines, of instances of one template too, are one.
func TestFoldLaunches(t *testing.T) {
	made := func(id, kernel string, line int) *report.Report {
		at := report.Involved{PTX: report.Location{File: "k.ptx", Line: int(id[0]), Function: kernel}, Source: []report.Location{{File: "k.cu", Line: line}}}
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

// TestFold: both directions of a race are one report with the fix that orders all of them, two objects are two, headers of the toolkit
// head none, and causes come first.
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
	waits := &report.Report{Code: diag.Livelock, Check: "sync", Kind: "livelock", ID: "l", Here: direct, Times: 1}
	other := race("RAW", "cta", "", direct, inlined)
	other.Object = "another"
	list := report.Fold([]*report.Report{
		waits, unwritten, race("RAW", "warp", "a barrier of the warp", direct, inlined), race("WAR", "cta", "a barrier", inlined, direct),
		race("RAW", "warp", "", inlined, inlined), race("WAW", "warp", "", direct, direct), other,
	})
	if len(list) != 5 || list[0].Kind != "RAW" || list[1].Kind != "WAW" || list[2] != other || list[3] != unwritten || list[4] != waits {
		t.Fatalf("%d reports, the first of %s", len(list), list[0].Kind)
	}
	if r := list[0]; r.Times != 6 || r.Pairs != 2 || r.Fix != "a barrier" || r.Between != "cta" {
		t.Errorf("%+v", r)
	}
}

// TestCauses: each code of a sanitizer has its place among causes and what comes of them.
func TestCauses(t *testing.T) {
	var all []*report.Report
	for _, e := range diag.Catalog() {
		if e.Code >= diag.UninitializedRead && e.Code < diag.UninitializedRead+1000 {
			all = append(all, &report.Report{Code: e.Code, Kind: e.Name})
		}
	}
	last := &report.Report{Code: diag.Leak, Kind: "last"}
	first := &report.Report{Code: diag.SyncMisuse, Kind: "first"}
	list := report.Fold(slices.Concat([]*report.Report{last}, all, []*report.Report{first}))
	if len(all) < 10 || list[0].Code != diag.SyncMisuse || list[1] != first || list[len(list)-1].Code != diag.Leak {
		t.Errorf("%d reports, %v first, %v last", len(all), list[0].Code, list[len(list)-1].Code)
	}
}

// TestHead: what the toolkit brings heads no report, other headers do, wherever they are installed.
func TestHead(t *testing.T) {
	const mine = "mine/k.cu"
	for file, toolkit := range map[string]bool{
		"/opt/cuda-13/bin/../include/sm_30_intrinsics.hpp":                    true,
		"/usr/include/cuda_fp16.hpp":                                          true,
		"/usr/include/crt/math_functions.hpp":                                 true,
		"/usr/include/cub/warp/warp_reduce.cuh":                               true,
		"/usr/include/c++/13/bits/stl_algobase.h":                             true,
		"x/nvidia/cu13/include/cub/warp/warp_reduce.cuh":                      true,
		"x/nvidia/cuda_runtime/include/anything.h":                            true,
		"/usr/local/cuda/targets/x86_64-linux/include/cuda/std/atomic":        true,
		"/home/me/miniforge3/targets/x86_64-linux/include/cccl/thrust/sort.h": true,
		"/home/me/toolkits/12.4/include/cooperative_groups/reduce.h":          true,
		"/home/me/cccl/libcudacxx/include/cuda/std/__atomic/order.h":          true,
		"/usr/include/eigen3/Eigen/src/Core/CoreEvaluators.h":                 false,
		"/usr/local/include/solver.cuh":                                       false,
		"/usr/include/cutensor_helpers.h":                                     false,
		"/home/me/cuda/include/solver.cuh":                                    false,
		"/home/me/cuda-samples/include/reduction.cuh":                         false,
		"mine/include/cuda_helpers.h":                                         false,
		"include/vector_types.cuh":                                            false,
	} {
		head, ok := report.Head([]report.Location{{File: file, Line: 1}, {File: mine, Line: 2}})
		if !ok || (head.File == mine) != toolkit {
			t.Errorf("%s: %s heads the report", file, head.File)
		}
	}
	if head, _ := report.Head([]report.Location{{File: "/usr/include/cuda_fp16.hpp"}}); head.File != "/usr/include/cuda_fp16.hpp" {
		t.Error("a chain of headers alone has no head")
	}
}
