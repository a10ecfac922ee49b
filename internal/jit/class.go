package jit

// What becomes of each instruction: what there is machine code for, and what there is not.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
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

// ClassesC are those of the new pipeline's own code for vectors. A kernel that is refused has an error that says why, and no classes unless
// the reason is its code as a whole: how large its frame is.
func ClassesC(code *machine.Code, v Vectors) ([]Class, error) {
	b, err := build.Build(code, ForOwn(build.Options{Some: true}, v))
	if err != nil {
		return nil, err
	}
	list := make([]Class, len(code.Insts))
	for _, b := range b.Func.Blocks {
		for _, e := range b.Effects {
			if e.Kind == ssa.Atomic {
				list[e.PC] = ByLane
			}
		}
	}
	for pc, help := range b.Unknown {
		if list[pc] = ByLeaving; help {
			list[pc] = ByHelper
		}
	}
	if err = opt.Run(b.Func, opt.Options{}); err == nil {
		_, err = amd64.Compile(b.Func, targets[v], amd64.Options{})
	}
	return list, err
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
