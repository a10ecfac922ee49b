package x86

// vex appends in with a VEX prefix of two bytes where that can say it, else of three.
func (b *bytesOf) vex(f *form, in *inst) {
	x, base, _ := f.highBits(in)
	w, l := f.vexW, in.w
	if f.sizes != 0 {
		w, l = in.w-uint8(S32), 0
	}
	low := ^in.n[f.v]&15<<3 | l<<2 | f.prefix
	r := f.modrmReg(in) >> 3
	if x|base|w == 0 && f.opmap == 1 {
		b.put(0xc5)
		b.put((r^1)<<7 | low)
	} else {
		b.put(0xc4)
		b.put((r^1)<<7 | (x^1)<<6 | (base^1)<<5 | f.opmap)
		b.put(w<<7 | low)
	}
	b.put(f.opcode)
	if f.memory().slot == 'M' {
		b.modrm(f, in, 1)
	}
	b.immediate(f, in)
}
