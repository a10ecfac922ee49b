// Package pages reads the documentation's Markdown as what a reader does with it: files to write, commands to type, and
// what these print. Its test does all of it.
package pages

import (
	"slices"
	"strings"
)

// Page is a file of the documentation, from its beginning to its end.
type Page struct {
	Name  string
	Steps []Step
}

// Step is one thing that a reader does: write a file or type a command.
type Step struct {
	Line int // of the page, from 1

	File, Text string // a fenced block with a file name behind its language: ```c saxpy.c
	Excerpt    bool   // the word excerpt behind the name: a part of a file of the repository, which the reader only reads

	Command string   // a line that begins with "$ ", continued behind each backslash at its end
	Output  []string // the lines below it, both streams; a line ⋮ stands for any number that are left out
	Below   int      // the page's line, from 1, where Output begins

	Instead []string // files of the repository that a command makes, for where its tool is missing: <!-- makes: FILE… -->
}

// makes begins the comment before a block of commands that need a tool.
const makes = "<!-- makes: "

// Parse reads the fenced blocks of a page. A block of commands begins with "$ "; of other blocks those with a file name
// are files.
func Parse(name, text string) Page {
	p := Page{Name: name}
	lines := strings.Split(text, "\n")
	var instead []string
	for i := 0; i < len(lines); i++ {
		if rest, ok := strings.CutPrefix(lines[i], makes); ok {
			instead = strings.Fields(strings.TrimSuffix(rest, "-->"))
		}
		info, fenced := strings.CutPrefix(lines[i], "```")
		if !fenced {
			continue
		}
		start := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		block := lines[start:min(i, len(lines))]
		if _, file, named := strings.Cut(info, " "); named {
			file, excerpt := strings.CutSuffix(file, " excerpt")
			p.Steps = append(p.Steps, Step{Line: start, File: file, Excerpt: excerpt, Text: strings.Join(block, "\n") + "\n"})
		} else if len(block) > 0 && strings.HasPrefix(block[0], "$ ") {
			p.Steps = append(p.Steps, commands(block, start+1, instead)...)
		}
		instead = nil
	}
	return p
}

// commands splits a block at its "$ ".
func commands(block []string, line int, instead []string) (steps []Step) {
	for i := 0; i < len(block); i++ {
		command, begins := strings.CutPrefix(block[i], "$ ")
		if !begins {
			last := &steps[len(steps)-1]
			last.Output = append(last.Output, block[i])
			continue
		}
		s := Step{Line: line + i, Instead: instead}
		for strings.HasSuffix(command, "\\") && i+1 < len(block) {
			i++
			command = strings.TrimSuffix(command, "\\") + " " + strings.TrimSpace(block[i])
		}
		s.Command, s.Below = command, line+i+1
		steps = append(steps, s)
	}
	return steps
}

// Shown is the page's text with other output below a command.
func (s Step) Shown(text string, output []string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.Replace(lines, s.Below-1, s.Below-1+len(s.Output), output...), "\n")
}

// Matches reports whether lines are those shown, with some others where a line is ⋮.
func Matches(got, shown []string) bool {
	switch {
	case len(shown) > 0 && shown[0] == "⋮":
		return Matches(got, shown[1:]) || len(got) > 0 && Matches(got[1:], shown)
	case len(shown) == 0 || len(got) == 0:
		return len(shown) == len(got)
	}
	return got[0] == shown[0] && Matches(got[1:], shown[1:])
}
