package doc

// This file shows the form of the statement that is being written.

import (
	"context"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Signature is a form, and where its operands stand in its text.
type Signature struct {
	Text     string
	Operands []Span // offsets in Text
	Doc      string
}

// maxSignatures bounds the forms that are shown.
const maxSignatures = 12

// Signatures lists the forms that the statement at a place has or may still get, and which operand the place is in.
func (s *Snapshot) Signatures(ctx context.Context, at Pos) (list []Signature, operand int, err error) {
	w, err := s.nearView(ctx, at)
	if err != nil {
		return nil, 0, err
	}
	c, ok := w.writingAt(at)
	if !ok || c.opcode < 0 {
		return nil, 0, nil
	}
	for _, f := range forms(c.mods, w.snapshot.opt.Judge) {
		if len(list) < maxSignatures {
			list = append(list, f)
		}
	}
	return list, c.operand, nil
}

// forms are those that the modifiers lead to, else all of the opcode.
func forms(mods []string, judge isa.Judge) (list []Signature) {
	table := isa.Of(judge)
	if f := table.Forms(mods, ""); f.Entry() != nil {
		for _, text := range f.Texts() {
			list = append(list, newSignature(text, f.Entry().Doc))
		}
		return list
	}
	for _, e := range table.Entries() {
		if e.Opcode[0] != mods[0] {
			continue
		}
		for i := range e.Alts {
			list = append(list, newSignature(e.Alts[i].Text, e.Doc))
		}
	}
	return list
}

// newSignature finds the operands of a form's text: they are behind the first blank, and commas outside of brackets part them.
func newSignature(text, doc string) Signature {
	s := Signature{Text: text, Doc: doc}
	start := strings.IndexByte(text, ' ') + 1
	if start == 0 {
		return s
	}
	depth := 0
	end := len(strings.TrimRight(text, "; "))
	for i := start; i <= end; i++ {
		switch {
		case i == end || text[i] == ',' && depth == 0:
			from := i - len(strings.TrimLeft(text[start:i], " "))
			s.Operands = append(s.Operands, Span{Start: Pos(from), End: Pos(i)})
			start = i + 1
		case strings.IndexByte("[({", text[i]) >= 0 && !optional(text[i:]):
			depth++
		case strings.IndexByte("])}", text[i]) >= 0:
			depth = max(0, depth-1)
		}
	}
	return s
}

// optional reports whether a brace begins operands that may be left out: {, c}.
func optional(text string) bool {
	return strings.HasPrefix(text, "{,") || strings.HasPrefix(text, "{, ")
}
