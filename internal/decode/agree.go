package decode

// What all instructions of a kernel must agree on. ptxas looks at one function at a time; a
// kernel is more (9.7.16: all tcgen05 instructions have the same .cta_group).

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// DisagreeError says that two functions of a kernel differ in what they must agree on.
type DisagreeError struct {
	Kernel string
	Uses   [2]Use
}

// Use is an instruction with its value of the class.
type Use struct {
	Func  *ir.Func
	Inst  *ir.Inst
	Value isa.Mod
}

func (e *DisagreeError) Error() string {
	a, b := e.Uses[0], e.Uses[1]
	return fmt.Sprintf("kernel %s: %v in %s, but %v in %s", e.Kernel, a.Value, a.Func.Name, b.Value, b.Func.Name)
}

// agree compares all that a kernel may execute.
func agree(kernel *ir.Func, funcs []*ir.Func) error {
	first := map[isa.Class]Use{}
	for _, f := range funcs {
		for i := range f.Insts {
			in := &f.Insts[i]
			for _, class := range in.Sel.Entry.Unique() {
				use := Use{f, in, in.Sel.Get(class)}
				old, seen := first[class]
				if seen && old.Value != use.Value {
					return &DisagreeError{kernel.Name, [2]Use{old, use}}
				}
				first[class] = use
			}
		}
	}
	return nil
}
