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

// hoverInline says what a word of assembly means. Registers there are what the compiler makes of operands: of them is nothing to say.
func (r *request) hoverInline(p *positionParams) (any, error) {
	language, ok := r.s.inlineOf(&r.document)
	if !ok {
		return nil, nil
	}
	at := r.offset(p.Position)
	piece, ok, err := inlineasm.At(language, r.Text, at, r.s.options.inline())
	if err != nil || !ok {
		return nil, err
	}
	inside, ok := piece.Inside(at)
	if !ok {
		return nil, nil
	}
	text, span, err := doc.New(r.Name, piece.Module, r.s.options.check()).HoverWord(r.ctx, inside)
	outside, ok := piece.Span(span)
	if err != nil || text == "" || !ok {
		return nil, err
	}
	return hover{r.s.text(text), r.rangeOf(outside)}, nil
}
