package syntax

// This file recognises the line markers that C preprocessors leave in their output.

import "strings"

// lineMarker is the length of the marker that the text begins with, without the line break; 0 if it is none. A marker is
// #, "line" if one likes, a decimal number, a blank, an ASCII file name in quotes, and digits as flags, each behind a blank, up to
// the end of the line.
func lineMarker(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	rest := blanks(line[len("#"):])
	rest = blanks(strings.TrimPrefix(rest, "line"))
	behind := strings.TrimLeft(rest, "0123456789")
	name := blanks(behind)
	if len(behind) == len(rest) || len(name) == len(behind) || !strings.HasPrefix(name, `"`) {
		return 0
	}
	quoted, flags, closed := strings.Cut(name[1:], `"`)
	if !closed || !ascii(quoted) || !areFlags(flags) {
		return 0
	}
	return len(line)
}

// areFlags reports whether a text is digits, each behind a blank.
func areFlags(text string) bool {
	for {
		rest := blanks(text)
		if rest == "" {
			return true
		}
		if len(rest) == len(text) || rest[0] < '0' || rest[0] > '9' {
			return false
		}
		text = rest[1:]
	}
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > '~' }) < 0
}

// blanks drops white space inside a line.
func blanks(text string) string { return strings.TrimLeft(text, " \t\r\f") }
