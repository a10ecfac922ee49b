package x86

// vex appends in with a VEX prefix of two bytes where that can say it, else of three.
func (a *Asm) vex(f *form, in *inst) {
	s := f.fields(in)
	x, b, _ := in.memBits(s.rm)
	w, l := f.vexW, in.w
	if f.sizes != 0 {
		w, l = in.w-uint8(S32), 0
	}
	low := ^s.vvvv&15<<3 | l<<2 | f.prefix
	r := s.reg >> 3 & 1
	if x|b|w == 0 && f.opmap == 1 {
		a.buf = append(a.buf, 0xc5, (r^1)<<7|low, f.opcode)
	} else {
		a.buf = append(a.buf, 0xc4, (r^1)<<7|(x^1)<<6|(b^1)<<5|f.opmap, w<<7|low, f.opcode)
	}
	if s.rmOp != nil {
		a.modrm(in, &s, 1, immBytes(s.imm, in.w))
	}
	a.immediate(in, &s)
}
