package x86

// Keep notes that r has a value that somebody would like to find again.
func (a *Asm) Keep(r Reg) { a.kept |= 1 << r }

// Kept tells whether r has that value still, for code that runs on from Keep: no instruction behind it
// may have written r, and no label is bound there.
func (a *Asm) Kept(r Reg) bool { return a.kept>>r&1 != 0 }

// BindKept is Bind for a label that is only jumped to where registers that are kept hold what they hold here.
func (a *Asm) BindKept(l Label) {
	kept := a.kept
	a.Bind(l)
	a.kept = kept
}

// unkeep forgets the registers that an instruction may write: its first operands, or any if it has
// others than it says.
func (a *Asm) unkeep(in *inst) {
	switch {
	case a.kept == 0:
	case in.shape.at(0) == kReg && in.shape.at(1) != 0:
		switch a.kept &^= 1 << in.n[0]; in.op {
		case MULX:
			a.kept &^= 1 << in.n[1]
		case XCHG, XADD, CMPXCHG:
			a.kept = 0
		}
	case in.shape.at(0) == kReg:
		switch in.op {
		case NEG, NOT, INC, DEC, SET:
			a.kept &^= 1 << in.n[0]
		default:
			a.kept = 0
		}
	case in.shape.at(0) == kMem && in.shape.at(1) == kReg:
		switch in.op {
		case MOV, ADD, SUB, AND, OR, XOR, CMP, TEST:
		default:
			a.kept = 0
		}
	case in.shape.at(0) == kMem && in.shape.at(1) == 0 || in.shape == 0:
		a.kept = 0
	}
}
