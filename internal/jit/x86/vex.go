package x86

// vex appends in with a VEX prefix of two bytes where that can say it, else of three.
func (a *Asm) vex(f *form, in *inst) {
	x, b, _ := f.highBits(in)
	w, l := f.vexW, in.w
	if f.sizes != 0 {
		w, l = in.w-uint8(S32), 0
	}
	low := ^in.n[f.v]&15<<3 | l<<2 | f.prefix
	r := f.modrmReg(in) >> 3
	if x|b|w == 0 && f.opmap == 1 {
		a.buf = append(a.buf, 0xc5, (r^1)<<7|low, f.opcode)
	} else {
		a.buf = append(a.buf, 0xc4, (r^1)<<7|(x^1)<<6|(b^1)<<5|f.opmap, w<<7|low, f.opcode)
	}
	if f.memory().slot == 'M' {
		a.modrm(f, in, 1, immBytes(f.imm, in.w))
	}
	a.immediate(f, in)
}
