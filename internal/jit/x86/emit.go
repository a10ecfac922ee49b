package x86

import (
	"encoding/binary"
	"slices"
)

// inst is an instruction on its way to its bytes.
type inst struct {
	op    Op
	w     uint8 // Width of vector forms, Size of general ones
	cond  Cond
	shape shape
	n     [5]uint8 // numbers of register operands, by position; the last is 0, for operands that a form lacks
	m     Mem
	imm   int64
}

// longest is how many bytes an instruction can have, and more.
const longest = 32

// bytesOf is the code of an instruction while it is written.
type bytesOf struct {
	b     *[longest]byte
	n     int
	label int // behind the distance to the label of the memory operand; 0: there is none
	disp  int // behind a displacement of 32 bits; 0: there is none
}

func (b *bytesOf) put(v byte) {
	b.b[b.n&(longest-1)] = v
	b.n++
}

func (b *bytesOf) put32(v uint32) {
	binary.LittleEndian.PutUint32(b.b[b.n:], v)
	b.n += 4
}

// label notes the distance that ends at an offset of the instruction at start.
func (a *Asm) label(in *inst, at, start int) {
	if a.place(in.m.Rip) == nil {
		a.fail("an operand at a label that this code does not have")
		return
	}
	end := int32(start + at)
	a.fixups = append(a.fixups, fixup{end - 4, int32(len(a.buf)) - in.m.Disp, in.m.Rip})
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
func (a *Asm) emit(in *inst) {
	if a.begins {
		a.piece()
	}
	start := len(a.buf)
	d := a.deco
	if d != (deco{}) {
		a.deco = deco{}
	}
	forms := in.op.forms()
	for i := range forms {
		f := &forms[i]
		if in.shape != f.reg && in.shape != f.mem {
			continue
		}
		e := f.encoding(in, &d)
		if e == encNone {
			continue
		}
		if cap(a.buf)-start < longest {
			a.buf = slices.Grow(a.buf, longest)
		}
		b := bytesOf{b: (*[longest]byte)(a.buf[start : start+longest])}
		switch e {
		case encLegacy:
			b.legacy(f, in, &d)
		case encVEX:
			b.vex(f, in)
		default:
			b.evex(f, in, &d)
		}
		a.buf = a.buf[:start+b.n]
		if b.label != 0 {
			a.label(in, b.label, start)
		}
		if a.wanted != nil {
			a.mark(f, in, &b, start)
		}
		if a.watch != nil && in.shape == f.mem && in.op != LEA {
			if err := a.watch(in.m); err != nil {
				a.fail("%s: %w", appendText(nil, f, in, &d), err)
			}
		}
		a.used |= f.need(in, e)
		if a.listing != nil {
			a.listing.add(start, string(appendText(nil, f, in, &d)))
		}
		return
	}
	a.err = a.explain(in, &d)
}

// encoding returns how f says in, encNone if it cannot.
func (f *form) encoding(in *inst, d *deco) encoding {
	if in.shape != f.reg && in.shape != f.mem || !f.operandsFit(in) {
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
		if f.flags&hasMirror != 0 && in.shape == f.reg && in.n[f.r] < 8 && in.n[f.m] >= 8 {
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

// memory returns the operand in ModRM.rm or the opcode; where there is none, the first, which then
// cannot be memory.
func (f *form) memory() *operand { return &f.operand[f.m&3] }

// high tells whether in uses a vector register that only EVEX can name.
func (in *inst) high() bool {
	return in.n[0]|in.n[1]|in.n[2]|in.n[3] > 15 || in.m.vsib && in.m.Index > 15
}

// operandsFit tells whether registers, memory and immediate are what f can encode.
func (f *form) operandsFit(in *inst) bool {
	s := in.shape
	if in.n[0] > lastRegister[s&15] || in.n[1] > lastRegister[s>>4&15] ||
		in.n[2] > lastRegister[s>>8&15] || in.n[3] > lastRegister[s>>12] {
		return false
	}
	if f.imm != 0 && !immediateFits(f.imm, in) || f.flags&hasPinned != 0 && !f.pinnedFit(in) {
		return false
	}
	if s != f.mem {
		return true
	}
	if in.m.plain() {
		return f.memory().index == 0
	}
	return in.m.vsib == (f.memory().index != 0) && in.m.wrong() == "" && !in.gatherOverlaps()
}

// gatherOverlaps tells whether a gather has one register twice among destination, indices and
// mask, which is an invalid instruction.
func (in *inst) gatherOverlaps() bool {
	if !in.m.vsib || in.shape.at(0) != kVec {
		return false
	}
	d, index := in.n[0], uint8(in.m.Index)
	return d == index || in.shape.at(2) == kVec && (in.n[2] == d || in.n[2] == index)
}

// pinnedFit tells whether operands that can be one register only are that one.
func (f *form) pinnedFit(in *inst) bool {
	for i := range f.operand {
		switch f.operand[i].slot {
		case 'A':
			if in.n[i] != uint8(RAX) {
				return false
			}
		case 'C':
			if in.n[i] != uint8(RCX) {
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
