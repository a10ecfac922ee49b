package judge

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
)

const features = "testdata/features.txt"

// TestFeatures: what the table of targets (11.1.2) and the release notes (13) say that targets and versions
// brought is accepted there, and rejected one version before and on the targets that do not have it; with
// -judge, ptxas is asked whether it says the same.
func TestFeatures(t *testing.T) {
	text, err := os.ReadFile(features)
	if err != nil {
		t.Fatal(err)
	}
	var cases []*Case
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		list, err := featureCases(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		cases = append(cases, list...)
	}
	if *judge {
		askAgain(t, cases)
	}
	for _, c := range cases {
		if here := c.Here(); (here == "") != (c.Ptxas == "") {
			t.Errorf("%v\n\twant %s, have %s", c, verdict(c.Ptxas), verdict(here))
		}
	}
	t.Logf("%d cases", len(cases))
}

// featureCases are the cases of a line, with the verdicts that it demands.
func featureCases(line string) (cases []*Case, err error) {
	cells := strings.SplitN(line, " | ", 3)
	if len(cells) != 3 {
		return nil, fmt.Errorf("want three cells between bars, have %d", len(cells))
	}
	at := strings.Fields(cells[0])
	since, err := isa.ParseVersion(at[0])
	if err != nil {
		return nil, err
	}
	add := func(v isa.Version, target isa.Target, verdict string) {
		c := &Case{Ptxas: verdict}
		c.Version, c.Target = v, target
		c.SetBody(cells[2])
		cases = append(cases, c)
	}
	for _, target := range targets(strings.Join(at[1:], " ")) {
		known := isa.TargetSince(target)
		add(max(since, known), target, "")
		add(isa.Latest, target, "")
		if before := isa.PreviousVersion(since); before >= known {
			add(before, target, "rejects: the version is too old")
		}
	}
	for _, target := range targets(strings.Trim(cells[1], "-")) {
		add(isa.Latest, target, "rejects: the target has no such feature")
	}
	return cases, nil
}

// askAgain asks ptxas about cases whose verdicts are recorded.
func askAgain(t *testing.T, cases []*Case) {
	fresh := make([]*Case, len(cases))
	for i, c := range cases {
		reference := *c
		reference.Ptxas = ""
		fresh[i] = &reference
	}
	if err := Ask(assembler(t), fresh); err != nil {
		t.Fatal(err)
	}
	for i, c := range fresh {
		if (c.Ptxas == "") != (cases[i].Ptxas == "") {
			t.Errorf("%v\n\twant %s, ptxas %s", c, verdict(cases[i].Ptxas), verdict(c.Ptxas))
		}
	}
}
