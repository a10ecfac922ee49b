package ptxvm

// This file is what the API tells about tensor memory: its contents, leaks, and kernels whose
// functions do not agree about CTA groups.

import (
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// TensorMemory asks a launch for the tensor memory of one CTA as it is when the CTA ends, columns
// that were freed before included.
type TensorMemory struct {
	CTA     Index3     // whose
	Columns []int      // the columns that were allocated at some time; empty if none was
	Words   [][]uint32 // by lane (128 of them), a word for each of Columns
}

// TensorLeak is tensor memory that a CTA allocated and did not free before it ended, which the
// manual forbids (9.7.16.1.2).
type TensorLeak struct {
	CTA             Index3
	Column, Columns int
	PTX             Location // the tcgen05.alloc
	More            int      // further allocations that were not freed, in this and other CTAs
}

func (l *TensorLeak) String() string {
	text := fmt.Sprintf("%v: CTA %v ended without freeing columns %d to %d of tensor memory", l.PTX, l.CTA, l.Column, l.Column+l.Columns-1)
	if l.More > 0 {
		text += fmt.Sprintf(", and %d more allocations were not freed", l.More)
	}
	return text
}

// leak puts the machine's report into the terms of the source.
func (p *Program) leak(m *machine.TensorLeak) *TensorLeak {
	if m == nil {
		return nil
	}
	l := &TensorLeak{CTA: index(m.CTA), Column: int(m.Column), Columns: int(m.Columns), More: m.More}
	l.PTX, _, _ = p.locate(m.Place.Func, m.Place.PC)
	return l
}

// watchTensor lets a machine's launch fill t; the result takes it over.
func (t *TensorMemory) watchTensor(l *machine.Launch) func() {
	if t == nil {
		return func() {}
	}
	at := t.CTA
	s := &machine.TensorShow{CTARank: uint64(at.X) + uint64(l.Grid[0])*(uint64(at.Y)+uint64(l.Grid[1])*uint64(at.Z))}
	l.ShowTensor = s
	return func() { t.Columns, t.Words = s.Columns, s.Words }
}

// disagreement turns an error about a kernel's functions into diagnostics with both lines; nil
// if it is none.
func (p *Program) disagreement(err error) error {
	var e *decode.DisagreeError
	if !errors.As(err, &e) {
		return nil
	}
	a, b := e.Uses[0], e.Uses[1]
	place := func(u decode.Use) (*diag.Source, diag.Span) {
		return p.module.Sources[u.Func.Unit], diag.Span{Start: u.Inst.Pos, End: u.Inst.Pos}
	}
	d := diag.Diagnostic{Code: diag.NotAllowedWith, Severity: diag.Error, Spec: b.Inst.Sel.Entry.Section}
	d.Source, d.Span = place(b)
	line, _ := p.module.Sources[a.Func.Unit].Position(a.Inst.Pos)
	d.Msg = fmt.Sprintf("%v in %s, but kernel %s also executes %v in %s, line %d; all of a kernel must agree", b.Value, b.Func.Name, e.Kernel, a.Value, a.Func.Name, line)
	n := diag.Note{Msg: fmt.Sprintf("%v here", a.Value)}
	n.Source, n.Span = place(a)
	d.Related = append(d.Related, n)
	return Diagnostics{d}
}
