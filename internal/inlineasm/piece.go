package inlineasm

// This file makes one piece of assembly a module that can be asked about.

import (
	"slices"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// Piece is assembly as the module that it is judged in.
type Piece struct {
	Module []byte // operands are registers %0, %1 …

	begin int // of the statements in the module
	out   text
}

// At returns the piece that has a place of a source in its text; false if there is none, or none that can be judged. The error is
// about opt.
func At(language Language, source []byte, at diag.Pos, opt Options) (p *Piece, ok bool, err error) {
	tries, err := dialects(opt.Arch)
	if err != nil {
		return nil, false, err
	}
	for _, a := range Find(language, source) {
		if a.Unknown != "" || a.text.index(at) < 0 || !a.isPTX() {
			continue
		}
		out, unknown := a.statements()
		in := diag.NewSource("", source)
		_, best, why := a.best(in, &out, unknown, tries, isa.Ptxas)
		if why != "" {
			return nil, false, nil
		}
		module, begin, why := a.module(best, out.bytes)
		return &Piece{module, begin, out}, why == "", nil
	}
	return nil, false, nil
}

// index is the character that comes from a place of the source; -1 if none does.
func (t *text) index(at diag.Pos) int {
	return slices.IndexFunc(t.from, func(s diag.Span) bool { return s.Start <= at && at < s.End })
}

// Inside is the place of the module that comes from a place of the source; false if none does.
func (p *Piece) Inside(at diag.Pos) (diag.Pos, bool) {
	i := p.out.index(at)
	return diag.Pos(p.begin + i), i >= 0
}

// Span is the place in the source of a part of the module; false if it is not of the statements.
func (p *Piece) Span(s diag.Span) (diag.Span, bool) {
	start, end := int(s.Start)-p.begin, int(s.End)-p.begin
	return p.out.span(start, end), start >= 0 && end <= len(p.out.bytes)
}
