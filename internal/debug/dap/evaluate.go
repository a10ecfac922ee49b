package dap

// This file evaluates expressions, and does commands of the terminal.

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// commandOutput is what a command of the terminal has printed.
type commandOutput struct{ bytes.Buffer }

// take gives it away.
func (o *commandOutput) take() string {
	text := o.String()
	o.Reset()
	return strings.TrimRight(text, "\n")
}

func (s *server) evaluate(q *godap.EvaluateRequest) (godap.ResponseMessage, error) {
	f, err := s.frameOr(q.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	defer s.formatted(q.Arguments.Format)()
	text := q.Arguments.Expression
	if q.Arguments.Context == "repl" && isCommand(text) {
		result, err := s.command(f, text)
		if err != nil {
			return nil, err
		}
		return &godap.EvaluateResponse{Body: godap.EvaluateResponseBody{Result: result}}, nil
	}
	body, err := s.valueOf(f, text)
	return &godap.EvaluateResponse{Body: body}, err
}

// isCommand reports whether a text begins as commands do: with a letter. %r1 and [p]:f32 do not.
func isCommand(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && ('a' <= text[0]|0x20 && text[0]|0x20 <= 'z')
}

// command does a command of the terminal, in a frame. Where it has moved the launch, or the focus, the client is told of the stop.
// A word that is no command may be the name of a variable.
func (s *server) command(f frame, text string) (string, error) {
	if f.Focus != s.session.Focus() {
		if err := s.session.SetFocus(f.Focus); err != nil {
			return "", err
		}
	}
	if err := s.session.SetLevel(f.level); err != nil {
		return "", err
	}
	moment, focus, running := s.session.Moment(), s.session.Focus(), s.session.Running()
	var failed error
	s.meanwhile(motion{}, func() { failed = s.console.Do(strings.ReplaceAll(text, "\n", " ")) })
	said := s.commands.take()
	moved := moment != s.session.Moment() || running != s.session.Running()
	switch {
	case failed == nil:
	case moved: // it was interrupted on its way
		if _, err := s.session.Goto(s.session.Moment()); err != nil {
			return "", err
		}
	default:
		if body, err := s.valueOf(f, text); err == nil {
			return body.Result, nil
		}
		return "", errors.New(said)
	}
	switch {
	case s.console.Quit():
		s.then(s.terminated)
	case !s.session.Running():
		s.then(func() { s.commandEnded(running) })
	case moved || focus != s.session.Focus():
		s.then(func() { s.halted(&debug.Stop{Why: debug.Stepped}, nil) })
	}
	return said, nil
}

// commandEnded tells of a launch that a command has run to its end: the command has printed its results.
func (s *server) commandEnded(before bool) {
	ended := s.session.Ended()
	if !before || ended == nil {
		return
	}
	s.refresh()
	code := 0
	if s.program.ExitCode != nil {
		code = s.program.ExitCode(ended.Err)
	}
	s.exited(code)
}

func (s *server) completions(q *godap.CompletionsRequest) (godap.ResponseMessage, error) {
	a := &q.Arguments
	line := upTo(a.Text, a.Column-1+from1(s.client.ColumnsStartAt1))
	start := strings.LastIndexAny(line, " \t([,+-*/&|^<>=!") + 1
	typed := line[start:]
	words := []string{}
	if isCommand(line) {
		words = s.console.Complete(line)
		start = strings.LastIndex(line, " ") + 1
		typed = line[start:]
	}
	if len(words) == 0 {
		f, err := s.frameOr(a.FrameId)
		if err != nil {
			return nil, err
		}
		if err := s.in(f, func(scope *debug.Scope) error { words = begun(scope.Names(), typed); return nil }); err != nil {
			return nil, err
		}
	}
	items := []godap.CompletionItem{}
	for _, w := range words {
		items = append(items, godap.CompletionItem{Label: w, Text: w, Start: s.clientColumn(1 + units(line[:start])), Length: units(typed)})
	}
	return &godap.CompletionsResponse{Body: godap.CompletionsResponseBody{Targets: items}}, nil
}

// begun are the words that begin with what is typed.
func begun(words []string, typed string) (list []string) {
	for _, w := range words {
		if typed != "" && strings.HasPrefix(w, typed) {
			list = append(list, w)
		}
	}
	return list
}

// upTo is the text before a column in UTF-16 units, as the protocol counts, from 0.
func upTo(text string, column int) string {
	for i, r := range text {
		if column <= 0 {
			return text[:i]
		}
		column -= utf16.RuneLen(max(r, 0))
	}
	return text
}

// units is how many UTF-16 units a text has.
func units(text string) (n int) {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		n, text = n+utf16.RuneLen(r), text[size:]
	}
	return n
}
