package cli

// This file lists the flags of a verb by group, wrapped to the width of the terminal.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ptxvm.invalid/ptxvm/internal/text"
)

// widestFlag is where usages begin at the latest; behind a longer flag they stand on a line of their own.
const widestFlag = 26

// narrowest is the least number of columns that a usage is wrapped to.
const narrowest = 30

// StandardColumns is how wide a terminal is taken to be whose width is not known.
const StandardColumns = 80

func (c *Command) listFlags(b *strings.Builder) {
	shown := slices.DeleteFunc(c.flags.All(), func(f *Flag) bool { return f.Hidden })
	width := 0
	for _, f := range shown {
		if n := utf8.RuneCountInString(f.written()); n <= widestFlag {
			width = max(width, n)
		}
	}
	for _, heading := range append([]string{""}, c.flags.groups...) {
		for i, f := range slices.DeleteFunc(slices.Clone(shown), func(f *Flag) bool { return f.Group != heading }) {
			if i == 0 {
				fmt.Fprintf(b, "\n%s:\n", headingOf(heading))
			}
			f.list(b, width, c.columns())
		}
	}
}

func headingOf(group string) string {
	if group == "" {
		return "Flags"
	}
	return group
}

// list writes one flag: its usage stands in a column of its own, behind width runes.
func (f *Flag) list(b *strings.Builder, width, columns int) {
	_, usage := f.Words()
	if f.HasDefault() {
		usage += fmt.Sprintf(" (default %s)", f.Default)
	}
	indent := strings.Repeat(" ", width+5)
	lines := text.Wrap(usage, max(columns-width-5, narrowest))
	if name := f.written(); utf8.RuneCountInString(name) <= width {
		fmt.Fprintf(b, "  %-*s   %s\n", width, name, lines[0])
		lines = lines[1:]
	} else {
		fmt.Fprintf(b, "  %s\n", name)
	}
	for _, line := range lines {
		b.WriteString(indent + line + "\n")
	}
}

// columns is how wide help is.
func (c *Command) columns() int {
	return cmp.Or(c.root().Columns, StandardColumns)
}
