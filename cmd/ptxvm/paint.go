package main

// This file colours reports of a launch as compilers colour theirs: places bold, what is wrong red, labels blue.

import (
	"io"
	"regexp"
	"strings"
)

// Colours of a terminal.
const (
	paintBold  = "\x1b[1m"
	paintRed   = "\x1b[1;31m"
	paintBlue  = "\x1b[34m"
	paintPlain = "\x1b[0m"
)

// What is coloured: the place and the code of a first line, the label of another.
var (
	paintedHead  = regexp.MustCompile(`^([^ ].*?): ((?:fault |note )?P\d{4})(: .*)$`)
	paintedLabel = regexp.MustCompile(`^(  [a-z][a-z ]*?:?)( .*)$`)
)

// painted is a report with colours, if w gets some.
func (f *runFlags) painted(w io.Writer, text string) string {
	if !useColor(w, f.color) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := paintedHead.FindStringSubmatch(line); m != nil {
			lines[i] = paintBold + m[1] + ": " + paintRed + m[2] + paintPlain + paintBold + m[3] + paintPlain
		} else if at := strings.Index(line, ": "); strings.HasPrefix(line, "  ") && at >= 0 && paintedLabel.MatchString(line) {
			lines[i] = paintBlue + line[:at+1] + paintPlain + line[at+1:]
		}
	}
	return strings.Join(lines, "\n")
}
