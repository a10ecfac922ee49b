package x86

// legacy appends in with REX where it is needed: [66] [lock] [prefix] [REX] opcode ….
func (a *Asm) legacy(f *form, in *inst, d *deco) {
	s := f.fields(in)
	if in.w == uint8(S16) {
		a.buf = append(a.buf, 0x66)
	}
	if d.lock {
		a.buf = append(a.buf, 0xf0)
	}
	if f.prefix != 0 {
		a.buf = append(a.buf, prefixes[f.prefix])
	}
	if rex := f.rex(in, &s); rex != 0 {
		a.buf = append(a.buf, rex)
	}
	a.opcode(f, in, s.low)
	switch {
	case f.digit > noDigit:
		a.buf = append(a.buf, f.digit)
	case s.rmOp != nil:
		a.modrm(in, &s, 1, immBytes(s.imm, in.w))
	}
	a.immediate(in, &s)
}

var prefixes = [...]byte{0, 0x66, 0xf3, 0xf2}

// rex returns the REX prefix, 0 where none is needed.
func (f *form) rex(in *inst, s *fields) (rex byte) {
	x, b, _ := in.memBits(s.rm | s.low) // no form has both
	rex = s.reg>>3&1<<2 | x<<1 | b
	if in.w == uint8(S64) && f.flags&noRexW == 0 {
		rex |= 8
	}
	if rex != 0 || f.newByteRegister(in) {
		rex |= 0x40
	}
	return rex
}

// newByteRegister tells whether in names spl, bpl, sil or dil, which without REX are ah to bh.
func (f *form) newByteRegister(in *inst) bool {
	for i := range f.operand {
		class := f.operand[i].class
		isByte := class == '1' || class == 's' && in.w == uint8(S8)
		if isByte && in.shape.at(i) == kReg && in.n[i] >= 4 {
			return true
		}
	}
	return false
}

// opcode appends the opcode: with the condition, the register in its low bits, and, for bytes,
// bit 0 clear.
func (a *Asm) opcode(f *form, in *inst, low uint8) {
	op := f.opcode
	if in.w == uint8(S8) && f.operand[0].class == 's' {
		op &^= 1
	}
	op += byte(in.cond) | low&7
	switch f.opmap {
	case 1:
		a.buf = append(a.buf, 0x0f, op)
	case 2:
		a.buf = append(a.buf, 0x0f, 0x38, op)
	default:
		a.buf = append(a.buf, op)
	}
}
