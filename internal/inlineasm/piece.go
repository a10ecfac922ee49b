package inlineasm

// This file makes one piece of assembly a module that can be asked about, and writes into the source what is said of that.

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// Piece is assembly as the module that it is judged in.
type Piece struct {
	Module []byte // operands are registers %0, %1 …

	asm   Asm
	begin int // of the statements in the module
	out   text
}

// At returns the piece that has a place of a source in its text, or at its end; false if there is none, or none that can be judged.
// The error is about opt.
func At(language Language, source []byte, at diag.Pos, opt Options) (p *Piece, ok bool, err error) {
	tries, err := dialects(opt.Arch)
	if err != nil {
		return nil, false, err
	}
	for _, a := range Find(language, source) {
		if a.Unknown != "" || a.text.index(at) < 0 && a.text.index(at-1) < 0 || !a.isPTX() && !a.begins() {
			continue
		}
		out, unknown := a.statements()
		in := diag.NewSource("", source)
		_, best, why := a.best(in, &out, unknown, tries, isa.Ptxas)
		if why != "" {
			return nil, false, nil
		}
		module, begin, why := a.module(best, out.bytes)
		return &Piece{module, a, begin, out}, why == "", nil
	}
	return nil, false, nil
}

// begins reports whether a text is the beginning of an opcode: a statement that is being written.
func (a *Asm) begins() bool {
	word := strings.TrimSpace(string(a.text.bytes))
	return word != "" && slices.ContainsFunc(isa.Table().Entries(), func(e *isa.Entry) bool {
		return strings.HasPrefix(e.Opcode[0], word)
	})
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

// Behind is the place of the module behind what stands in front of a place of the source; false if that is not of the statements.
func (p *Piece) Behind(at diag.Pos) (diag.Pos, bool) {
	for i, s := range slices.Backward(p.out.from) {
		if s.End == at {
			return diag.Pos(p.begin + i + 1), true
		}
	}
	i := p.out.index(at)
	return diag.Pos(p.begin + i), i >= 0
}

// Span is the place in the source of a part of the module; false if it is not of the statements.
func (p *Piece) Span(s diag.Span) (diag.Span, bool) {
	start, end := int(s.Start)-p.begin, int(s.End)-p.begin
	return p.out.span(start, end), start >= 0 && end <= len(p.out.bytes)
}

// Spelled is a text of the module as the source writes it.
func (p *Piece) Spelled(s string) string { return p.asm.spelled(s) }

// Operand says what a register %N of the module is; false if it is no operand.
func (p *Piece) Operand(register string) (string, bool) {
	n := p.asm.operandOf(register)
	if n < 0 {
		return "", false
	}
	o := p.asm.Operands[n]
	text := fmt.Sprintf("Operand %d", n)
	if o.Name != "" {
		text += " `[" + o.Name + "]`"
	}
	text += fmt.Sprintf(", a `%s` register by its constraint `%s`", registerTypes[p.asm.language][o.Constraint], o.Constraint)
	if value := strings.Join(strings.Fields(o.Value), " "); value != "" {
		text += ": `" + value + "`"
	}
	return text + ".", true
}

// operandOf is the number of the operand that a register %N of the module is, -1 if it is none.
func (a *Asm) operandOf(register string) int {
	digits, ok := strings.CutPrefix(register, "%")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return -1
	}
	return a.number(digits, "")
}

// spelled is a text of PTX as the template has it: an operand with the language's mark, and such a mark that is none twice.
func (a *Asm) spelled(s string) string {
	if a.bare {
		return s
	}
	var b bytes.Buffer
	for i := range len(s) {
		switch operand := s[i] == '%' && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9'; {
		case operand:
			b.WriteByte(a.mark())
			continue
		case s[i] == a.mark():
			b.WriteByte(s[i])
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
