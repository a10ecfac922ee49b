package decode

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// origin is what code was decoded from: the machine.Origin of all code that this package makes.
type origin struct {
	fn      *ir.Func
	classes *ir.Solution
}

// Function names the function.
func (o *origin) Function() string { return o.fn.Name }

// Rejoins asks the function.
func (o *origin) Rejoins(pc int32) bool { return o.fn.Rejoins(pc) }

// FuncOf returns the ir of decoded code, instruction for instruction; nil for code that was made in another way.
func FuncOf(f *machine.FuncInfo) *ir.Func {
	if o, ok := f.Origin.(*origin); ok {
		return o.fn
	}
	return nil
}

// ClassesOf returns the register classes that code was decoded for, if it was decoded.
func ClassesOf(f *machine.FuncInfo) (*ir.Solution, bool) {
	if o, ok := f.Origin.(*origin); ok {
		return o.classes, o.classes != nil
	}
	return nil, false
}

// AccessOrder returns the strength and scope of the access to memory that an instruction makes (8.4, 8.5); false if it makes
// none.
func AccessOrder(f *machine.FuncInfo, pc int32) (model.Order, model.Scope, bool) {
	fn := FuncOf(f)
	if fn == nil || pc < 0 || int(pc) >= len(fn.Insts) {
		return model.Weak, model.NoScope, false
	}
	return sem.AccessOrder(fn.Insts[pc].Sel)
}
