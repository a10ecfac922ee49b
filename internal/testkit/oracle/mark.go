package main

// Marking what a device confirmed: "# hw sm_90" at the end of a row. A row with "# differs sm_90: why"
// is known to differ there.

import (
	"os"
	"slices"
	"strings"
)

const (
	hardware = "# hw"
	differs  = "# differs "
)

// markFile marks rows of a file, by line from 1, and leaves everything else as it is.
func markFile(name, target string, confirmed map[int]bool) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i := range lines {
		if confirmed[i+1] {
			lines[i] = markLine(lines[i], target)
		}
	}
	return os.WriteFile(name, []byte(strings.Join(lines, "")), 0o644)
}

// markLine adds a target to a row's mark, or the mark to the row.
func markLine(line, target string) string {
	body, end := strings.TrimRight(line, "\r\n"), line[len(strings.TrimRight(line, "\r\n")):]
	row, marks, marked := strings.Cut(body, hardware+" ")
	if !marked {
		return body + " " + hardware + " " + target + end
	}
	targets := strings.Fields(marks)
	if !slices.Contains(targets, target) {
		targets = append(targets, target)
	}
	slices.Sort(targets)
	return row + hardware + " " + strings.Join(targets, " ") + end
}
