package console

// This file reads commands: from a terminal, line by line with history and completion, else from a script.

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Script reads commands that are not typed.
func Script(r io.Reader) Reader { return newScript(r) }

// Typist reads commands that are typed at a terminal, and completes what c knows.
func Typist(in, out *os.File, c *Console) Reader { return newTypist(in, out, c) }

// script is commands that are not typed.
type script struct{ lines *bufio.Scanner }

// maxCommand is the longest line of a script.
const maxCommand = 1 << 16

func newScript(r io.Reader) *script {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxCommand)
	return &script{lines}
}

// Line implements Reader.
func (s *script) Line() (string, error) {
	if s.lines.Scan() {
		return s.lines.Text(), nil
	}
	if err := s.lines.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

// Echo implements Reader.
func (s *script) Echo() bool { return true }

// typist is a terminal.
type typist struct {
	in       *os.File
	terminal *term.Terminal
}

// screen is both directions of a terminal.
type screen struct {
	io.Reader
	io.Writer
}

func newTypist(in, out *os.File, c *Console) *typist {
	t := &typist{in: in, terminal: term.NewTerminal(screen{in, out}, Prompt)}
	t.terminal.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' || pos != len(line) {
			return "", 0, false
		}
		return completed(c, line)
	}
	return t
}

// completed makes a line longer by what all that it may go on with have in common.
func completed(c *Console, line string) (string, int, bool) {
	list := c.Complete(line)
	if len(list) == 0 {
		return "", 0, false
	}
	common := list[0]
	for _, w := range list[1:] {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	at := strings.LastIndex(line, " ") + 1
	out := line[:at] + common
	if len(list) == 1 && !strings.HasSuffix(common, ":") {
		out += " "
	}
	return out, len(out), true
}

// Line implements Reader. The terminal is raw only while a line is typed, so that an interrupt stops the launch.
func (t *typist) Line() (string, error) {
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return "", err
	}
	line, err := t.terminal.ReadLine()
	return line, errors.Join(err, term.Restore(int(t.in.Fd()), before))
}

// Echo implements Reader.
func (t *typist) Echo() bool { return false }
