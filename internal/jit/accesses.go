package jit

import (
	"ptxvm.invalid/ptxvm/internal/ir"
)

// accesses has the registers that each instruction of a function reads and writes, which every analysis asks for: they are
// collected once.
type accesses struct {
	regs  []ir.Reg
	first []int32 // 2·pc: where the reads of an instruction begin in regs; 2·pc+1: its writes
}

func newAccesses(f *ir.Func, mem *scratch) *accesses {
	a := &accesses{regs: mem.regs.take(4 * len(f.Insts))[:0], first: mem.int32s.take(2*len(f.Insts) + 1)}
	read := 0
	note := func(g ir.Reg, how ir.Access) {
		a.regs = append(a.regs, g)
		if how == ir.Read {
			read = len(a.regs)
		}
	}
	for pc := range f.Insts {
		read = len(a.regs)
		a.first[2*pc] = int32(read)
		f.EachReg(&f.Insts[pc], note)
		a.first[2*pc+1] = int32(read)
	}
	a.first[2*len(f.Insts)] = int32(len(a.regs))
	return a
}

// reads are the registers that an instruction reads, as often as it does.
func (a *accesses) reads(pc int32) []ir.Reg { return a.regs[a.first[2*pc]:a.first[2*pc+1]] }

// writes are those that it writes.
func (a *accesses) writes(pc int32) []ir.Reg { return a.regs[a.first[2*pc+1]:a.first[2*pc+2]] }
