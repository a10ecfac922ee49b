// Package text lays text out for people.
package text

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text at blanks into lines of at most width runes, but for words that are longer. It has one line at least.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
