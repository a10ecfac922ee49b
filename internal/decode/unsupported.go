package decode

// What a kernel needs and nothing executes: found before anything runs.

import (
	"errors"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/table"
)

// UnsupportedError lists the forms that a kernel reaches and that have no semantics.
type UnsupportedError struct {
	Kernel string
	Forms  []UnsupportedForm // in the order in which they were met
}

// UnsupportedForm is one such form.
type UnsupportedForm struct {
	ID   isa.ID
	Text string     // one spelling that the code uses
	Err  error      // why
	Unit int        // module of the first, index into ir.Module.Sources
	At   []diag.Pos // of all
}

// Undocumented reports whether it is not executed because no manual describes it.
func (f *UnsupportedForm) Undocumented() bool { return errors.As(f.Err, new(*sem.UndocumentedError)) }

// UndefinedError is why a call is not executed: no module that is linked defines the function.
type UndefinedError struct{ Name string }

func (e *UndefinedError) Error() string { return fmt.Sprintf("function %s has no body", e.Name) }

// Undefined reports whether it is not executed because it calls what no module defines.
func (f *UnsupportedForm) Undefined() bool { return errors.As(f.Err, new(*UndefinedError)) }

func (e *UnsupportedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s needs %d form(s) that are not executed:", e.Kernel, len(e.Forms))
	for _, f := range e.Forms {
		fmt.Fprintf(&b, "\n  %s (%s): %s, %d times", f.Text, isa.Table().Entry(f.ID).Section, f.Err, len(f.At))
	}
	return b.String()
}

// add counts one statement of a function.
func (e *UnsupportedError) add(f *ir.Func, sel *isa.Sel, at diag.Pos, why error) {
	for i := range e.Forms {
		if u := &e.Forms[i]; u.ID == sel.ID() && u.Err.Error() == why.Error() {
			u.At = append(u.At, at)
			return
		}
	}
	e.Forms = append(e.Forms, UnsupportedForm{sel.ID(), sel.Text(), why, f.Unit, []diag.Pos{at}})
}

// executable looks up every statement and returns the lines by form.
func executable(kernel *ir.Func, r *reachable) (map[*isa.Sel]*sem.Line, error) {
	e := &UnsupportedError{Kernel: kernel.Name}
	lines, missing := map[*isa.Sel]*sem.Line{}, map[*isa.Sel]error{}
	for _, f := range r.funcs {
		for pc := range f.Insts {
			in := &f.Insts[pc]
			if lines[in.Sel] != nil {
				continue
			}
			why, known := missing[in.Sel]
			if !known {
				l, err := table.Whole().Lookup(in.Sel)
				if err == nil {
					lines[in.Sel] = l
					continue
				}
				why = err
				missing[in.Sel] = why
			}
			e.add(f, in.Sel, in.Pos, why)
		}
		for _, r := range f.Refused {
			e.add(f, r.Sel, r.Pos, &sem.UndocumentedError{What: r.Odd.String()})
		}
	}
	if len(e.Forms) > 0 {
		return nil, e
	}
	return lines, nil
}
