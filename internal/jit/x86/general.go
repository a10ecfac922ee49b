package x86

import "math/bits"

// The methods of instructions on general registers; names as in vector.go.

// R assembles op d.
func (a *Asm) R(op Op, size Size, d Reg) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg, n: [5]uint8{uint8(d)}})
}

// M assembles op m.
func (a *Asm) M(op Op, size Size, m Mem) {
	a.emit(&inst{op: op, w: uint8(size), shape: kMem, m: m})
}

// RR assembles op d, s.
func (a *Asm) RR(op Op, size Size, d, s Reg) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg | kReg<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// RM assembles op d, m.
func (a *Asm) RM(op Op, size Size, d Reg, m Mem) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg | kMem<<4, n: [5]uint8{uint8(d)}, m: m})
}

// MR assembles op m, s.
func (a *Asm) MR(op Op, size Size, m Mem, s Reg) {
	a.emit(&inst{op: op, w: uint8(size), shape: kMem | kReg<<4, n: [5]uint8{0, uint8(s)}, m: m})
}

// RRR assembles op d, s1, s2.
func (a *Asm) RRR(op Op, size Size, d, s1, s2 Reg) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg | kReg<<4 | kReg<<8, n: [5]uint8{uint8(d), uint8(s1), uint8(s2)}})
}

// RRM assembles op d, s, m.
func (a *Asm) RRM(op Op, size Size, d, s Reg, m Mem) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg | kReg<<4 | kMem<<8, n: [5]uint8{uint8(d), uint8(s)}, m: m})
}

// RMR assembles op d, m, s.
func (a *Asm) RMR(op Op, size Size, d Reg, m Mem, s Reg) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg | kMem<<4 | kReg<<8, n: [5]uint8{uint8(d), 0, uint8(s)}, m: m})
}

// RI assembles op d, imm.
func (a *Asm) RI(op Op, size Size, d Reg, imm int32) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg | kImm<<4, n: [5]uint8{uint8(d)}, imm: int64(imm)})
}

// MI assembles op m, imm.
func (a *Asm) MI(op Op, size Size, m Mem, imm int32) {
	a.emit(&inst{op: op, w: uint8(size), shape: kMem | kImm<<4, m: m, imm: int64(imm)})
}

// RRI assembles op d, s, imm.
func (a *Asm) RRI(op Op, size Size, d, s Reg, imm int32) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg | kReg<<4 | kImm<<8, n: [5]uint8{uint8(d), uint8(s)}, imm: int64(imm)})
}

// RMI assembles op d, m, imm.
func (a *Asm) RMI(op Op, size Size, d Reg, m Mem, imm int32) {
	a.emit(&inst{op: op, w: uint8(size), shape: kReg | kMem<<4 | kImm<<8, n: [5]uint8{uint8(d)}, m: m, imm: int64(imm)})
}

// MRI assembles op m, s, imm.
func (a *Asm) MRI(op Op, size Size, m Mem, s Reg, imm int32) {
	a.emit(&inst{op: op, w: uint8(size), shape: kMem | kReg<<4 | kImm<<8, n: [5]uint8{0, uint8(s)}, m: m, imm: int64(imm)})
}

// MRR: memory, two general registers: the second is cl, the count of a shift.
func (a *Asm) MRR(op Op, size Size, m Mem, s1, s2 Reg) {
	a.emit(&inst{op: op, w: uint8(size), shape: kMem | kReg<<4 | kReg<<8, n: [5]uint8{0, uint8(s1), uint8(s2)}, m: m})
}

// None: no operands.
func (a *Asm) None(op Op) {
	w := op.onlyWidth()
	if forms := op.forms(); len(forms) > 0 && forms[0].sizes != 0 {
		w = uint8(bits.TrailingZeros8(forms[0].sizes))
	}
	a.emit(&inst{op: op, w: w})
}

// Set sets the byte register d to 1 if c holds, else to 0.
func (a *Asm) Set(c Cond, d Reg) {
	a.emit(&inst{op: SET, cond: c & 15, shape: kReg, n: [5]uint8{uint8(d)}})
}

// SetM sets the byte at m to 1 if c holds, else to 0.
func (a *Asm) SetM(c Cond, m Mem) {
	a.emit(&inst{op: SET, cond: c & 15, shape: kMem, m: m})
}

// Cmov sets d to s if c holds; with S32, the upper half of d becomes zero in both cases.
func (a *Asm) Cmov(c Cond, size Size, d, s Reg) {
	a.emit(&inst{op: CMOV, w: uint8(size), cond: c & 15, shape: kReg | kReg<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// CmovM is [Asm.Cmov] from memory, which is read in both cases.
func (a *Asm) CmovM(c Cond, size Size, d Reg, m Mem) {
	a.emit(&inst{op: CMOV, w: uint8(size), cond: c & 15, shape: kReg | kMem<<4, n: [5]uint8{uint8(d)}, m: m})
}

// MovImm sets all 64 bits of d to v in the fewest bytes that leave the flags alone.
func (a *Asm) MovImm(d Reg, v uint64) {
	switch {
	case v>>32 == 0:
		a.emit(&inst{op: MOV, w: uint8(S32), shape: kReg | kImm<<4, n: [5]uint8{uint8(d)}, imm: int64(v)})
	case int64(v) == int64(int32(v)):
		a.RI(MOV, S64, d, int32(v))
	default:
		a.emit(&inst{op: MOVABS, w: uint8(S64), shape: kReg | kImm<<4, n: [5]uint8{uint8(d)}, imm: int64(v)})
	}
}

// Zero sets all 64 bits of d to 0 and changes the flags.
func (a *Asm) Zero(d Reg) { a.RR(XOR, S32, d, d) }
