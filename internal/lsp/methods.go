package lsp

// This file is the table of methods: what each is for, and which code answers it. docs/lsp.md is made from it.

import (
	"context"
	"encoding/json"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

// method is what the server does with a message.
type method struct {
	what    string // a sentence for docs/lsp.md
	whole   bool   // it reads the whole module, beside the worker
	prepare func(s *server, ctx context.Context, params json.RawMessage) (func() (any, error), error)
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
		"initialize":                        {what: "Agrees on the units of columns (UTF-16, UTF-8 or UTF-32) and takes settings.", prepare: plain((*server).initialize)},
		"initialized":                       {what: "Nothing is left to do.", prepare: plain(func(*server, context.Context, *struct{}) (any, error) { return nil, nil })},
		"shutdown":                          {what: "From here on only `exit` is taken.", prepare: plain((*server).shutDown)},
		"textDocument/didOpen":              {what: "Takes a document.", prepare: plain((*server).didOpen)},
		"textDocument/didChange":            {what: "Takes edits; within the body of a function that function alone is judged again.", prepare: plain((*server).didChange)},
		"textDocument/didClose":             {what: "Forgets a document and clears its diagnostics.", prepare: plain((*server).didClose)},
		"textDocument/didSave":              {what: "Nothing is left to do: diagnostics are those of what is typed.", prepare: plain(func(*server, context.Context, *documentParams) (any, error) { return nil, nil })},
		"textDocument/diagnostic":           {what: "What `ptxvm check` says of the document. To clients that do not ask, `textDocument/publishDiagnostics` says it.", prepare: about(pullDiagnostics)},
		"textDocument/hover":                {what: "Of an instruction its form, what its modifiers mean, operands, gates and section, as `ptxvm explain`; of a name its declaration, and where it is written and read; of a directive or special register what it is for.", prepare: about(hoverAt)},
		"textDocument/completion":           {what: "What still fits: opcodes that version and target have, modifiers that lead to a form, names of the right kind and type for the operand, special registers, directives, types, targets.", prepare: about(complete)},
		"completionItem/resolve":            {what: "What `ptxvm explain` says of an item.", prepare: plain(resolveItem)},
		"textDocument/signatureHelp":        {what: "The forms that the statement has or may still get, with the operand that is being written.", prepare: about(signatures)},
		"textDocument/definition":           {what: "Where a name is declared; of a `.loc` the line of the source.", prepare: about(definition)},
		"textDocument/declaration":          {what: "Where a name is declared; of an instruction the line of the source that it comes from, by the `.loc` before it.", prepare: about(declaration)},
		"textDocument/references":           {what: "All places of a name; of a register of a range `%r<10>` those of all of them.", whole: true, prepare: about(references)},
		"textDocument/documentHighlight":    {what: "The places of a name, written or read.", prepare: about(highlights)},
		"textDocument/prepareRename":        {what: "Whether a name can be renamed: special registers and words of PTX keep theirs.", prepare: about(prepareRename)},
		"textDocument/rename":               {what: "Renames registers, labels, variables and functions; a register of a range `%r<10>` with the range and all of its registers. Refused where a name would then mean something else.", whole: true, prepare: about(rename)},
		"textDocument/documentSymbol":       {what: "Kernels, functions and variables; in functions labels and memory.", whole: true, prepare: about(documentSymbols)},
		"workspace/symbol":                  {what: "Kernels, functions and variables of all open documents.", prepare: plain((*server).workspaceSymbols)},
		"textDocument/foldingRange":         {what: "Bodies, blocks, sections and comments.", whole: true, prepare: about(folds)},
		"textDocument/inlayHint":            {what: "The type of a register whose width is not that of the operation.", whole: true, prepare: about(inlayHints)},
		"textDocument/semanticTokens/full":  {what: "Colours: opcodes, modifiers, types, directives, registers, special registers, variables, parameters, functions, labels.", whole: true, prepare: about(tokensFull)},
		"textDocument/semanticTokens/range": {what: "The same of a part; of one within a function that function alone is read.", prepare: about(tokensRange)},
		"textDocument/formatting":           {what: "What `ptxvm fmt` does, as edits of what differs.", whole: true, prepare: about(formatAll)},
		"textDocument/rangeFormatting":      {what: "The same of a part.", prepare: about(formatRange)},
		"textDocument/onTypeFormatting":     {what: "The same of the line that `;`, `}` or a line break has ended.", prepare: about(formatTyped)},
		"textDocument/codeAction":           {what: "Fixes of diagnostics; `source.fixAll` makes those of `ptxvm check --fix`.", whole: true, prepare: about(codeActions)},
		"textDocument/codeLens":             {what: "`run | debug` over kernels.", whole: true, prepare: about(codeLenses)},
		"textDocument/prepareCallHierarchy": {what: "The function at a place.", whole: true, prepare: about(prepareCalls)},
		"callHierarchy/incomingCalls":       {what: "Who calls a function.", whole: true, prepare: about(incomingCalls)},
		"callHierarchy/outgoingCalls":       {what: "What a function calls.", whole: true, prepare: about(outgoingCalls)},
		"textDocument/selectionRange":       {what: "The word, the operand, the statement, blocks, the function, the text.", prepare: about(selections)},
		"textDocument/documentLink":         {what: "The files that `.file` names.", whole: true, prepare: about(links)},
		"workspace/didChangeConfiguration":  {what: "Takes the settings under `ptxvm`.", prepare: plain((*server).didChangeConfiguration)},
		"workspace/executeCommand":          {what: "`ptxvm.run`, `ptxvm.debug` [uri, kernel]: shows the command line. `ptxvm.compiled` [uri, source file, line]: the places of the document that come from a line of the source.", prepare: plain((*server).execute)},
	}
}

// plain is a method that is about no document, or changes one.
func plain[T any](call func(s *server, ctx context.Context, p *T) (any, error)) func(*server, context.Context, json.RawMessage) (func() (any, error), error) {
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
}](call func(r *request, p P) (any, error)) func(*server, context.Context, json.RawMessage) (func() (any, error), error) {
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
