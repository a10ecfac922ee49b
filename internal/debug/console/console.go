// Package console makes a terminal of a debug.Session: commands as cuda-gdb spells them, read from a terminal, a pipe or a script.
//
// commands.go is the table of commands; what they do stands in the files behind it.
package console

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/report"
)

// Prompt stands before each command.
const Prompt = "(ptxvm) "

// Console is a session with what its front remembers.
type Console struct {
	Session *debug.Session
	Out     io.Writer
	Source  func(report.Location) (string, bool) // a line of the source behind the PTX; nil: none is found
	Batch   bool                                 // a command that fails ends what is read

	last     string // the command that an empty line repeats
	depth    int    // of scripts that read scripts
	listed   report.Location
	displays []display
	shown    int // number of the last display
	next     examined
	quit     bool
	failed   bool // a command has failed
}

// display is an expression that each stop prints.
type display struct {
	number int
	format byte
	expr   *debug.Expr
}

// Reader gives commands, a line each; io.EOF behind the last one. Echo tells that it does not show them itself, as a script does not.
type Reader interface {
	Line() (string, error)
	Echo() bool
}

// Run does the commands that a reader gives, to the last one or to quit. It tells whether all went well.
func (c *Console) Run(in Reader) (ok bool, err error) {
	for !c.quit {
		line, err := in.Line()
		switch {
		case errors.Is(err, io.EOF):
			return !c.failed, nil
		case err != nil:
			return false, err
		}
		if in.Echo() {
			fmt.Fprintf(c.Out, "%s%s\n", Prompt, diag.Escape(strings.TrimSpace(line)))
		}
		if failed := c.Do(line); failed != nil && c.Batch {
			return false, nil
		}
	}
	return !c.failed, nil
}

// Quit reports whether quit was given.
func (c *Console) Quit() bool { return c.quit }

// Do does one command, and says what is wrong with it. An empty one repeats the last.
func (c *Console) Do(line string) error {
	line = strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(line, "#"):
		return nil
	case line == "":
		if line = c.last; line == "" {
			return nil
		}
	}
	cmd, args, err := find(line)
	if err == nil {
		c.last = ""
		if cmd.again != never {
			c.last = line
		}
		if cmd.again == bare {
			c.last = cmd.name
		}
		err = cmd.run(c, args)
	}
	if err != nil {
		c.failed = true
		fmt.Fprintln(c.Out, escaped(err.Error()))
	}
	return err
}

// escaped makes a text of several lines safe for a terminal: names in it come from PTX.
func escaped(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = diag.Escape(lines[i])
	}
	return strings.Join(lines, "\n")
}

// printf writes what a command answers.
func (c *Console) printf(format string, args ...any) { fmt.Fprintf(c.Out, format, args...) }

// find finds the command of a line: by its name, another name, or the beginning of one that no other has.
func find(line string) (*command, string, error) {
	end := strings.IndexFunc(line, func(r rune) bool { return !(r == '-' || r == '_' || 'a' <= r|0x20 && r|0x20 <= 'z') })
	if end < 0 {
		end = len(line)
	}
	word, args := line[:end], strings.TrimSpace(line[end:])
	if word == "" {
		return nil, "", fmt.Errorf("Undefined command: \"%s\".  Try \"help\".", line)
	}
	var begun []*command
	for _, cmd := range commands() {
		if cmd.name == word || slices.Contains(cmd.also, word) {
			return cmd, args, nil
		}
		if strings.HasPrefix(cmd.name, word) {
			begun = append(begun, cmd)
		}
	}
	switch len(begun) {
	case 0:
		return nil, "", fmt.Errorf("Undefined command: \"%s\".  Try \"help\".%s", word, debug.Similar(word, names()))
	case 1:
		return begun[0], args, nil
	}
	var list []string
	for _, cmd := range begun {
		list = append(list, cmd.name)
	}
	return nil, "", fmt.Errorf("Ambiguous command \"%s\": %s.", word, strings.Join(list, ", "))
}

// names lists the names of all commands.
func names() (list []string) {
	for _, cmd := range commands() {
		list = append(list, cmd.name)
	}
	return list
}

// Complete lists what a line may go on with: its last word made whole.
func (c *Console) Complete(line string) (list []string) {
	words := strings.Fields(line)
	if strings.HasSuffix(line, " ") || len(words) == 0 {
		words = append(words, "")
	}
	typed := words[len(words)-1]
	var offered []string
	if len(words) == 1 {
		offered = names()
	} else if cmd, _, err := find(words[0]); err == nil && cmd.words != nil {
		offered = cmd.words(c, words[1:len(words)-1])
	}
	for _, w := range offered {
		if strings.HasPrefix(w, typed) {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Begin says where the launch stands before the first command, or does a command that brings it elsewhere.
func (c *Console) Begin(first string) {
	if first == "cuda" {
		if err := c.stop(&debug.Stop{Why: debug.Began, Frame: true}, nil, false); err != nil {
			c.printf("%s\n", escaped(err.Error()))
		}
		return
	}
	_ = c.Do(first) // which has said what is wrong
}
