package x86

// The methods of instructions on mask registers; names as in vector.go. How many bits a mask has,
// the instruction says.

// KK assembles op d, s.
func (a *Asm) KK(op Op, d, s K) {
	a.emit(&inst{op: op, w: op.onlyWidth(), shape: kK | kK<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// KKK assembles op d, s1, s2.
func (a *Asm) KKK(op Op, d, s1, s2 K) {
	a.emit(&inst{op: op, w: op.onlyWidth(), shape: kK | kK<<4 | kK<<8, n: [5]uint8{uint8(d), uint8(s1), uint8(s2)}})
}

// KKI assembles op d, s, imm.
func (a *Asm) KKI(op Op, d, s K, imm uint8) {
	a.emit(&inst{op: op, w: op.onlyWidth(), shape: kK | kK<<4 | kImm<<8, n: [5]uint8{uint8(d), uint8(s)}, imm: int64(imm)})
}

// KR assembles op d, s.
func (a *Asm) KR(op Op, d K, s Reg) {
	a.emit(&inst{op: op, w: op.onlyWidth(), shape: kK | kReg<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// RK assembles op d, s.
func (a *Asm) RK(op Op, d Reg, s K) {
	a.emit(&inst{op: op, w: op.onlyWidth(), shape: kReg | kK<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// KM assembles op d, m.
func (a *Asm) KM(op Op, d K, m Mem) {
	a.emit(&inst{op: op, w: op.onlyWidth(), shape: kK | kMem<<4, n: [5]uint8{uint8(d)}, m: m})
}

// MK assembles op m, s.
func (a *Asm) MK(op Op, m Mem, s K) {
	a.emit(&inst{op: op, w: op.onlyWidth(), shape: kMem | kK<<4, n: [5]uint8{0, uint8(s)}, m: m})
}

// onlyWidth returns the width that the encoding of an instruction on mask registers has: two
// sources are encoded like 256 bits.
func (op Op) onlyWidth() uint8 {
	forms := op.forms()
	if len(forms) == 0 {
		return 0
	}
	return forms[0].vex >> 1
}
