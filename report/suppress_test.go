package report_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/report"
)

// TestSuppressionMeans: what a line means and what it does not.
func TestSuppressionMeans(t *testing.T) {
	at := func(file string, line int) report.Involved {
		return report.Involved{PTX: report.Location{File: "k.ptx", Line: line * 10}, Source: []report.Location{{File: file, Line: line}, {File: "main.cu", Line: 3}}}
	}
	other := at("/usr/include/cub/scan.cuh", 90)
	race := &report.Report{Code: diag.DataRace, Kind: "RAW", ID: "0123456789abcdef", Kernel: "_Z4sortIiEvPT_", Here: at(`C:\src\sort.cu`, 12), Other: &other, Object: "tile"}
	leak := &report.Report{Code: diag.Leak, Kind: "malloc", Kernel: "k"}
	for _, test := range []struct {
		line string
		r    *report.Report
		want bool
	}{
		{"P8002", race, true},
		{"*", race, true},
		{"P8001", race, false},
		{"P8002 kernel=sort", race, true},
		{"P8002 kernel=sort*", race, true},
		{"P8002 kernel=_Z4sort*", race, true},
		{"P8002 kernel=so?", race, false},
		{"P8002 kernel=*o*t*", race, true},
		{"P8002 at=sort.cu", race, true},
		{"P8002 at=sort.cu:12", race, true},
		{"P8002 at=src/sort.cu:10-12", race, true},
		{"P8002 at=sort.cu:13-20", race, false},
		{"P8002 at=ort.cu:12", race, false},
		{"P8002 at=k.ptx:120", race, true},
		{"P8002 at=main.cu:3", race, true},
		{"P8002 at=sort.cu:* other=cub/*", race, true},
		{"P8002 at=scan.cuh:80-95 other=sort.cu:12", race, true}, // a race has no first place
		{"P8002 at=sort.cu other=sort.cu", race, false},
		{"P8002 kind=WAW", race, false},
		{"P8002 kind=WAR", race, true},
		{"P8002 kind=RAW id=0123456789abcdef object=t*", race, true},
		{"P8002 id=0123", race, false},
		{"P8007 kernel=k", leak, true},
		{"P8007 other=k.ptx", leak, false},
		{"P8007 at=k.ptx", leak, false},
	} {
		s, err := report.ParseSuppressions("s", []byte(test.line+" # a reason\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Unused()[0].Means(test.r); got != test.want {
			t.Errorf("%s: %v, want %v", test.line, got, test.want)
		}
	}
}

// TestSuppressionWritten: the line that a report writes means it, whatever its names hold.
func TestSuppressionWritten(t *testing.T) {
	r := &report.Report{Code: diag.DataRace, Kind: "RAW", Kernel: "k \x1b x", Msg: "a\nb # c", Here: report.Involved{PTX: report.Location{File: "/a b/c d.ptx", Line: 3}}}
	s, err := report.ParseSuppressions("s", []byte(r.Suppression()))
	if err != nil {
		t.Fatal(err)
	}
	if one := s.Unused()[0]; !one.Means(r) || strings.ContainsAny(one.Reason, "\n\x1b") {
		t.Errorf("%+v", one)
	}
}

// FuzzSuppressions: no text makes the parser or what it returns fail.
func FuzzSuppressions(f *testing.F) {
	f.Add("P8002 kernel=a* at=b.cu:1-2 other=c:* # why")
	f.Add("* kernel=** # x\n#\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := report.ParseSuppressions("s", []byte(text))
		if err != nil {
			return
		}
		for _, one := range s.Unused() {
			one.Means(&report.Report{Code: diag.DataRace, Kernel: text})
		}
	})
}
