package x86

// legacy appends in with REX where it is needed: [66] [lock] [prefix] [REX] opcode ….
func (b *bytesOf) legacy(f *form, in *inst, d *deco) {
	if in.w == uint8(S16) {
		b.put(0x66)
	}
	if d.lock {
		b.put(0xf0)
	}
	if f.prefix != 0 {
		b.put(prefixes[f.prefix])
	}
	if rex := f.rex(in); rex != 0 {
		b.put(rex)
	}
	b.opcode(f, in)
	switch {
	case f.digit > noDigit:
		b.put(f.digit)
	case f.memory().slot == 'M':
		b.modrm(f, in, 1)
	}
	b.immediate(f, in)
}

var prefixes = [...]byte{0, 0x66, 0xf3, 0xf2}

// rex returns the REX prefix, 0 where none is needed.
func (f *form) rex(in *inst) (rex byte) {
	x, b, _ := f.highBits(in)
	rex = f.modrmReg(in)>>3<<2 | x<<1 | b
	if in.w == uint8(S64) && f.flags&noRexW == 0 {
		rex |= 8
	}
	if rex != 0 || in.n[0]|in.n[1] >= 4 && f.newByteRegister(in) {
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
func (b *bytesOf) opcode(f *form, in *inst) {
	op := f.opcode
	if in.w == uint8(S8) && f.operand[0].class == 's' {
		op &^= 1
	}
	op += byte(in.cond)
	if f.memory().slot == 'O' {
		op += in.n[f.m] & 7
	}
	switch f.opmap {
	case 1:
		b.put(0x0f)
	case 2:
		b.put(0x0f)
		b.put(0x38)
	}
	b.put(op)
}
