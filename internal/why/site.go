package why

// This file knows what the registers of an instruction are for.

import (
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// site is an instruction of the program.
type site struct {
	machineSite
	rows   []regs.Row
	in     *ir.Inst
	reads  int         // rows that are read; those that are written stand behind
	data   []int       // rows whose values make the result, or are stored: neither guards nor addresses
	values []int       // of the elements that are stored: the row, -1 of a constant
	of     isa.Effect  // its effects
	elems  int         // results that a load has, end to end
	dest   map[int]int // row of a result → its place among them
}

// site is that of a step.
func (r *Record) site(s *machine.Step) *site {
	key := machineSite{s.Func, s.PC}
	at := r.sites[key]
	if at == nil {
		at = &site{machineSite: key, rows: s.Rows}
		if f := decode.FuncOf(s.Func); f != nil && int(s.PC) < len(f.Insts) {
			at.learn(&f.Insts[s.PC])
		}
		r.sites[key] = at
	}
	return at
}

// learn finds what the rows, which are in the order of ir.Func.EachReg, are for.
func (s *site) learn(in *ir.Inst) {
	s.in, s.of, s.dest = in, in.Sel.Entry.Effects.Bits, map[int]int{}
	for _, row := range s.rows {
		if !row.Write {
			s.reads++
		}
	}
	at := 0
	if in.Guard.Reg != ir.NoReg {
		at++
	}
	if in.Carry&ir.CarryIn != 0 {
		s.data, at = append(s.data, at), at+1
	}
	for i := range in.Ops {
		at = s.read(&in.Ops[i], at, true)
	}
	if in.Call != nil {
		for i := range in.Call.Args {
			at = s.read(&in.Call.Args[i], at, true)
		}
	}
	if in.IsReturn() {
		for ; at < s.reads; at++ {
			s.data = append(s.data, at)
		}
	}
	s.results(in)
}

// read lists the registers of an operand, and what is stored.
func (s *site) read(o *ir.Operand, at int, data bool) int {
	switch o.Kind {
	case ir.OpReg:
		if o.Access == ir.OnlyWrite {
			return at
		}
		if data {
			s.data, s.values = append(s.data, at), append(s.values, at)
		}
		return at + 1
	case ir.OpImm, ir.OpSym, ir.OpSpec:
		s.values = append(s.values, -1)
	case ir.OpMem:
		if o.Reg != ir.NoReg {
			at++
		}
		for i := range o.Elems {
			at = s.read(&o.Elems[i], at, false)
		}
	case ir.OpVec, ir.OpPair:
		for i := range o.Elems {
			at = s.read(&o.Elems[i], at, data)
		}
	}
	return at
}

// results numbers the elements of a load; sinks count.
func (s *site) results(in *ir.Inst) {
	if len(in.Ops) == 0 {
		return
	}
	row := s.reads
	list := []ir.Operand{in.Ops[0]}
	if k := in.Ops[0].Kind; k == ir.OpVec || k == ir.OpPair {
		list = in.Ops[0].Elems
	}
	for i := range list {
		if o := &list[i]; o.Kind == ir.OpReg && o.Access != ir.OnlyRead {
			s.dest[row], row = i, row+1
		}
	}
	s.elems = len(list)
}

// loads reports whether it reads memory alone; what writes it, too, is atomic.
func (s *site) loads() bool  { return s.of&isa.Reads != 0 && s.of&isa.Writes == 0 }
func (s *site) atomic() bool { return s.of&isa.Reads != 0 && s.of&isa.Writes != 0 }

// across reports whether results depend on other lanes.
func (s *site) across() bool { return s.of&isa.CrossLane != 0 }
