package lsp

// This file has the questions of sessions.

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ask sends a question, and prints its answer.
func (p *player) ask(w []string) (string, error) {
	id := documentParams{documentID{URI: uriOf(p.name)}}
	everything := rangeParams{id, textRange{End: position{Line: 1 << 20}}}
	var b strings.Builder
	switch w[0] {
	case "diagnostics":
		var r diagnosticReport
		err := p.try("textDocument/diagnostic", id, &r)
		for _, d := range r.Items {
			fmt.Fprintf(&b, "%s %s %s\n", show(d.Range), d.Code, strings.ReplaceAll(d.Message, "\n", " | "))
		}
		return b.String(), err
	case "hover":
		var h *hover
		if err := p.try("textDocument/hover", p.place(p.name, w[1]), &h); err != nil || h == nil {
			return "nothing", err
		}
		return h.Contents.Value, nil
	case "complete":
		var list completionList
		err := p.try("textDocument/completion", p.place(p.name, w[1]), &list)
		for _, i := range list.Items {
			fmt.Fprintf(&b, "%s  %s\n", i.Label, i.Detail)
		}
		return b.String(), err
	case "signature":
		var h *signatureHelp
		if err := p.try("textDocument/signatureHelp", p.place(p.name, w[1]), &h); err != nil || h == nil {
			return "nothing", err
		}
		for i, s := range h.Signatures {
			mark := " "
			if i == h.ActiveSignature && h.ActiveParameter < len(s.Parameters) {
				l := s.Parameters[h.ActiveParameter].Label
				mark = "> " + s.Label[l[0]:l[1]] + " of"
			}
			fmt.Fprintf(&b, "%s %s\n", mark, s.Label)
		}
		return b.String(), nil
	case "definition", "declaration":
		var l *location
		if err := p.try("textDocument/"+w[0], p.place(p.name, w[1]), &l); err != nil || l == nil {
			return "nothing", err
		}
		return l.URI + " " + show(l.Range), nil
	case "references":
		var list []location
		err := p.try("textDocument/references", map[string]any{"textDocument": id.TextDocument,
			"position": p.at(p.name, w[1]), "context": map[string]bool{"includeDeclaration": true}}, &list)
		for _, l := range list {
			b.WriteString(show(l.Range) + "\n")
		}
		return b.String(), err
	case "highlight":
		var list []highlight
		err := p.try("textDocument/documentHighlight", p.place(p.name, w[1]), &list)
		for _, h := range list {
			fmt.Fprintf(&b, "%s %s\n", show(h.Range), [...]string{"", "text", "read", "write"}[h.Kind])
		}
		return b.String(), err
	}
	return p.askMore(w, id, everything)
}

func (p *player) askMore(w []string, id documentParams, everything rangeParams) (string, error) {
	var b strings.Builder
	switch w[0] {
	case "prepareRename":
		var r renameRange
		err := p.try("textDocument/prepareRename", p.place(p.name, w[1]), &r)
		return show(r.Range) + " " + r.Placeholder, err
	case "rename":
		var e workspaceEdit
		if err := p.try("textDocument/rename", renameParams{p.place(p.name, w[1]), w[2]}, &e); err != nil {
			return "", err
		}
		return p.applied(p.name, e.Changes[uriOf(p.name)]), nil
	case "symbols":
		var list []documentSymbol
		err := p.try("textDocument/documentSymbol", id, &list)
		writeSymbols(&b, list, "")
		return b.String(), err
	case "workspace":
		var list []workspaceSymbol
		err := p.try("workspace/symbol", queryParams{w[1]}, &list)
		for _, s := range list {
			fmt.Fprintf(&b, "%s %s\n", s.Name, show(s.Location.Range))
		}
		return b.String(), err
	case "folds":
		var list []foldingRange
		err := p.try("textDocument/foldingRange", id, &list)
		for _, f := range list {
			fmt.Fprintf(&b, "%d-%d %s\n", f.StartLine+1, f.EndLine+1, f.Kind)
		}
		return b.String(), err
	case "hints":
		var list []inlayHint
		err := p.try("textDocument/inlayHint", everything, &list)
		for _, h := range list {
			fmt.Fprintf(&b, "%d:%d %s\n", h.Position.Line+1, h.Position.Character+1, h.Label)
		}
		return b.String(), err
	case "tokens":
		var list semanticTokens
		err := p.try("textDocument/semanticTokens/full", id, &list)
		return p.coloured(list.Data), err
	case "format":
		var list []textEdit
		err := p.try("textDocument/formatting", map[string]any{"textDocument": id.TextDocument,
			"options": struct{}{}}, &list)
		return p.applied(p.name, list), err
	case "formatTyped":
		var list []textEdit
		err := p.try("textDocument/onTypeFormatting", onTypeParams{p.place(p.name, w[1]), ";"}, &list)
		return p.applied(p.name, list), err
	}
	return p.askLast(w, id, everything)
}

func (p *player) askLast(w []string, id documentParams, everything rangeParams) (string, error) {
	var b strings.Builder
	switch w[0] {
	case "actions":
		params := codeActionParams{rangeParams: everything}
		if w[1] != "" {
			params.Context.Only = w[1:2]
		}
		var list []codeAction
		err := p.try("textDocument/codeAction", params, &list)
		for _, a := range list {
			fmt.Fprintf(&b, "%s: %s (preferred: %v)\n", a.Kind, a.Title, a.IsPreferred)
			if w[1] != "" {
				b.WriteString(p.applied(p.name, a.Edit.Changes[uriOf(p.name)]))
			}
		}
		return b.String(), err
	case "lenses":
		var list []codeLens
		err := p.try("textDocument/codeLens", id, &list)
		for _, l := range list {
			fmt.Fprintf(&b, "%s %s: %s %v\n", show(l.Range), l.Command.Title, l.Command.Command, l.Command.Arguments)
		}
		return b.String(), err
	case "command":
		var args []any
		for _, a := range w[2:] {
			if a != "" {
				args = append(args, strings.ReplaceAll(a, "DOC", uriOf(p.name)))
			}
		}
		var result json.RawMessage
		err := p.try("workspace/executeCommand", map[string]any{"command": w[1], "arguments": args}, &result)
		return string(result), err
	case "calls":
		return p.calls(w)
	case "select":
		var list []*selectionRange
		err := p.try("textDocument/selectionRange", map[string]any{"textDocument": id.TextDocument,
			"positions": []position{p.at(p.name, w[1])}}, &list)
		if len(list) > 0 {
			for r := list[0]; r != nil; r = r.Parent {
				b.WriteString(show(r.Range) + "\n")
			}
		}
		return b.String(), err
	case "links":
		var list []documentLink
		err := p.try("textDocument/documentLink", id, &list)
		for _, l := range list {
			fmt.Fprintf(&b, "%s %s\n", show(l.Range), l.Target)
		}
		return b.String(), err
	}
	p.t.Fatalf("there is no command %q", w[0])
	return "", nil
}

func (p *player) calls(w []string) (string, error) {
	var b strings.Builder
	var items []callItem
	if err := p.try("textDocument/prepareCallHierarchy", p.place(p.name, w[1]), &items); err != nil || len(items) == 0 {
		return "nothing", err
	}
	var from []incomingCall
	if err := p.try("callHierarchy/incomingCalls", callParams{items[0]}, &from); err != nil {
		return "", err
	}
	for _, c := range from {
		fmt.Fprintf(&b, "from %s at %s\n", c.From.Name, show(c.FromRanges[0]))
	}
	var to []outgoingCall
	err := p.try("callHierarchy/outgoingCalls", callParams{items[0]}, &to)
	for _, c := range to {
		fmt.Fprintf(&b, "to %s at %s\n", c.To.Name, show(c.FromRanges[0]))
	}
	return b.String(), err
}

func writeSymbols(b *strings.Builder, list []documentSymbol, indent string) {
	for _, s := range list {
		fmt.Fprintf(b, "%s%s (%s) %s\n", indent, s.Name, s.Detail, show(s.Range))
		writeSymbols(b, s.Children, indent+"  ")
	}
}

// coloured prints the words with their classes, a line for each line of the text.
func (p *player) coloured(data []int) string {
	s := p.texts[p.name]
	var b strings.Builder
	line, column := 0, 0
	for i := 0; i+5 <= len(data); i += 5 {
		if data[i] > 0 {
			b.WriteString("\n")
			line, column = line+data[i], 0
		}
		column += data[i+1]
		from, to := s.Offset(line, column, p.enc), s.Offset(line, column+data[i+2], p.enc)
		fmt.Fprintf(&b, "%s/%s ", s.Text[from:to], tokenTypes[data[i+3]])
	}
	return b.String()
}
