package x86

// evex appends in with an EVEX prefix.
func (b *bytesOf) evex(f *form, in *inst, d *deco) {
	x, base, v := f.highBits(in)
	r, vvvv := f.modrmReg(in), in.n[f.v]
	v |= vvvv >> 4
	ll, bit := in.w, byte(0)
	switch {
	case d.round == SAE:
		ll, bit = 0, 1
	case d.round != 0:
		ll, bit = uint8(d.round-RN), 1
	case in.m.bcast:
		bit = 1
	}
	z := byte(0)
	if d.zero {
		z = 1
	}
	b.put(0x62)
	b.put((r>>3&1^1)<<7 | (x^1)<<6 | (base^1)<<5 | (r>>4&1^1)<<4 | f.opmap)
	b.put(f.evexW<<7 | ^vvvv&15<<3 | 4 | f.prefix)
	b.put(z<<7 | ll<<5 | bit<<4 | (v^1)<<3 | byte(d.k))
	b.put(f.opcode)
	b.modrm(f, in, f.memory().unit(in))
	b.immediate(f, in)
}

// unit returns what disp8 counts in: the bytes that are accessed, or of one element.
func (o *operand) unit(in *inst) int32 {
	switch {
	case in.m.bcast:
		return int32(o.bcast)
	case o.scale != 0:
		return int32(o.scale)
	case o.mem == 0:
		return 1
	}
	return int32(vectorBytes(o.mem, Width(in.w)))
}
