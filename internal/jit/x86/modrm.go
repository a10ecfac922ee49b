package x86

import (
	"encoding/binary"
	"math/bits"
)

// modrm appends ModRM, SIB and displacement for in. n is what disp8 counts in (1 outside EVEX).
func (b *bytesOf) modrm(f *form, in *inst, n int32) {
	reg := f.modrmReg(in) & 7 << 3
	if in.shape == f.mem {
		b.memory(&in.m, reg, n)
		return
	}
	b.put(0xc0 | reg | in.n[f.m]&7)
}

// modrmReg returns what stands in ModRM.reg: the form's digit or a register.
func (f *form) modrmReg(in *inst) uint8 {
	if f.digit < noDigit {
		return f.digit
	}
	return in.n[f.r]
}

func (b *bytesOf) memory(m *Mem, reg byte, n int32) {
	switch {
	case m.Rip != 0:
		b.put(reg | 5)
		b.put32(0)
		b.label = b.n
	case m.Base == NoReg:
		b.put(reg | 4)
		b.put(m.scaleBits() | m.indexBits() | 5)
		b.put32(uint32(m.Disp))
	default:
		b.based(m, reg, n)
	}
}

// indexBits returns the index in SIB; 4 stands for none.
func (m *Mem) indexBits() byte {
	if !m.indexed() {
		return 4 << 3
	}
	return byte(m.Index) & 7 << 3
}

// based appends an operand with a base: no displacement, 8 bits in units of n, a power of two, or 32 bits.
func (b *bytesOf) based(m *Mem, reg byte, n int32) {
	mod, short := byte(0x80), m.Disp>>bits.TrailingZeros32(uint32(n))
	switch {
	case m.Disp == 0 && m.Base&7 != 5: // rbp and r13 without displacement stand for none
		mod = 0
	case m.Disp&(n-1) == 0 && short == int32(int8(short)):
		mod = 0x40
	}
	if low := byte(m.Base) & 7; m.indexed() || low == 4 { // rsp and r12 stand for a SIB byte
		b.put(mod | reg | 4)
		b.put(m.scaleBits() | m.indexBits() | low)
	} else {
		b.put(mod | reg | low)
	}
	switch mod {
	case 0x40:
		b.put(byte(short))
	case 0x80:
		b.put32(uint32(m.Disp))
		b.disp = b.n
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

// immediate appends the immediate of in.
func (b *bytesOf) immediate(f *form, in *inst) {
	switch f.imm {
	case 'b', 'j':
		b.put(byte(in.imm))
	case 'S':
		b.put(in.n[f.is4] << 4)
	case 'z':
		switch Size(in.w) {
		case S8:
			b.put(byte(in.imm))
		case S16:
			b.put(byte(in.imm))
			b.put(byte(in.imm >> 8))
		default:
			b.put32(uint32(in.imm))
		}
	case '8':
		binary.LittleEndian.PutUint64(b.b[b.n:], uint64(in.imm))
		b.n += 8
	}
}
