package x86

// Mem is a memory operand: base + index*scale + disp, or the place of a label.
type Mem struct {
	Base  Reg   // NoReg: none
	Index Reg   // NoReg: none; the number of a vector register after [AtVec]
	Scale uint8 // 1, 2, 4, 8
	Disp  int32
	Proof int32 // what says that the place may be touched, in the words of the one that gave Watch; 0: nothing does
	Rip   Label // not zero: this label + Disp, relative to the instruction; no base, no index
	vsib  bool  // Index is a vector register
	bcast bool  // one element, for each lane
}

// At is [base + disp].
func At(base Reg, disp int32) Mem { return Mem{Base: base, Index: NoReg, Scale: 1, Disp: disp} }

// AtIndex is [base + index*scale + disp]; base may be NoReg.
func AtIndex(base, index Reg, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// AtVec is the operand of gathers and scatters: [base + element of index * scale + disp] for each
// lane; base may be NoReg.
func AtVec(base Reg, index Vec, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: Reg(index), Scale: scale, Disp: disp, vsib: true}
}

// AtLabel is the code or data at l.
func AtLabel(l Label) Mem { return Mem{Base: NoReg, Index: NoReg, Scale: 1, Rip: l} }

// Plus is m moved by disp bytes.
func (m Mem) Plus(disp int32) Mem {
	m.Disp += disp
	return m
}

// By is m with a proof that it may be touched.
func (m Mem) By(proof int32) Mem {
	m.Proof = proof
	return m
}

// With is m, index*scale further; m has no index.
func (m Mem) With(index Reg, scale uint8) Mem {
	m.Index, m.Scale = index, scale
	return m
}

// Bcast is one element at m, used for every lane (AVX-512).
func (m Mem) Bcast() Mem {
	m.bcast = true
	return m
}

// indexed tells whether m has an index register of either kind.
func (m *Mem) indexed() bool { return m.vsib || m.Index != NoReg }

// Scattered tells whether each lane has a place of its own: m is of a gather or a scatter.
func (m *Mem) Scattered() bool { return m.vsib }

// scaleBits returns the encoding of the scale.
func (m *Mem) scaleBits() byte {
	switch m.Scale {
	case 2:
		return 0x40
	case 4:
		return 0x80
	case 8:
		return 0xc0
	}
	return 0
}

// plain tells whether m is a base and a displacement.
func (m *Mem) plain() bool { return m.Base <= R15 && m.Index == NoReg && m.Rip == 0 && !m.vsib }

// wrong says what no encoding can say, "" if nothing.
func (m *Mem) wrong() string {
	switch {
	case m.Rip != 0 && (m.Base != NoReg || m.indexed()):
		return "an address relative to a label has no base and no index"
	case m.Base > R15 && m.Base != NoReg:
		return "the base is no register"
	case m.vsib && m.Index > 31, !m.vsib && m.Index > R15 && m.Index != NoReg:
		return "the index is no register"
	case !m.vsib && m.Index == RSP:
		return "rsp cannot be an index"
	case m.indexed() && m.Scale != 1 && m.Scale != 2 && m.Scale != 4 && m.Scale != 8:
		return "the scale must be 1, 2, 4 or 8"
	}
	return ""
}
