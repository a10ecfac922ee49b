package x86

// The methods of vector instructions are named by the kinds of their operands, destination first:
// V vector, M memory, R general register, K mask register, I immediate byte.

// VV assembles op d, s.
func (a *Asm) VV(op Op, w Width, d, s Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// VM assembles op d, m.
func (a *Asm) VM(op Op, w Width, d Vec, m Mem) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kMem<<4, n: [5]uint8{uint8(d)}, m: m})
}

// MV assembles op m, s.
func (a *Asm) MV(op Op, w Width, m Mem, s Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kMem | kVec<<4, n: [5]uint8{0, uint8(s)}, m: m})
}

// VVV assembles op d, s1, s2.
func (a *Asm) VVV(op Op, w Width, d, s1, s2 Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kVec<<8, n: [5]uint8{uint8(d), uint8(s1), uint8(s2)}})
}

// VVM assembles op d, s, m.
func (a *Asm) VVM(op Op, w Width, d, s Vec, m Mem) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kMem<<8, n: [5]uint8{uint8(d), uint8(s)}, m: m})
}

// MVV assembles op m, s1, s2.
func (a *Asm) MVV(op Op, w Width, m Mem, s1, s2 Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kMem | kVec<<4 | kVec<<8, n: [5]uint8{0, uint8(s1), uint8(s2)}, m: m})
}

// VMV assembles op d, m, s.
func (a *Asm) VMV(op Op, w Width, d Vec, m Mem, s Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kMem<<4 | kVec<<8, n: [5]uint8{uint8(d), 0, uint8(s)}, m: m})
}

// VVVV assembles op d, s1, s2, s3.
func (a *Asm) VVVV(op Op, w Width, d, s1, s2, s3 Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kVec<<8 | kVec<<12, n: [5]uint8{uint8(d), uint8(s1), uint8(s2), uint8(s3)}})
}

// VVMV assembles op d, s1, m, s2.
func (a *Asm) VVMV(op Op, w Width, d, s1 Vec, m Mem, s2 Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kMem<<8 | kVec<<12, n: [5]uint8{uint8(d), uint8(s1), 0, uint8(s2)}, m: m})
}

// VVI assembles op d, s, imm.
func (a *Asm) VVI(op Op, w Width, d, s Vec, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kImm<<8, n: [5]uint8{uint8(d), uint8(s)}, imm: int64(imm)})
}

// VMI assembles op d, m, imm.
func (a *Asm) VMI(op Op, w Width, d Vec, m Mem, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kMem<<4 | kImm<<8, n: [5]uint8{uint8(d)}, m: m, imm: int64(imm)})
}

// MVI assembles op m, s, imm.
func (a *Asm) MVI(op Op, w Width, m Mem, s Vec, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kMem | kVec<<4 | kImm<<8, n: [5]uint8{0, uint8(s)}, m: m, imm: int64(imm)})
}

// VVVI assembles op d, s1, s2, imm.
func (a *Asm) VVVI(op Op, w Width, d, s1, s2 Vec, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kVec<<8 | kImm<<12, n: [5]uint8{uint8(d), uint8(s1), uint8(s2)}, imm: int64(imm)})
}

// VVMI assembles op d, s, m, imm.
func (a *Asm) VVMI(op Op, w Width, d, s Vec, m Mem, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kMem<<8 | kImm<<12, n: [5]uint8{uint8(d), uint8(s)}, m: m, imm: int64(imm)})
}

// VR assembles op d, s.
func (a *Asm) VR(op Op, w Width, d Vec, s Reg) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kReg<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// RV assembles op d, s.
func (a *Asm) RV(op Op, w Width, d Reg, s Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kReg | kVec<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// VVR assembles op d, s1, s2.
func (a *Asm) VVR(op Op, w Width, d, s1 Vec, s2 Reg) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kReg<<8, n: [5]uint8{uint8(d), uint8(s1), uint8(s2)}})
}

// RVI assembles op d, s, imm.
func (a *Asm) RVI(op Op, w Width, d Reg, s Vec, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kReg | kVec<<4 | kImm<<8, n: [5]uint8{uint8(d), uint8(s)}, imm: int64(imm)})
}

// VVRI assembles op d, s1, s2, imm.
func (a *Asm) VVRI(op Op, w Width, d, s1 Vec, s2 Reg, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kVec<<4 | kReg<<8 | kImm<<12, n: [5]uint8{uint8(d), uint8(s1), uint8(s2)}, imm: int64(imm)})
}

// KV assembles op d, s.
func (a *Asm) KV(op Op, w Width, d K, s Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kK | kVec<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// VK assembles op d, s.
func (a *Asm) VK(op Op, w Width, d Vec, s K) {
	a.emit(&inst{op: op, w: uint8(w), shape: kVec | kK<<4, n: [5]uint8{uint8(d), uint8(s)}})
}

// KVV assembles op d, s1, s2.
func (a *Asm) KVV(op Op, w Width, d K, s1, s2 Vec) {
	a.emit(&inst{op: op, w: uint8(w), shape: kK | kVec<<4 | kVec<<8, n: [5]uint8{uint8(d), uint8(s1), uint8(s2)}})
}

// KVM assembles op d, s, m.
func (a *Asm) KVM(op Op, w Width, d K, s Vec, m Mem) {
	a.emit(&inst{op: op, w: uint8(w), shape: kK | kVec<<4 | kMem<<8, n: [5]uint8{uint8(d), uint8(s)}, m: m})
}

// KVI assembles op d, s, imm.
func (a *Asm) KVI(op Op, w Width, d K, s Vec, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kK | kVec<<4 | kImm<<8, n: [5]uint8{uint8(d), uint8(s)}, imm: int64(imm)})
}

// KMI assembles op d, m, imm.
func (a *Asm) KMI(op Op, w Width, d K, m Mem, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kK | kMem<<4 | kImm<<8, n: [5]uint8{uint8(d)}, m: m, imm: int64(imm)})
}

// KVVI assembles op d, s1, s2, imm.
func (a *Asm) KVVI(op Op, w Width, d K, s1, s2 Vec, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kK | kVec<<4 | kVec<<8 | kImm<<12, n: [5]uint8{uint8(d), uint8(s1), uint8(s2)}, imm: int64(imm)})
}

// KVMI assembles op d, s, m, imm.
func (a *Asm) KVMI(op Op, w Width, d K, s Vec, m Mem, imm uint8) {
	a.emit(&inst{op: op, w: uint8(w), shape: kK | kVec<<4 | kMem<<8 | kImm<<12, n: [5]uint8{uint8(d), uint8(s)}, m: m, imm: int64(imm)})
}
