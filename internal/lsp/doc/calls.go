package doc

// This file says which functions call which.

import (
	"context"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Called is a function, and the places of calls that led to it.
type Called struct {
	Outline Outline
	Sites   []Span
}

// FunctionAt is the function whose name stands at a place; nil if there is none.
func (s *Snapshot) FunctionAt(ctx context.Context, at Pos) (*Outline, error) {
	w, err := s.Whole(ctx)
	if err != nil {
		return nil, err
	}
	sym := w.symbol(w.token(at))
	if sym.object == nil || sym.object.Kind != check.Function {
		return nil, nil
	}
	o := w.functionOutline(sym.object)
	return &o, nil
}

func (w *View) functionOutline(o *check.Object) Outline {
	f := o.Func.Node
	out := Outline{Name: o.Name, Kind: FunctionSymbol, Detail: "device function", Span: w.span(f.Range),
		Head: w.tokenSpan(f.Name)}
	if o.Func.Entry {
		out.Kind, out.Detail = KernelSymbol, "kernel"
	}
	return out
}

// Callers lists the functions that call the one whose name stands at a place.
func (s *Snapshot) Callers(ctx context.Context, at Pos) ([]Called, error) {
	return s.calls(ctx, at, func(from, to, asked *check.Object) *check.Object {
		if to == asked {
			return from
		}
		return nil
	})
}

// Callees lists the functions that the one whose name stands at a place calls.
func (s *Snapshot) Callees(ctx context.Context, at Pos) ([]Called, error) {
	return s.calls(ctx, at, func(from, to, asked *check.Object) *check.Object {
		if from == asked {
			return to
		}
		return nil
	})
}

// calls visits all direct calls, and lists the functions that pick names of them.
func (s *Snapshot) calls(ctx context.Context, at Pos, pick func(from, to,
	asked *check.Object) *check.Object) (list []Called, err error) {
	w, err := s.Whole(ctx)
	if err != nil {
		return nil, err
	}
	asked := w.symbol(w.token(at)).object
	if asked == nil || asked.Kind != check.Function {
		return nil, nil
	}
	index := map[*check.Object]int{}
	for _, f := range w.Info.Funcs {
		if f.Node.Body == nil {
			continue
		}
		w.eachInstruction(f.Node.Body.First, f.Node.Body.Last, func(in *syntax.Instruction) {
			to, site := w.callee(in)
			if to == nil {
				return
			}
			o := pick(f.Object, to, asked)
			if o == nil {
				return
			}
			if _, known := index[o]; !known {
				index[o] = len(list)
				list = append(list, Called{Outline: w.functionOutline(o)})
			}
			list[index[o]].Sites = append(list[index[o]].Sites, site)
		})
	}
	return list, nil
}

// callee is the function that a direct call names.
func (w *View) callee(in *syntax.Instruction) (*check.Object, Span) {
	if sel := w.Info.Sel(in); sel == nil || sel.ID() != isa.Call {
		return nil, Span{}
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		if o.Kind == syntax.OperandName {
			if sym := w.symbol(o.Name); sym.object != nil && sym.object.Kind == check.Function {
				return sym.object, w.tokenSpan(o.Name)
			}
		}
	}
	return nil, Span{}
}
