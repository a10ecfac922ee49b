package lsp

// This file answers what a document consists of.

import (
	"context"
	"strings"

	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

// symbolKinds are the protocol's numbers of kinds of symbols.
var symbolKinds = map[doc.SymbolKind]int{doc.KernelSymbol: 12, doc.FunctionSymbol: 6, doc.VariableSymbol: 13,
	doc.LabelSymbol: 20}

func documentSymbols(r *request, _ *documentParams) (any, error) {
	list, err := r.Outline(r.ctx)
	return r.symbols(list), err
}

func (r *request) symbols(list []doc.Outline) []documentSymbol {
	out := []documentSymbol{}
	for _, o := range list {
		out = append(out, documentSymbol{Name: o.Name, Detail: o.Detail, Kind: symbolKinds[o.Kind],
			Range: r.rangeOf(o.Span), SelectionRange: r.rangeOf(o.Head), Children: r.symbols(o.Inner)})
	}
	return out
}

func (s *server) workspaceSymbols(ctx context.Context, p *queryParams) (any, error) {
	out := []workspaceSymbol{}
	for _, d := range s.docs {
		list, err := d.Outline(ctx)
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			if strings.Contains(strings.ToLower(o.Name), strings.ToLower(p.Query)) {
				out = append(out, workspaceSymbol{o.Name, symbolKinds[o.Kind], location{d.uri, rangeIn(d.Snapshot, o.Head,
					s.encoding)}})
			}
		}
	}
	return out, nil
}

func folds(r *request, _ *documentParams) (any, error) {
	list, err := r.Folds(r.ctx)
	out := []foldingRange{}
	for _, f := range list {
		fold := foldingRange{StartLine: f.First, EndLine: f.Last}
		if f.Comment {
			fold.Kind = "comment"
		}
		out = append(out, fold)
	}
	return out, err
}

func inlayHints(r *request, p *rangeParams) (any, error) {
	out := []inlayHint{}
	kinds := r.s.options.hints()
	if kinds == 0 || r.Foreign() {
		return out, nil
	}
	list, err := r.Hints(r.ctx, r.span(p.Range), kinds)
	for _, h := range list {
		out = append(out, inlayHint{r.rangeOf(doc.Span{Start: h.At, End: h.At}).Start, h.Text, h.Tip})
	}
	return out, err
}

// tokenTypes and tokenModifiers are the legend of semantic tokens; classes number the types.
var (
	tokenTypes = []string{"keyword", "modifier", "type", "decorator", "variable", "macro", "property",
		"parameter", "function", "label", "number", "string", "comment"}
	tokenModifiers = []string{"declaration"}
	tokenClasses   = map[doc.Class]int{
		doc.OpcodeWord: 0, doc.ModifierWord: 1, doc.TypeWord: 2, doc.DirectiveWord: 3, doc.RegisterName: 4,
		doc.SpecialName: 5, doc.VariableName: 6,
		doc.ParameterName: 7, doc.FunctionName: 8, doc.LabelName: 9, doc.Number: 10, doc.StringText: 11,
		doc.CommentText: 12,
	}
)

func tokensFull(r *request, _ *documentParams) (any, error) {
	return r.tokens(doc.Span{End: doc.Pos(len(r.Text))})
}

func tokensRange(r *request, p *rangeParams) (any, error) { return r.tokens(r.span(p.Range)) }

// tokens writes words as five numbers each: lines and columns from the word before, length, type, modifiers. A word ends with its line.
func (r *request) tokens(within doc.Span) (any, error) {
	words, err := r.Words(r.ctx, within)
	data := []int{}
	line, column := 0, 0
	for _, w := range words {
		for start := w.Span.Start; start < w.Span.End; {
			l, c := r.Position(start, r.s.encoding)
			end := min(w.Span.End, r.LineSpan(l).End)
			if end > start {
				_, e := r.Position(end, r.s.encoding)
				if l > line {
					column = 0
				}
				decl := 0
				if w.Decl {
					decl = 1
				}
				data = append(data, l-line, c-column, e-c, tokenClasses[w.Class], decl)
				line, column = l, c
			}
			if l+1 >= r.Lines() {
				break
			}
			start = r.LineSpan(l + 1).Start
		}
	}
	return semanticTokens{data}, err
}

func selections(r *request, p *selectionParams) (any, error) {
	out := []*selectionRange{}
	for _, at := range p.Positions {
		list, err := r.Enclosing(r.ctx, r.offset(at))
		if err != nil {
			return nil, err
		}
		var outer *selectionRange
		for i := len(list) - 1; i >= 0; i-- {
			outer = &selectionRange{r.rangeOf(list[i]), outer}
		}
		out = append(out, outer)
	}
	return out, nil
}

func (r *request) callItem(o *doc.Outline) callItem {
	return callItem{o.Name, symbolKinds[o.Kind], o.Detail, r.uri, r.rangeOf(o.Span), r.rangeOf(o.Head)}
}

func prepareCalls(r *request, p *positionParams) (any, error) {
	o, err := r.FunctionAt(r.ctx, r.offset(p.Position))
	if err != nil || o == nil {
		return nil, err
	}
	return []callItem{r.callItem(o)}, nil
}

func (r *request) ranges(list []doc.Span) (out []textRange) {
	for _, s := range list {
		out = append(out, r.rangeOf(s))
	}
	return out
}

func incomingCalls(r *request, p *callParams) (any, error) {
	list, err := r.Callers(r.ctx, r.offset(p.Item.SelectionRange.Start))
	out := []incomingCall{}
	for i := range list {
		out = append(out, incomingCall{r.callItem(&list[i].Outline), r.ranges(list[i].Sites)})
	}
	return out, err
}

func outgoingCalls(r *request, p *callParams) (any, error) {
	list, err := r.Callees(r.ctx, r.offset(p.Item.SelectionRange.Start))
	out := []outgoingCall{}
	for i := range list {
		out = append(out, outgoingCall{r.callItem(&list[i].Outline), r.ranges(list[i].Sites)})
	}
	return out, err
}

func links(r *request, _ *documentParams) (any, error) {
	list, err := r.Files(r.ctx)
	out := []documentLink{}
	for _, f := range list {
		out = append(out, documentLink{r.rangeOf(f.Span), r.resolve(f.Name)})
	}
	return out, err
}
