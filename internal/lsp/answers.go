package lsp

// This file answers questions about names and statements.

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

// diagnostics are those of a document; one that is no module of PTX has those of its inline assembly.
func (s *server) diagnostics(ctx context.Context, d *document) ([]diagnostic, error) {
	out := []diagnostic{}
	var list diag.List
	var err error
	if d.Foreign() {
		list, err = s.inlineDiagnostics(d)
	} else {
		list, err = d.Diagnostics(ctx)
	}
	for i := range list {
		out = append(out, s.diagnostic(d, &list[i]))
	}
	return out, err
}

// severities are the protocol's numbers.
var severities = map[diag.Severity]int{diag.Error: 1, diag.Warning: 2, diag.Remark: 3}

func (s *server) diagnostic(d *document, g *diag.Diagnostic) diagnostic {
	out := diagnostic{Range: rangeIn(d.Snapshot, g.Span, s.encoding), Severity: severities[g.Severity],
		Code: g.Code.String(), Source: "ptxvm", Message: messageOf(g)}
	for _, n := range g.Related {
		out.RelatedInformation = append(out.RelatedInformation, relatedNote{location{d.uri, rangeIn(d.Snapshot,
			n.Span, s.encoding)}, n.Msg})
	}
	return out
}

// messageOf is what a diagnostic says, with the form and the fixes that are advice.
func messageOf(g *diag.Diagnostic) string {
	lines := []string{g.Msg}
	switch {
	case g.Form != "" && g.Spec != "":
		lines = append(lines, fmt.Sprintf("form: %s (PTX ISA %s)", g.Form, g.Spec))
	case g.Spec != "":
		lines = append(lines, "see: PTX ISA "+g.Spec)
	}
	for _, f := range g.Fixes {
		lines = append(lines, "fix: "+f.Label)
	}
	return strings.Join(lines, "\n")
}

func pullDiagnostics(r *request, _ *documentParams) (any, error) {
	items, err := r.s.diagnostics(r.ctx, &r.document)
	return diagnosticReport{"full", items}, err
}

// text is Markdown for clients that show it, and plain text for others.
func (s *server) text(value string) markup {
	formats := s.client.TextDocument.Hover.ContentFormat
	if len(formats) > 0 && !slices.Contains(formats, "markdown") {
		return markup{"plaintext", value}
	}
	return markup{"markdown", value}
}

func hoverAt(r *request, p *positionParams) (any, error) {
	if r.Foreign() {
		return r.hoverInline(p)
	}
	text, span, err := r.Hover(r.ctx, r.offset(p.Position))
	if err != nil || text == "" {
		return nil, err
	}
	if values := r.hoverTrace(p.Position.Line + 1); values != "" {
		text += "\n\n---\n\n" + values
	}
	return hover{r.s.text(text), r.rangeOf(span)}, nil
}

// itemKinds are the protocol's numbers of kinds of completion items.
var itemKinds = map[doc.ItemKind]int{
	doc.Opcode: 14, doc.Modifier: 20, doc.Register: 6, doc.Variable: 5, doc.Label: 18, doc.Function: 3,
	doc.SpecialRegister: 21, doc.Directive: 14,
	doc.TypeName: 25, doc.TargetName: 12,
}

func complete(r *request, p *positionParams) (any, error) {
	at, ask := r.offset(p.Position), r.Completions
	if r.Foreign() {
		ask = func(_ context.Context, at doc.Pos) ([]doc.Item, error) { return r.completeInline(at) }
	}
	items, err := ask(r.ctx, at)
	list := completionList{Items: []completionItem{}}
	for i, item := range items {
		list.IsIncomplete = list.IsIncomplete || item.Kind == doc.Register // of a family some are offered
		list.Items = append(list.Items, completionItem{
			Label: item.Text, Kind: itemKinds[item.Kind], Detail: item.Detail, SortText: fmt.Sprintf("%05d", i),
			FilterText: item.Text,
			TextEdit:   &textEdit{r.rangeOf(item.Span), item.Text}, Data: item.Name,
		})
	}
	return list, err
}

func resolveItem(s *server, _ context.Context, item *completionItem) (any, error) {
	if item.Data != "" {
		if text := doc.Explain(item.Data); text != "" {
			m := s.text(text)
			item.Documentation = &m
		}
	}
	return item, nil
}

func signatures(r *request, p *positionParams) (any, error) {
	at, ask := r.offset(p.Position), r.Signatures
	if r.Foreign() {
		ask = func(_ context.Context, at doc.Pos) ([]doc.Signature, int, error) { return r.signaturesInline(at) }
	}
	list, operand, err := ask(r.ctx, at)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	help := signatureHelp{ActiveParameter: operand, Signatures: []signature{}}
	for i, f := range list {
		s := signature{Label: f.Text, Documentation: f.Doc, Parameters: []parameter{}}
		for _, o := range f.Operands {
			s.Parameters = append(s.Parameters, parameter{[2]int{int(o.Start), int(o.End)}})
		}
		if len(f.Operands) > operand && len(list[help.ActiveSignature].Operands) <= operand {
			help.ActiveSignature = i
		}
		help.Signatures = append(help.Signatures, s)
	}
	return help, nil
}

func definition(r *request, p *positionParams) (any, error) {
	span, ok, err := r.Definition(r.ctx, r.offset(p.Position))
	if err != nil || ok {
		return r.locationOf(span), err
	}
	return r.source(p, true)
}

func declaration(r *request, p *positionParams) (any, error) {
	span, ok, err := r.Definition(r.ctx, r.offset(p.Position))
	if err != nil || ok {
		return r.locationOf(span), err
	}
	return r.source(p, false)
}

// source is the line of the program that the statement at a place comes from; only: of a .loc, and of nothing else.
func (r *request) source(p *positionParams, only bool) (any, error) {
	at := r.offset(p.Position)
	line := r.LineSpan(p.Position.Line)
	if only && !strings.HasPrefix(strings.TrimLeft(string(r.Text[line.Start:line.End]), " \t"), ".loc") {
		return nil, nil
	}
	place, ok, err := r.Source(r.ctx, at)
	if err != nil || !ok {
		return nil, err
	}
	start := position{Line: place.Line - 1, Character: max(place.Column-1, 0)}
	return location{r.resolve(place.File), textRange{start, start}}, nil
}

// resolve is the URI of a file that the module names: one that is relative stands beside the module.
func (r *request) resolve(file string) string {
	base, err := url.Parse(r.uri)
	if err != nil {
		return file
	}
	u := url.URL{Scheme: base.Scheme, Host: base.Host, Path: file}
	if !path.IsAbs(file) {
		u.Path = path.Join(path.Dir(base.Path), file)
	}
	return u.String()
}

func references(r *request, p *referenceParams) (any, error) {
	list, err := r.References(r.ctx, r.offset(p.Position))
	out := []location{}
	for _, m := range list {
		if !m.Decl || p.Context.IncludeDeclaration {
			out = append(out, r.locationOf(m.Span))
		}
	}
	return out, err
}

func highlights(r *request, p *positionParams) (any, error) {
	const text, read, write = 1, 2, 3
	list, err := r.References(r.ctx, r.offset(p.Position))
	out := []highlight{}
	for _, m := range list {
		kind := text
		switch {
		case m.Write:
			kind = write
		case m.Read:
			kind = read
		}
		out = append(out, highlight{r.rangeOf(m.Span), kind})
	}
	return out, err
}

func prepareRename(r *request, p *positionParams) (any, error) {
	span, name, err := r.Renameable(r.ctx, r.offset(p.Position))
	if err != nil {
		return nil, err
	}
	return renameRange{r.rangeOf(span), name}, nil
}

func rename(r *request, p *renameParams) (any, error) {
	edits, err := r.Rename(r.ctx, r.offset(p.Position), p.NewName)
	if err != nil {
		return nil, err
	}
	return r.edit(edits), nil
}

func (r *request) edits(list []diag.Edit) []textEdit {
	out := []textEdit{}
	for _, e := range list {
		out = append(out, textEdit{r.rangeOf(e.Span), e.New})
	}
	return out
}

// edit is one of this version of the document, for clients that can tell.
func (r *request) edit(list []diag.Edit) *workspaceEdit {
	if r.s.client.Workspace.WorkspaceEdit.DocumentChanges {
		return &workspaceEdit{DocumentChanges: []documentEdit{{documentID{r.uri, &r.version}, r.edits(list)}}}
	}
	return &workspaceEdit{Changes: map[string][]textEdit{r.uri: r.edits(list)}}
}
