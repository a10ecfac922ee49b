package platforms

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestParts: what runs on every submission, in halves beside each other, is together what .ci/run does.
func TestParts(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?s)\nparts='(.*?)'`).FindSubmatch(script)
	if m == nil {
		t.Fatal(".ci/run has no list of parts")
	}
	var parts []string
	for line := range strings.Lines(string(m[1])) {
		parts = append(parts, strings.Fields(line)[0])
	}
	workflow, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "ci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var halves []string
	for _, m := range regexp.MustCompile(`(?m)^ +- (installs .*)$`).FindAllSubmatch(workflow, -1) {
		halves = append(halves, strings.Fields(string(m[1]))...)
	}
	slices.Sort(parts)
	slices.Sort(halves)
	if halves = slices.Compact(halves); !slices.Equal(parts, halves) {
		t.Errorf("ci.yml runs %q, .ci/run %q", halves, parts)
	}
}
