package x86

// inst is an instruction on its way to its bytes.
type inst struct {
	op    Op
	w     uint8 // Width of vector forms, Size of general ones
	cond  Cond
	shape shape
	n     [4]uint8 // numbers of register operands, by position
	m     Mem
	imm   int64
}

// encoding is how a form is encoded.
type encoding uint8

const (
	encNone encoding = iota
	encLegacy
	encVEX
	encEVEX
)

// emit appends in: the first of its forms that can say it, in that form's encoding.
func (a *Asm) emit(in inst) {
	start := len(a.buf)
	d := a.deco
	a.deco = deco{}
	forms := in.op.forms()
	for i := range forms {
		f := &forms[i]
		e := f.encoding(&in, &d)
		if e == encNone {
			continue
		}
		switch e {
		case encLegacy:
			a.legacy(f, &in, &d)
		case encVEX:
			a.vex(f, &in)
		default:
			a.evex(f, &in, &d)
		}
		a.used |= f.need(&in, e)
		if a.listing != nil {
			a.listing.add(start, string(appendText(nil, f, &in, &d)))
		}
		return
	}
	a.err = a.explain(&in, &d)
}

// encoding returns how f says in, encNone if it cannot.
func (f *form) encoding(in *inst, d *deco) encoding {
	if in.shape != f.reg && in.shape != f.mem || in.shape == 0 && f.operand[0].slot != 0 {
		return encNone
	}
	if !f.operandsFit(in) {
		return encNone
	}
	if f.sizes != 0 {
		return f.generalEncoding(in, d)
	}
	return f.vectorEncoding(in, d)
}

// generalEncoding is encoding for the forms of general registers.
func (f *form) generalEncoding(in *inst, d *deco) encoding {
	locked := !d.lock || f.flags&hasLock != 0 && in.shape.at(0) == kMem
	if f.sizes>>in.w&1 == 0 || !locked || d.k != 0 || d.round != 0 || in.m.bcast {
		return encNone
	}
	if f.flags&isVexGPR != 0 {
		return encVEX
	}
	return encLegacy
}

// vectorEncoding is encoding for vector and mask forms.
func (f *form) vectorEncoding(in *inst, d *deco) encoding {
	if d.lock {
		return encNone
	}
	plain := d.k == 0 && d.round == 0 && !in.m.bcast
	if plain && f.vex>>in.w&1 != 0 && !in.high() && !(in.shape == f.mem && f.flags&vexRegs != 0) {
		if f.flags&hasMirror != 0 && in.shape == f.reg && in.n[0] < 8 && in.n[1] >= 8 {
			return encNone
		}
		return encVEX
	}
	if f.evex>>in.w&1 != 0 && (plain && f.flags&mustMask == 0 || f.decorated(in, d)) {
		return encEVEX
	}
	return encNone
}

// decorated tells whether the EVEX encoding of f can say what d and the memory operand ask for.
func (f *form) decorated(in *inst, d *deco) bool {
	switch {
	case d.k == 0 && f.flags&mustMask != 0, d.k != 0 && f.flags&noMask != 0:
		return false
	case d.zero && (f.flags&mustMask != 0 || in.shape.at(0) != kVec): // only a vector has lanes to clear
		return false
	case in.m.bcast && f.memory().bcast == 0:
		return false
	case d.round == 0:
		return true
	}
	whole := f.flags&isScalar != 0 || in.w == uint8(W512)
	allowed := f.flags&hasRound != 0 && d.round != SAE || f.flags&hasSAE != 0 && d.round == SAE
	return whole && allowed && in.shape == f.reg
}

// memory returns the operand in ModRM.rm.
func (f *form) memory() *operand {
	for i := range f.operand {
		if f.operand[i].slot == 'M' {
			return &f.operand[i]
		}
	}
	return &operand{}
}

// high tells whether in uses a vector register that only EVEX can name.
func (in *inst) high() bool {
	for i := range in.n {
		if in.n[i] > 15 {
			return true
		}
	}
	return in.m.vsib && in.m.Index > 15
}

// operandsFit tells whether registers and immediates are what f can encode.
func (f *form) operandsFit(in *inst) bool {
	for i := range f.operand {
		o, kind := &f.operand[i], in.shape.at(i)
		if in.n[i] > lastRegister[kind] {
			return false
		}
		switch o.slot {
		case 0:
			return true
		case 'I':
			if !immediateFits(o.class, in) {
				return false
			}
		case 'A':
			if in.n[i] != 0 {
				return false
			}
		case 'C':
			if in.n[i] != uint8(RCX) {
				return false
			}
		case 'M':
			if kind == kMem && (in.m.vsib != (o.index != 0) || in.m.wrong() != "") {
				return false
			}
		}
	}
	return true
}

// lastRegister is the highest number of a register, by kind.
var lastRegister = [16]uint8{kVec: 31, kReg: 15, kK: 7}

// immediateFits tells whether the immediate of in can be encoded as class says; both a signed
// and an unsigned reading of the encoded bits is accepted where they are not extended.
func immediateFits(class byte, in *inst) bool {
	switch class {
	case '1':
		return in.imm == 1
	case 'b':
		return in.imm >= -1<<7 && in.imm < 1<<8
	case 'j':
		return in.imm >= -1<<7 && in.imm < 1<<7
	case 'z':
		bits := min(8<<in.w, 32)
		high := int64(1) << bits
		if in.w == uint8(S64) {
			high >>= 1
		}
		return in.imm >= -1<<(bits-1) && in.imm < high
	}
	return true
}

// need returns the features of f as encoded.
func (f *form) need(in *inst, e encoding) Feature {
	switch {
	case e == encEVEX && f.flags&isScalar == 0 && in.w != uint8(W512):
		return f.needs[2] | HasAVX512VL
	case e == encEVEX:
		return f.needs[2]
	case f.sizes == 0 && in.w == uint8(W256):
		return f.needs[1]
	}
	return f.needs[0]
}

// fields are the register numbers of an instruction by slot.
type fields struct {
	reg, vvvv, rm, is4, low uint8
	imm                     byte // class of the immediate, 0: none
	rmOp                    *operand
}

// fields sorts the operands of in by slot.
func (f *form) fields(in *inst) (s fields) {
	if f.digit < noDigit {
		s.reg = f.digit
	}
	for i := range f.operand {
		o := &f.operand[i]
		switch o.slot {
		case 0:
			return s
		case 'R':
			s.reg = in.n[i]
		case 'N':
			s.vvvv = in.n[i]
		case 'M':
			s.rm, s.rmOp = in.n[i], o
		case 'S':
			s.is4, s.imm = in.n[i], 'S'
		case 'O':
			s.low = in.n[i]
		case 'I':
			s.imm = o.class
		}
	}
	return s
}
