package ir

// This file says which registers an instruction reads and writes.

// Access is how an instruction touches a register.
type Access uint8

// The accesses. A register that is both read and written is visited twice, read first.
const (
	Read Access = iota
	Write
)

// EachReg visits the registers of an instruction: all reads first, then the writes.
func (f *Func) EachReg(in *Inst, visit func(Reg, Access)) {
	if in.Guard.Reg != NoReg {
		visit(in.Guard.Reg, Read)
	}
	if in.Carry&CarryIn != 0 {
		visit(f.CC, Read)
	}
	eachRead(in.Ops, visit)
	if in.IsReturn() {
		for _, q := range f.Rets { // the caller reads them
			if q.Reg != NoReg {
				visit(q.Reg, Read)
			}
		}
	}
	if c := in.Call; c != nil {
		eachRead(c.Args, visit)
		if c.Callee == nil {
			visitRead(&c.Target, visit)
		}
	}
	eachWrite(in.Ops, visit)
	if in.Call != nil {
		eachWrite(in.Call.Rets, visit)
	}
	if in.Carry&CarryOut != 0 {
		visit(f.CC, Write)
	}
}

func eachRead(ops []Operand, visit func(Reg, Access)) {
	for i := range ops {
		visitRead(&ops[i], visit)
	}
}

func visitRead(o *Operand, visit func(Reg, Access)) {
	switch o.Kind {
	case OpReg:
		if o.Access != OnlyWrite {
			visit(o.Reg, Read)
		}
	case OpMem:
		if o.Reg != NoReg {
			visit(o.Reg, Read)
		}
		eachRead(o.Elems, visit)
	case OpVec, OpPair:
		eachRead(o.Elems, visit)
	}
}

func eachWrite(ops []Operand, visit func(Reg, Access)) {
	for i := range ops {
		switch o := &ops[i]; o.Kind {
		case OpReg:
			if o.Access != OnlyRead {
				visit(o.Reg, Write)
			}
		case OpVec, OpPair:
			eachWrite(o.Elems, visit)
		}
	}
}

// kills reports whether a write by this instruction ends the life of the old value: under a
// guard the lanes that do not execute keep it.
func (in *Inst) kills() bool { return in.Guard.Reg == NoReg }
