package lsp

// This file is the table of methods: which code answers each. What they are for says methods.txt.

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

// method is what the server does with a message.
type method struct {
	whole   bool // it reads the whole module, beside the worker
	prepare prepared
}

// request is one about a document, as it was when its turn came.
type request struct {
	ctx context.Context
	s   *server
	document
}

// methods has all of them by name.
var methods map[string]method

func init() {
	methods = map[string]method{
		"initialize":                        {prepare: plain((*server).initialize)},
		"initialized":                       {prepare: plain(nothing[struct{}])},
		"shutdown":                          {prepare: plain((*server).shutDown)},
		"textDocument/didOpen":              {prepare: plain((*server).didOpen)},
		"textDocument/didChange":            {prepare: plain((*server).didChange)},
		"textDocument/didClose":             {prepare: plain((*server).didClose)},
		"textDocument/didSave":              {prepare: plain(nothing[documentParams])},
		"textDocument/diagnostic":           {prepare: about(pullDiagnostics)},
		"textDocument/hover":                {prepare: about(hoverAt)},
		"textDocument/completion":           {prepare: about(complete)},
		"completionItem/resolve":            {prepare: plain(resolveItem)},
		"textDocument/signatureHelp":        {prepare: about(signatures)},
		"textDocument/definition":           {prepare: about(definition)},
		"textDocument/declaration":          {prepare: about(declaration)},
		"textDocument/references":           {whole: true, prepare: about(references)},
		"textDocument/documentHighlight":    {prepare: about(highlights)},
		"textDocument/prepareRename":        {prepare: about(prepareRename)},
		"textDocument/rename":               {whole: true, prepare: about(rename)},
		"textDocument/documentSymbol":       {whole: true, prepare: about(documentSymbols)},
		"workspace/symbol":                  {prepare: plain((*server).workspaceSymbols)},
		"textDocument/foldingRange":         {whole: true, prepare: about(folds)},
		"textDocument/inlayHint":            {whole: true, prepare: about(inlayHints)},
		"textDocument/semanticTokens/full":  {whole: true, prepare: about(tokensFull)},
		"textDocument/semanticTokens/range": {prepare: about(tokensRange)},
		"textDocument/formatting":           {whole: true, prepare: about(formatAll)},
		"textDocument/rangeFormatting":      {prepare: about(formatRange)},
		"textDocument/onTypeFormatting":     {prepare: about(formatTyped)},
		"textDocument/codeAction":           {whole: true, prepare: about(codeActions)},
		"textDocument/codeLens":             {whole: true, prepare: about(codeLenses)},
		"textDocument/prepareCallHierarchy": {whole: true, prepare: about(prepareCalls)},
		"callHierarchy/incomingCalls":       {whole: true, prepare: about(incomingCalls)},
		"callHierarchy/outgoingCalls":       {whole: true, prepare: about(outgoingCalls)},
		"textDocument/selectionRange":       {prepare: about(selections)},
		"textDocument/documentLink":         {whole: true, prepare: about(links)},
		"workspace/didChangeConfiguration":  {prepare: plain((*server).didChangeConfiguration)},
		"workspace/executeCommand":          {prepare: plain((*server).execute)},
	}
}

//go:embed methods.txt
var methodText string

// sentences say what the methods are for, by name.
func sentences() map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(methodText) {
		if name, what, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' {
			list[name] = what
		}
	}
	return list
}

// nothing is left to do.
func nothing[T any](*server, context.Context, *T) (any, error) { return nil, nil }

// prepared are the parameters of a message, ready to be answered.
type prepared = func(s *server, ctx context.Context, params json.RawMessage) (func() (any, error), error)

// plain is a method that is about no document, or changes one.
func plain[T any](call func(s *server, ctx context.Context, p *T) (any, error)) prepared {
	return func(s *server, ctx context.Context, params json.RawMessage) (func() (any, error), error) {
		p := new(T)
		if err := json.Unmarshal(params, p); err != nil {
			return nil, err
		}
		return func() (any, error) { return call(s, ctx, p) }, nil
	}
}

// about is a method that asks about an open document.
func about[T any, P interface {
	*T
	uri() string
}](call func(r *request, p P) (any, error)) prepared {
	return func(s *server, ctx context.Context, params json.RawMessage) (func() (any, error), error) {
		p := P(new(T))
		if err := json.Unmarshal(params, p); err != nil {
			return nil, err
		}
		d := s.docs[p.uri()]
		if d == nil {
			return nil, fmt.Errorf("%q is not open", p.uri())
		}
		r := &request{ctx, s, *d}
		return func() (any, error) { return call(r, p) }, nil
	}
}

// offset is where a position is.
func (r *request) offset(p position) doc.Pos { return r.Offset(p.Line, p.Character, r.s.encoding) }

// rangeOf is where a span is.
func (r *request) rangeOf(s doc.Span) textRange { return rangeIn(r.Snapshot, s, r.s.encoding) }

func rangeIn(d *doc.Snapshot, s doc.Span, enc doc.Encoding) textRange {
	var out textRange
	out.Start.Line, out.Start.Character = d.Position(s.Start, enc)
	out.End.Line, out.End.Character = d.Position(s.End, enc)
	return out
}

func (r *request) span(t textRange) doc.Span {
	return doc.Span{Start: r.offset(t.Start), End: r.offset(t.End)}
}

func (r *request) locationOf(s doc.Span) location { return location{r.uri, r.rangeOf(s)} }
