package jit

import (
	"ptxvm.invalid/ptxvm/internal/ir"
)

// accesses has the registers that each instruction of a function reads and writes, and the other way round, which every
// analysis asks for: they are collected once.
type accesses struct {
	regs  []ir.Reg
	first []int32 // 2·pc: where the reads of an instruction begin in regs; 2·pc+1: its writes

	pcs []int32
	at  []int32 // 2·register: where those who read it begin in pcs; 2·register+1: those who write it
}

func newAccesses(f *ir.Func, mem *scratch) *accesses {
	a := &accesses{regs: mem.regs.take(4 * len(f.Insts))[:0], first: mem.int32s.take(2*len(f.Insts) + 1), at: mem.int32s.take(2*len(f.Regs) + 1)}
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
	a.turn(len(f.Insts), mem)
	return a
}

// turn finds who reads and writes each register, in the order of the code.
func (a *accesses) turn(insts int, mem *scratch) {
	a.pcs = mem.int32s.take(len(a.regs))
	a.each(insts, func(k int, pc int32) { a.at[k+1]++ })
	for k := range len(a.at) - 1 {
		a.at[k+1] += a.at[k]
	}
	next := mem.int32s.take(len(a.at))
	copy(next, a.at)
	a.each(insts, func(k int, pc int32) {
		a.pcs[next[k]] = pc
		next[k]++
	})
}

// each visits the accesses by their place in at.
func (a *accesses) each(insts int, visit func(k int, pc int32)) {
	for pc := range int32(insts) {
		for _, g := range a.reads(pc) {
			visit(2*int(g), pc)
		}
		for _, g := range a.writes(pc) {
			visit(2*int(g)+1, pc)
		}
	}
}

// reads are the registers that an instruction reads, as often as it does.
func (a *accesses) reads(pc int32) []ir.Reg { return a.regs[a.first[2*pc]:a.first[2*pc+1]] }

// writes are those that it writes.
func (a *accesses) writes(pc int32) []ir.Reg { return a.regs[a.first[2*pc+1]:a.first[2*pc+2]] }

// readers are the instructions that read a register, as often as they do.
func (a *accesses) readers(g ir.Reg) []int32 { return a.pcs[a.at[2*g]:a.at[2*g+1]] }

// writers are those that write it.
func (a *accesses) writers(g ir.Reg) []int32 { return a.pcs[a.at[2*g+1]:a.at[2*g+2]] }
