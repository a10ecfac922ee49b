package decode

// What a kernel needs and nothing executes yet: found before anything runs.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// UnsupportedError lists the forms that a kernel reaches and that have no semantics.
type UnsupportedError struct {
	Kernel string
	Forms  []UnsupportedForm // in the order in which they were met
}

// UnsupportedForm is one such form.
type UnsupportedForm struct {
	ID     isa.ID
	Text   string // one spelling that the code uses
	Reason string
	Unit   int        // module of the first, index into ir.Module.Sources
	At     []diag.Pos // of all
}

func (e *UnsupportedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s needs %d form(s) that are not executed yet:", e.Kernel, len(e.Forms))
	for _, f := range e.Forms {
		fmt.Fprintf(&b, "\n  %s (%s): %s, %d times", f.Text, isa.Table().Entry(f.ID).Section, f.Reason, len(f.At))
	}
	return b.String()
}

// add counts one statement.
func (e *UnsupportedError) add(f *ir.Func, r ir.Refusal) {
	for i := range e.Forms {
		if u := &e.Forms[i]; u.ID == r.Sel.ID() && u.Reason == r.Reason {
			u.At = append(u.At, r.Pos)
			return
		}
	}
	e.Forms = append(e.Forms, UnsupportedForm{r.Sel.ID(), r.Sel.Text(), r.Reason, f.Unit, []diag.Pos{r.Pos}})
}

// executable looks up every statement and returns the lines by form.
func executable(kernel *ir.Func, r *reachable) (map[*isa.Sel]*sem.Line, error) {
	e := &UnsupportedError{Kernel: kernel.Name}
	lines, missing := map[*isa.Sel]*sem.Line{}, map[*isa.Sel]string{}
	for _, f := range r.funcs {
		for pc := range f.Insts {
			in := &f.Insts[pc]
			if lines[in.Sel] != nil {
				continue
			}
			reason, known := missing[in.Sel]
			if !known {
				l, err := sem.Lookup(in.Sel)
				if err == nil {
					lines[in.Sel] = l
					continue
				}
				reason = err.Error()
				missing[in.Sel] = reason
			}
			e.add(f, ir.Refusal{Sel: in.Sel, Pos: in.Pos, Reason: reason})
		}
		for _, r := range f.Refused {
			e.add(f, r)
		}
	}
	if len(e.Forms) > 0 {
		return nil, e
	}
	return lines, nil
}
