package x86

import "encoding/binary"

// modrm appends ModRM, SIB and displacement for in. n is what disp8 counts in (1 outside EVEX),
// behind how many bytes of immediate follow.
func (a *Asm) modrm(f *form, in *inst, n int32, behind int) {
	reg := f.modrmReg(in) & 7 << 3
	if in.shape == f.mem {
		a.memory(&in.m, reg, n, behind)
		return
	}
	a.buf = append(a.buf, 0xc0|reg|in.n[f.m]&7)
}

// modrmReg returns what stands in ModRM.reg: the form's digit or a register.
func (f *form) modrmReg(in *inst) uint8 {
	if f.digit < noDigit {
		return f.digit
	}
	return in.n[f.r]
}

func (a *Asm) memory(m *Mem, reg byte, n int32, behind int) {
	switch {
	case m.Rip != 0:
		a.buf = append(a.buf, reg|5, 0, 0, 0, 0)
		if a.place(m.Rip) == nil {
			a.fail("an operand at a label that this code does not have")
			return
		}
		a.refer(m.Rip, m.Disp, behind)
	case m.Base == NoReg:
		a.buf = append(a.buf, reg|4, m.scaleBits()|m.indexBits()|5)
		a.buf = binary.LittleEndian.AppendUint32(a.buf, uint32(m.Disp))
	default:
		a.based(m, reg, n)
	}
}

// indexBits returns the index in SIB; 4 stands for none.
func (m *Mem) indexBits() byte {
	if !m.indexed() {
		return 4 << 3
	}
	return byte(m.Index) & 7 << 3
}

// based appends an operand with a base: no displacement, 8 bits in units of n, or 32 bits.
func (a *Asm) based(m *Mem, reg byte, n int32) {
	mod, short := byte(0x80), m.Disp/n
	switch {
	case m.Disp == 0 && m.Base&7 != 5: // rbp and r13 without displacement stand for none
		mod = 0
	case m.Disp%n == 0 && short == int32(int8(short)):
		mod = 0x40
	}
	if low := byte(m.Base) & 7; m.indexed() || low == 4 { // rsp and r12 stand for a SIB byte
		a.buf = append(a.buf, mod|reg|4, m.scaleBits()|m.indexBits()|low)
	} else {
		a.buf = append(a.buf, mod|reg|low)
	}
	switch mod {
	case 0x40:
		a.buf = append(a.buf, byte(short))
	case 0x80:
		a.buf = binary.LittleEndian.AppendUint32(a.buf, uint32(m.Disp))
	}
}

// highBits returns the high bits of the registers in ModRM.rm and SIB, as REX has them: X and B,
// and bit 4 of a vector of indices.
func (f *form) highBits(in *inst) (x, b, v byte) {
	if in.shape != f.mem {
		rm := in.n[f.m]
		return rm >> 4 & 1, rm >> 3 & 1, 0
	}
	m := &in.m
	if m.Rip == 0 && m.Base != NoReg {
		b = byte(m.Base) >> 3 & 1
	}
	if m.Rip == 0 && m.indexed() {
		x, v = byte(m.Index)>>3&1, byte(m.Index)>>4&1
	}
	return x, b, v
}

// immBytes returns how many bytes an immediate of the class has.
func immBytes(class byte, w uint8) int {
	switch class {
	case 'b', 'j', 'S':
		return 1
	case 'z':
		return min(1<<w, 4)
	case '8':
		return 8
	}
	return 0
}

// immediate appends the immediate of in.
func (a *Asm) immediate(f *form, in *inst) {
	v := in.imm
	if f.imm == 'S' {
		v = int64(in.n[f.is4]) << 4
	}
	switch immBytes(f.imm, in.w) {
	case 1:
		a.buf = append(a.buf, byte(v))
	case 2:
		a.buf = binary.LittleEndian.AppendUint16(a.buf, uint16(v))
	case 4:
		a.buf = binary.LittleEndian.AppendUint32(a.buf, uint32(v))
	case 8:
		a.buf = binary.LittleEndian.AppendUint64(a.buf, uint64(v))
	}
}
