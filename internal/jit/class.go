package jit

// What becomes of each instruction: what there is machine code for, and what there is not.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// Class says how compiled code executes an instruction; a lower one is better.
type Class uint8

// The classes.
const (
	ByVectors Class = iota // or by general registers, once for all lanes
	ByLane                 // by a loop over lanes
	ByHelper               // by the interpreter's handler, inside of the code
	ByLeaving              // not: the interpreter executes it and comes back
)

// Letters are the classes' in lists.
const Letters = "VLHX"

// Classes are those of all instructions of a function.
func Classes(code *machine.Code, f *ir.Func, opt Options) []Class {
	list := make([]Class, len(code.Insts))
	opt.Vectors = opt.vectors()
	r := newRegion(code, f, opt, newEffort(len(code.Insts), &opt), &relief{residents: residentsOf(opt.Vectors)})
	for pc := range list {
		list[pc] = r.class(int32(pc))
	}
	r.mem.free()
	return list
}

func (r *region) class(pc int32) Class {
	s := &r.steps[pc]
	switch kind := s.op.Kind; {
	case r.tabled(pc):
	case r.helped(pc):
		return ByHelper
	case s.leaves:
		return ByLeaving
	case kind == sem.OpAtomic || kind == sem.OpCas:
		return ByLane
	}
	return ByVectors
}
