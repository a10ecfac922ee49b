package jit

// Local memory of kernels without a stack: it lies behind the register block (machine.Code.LocalRoom), its words interleaved by
// lane, so that an address that all lanes have is a row. Addresses become offsets of 32 bits, which are tested, and then either are
// found to be the same in all lanes that execute or are gathered from and scattered to. No other thread reads what is there.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// local tells whether a step is a load or store of local memory.
func (s *step) local() bool { return s.op.Kind == sem.OpLoadLocal || s.op.Kind == sem.OpStoreLocal }

// localEnd is the end of what there is of local memory; localAt is where lane 0 has its first word, behind the register block.
func (r *region) localEnd() int32 { return int32(r.code.ParamBytes + r.code.LocalBytes) }
func (r *region) localAt() int32  { return int32(r.code.FrameBytes) + machine.NativeRoom }

// localAddress plans the address of a variable of local memory, or of a parameter for a call: the kernel's frame begins at 0.
func (r *region) localAddress(pc int32) bool {
	if !r.f.Entry {
		return false
	}
	in, s := &r.insts[pc], &r.steps[pc]
	t, p, at := registerType(int(in.B)), r.newProgram(), in.Imm
	if s.op.Kind == sem.OpAddressLocal {
		at += uint64(r.code.ParamBytes)
	}
	s.op.Kind = sem.OpLane // from here on it is one
	return r.settle(s, p, p.constant(t, at), source{typ: t, off: in.D, slot: s.op.Scalar, row: -1})
}

// localAccess plans a load or store of local memory; false if it is left to the interpreter, as those that are known to fault are.
// The first source is the address, the others are what a store stores; elements are what a load loads.
func (r *region) localAccess(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	m := &s.op.Memory
	const far = 1 << 24
	d := int64(in.Imm)
	if r.code.LocalRoom == 0 || s.op.Scalar || len(m.At) > 4 || int32(m.Size) > r.localEnd() || d <= -far || d >= far {
		return false
	}
	addr, ok := r.localBase(pc)
	if !ok || addr.known && !r.localInside(int64(addr.value)+d, m) || !addr.known && d%int64(m.Align) != 0 {
		return false
	}
	s.in = append(s.in, addr)
	for k, off := range m.At {
		t := registerType(m.Bits[k])
		if t.bits() < int(m.Elem)*8 {
			return false
		}
		if s.op.Kind == sem.OpStoreLocal {
			s.in = append(s.in, r.source(pc, off, t, false))
			continue
		}
		if m.Bits[k] == 0 {
			off = machine.NoGuard
		}
		s.elements = append(s.elements, element{dst: source{typ: t, off: off, row: -1}})
	}
	return true
}

// localBase is the source of an address.
func (r *region) localBase(pc int32) (s source, ok bool) {
	in := &r.insts[pc]
	switch r.steps[pc].op.Memory.By {
	case sem.ByRow64:
		return r.source(pc, in.A, tX, false), true
	case sem.ByRow32:
		return r.source(pc, in.A, tW, false), true
	case sem.BySlot64:
		return r.source(pc, in.A, tX, true), true
	case sem.BySlot32:
		return r.source(pc, in.A, tW, true), true
	case sem.ByFrame:
		return source{typ: tX, known: true, value: uint64(r.code.ParamBytes), row: -1}, true
	case sem.ByConst, sem.ByParam:
		return source{typ: tX, known: true, row: -1}, true
	}
	return s, false
}

// localInside tells whether an offset that is known can be accessed.
func (r *region) localInside(at int64, m *sem.MemoryUse) bool {
	return at >= 0 && at+int64(m.Size) <= int64(r.localEnd()) && at%int64(max(m.Align, 1)) == 0
}

// clearLocal clears the local memory of a warp that begins.
func (c *compiler) clearLocal() {
	if c.code.LocalRoom == 0 {
		return
	}
	v, bytes, each := c.alloc(), 32*int32(c.code.RoomUsed), int32(c.full().Bytes())
	c.zero(v)
	if bytes <= 32*each {
		for at := int32(0); at < bytes; at += each {
			c.store(c.full(), x86.At(rRegs, c.localAt()+at), v)
		}
		c.release(temp(v))
		return
	}
	again := c.NewLabel()
	c.RI(x86.MOV, x86.S32, x86.RAX, bytes)
	c.Bind(again) // from the last row to the first; all are of 128 bytes
	for at := int32(0); at < 128; at += each {
		c.store(c.full(), x86.At(rRegs, c.localAt()+at-128).With(x86.RAX, 1), v)
	}
	c.RI(x86.SUB, x86.S32, x86.RAX, 128)
	c.Jcc(x86.NE, again)
	c.release(temp(v))
}

// localWords is a load or store of local memory while it is assembled.
type localWords struct {
	*accessed
	base  x86.Reg // of the row of all lanes; NoReg: lanes have their own, in place 0 of the state's rows
	at    int32   // behind base
	shift int32   // by how many bits the bytes of narrow elements lie behind a word; -1: as the offsets say
}

// accessLocal assembles one.
func (c *compiler) accessLocal(i int, pc int32, masked bool, use maskUse) {
	s := &c.steps[pc]
	a := &accessed{compiler: c, pc: pc, in: &c.insts[pc], s: s, src: s.sources(masked), m: &s.op.Memory, use: use, bound: -1, masked: masked}
	a.miss = c.leaveAt(i, pc, masked, use)
	for k := range s.elements {
		c.place(&s.elements[k].dst)
	}
	l := &localWords{accessed: a, base: rRegs, at: c.localAt()}
	if a.m.Size < 4 {
		l.shift = -1
	}
	switch addr := &a.src[0]; {
	case addr.known:
		at := int32(addr.value + a.in.Imm)
		a.prove(pc)
		l.at, l.shift = l.at+32*(at&^3), at&3*8
		l.elements()
	case addr.slot:
		a.base()
		a.displace(x86.RAX)
		a.limits(int32(a.m.Size), a.miss)
		a.check(a.miss)
		if a.m.Size < 4 {
			l.spreadOffset()
		}
		l.row()
	default:
		a.testInside(int32(a.m.Size), a.miss)
		l.offsets()
		l.strewn()
	}
}

// spreadOffset writes the offset in RAX to the offsets of all lanes.
func (l *localWords) spreadOffset() {
	v := l.everywhere(tW, x86.RAX)
	l.eachPart(tW, func() { l.store(l.full(), l.offset(), v) })
	l.release(temp(v))
}

// offset is the running part of the offsets.
func (l *localWords) offset() x86.Mem { return x86.At(rCtx, saveRow+int32(4*l.part*l.lanes)) }

// offsets writes the offset of each lane.
func (l *localWords) offsets() {
	addr := &l.src[0]
	l.eachPart(addr.typ, func() {
		have := l.operand(addr)
		x := have
		if addr.typ == tX {
			x = temp(l.truncate(have, l.alloc).v)
		}
		v := l.load(x, tW)
		if d := uint32(l.in.Imm); d != 0 {
			sum := l.alloc()
			l.vvx(l.opFor(cAdd, tW), l.width(tW), sum, v.v, l.constant(tW, uint64(d)))
			l.store(l.width(tW), l.offset(), sum)
			l.release(temp(sum))
		} else {
			l.store(l.width(tW), l.offset(), v.v)
		}
		l.unload(v, x)
		if addr.typ == tX {
			l.release(x)
		}
		l.release(have)
	})
}

// strewn accesses the words of lanes that may have one offset, which is a row, or not.
func (l *localWords) strewn() {
	apart, done := l.NewLabel(), l.NewLabel()
	if l.use == allLanes {
		l.RM(x86.MOV, x86.S32, x86.RAX, x86.At(rCtx, saveRow))
	} else {
		l.active(x86.RDX, l.use)
		l.RR(x86.TZCNT, x86.S32, x86.RCX, x86.RDX)
		l.RM(x86.MOV, x86.S32, x86.RAX, x86.At(rCtx, saveRow).With(x86.RCX, 4))
	}
	l.sameOffsets(apart)
	l.row()
	l.Jmp(done)
	l.Bind(apart)
	each := *l
	each.base = x86.NoReg
	each.elements()
	l.Bind(done)
}

// sameOffsets goes to apart unless the executing lanes have the offset in EAX.
func (l *localWords) sameOffsets(apart x86.Label) {
	v, x := l.everywhere(tW, x86.RAX), l.alloc()
	sum := x
	l.eachPart(tW, func() {
		if l.evex {
			k := x86.K5 + x86.K(l.part)
			if l.use != allLanes {
				l.Masked(l.laneMask(l.use))
			}
			l.KVMI(icmp[cmpNE].op[tW], l.full(), k, v, l.offset(), 4)
			return
		}
		to := x
		if l.part > 0 {
			to = l.alloc()
		}
		l.VVM(x86.VPXOR, l.full(), to, v, l.offset())
		l.onlyExecuting(to)
		if l.part > 0 {
			l.VVV(x86.VPOR, l.full(), sum, sum, to)
			l.release(temp(to))
		}
	})
	if l.evex {
		l.KK(x86.KORTESTW, x86.K5, x86.K6)
	} else {
		l.VV(x86.VPTEST, l.full(), sum, sum)
	}
	l.release(temp(x))
	l.release(temp(v))
	l.Jcc(x86.NE, apart)
}

// row accesses the row at the offset in EAX, which all lanes have.
func (l *localWords) row() {
	l.RI(x86.AND, x86.S32, x86.RAX, ^3)
	l.RI(x86.SHL, x86.S32, x86.RAX, 5)
	l.RR(x86.ADD, x86.S64, x86.RAX, rRegs)
	row := *l
	row.base = x86.RAX
	row.elements()
}

// elements loads or stores all elements.
func (l *localWords) elements() {
	if l.s.op.Kind == sem.OpLoadLocal {
		for k := range l.s.elements {
			if d := &l.s.elements[k].dst; d.off != machine.NoGuard {
				l.eachPart(d.typ, func() { l.loadElement(k, d) })
			}
		}
		return
	}
	if l.base == x86.NoReg && !l.evex {
		for k := range l.m.At {
			l.storeLanes(k)
		}
		return
	}
	for k := range l.m.At {
		s := &l.src[1+k]
		l.eachPart(s.typ, func() { l.storeElement(k, s) })
	}
}

// loadElement loads the running part of element k.
func (l *localWords) loadElement(k int, d *source) {
	v, first := l.alloc(), k*int(l.m.Elem)/4
	l.loadWord(first, v)
	l.narrow(k, v)
	if d.typ == tX {
		widen := x86.VPMOVZXDQ
		if l.m.Signed && l.m.Elem < 8 {
			widen = x86.VPMOVSXDQ
		}
		l.VV(widen, l.full(), v, v)
	}
	if l.m.Elem == 8 {
		high := l.alloc()
		l.loadWord(first+1, high)
		l.VV(x86.VPMOVZXDQ, l.full(), high, high)
		l.VVI(x86.VPSLLQ, l.full(), high, high, 32)
		l.vvx(l.opFor(cOr, tX), l.full(), v, v, vecAt(high))
		l.release(temp(high))
	}
	l.write(vecAt(v), d.typ, d, l.use)
	l.release(temp(v))
}

// narrow makes a narrow element k of the word that has it.
func (l *localWords) narrow(k int, v x86.Vec) {
	bits := int(l.m.Elem) * 8
	if bits >= 32 {
		return
	}
	w := l.width(tW)
	if l.shift >= 0 {
		if by := l.shiftOf(k); by != 0 {
			l.VVI(x86.VPSRLD, w, v, v, by)
		}
	} else {
		by := l.shifts(k)
		l.VVV(x86.VPSRLVD, w, v, v, by)
		l.release(temp(by))
	}
	l.extend(k, v)
}

// shiftOf is where narrow element k lies in its word, if that is known.
func (l *localWords) shiftOf(k int) uint8 { return uint8(int(l.shift)+k*int(l.m.Elem)*8) & 31 }

// shifts is where it lies in each lane's.
func (l *localWords) shifts(k int) x86.Vec {
	v, w := l.alloc(), l.width(tW)
	l.move(w, v, l.offset())
	l.vvx(l.opFor(cAnd, tW), w, v, v, l.constant(tW, 3))
	l.VVI(x86.VPSLLD, w, v, v, 3)
	if at := k * int(l.m.Elem) % 4 * 8; at != 0 {
		l.vvx(l.opFor(cAdd, tW), w, v, v, l.constant(tW, uint64(at)))
	}
	return v
}

// place is where the running part has word j in a row.
func (l *localWords) place(j int) x86.Mem {
	return x86.At(l.base, l.at+int32(128*j+4*l.part*l.lanes)).By(inAccess + l.pc)
}

// strewnWords are where lanes have word j, by a vector of indices that is to be given back.
func (l *localWords) strewnWords(j int) (x86.Vec, x86.Mem) {
	x, w, first := l.alloc(), l.width(tW), l.part*l.lanes
	l.move(w, x, l.offset())
	if l.m.Size < 4 {
		l.vvx(l.opFor(cAnd, tW), w, x, x, l.constant(tW, ^uint64(3)&0xffffffff))
	}
	l.VVI(x86.VPSLLD, w, x, x, 5)
	l.VVM(vops[cAdd].avx2[tW], w, x, x, l.constRow(tW, func(i int) uint64 { return uint64(4 * (first + i)) }))
	return x, x86.AtVec(rRegs, x, 1, l.at+int32(128*j)).By(inAccess + l.pc)
}

// loadWord loads the running part's words j, as wide as a part of 32-bit elements.
func (l *localWords) loadWord(j int, v x86.Vec) {
	if l.base != x86.NoReg {
		l.move(l.width(tW), v, l.place(j))
		return
	}
	x, m := l.strewnWords(j)
	l.zero(v)
	if l.evex {
		l.Masked(l.executing()).VM(x86.VPGATHERDDK, l.width(tW), v, m)
	} else {
		lanes := l.lanesWanted(tW)
		l.VMV(x86.VPGATHERDD, l.width(tW), v, m, lanes)
		l.release(temp(lanes))
	}
	l.release(temp(x))
}

// storeElement stores the running part of element k.
func (l *localWords) storeElement(k int, s *source) {
	from, first := l.dataOf(s), k*int(l.m.Elem)/4
	v := l.load(from, s.typ)
	low := v
	if s.typ == tX {
		low = temp(l.truncate(v, l.alloc).v)
	}
	if l.m.Elem < 4 {
		l.merge(k, low.v)
	} else {
		l.storeWord(first, low.v)
	}
	if l.m.Elem == 8 {
		l.VVI(x86.VPSRLQ, l.full(), low.v, v.v, 32)
		high := temp(l.truncate(vecAt(low.v), l.alloc).v)
		l.storeWord(first+1, high.v)
		l.release(high)
	}
	if s.typ == tX {
		l.release(low)
	}
	l.unload(v, from)
	l.release(from)
}

// merge stores narrow elements, between what else their words have.
func (l *localWords) merge(k int, data x86.Vec) {
	w, j := l.width(tW), k*int(l.m.Elem)/4
	word, v, of := l.alloc(), l.alloc(), l.constant(tW, 1<<(8*l.m.Elem)-1)
	l.loadWord(j, word)
	var by x86.Vec
	move := func(v x86.Vec) { l.VVI(x86.VPSLLD, w, v, v, l.shiftOf(k)) }
	if l.shift < 0 {
		by = l.shifts(k)
		move = func(v x86.Vec) { l.VVV(x86.VPSLLVD, w, v, v, by) }
	}
	mask := l.alloc()
	l.copyOf(mask, of, tW)
	move(mask)
	l.vvx(l.opFor(cAndn, tW), w, word, mask, vecAt(word))
	l.vvx(l.opFor(cAnd, tW), w, v, data, of)
	move(v)
	l.vvx(l.opFor(cOr, tW), w, word, word, vecAt(v))
	l.storeWord(j, word)
	for _, t := range []x86.Vec{mask, v, word} {
		l.release(temp(t))
	}
	if l.shift < 0 {
		l.release(temp(by))
	}
}

// storeWord stores the running part's words j.
func (l *localWords) storeWord(j int, v x86.Vec) {
	w := l.width(tW)
	switch {
	case l.base == x86.NoReg:
		x, m := l.strewnWords(j)
		l.Masked(l.executing()).MV(x86.VPSCATTERDD, w, m, v)
		l.release(temp(x))
	case l.use == allLanes:
		l.store(w, l.place(j), v)
	default:
		old := l.alloc()
		l.move(w, old, l.place(j))
		l.blend(w, tW, old, v, l.use)
		l.store(w, l.place(j), old)
		l.release(temp(old))
	}
}

// storeLanes stores element k lane by lane, where there are no scatters.
func (l *localWords) storeLanes(k int) {
	s, size := &l.src[1+k], l.src[1+k].typ.size()
	var from x86.Mem
	switch {
	case s.known:
		l.MovImm(x86.R8, s.value)
	case s.slot:
		l.RM(x86.MOV, size, x86.R8, l.regs(s.off))
	default:
		from = l.inMemory(s, 1+k)
	}
	byte4, j := int32(k*int(l.m.Elem)%4), int32(k*int(l.m.Elem)/4)
	l.loop(func() {
		l.RM(x86.MOV, x86.S32, x86.RAX, x86.At(rCtx, saveRow).With(x86.RCX, 4))
		if l.m.Size < 4 { // the bytes of a word follow each other
			l.RR(x86.MOV, x86.S32, x86.RDX, x86.RAX)
			l.RI(x86.AND, x86.S32, x86.RDX, 3)
			l.RI(x86.AND, x86.S32, x86.RAX, ^3)
		}
		l.RI(x86.SHL, x86.S32, x86.RAX, 5)
		l.RM(x86.LEA, x86.S64, x86.RAX, x86.AtIndex(x86.RAX, x86.RCX, 4, 0))
		if l.m.Size < 4 {
			l.RR(x86.ADD, x86.S64, x86.RAX, x86.RDX)
		}
		if !s.known && !s.slot {
			l.RM(x86.MOV, size, x86.R8, from.With(x86.RCX, uint8(s.typ.bits()/8)))
		}
		to := x86.AtIndex(rRegs, x86.RAX, 1, l.at+128*j+byte4).By(inAccess + l.pc)
		if l.m.Elem < 8 {
			l.MR(x86.MOV, l.elementSize(), to, x86.R8)
			return
		}
		l.MR(x86.MOV, x86.S32, to, x86.R8)
		l.RR(x86.MOV, x86.S64, x86.RDX, x86.R8)
		l.RI(x86.SHR, x86.S64, x86.RDX, 32)
		l.MR(x86.MOV, x86.S32, to.Plus(128), x86.RDX)
	})
}
