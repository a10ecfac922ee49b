package lsp

// This file answers with edits and commands.

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

func formatAll(r *request, _ *documentParams) (any, error) {
	return r.formatted(doc.Span{End: doc.Pos(len(r.Text))})
}

func formatRange(r *request, p *rangeParams) (any, error) {
	s := r.span(p.Range)
	return r.formatted(doc.Span{Start: r.LineSpan(r.LineOf(s.Start)).Start, End: s.End})
}

// formatTyped lays out the line that a key has ended.
func formatTyped(r *request, p *onTypeParams) (any, error) {
	line := p.Position.Line
	if p.Ch == "\n" {
		line--
	}
	if line < 0 {
		return []textEdit{}, nil
	}
	span := r.LineSpan(line)
	if line > 0 {
		span.Start = r.LineSpan(line - 1).End
	}
	return r.formatted(span)
}

func (r *request) formatted(within doc.Span) (any, error) {
	if r.Foreign() {
		return []textEdit{}, nil
	}
	list, err := r.Format(r.ctx, within)
	return r.edits(list), err
}

// The kinds of code actions.
const (
	quickFix = "quickfix"
	fixAll   = "source.fixAll"
)

func codeActions(r *request, p *codeActionParams) (any, error) {
	out := []codeAction{}
	wanted := func(kind string) bool {
		return len(p.Context.Only) == 0 && kind == quickFix || slices.ContainsFunc(p.Context.Only,
			func(only string) bool { return only == kind || strings.HasPrefix(kind, only+".") })
	}
	if r.Foreign() {
		return out, nil
	}
	if wanted(quickFix) {
		list, err := r.Fixes(r.ctx, r.span(p.Range))
		if err != nil {
			return nil, err
		}
		for i := range list {
			out = append(out, codeAction{Title: list[i].Label, Kind: quickFix,
				Diagnostics: []diagnostic{r.s.diagnostic(&r.document, &list[i].Of)}, IsPreferred: list[i].Sure,
				Edit: r.edit(list[i].Edits)})
		}
	}
	if wanted(fixAll) {
		edit, err := r.FixAll(r.ctx)
		if err != nil {
			return nil, err
		}
		if edit != nil {
			out = append(out, codeAction{Title: "make all fixes", Kind: fixAll, Edit: r.edit([]diag.Edit{*edit})})
		}
	}
	return out, nil
}

func codeLenses(r *request, _ *documentParams) (any, error) {
	out := []codeLens{}
	if !on(r.s.options.Lenses) || r.Foreign() {
		return out, nil
	}
	list, err := r.Kernels(r.ctx)
	for _, k := range list {
		for _, verb := range []string{"run", "debug"} {
			out = append(out, codeLens{r.rangeOf(k.Head), command{verb, "ptxvm." + verb, []any{r.uri, k.Name}}})
		}
	}
	return out, err
}

// commands are those that a client may ask for.
var commands = map[string]func(*server, context.Context, []string) (any, error){
	"ptxvm.run": func(s *server, ctx context.Context, args []string) (any, error) {
		return s.commandLine(ctx, "run", args)
	},
	"ptxvm.debug": func(s *server, ctx context.Context, args []string) (any, error) {
		return s.commandLine(ctx, "debug", args)
	},
	"ptxvm.compiled": (*server).compiled,
}

func commandNames() (names []string) {
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *server) execute(ctx context.Context, p *commandParams) (any, error) {
	command := commands[p.Command]
	if command == nil {
		return nil, fmt.Errorf("there is no command %q", p.Command)
	}
	var args []string
	for _, a := range p.Arguments {
		var text string
		if json.Unmarshal(a, &text) != nil {
			text = string(a)
		}
		args = append(args, text)
	}
	return command(s, ctx, args)
}

// commandLine shows, and answers, how a kernel is run from a shell; arguments of the launch are the user's to give.
func (s *server) commandLine(ctx context.Context, verb string, args []string) (any, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("ptxvm.%s: want the URI of a document and the name of a kernel", verb)
	}
	file := args[0]
	if u, err := url.Parse(file); err == nil && u.Path != "" {
		file = u.Path
	}
	line := fmt.Sprintf("ptxvm %s %s --kernel %s", verb, quoted(file), quoted(args[1]))
	return line, s.conn.Notify(ctx, "window/showMessage", messageParams{Type: 3, Message: line})
}

// quoted is a word for a shell.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// compiled lists the places of a document that come from a line of a source file.
func (s *server) compiled(ctx context.Context, args []string) (any, error) {
	var line int
	if len(args) == 3 {
		_, _ = fmt.Sscan(args[2], &line)
	}
	if line < 1 {
		return nil, fmt.Errorf("ptxvm.compiled: want the URI of a document, a source file and a line from 1")
	}
	d := s.docs[args[0]]
	if d == nil {
		return nil, fmt.Errorf("%q is not open", args[0])
	}
	file := args[1]
	if u, err := url.Parse(file); err == nil && u.Path != "" {
		file = u.Path
	}
	spans, err := d.Compiled(ctx, file, line)
	out := []location{}
	for _, span := range spans {
		out = append(out, location{d.uri, rangeIn(d.Snapshot, span, s.encoding)})
	}
	return out, err
}
