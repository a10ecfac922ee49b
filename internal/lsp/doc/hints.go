package doc

// This file says between the words what a statement does not show.

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem/table"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Hint is a remark behind a place.
type Hint struct {
	At   Pos
	Text string
	Tip  string // more of it; "": there is none
}

// HintKind says what a hint is about.
type HintKind uint8

// The kinds of hints, which are bits.
const (
	Widths      HintKind = 1 << iota // the type of a register that is wider or narrower than the operation
	Sources                          // the line of the program that a .loc names
	Classes                          // whether the lanes of a warp have one value
	Assumptions                      // what nothing says of the hardware, and the result depends on
)

// HintNames are the kinds as settings spell them.
var HintNames = map[string]HintKind{"widths": Widths, "sources": Sources, "classes": Classes, "assumptions": Assumptions}

// Hints lists those of some kinds in a part of the text, in written order. Of a part within a function that function alone is read.
func (s *Snapshot) Hints(ctx context.Context, within Span, kinds HintKind) (list []Hint, err error) {
	w, err := s.viewOf(ctx, within)
	if err != nil {
		return nil, err
	}
	h := hinter{View: w, within: within}
	if kinds&Classes != 0 {
		h.classes = func(at Pos) *classes { c, _ := s.classes(ctx, at); return c }
	}
	first, last := w.between(within)
	w.eachStmt(first, last, func(stmt syntax.Stmt) {
		switch stmt := stmt.(type) {
		case *syntax.Loc:
			if kinds&Sources != 0 {
				h.source(stmt)
			}
		case *syntax.Instruction:
			if sel := w.Info.Sel(stmt); sel != nil {
				h.instruction(stmt, sel, kinds)
			}
		}
	})
	slices.SortStableFunc(h.list, func(a, b Hint) int { return int(a.At - b.At) })
	return h.list, nil
}

// hinter collects hints.
type hinter struct {
	*View
	within  Span
	classes func(at Pos) *classes // nil: those hints are not asked for
	list    []Hint
}

func (h *hinter) add(at Pos, text, tip string) {
	if h.within.Start <= at && at <= h.within.End {
		h.list = append(h.list, Hint{at, text, tip})
	}
}

func (h *hinter) source(l *syntax.Loc) {
	if p, ok := h.sourceOf(l); ok {
		h.add(h.span(l.Range).End, fmt.Sprintf(" %s:%d", path.Base(strings.ReplaceAll(p.File, "\\", "/")), p.Line), p.File)
	}
}

func (h *hinter) instruction(in *syntax.Instruction, sel *isa.Sel, kinds HintKind) {
	if kinds&Widths != 0 {
		h.widths(in, sel)
	}
	if kinds&Assumptions != 0 {
		h.assumptions(in, sel)
	}
	if h.classes != nil && len(in.Operands) > 0 {
		h.class(in)
	}
}

// widths names the types of registers that are wider or narrower than what the statement does with them.
func (h *hinter) widths(in *syntax.Instruction, sel *isa.Sel) {
	for i := range sel.Roles {
		at := &sel.Roles[i]
		if at.Type == 0 || at.Part >= 0 || at.Op >= len(in.Operands) {
			continue
		}
		for _, r := range h.registersOf(&in.Operands[at.Op]) {
			if r.object.Type.Bits() != at.Type.Storage().Bits() {
				h.add(r.end, fmt.Sprintf(": %v", r.object.Type), "")
			}
		}
	}
}

// assumptions names those that the line of the table of semantics depends on.
func (h *hinter) assumptions(in *syntax.Instruction, sel *isa.Sel) {
	line, err := table.Whole().Lookup(sel)
	if err != nil { // it is not executed
		return
	}
	for _, a := range line.Assumptions() {
		row := &assume.Table[a]
		h.add(h.span(in.Range).End, fmt.Sprintf(" %s: %s", row.ID, row.Positions[0].Name), row.About)
	}
}

// class says of the first operand, if the statement writes it, whether lanes differ.
func (h *hinter) class(in *syntax.Instruction) {
	for _, r := range h.registersOf(&in.Operands[0]) {
		at := h.span(in.Operands[0].Range)
		if c := h.classes(at.Start); c != nil && h.writes(in, r.name) {
			if short, _ := c.of(h.File.Text(r.name)); short != "" {
				h.add(r.end, " "+short, "")
			}
		}
	}
}

// writes reports whether a statement writes the name at a token.
func (w *View) writes(in *syntax.Instruction, name syntax.TokenID) bool {
	role, known := w.roles(in.First, in.Last)[name]
	return known && role != ir.OnlyRead
}

type register struct {
	object *check.Object
	name   syntax.TokenID
	end    Pos
}

// registersOf are the registers of an operand, or of a vector.
func (w *View) registersOf(o *syntax.Operand) (list []register) {
	switch o.Kind {
	case syntax.OperandName:
		if sym := w.symbol(o.Name); sym.object != nil && sym.object.Kind == check.Register && sym.object.Vector < 2 {
			list = append(list, register{sym.object, o.Name, w.span(o.Range).End})
		}
	case syntax.OperandVector:
		for i := range o.Elems {
			list = append(list, w.registersOf(&o.Elems[i])...)
		}
	}
	return list
}
