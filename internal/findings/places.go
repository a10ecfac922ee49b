package findings

// This file finds the places of machine code in the PTX and in the source behind it.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/report"
)

// Locate finds an instruction of a module in the PTX and, by .loc, in the source behind it, and returns its text.
func Locate(m *ir.Module, fn *machine.FuncInfo, pc int32) (ptx report.Location, source []report.Location, text string) {
	f := decode.FuncOf(fn)
	if f == nil || pc < 0 || int(pc) >= len(f.Insts) {
		return report.Location{Function: fn.Name}, nil, ""
	}
	return At(m, f, pc)
}

// At is Locate for a function and an instruction that it has.
func At(m *ir.Module, f *ir.Func, pc int32) (ptx report.Location, source []report.Location, text string) {
	in := &f.Insts[pc]
	src := m.Sources[f.Unit]
	ptx = report.Location{File: src.Name, Function: f.Name}
	ptx.Line, ptx.Col = src.Position(in.Pos)
	for _, l := range m.Chain(in.Loc) {
		name := ""
		if int(l.File) < len(m.Files) && l.File >= 0 {
			name = m.Files[l.File]
		}
		source = append(source, report.Location{File: name, Line: int(l.Line), Col: int(l.Col), Function: l.Function})
	}
	return ptx, source, statement(src, in.Pos)
}

// statement is the text of the instruction at a position, on one line.
func statement(src *diag.Source, at diag.Pos) string {
	rest := string(src.Text[at:min(int(at)+200, len(src.Text))])
	if i := strings.IndexByte(rest, ';'); i >= 0 {
		rest = rest[:i+1]
	}
	return strings.Join(strings.Fields(rest), " ")
}

// Involved puts a place of a module's code into the terms of the source.
func Involved(m *ir.Module, at *machine.Place) report.Involved {
	v := report.Involved{CTA: Point(at.CTA), Thread: Point(at.Thread), Lanes: at.Lanes}
	if at.Func == nil {
		return v
	}
	v.PTX, v.Source, v.Text = Locate(m, at.Func, at.PC)
	if order, scope, ok := decode.AccessOrder(at.Func, at.PC); ok {
		v.Order, v.Proxy = order.String(), at.Proxy.String()
		if order != model.Weak {
			v.Scope = scope.String()
		}
	}
	for _, c := range at.Calls {
		call, _ := Call(m, c)
		v.Calls = append(v.Calls, call)
	}
	return v
}

// Call is where a call stands: in the source, if that is known, by the name of the function that calls; and its chain of the source.
func Call(m *ir.Module, c machine.CallFrame) (at report.Location, source []report.Location) {
	at, source, _ = Locate(m, c.Func, c.PC)
	if len(source) > 0 {
		at.File, at.Line, at.Col = source[0].File, source[0].Line, source[0].Col
	}
	return at, source
}

// InvolvedIn is Involved for a place that may be missing.
func InvolvedIn(m *ir.Module, at *machine.Place) *report.Involved {
	if at == nil {
		return nil
	}
	v := Involved(m, at)
	return &v
}

// Named is an instruction of a module apart from its line: function, text, and which of those with the same text in the function it
// is; empty where there is none.
func Named(m *ir.Module, at *machine.Place) string {
	if at.Func == nil {
		return ""
	}
	_, _, text := Locate(m, at.Func, at.PC)
	f, number := decode.FuncOf(at.Func), 0
	for pc := range at.PC {
		if f == nil {
			break
		}
		if _, _, earlier := Locate(m, at.Func, pc); earlier == text {
			number++
		}
	}
	return fmt.Sprintf("%s %d %s", at.Func.Name, number, text)
}

// Point is the place of a CTA in its grid, or of a thread in its block.
func Point(v [3]uint32) report.Index3 { return report.Index3{X: v[0], Y: v[1], Z: v[2]} }
