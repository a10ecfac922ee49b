package lsp

// This file answers for the PTX in sources of C++ and Python.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/inlineasm"
	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

// inlineOf is the language of a document whose assembly is looked at.
func (s *server) inlineOf(d *document) (inlineasm.Language, bool) {
	language, ok := inlineasm.LanguageOf(d.Name)
	if s.options.Inline != nil {
		return language, ok && *s.options.Inline
	}
	return language, ok && language == inlineasm.Python
}

func (o options) inline() inlineasm.Options {
	return inlineasm.Options{Arch: o.Arch, Manual: o.Judge == "manual"}
}

// inlineDiagnostics are those of the assembly in a document.
func (s *server) inlineDiagnostics(d *document) (diag.List, error) {
	language, ok := s.inlineOf(d)
	if !ok {
		return nil, nil
	}
	r, err := inlineasm.Judge(d.Name, d.Text, language, s.options.inline())
	return r.Diagnostics, err
}

// piece is the assembly at a place, and the module that it is asked about in; nil: there is none.
func (r *request) piece(at doc.Pos) (*inlineasm.Piece, *doc.Snapshot, error) {
	language, ok := r.s.inlineOf(&r.document)
	if !ok {
		return nil, nil, nil
	}
	piece, ok, err := inlineasm.At(language, r.Text, at, r.s.options.inline())
	if err != nil || !ok {
		return nil, nil, err
	}
	return piece, doc.New(r.Name, piece.Module, r.s.options.check()), nil
}

// hoverInline says what a word of assembly means, and of an operand what the source hands over.
func (r *request) hoverInline(p *positionParams) (any, error) {
	at := r.offset(p.Position)
	piece, module, err := r.piece(at)
	if piece == nil || err != nil {
		return nil, err
	}
	inside, ok := piece.Inside(at)
	if !ok {
		return nil, nil
	}
	text, span, err := module.HoverWord(r.ctx, inside)
	if err == nil && text == "" && span != (doc.Span{}) {
		text, _ = piece.Operand(string(module.Text[span.Start:span.End]))
	}
	outside, ok := piece.Span(span)
	if err != nil || text == "" || !ok {
		return nil, err
	}
	return hover{r.s.text(text), r.rangeOf(outside)}, nil
}

// completeInline lists what fits at a place of assembly, as the source spells it.
func (r *request) completeInline(at doc.Pos) (list []doc.Item, err error) {
	piece, module, err := r.piece(at)
	if piece == nil || err != nil {
		return nil, err
	}
	inside, ok := piece.Behind(at)
	if !ok {
		return nil, nil
	}
	items, err := module.Completions(r.ctx, inside)
	for _, item := range items {
		if item.Text == inlineasm.Kernel {
			continue
		}
		span := doc.Span{Start: at, End: at}
		if item.Span.Start < item.Span.End {
			if span, ok = piece.Span(item.Span); !ok || span.End != at {
				continue
			}
		}
		if operand, ok := piece.Operand(item.Text); ok {
			item.Detail = operand
		}
		item.Span, item.Text = span, piece.Spelled(item.Text)
		list = append(list, item)
	}
	return list, err
}

// signaturesInline are the forms of a statement of assembly.
func (r *request) signaturesInline(at doc.Pos) ([]doc.Signature, int, error) {
	piece, module, err := r.piece(at)
	if piece == nil || err != nil {
		return nil, 0, err
	}
	inside, ok := piece.Behind(at)
	if !ok {
		return nil, 0, nil
	}
	return module.Signatures(r.ctx, inside)
}
