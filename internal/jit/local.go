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
func (r *region) localAt() int32  { return int32(r.code.FrameBytes) }

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
	acc   *accessed
	base  x86.Reg // of the row of all lanes; NoReg: lanes have their own, in place 0 of the state's rows
	at    int32   // behind base
	shift int32   // by how many bits the bytes of narrow elements lie behind a word; -1: as the offsets say
}

// accessLocal assembles one.
func (c *compiler) accessLocal(i int, pc int32, masked bool, use maskUse) {
	s := &c.steps[pc]
	a := &accessed{c: c, pc: pc, in: &c.insts[pc], s: s, src: s.in, m: &s.op.Memory, use: use, bound: -1}
	a.miss = c.leaveAt(i, pc, masked, use)
	for k := range s.elements {
		c.place(&s.elements[k].dst)
	}
	l := &localWords{acc: a, base: rRegs, at: c.localAt()}
	if a.m.Size < 4 {
		l.shift = -1
	}
	switch addr := &a.src[0]; {
	case addr.known:
		at := int32(addr.value + a.in.Imm)
		a.c.prove(pc)
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
		a.inside(int32(a.m.Size), a.miss)
		l.offsets()
		l.strewn()
	}
}

// spreadOffset writes the offset in RAX to the offsets of all lanes.
func (l *localWords) spreadOffset() {
	v := l.acc.everywhere(tW, x86.RAX)
	l.acc.c.eachPart(tW, func() { l.acc.c.store(l.acc.c.full(), l.offset(), v) })
	l.acc.c.release(temp(v))
}

// offset is the running part of the offsets.
func (l *localWords) offset() x86.Mem {
	return x86.At(rCtx, saveRow+int32(4*l.acc.c.part*l.acc.c.lanes))
}

// offsets writes the offset of each lane.
func (l *localWords) offsets() {
	addr := &l.acc.src[0]
	l.acc.c.eachPart(addr.typ, func() {
		have := l.acc.c.operand(addr)
		x := have
		if addr.typ == tX {
			x = temp(l.acc.c.truncate(have, l.acc.c.alloc).v)
		}
		v := l.acc.c.load(x, tW)
		if d := uint32(l.acc.in.Imm); d != 0 {
			sum := l.acc.c.alloc()
			l.acc.c.vvx(l.acc.c.opFor(cAdd, tW), l.acc.c.width(tW), sum, v.v, l.acc.c.constant(tW, uint64(d)))
			l.acc.c.store(l.acc.c.width(tW), l.offset(), sum)
			l.acc.c.release(temp(sum))
		} else {
			l.acc.c.store(l.acc.c.width(tW), l.offset(), v.v)
		}
		l.acc.c.unload(v, x)
		if addr.typ == tX {
			l.acc.c.release(x)
		}
		l.acc.c.release(have)
	})
}

// strewn accesses the words of lanes that may have one offset, which is a row, or not.
func (l *localWords) strewn() {
	apart, done := l.acc.c.NewLabel(), l.acc.c.NewLabel()
	if l.acc.use == allLanes {
		l.acc.c.RM(x86.MOV, x86.S32, x86.RAX, x86.At(rCtx, saveRow))
	} else {
		l.acc.c.active(x86.RDX, l.acc.use)
		l.acc.c.RR(x86.TZCNT, x86.S32, x86.RCX, x86.RDX)
		l.acc.c.RM(x86.MOV, x86.S32, x86.RAX, x86.At(rCtx, saveRow).With(x86.RCX, 4))
	}
	l.sameOffsets(apart)
	l.row()
	l.acc.c.Jmp(done)
	l.acc.c.Bind(apart)
	each := *l
	each.base = x86.NoReg
	each.elements()
	l.acc.c.Bind(done)
}

// sameOffsets goes to apart unless the executing lanes have the offset in EAX.
func (l *localWords) sameOffsets(apart x86.Label) {
	v, x := l.acc.everywhere(tW, x86.RAX), l.acc.c.alloc()
	sum := x
	l.acc.c.eachPart(tW, func() {
		if l.acc.c.evex {
			k := x86.K5 + x86.K(l.acc.c.part)
			if l.acc.use != allLanes {
				l.acc.c.Masked(l.acc.c.laneMask(l.acc.use))
			}
			l.acc.c.KVMI(icmp[cmpNE].op[tW], l.acc.c.full(), k, v, l.offset(), 4)
			return
		}
		to := x
		if l.acc.c.part > 0 {
			to = l.acc.c.alloc()
		}
		l.acc.c.VVM(x86.VPXOR, l.acc.c.full(), to, v, l.offset())
		l.acc.onlyExecuting(to)
		if l.acc.c.part > 0 {
			l.acc.c.VVV(x86.VPOR, l.acc.c.full(), sum, sum, to)
			l.acc.c.release(temp(to))
		}
	})
	if l.acc.c.evex {
		l.acc.c.KK(x86.KORTESTW, x86.K5, x86.K6)
	} else {
		l.acc.c.VV(x86.VPTEST, l.acc.c.full(), sum, sum)
	}
	l.acc.c.release(temp(x))
	l.acc.c.release(temp(v))
	l.acc.c.Jcc(x86.NE, apart)
}

// row accesses the row at the offset in EAX, which all lanes have.
func (l *localWords) row() {
	l.acc.c.RI(x86.AND, x86.S32, x86.RAX, ^3)
	l.acc.c.RI(x86.SHL, x86.S32, x86.RAX, 5)
	l.acc.c.RR(x86.ADD, x86.S64, x86.RAX, rRegs)
	row := *l
	row.base = x86.RAX
	row.elements()
}

// elements loads or stores all elements.
func (l *localWords) elements() {
	if l.acc.s.op.Kind == sem.OpLoadLocal {
		for k := range l.acc.s.elements {
			if d := &l.acc.s.elements[k].dst; d.off != machine.NoGuard {
				l.acc.c.eachPart(d.typ, func() { l.loadElement(k, d) })
			}
		}
		return
	}
	if l.base == x86.NoReg && !l.acc.c.evex {
		for k := range l.acc.m.At {
			l.storeLanes(k)
		}
		return
	}
	for k := range l.acc.m.At {
		s := &l.acc.src[1+k]
		l.acc.c.eachPart(s.typ, func() { l.storeElement(k, s) })
	}
}

// loadElement loads the running part of element k.
func (l *localWords) loadElement(k int, d *source) {
	v, first := l.acc.c.alloc(), k*int(l.acc.m.Elem)/4
	l.loadWord(first, v)
	l.narrow(k, v)
	if d.typ == tX {
		widen := x86.VPMOVZXDQ
		if l.acc.m.Signed && l.acc.m.Elem < 8 {
			widen = x86.VPMOVSXDQ
		}
		l.acc.c.VV(widen, l.acc.c.full(), v, v)
	}
	if l.acc.m.Elem == 8 {
		high := l.acc.c.alloc()
		l.loadWord(first+1, high)
		l.acc.c.VV(x86.VPMOVZXDQ, l.acc.c.full(), high, high)
		l.acc.c.VVI(x86.VPSLLQ, l.acc.c.full(), high, high, 32)
		l.acc.c.vvx(l.acc.c.opFor(cOr, tX), l.acc.c.full(), v, v, vecAt(high))
		l.acc.c.release(temp(high))
	}
	l.acc.c.write(vecAt(v), d.typ, d, l.acc.use)
	l.acc.c.release(temp(v))
}

// narrow makes a narrow element k of the word that has it.
func (l *localWords) narrow(k int, v x86.Vec) {
	bits := int(l.acc.m.Elem) * 8
	if bits >= 32 {
		return
	}
	w := l.acc.c.width(tW)
	if l.shift >= 0 {
		if by := l.shiftOf(k); by != 0 {
			l.acc.c.VVI(x86.VPSRLD, w, v, v, by)
		}
	} else {
		by := l.shifts(k)
		l.acc.c.VVV(x86.VPSRLVD, w, v, v, by)
		l.acc.c.release(temp(by))
	}
	l.acc.extend(k, v)
}

// shiftOf is where narrow element k lies in its word, if that is known.
func (l *localWords) shiftOf(k int) uint8 { return uint8(int(l.shift)+k*int(l.acc.m.Elem)*8) & 31 }

// shifts is where it lies in each lane's.
func (l *localWords) shifts(k int) x86.Vec {
	v, w := l.acc.c.alloc(), l.acc.c.width(tW)
	l.acc.c.move(w, v, l.offset())
	l.acc.c.vvx(l.acc.c.opFor(cAnd, tW), w, v, v, l.acc.c.constant(tW, 3))
	l.acc.c.VVI(x86.VPSLLD, w, v, v, 3)
	if at := k * int(l.acc.m.Elem) % 4 * 8; at != 0 {
		l.acc.c.vvx(l.acc.c.opFor(cAdd, tW), w, v, v, l.acc.c.constant(tW, uint64(at)))
	}
	return v
}

// place is where the running part has word j in a row.
func (l *localWords) place(j int) x86.Mem {
	return x86.At(l.base, l.at+int32(128*j+4*l.acc.c.part*l.acc.c.lanes)).By(inAccess + l.acc.pc)
}

// strewnWords are where lanes have word j, by a vector of indices that is to be given back.
func (l *localWords) strewnWords(j int) (x86.Vec, x86.Mem) {
	x, w, first := l.acc.c.alloc(), l.acc.c.width(tW), l.acc.c.part*l.acc.c.lanes
	l.acc.c.move(w, x, l.offset())
	if l.acc.m.Size < 4 {
		l.acc.c.vvx(l.acc.c.opFor(cAnd, tW), w, x, x, l.acc.c.constant(tW, ^uint64(3)&0xffffffff))
	}
	l.acc.c.VVI(x86.VPSLLD, w, x, x, 5)
	l.acc.c.VVM(vops[cAdd].avx2[tW], w, x, x, l.acc.c.constRow(tW, func(i int) uint64 { return uint64(4 * (first + i)) }))
	return x, x86.AtVec(rRegs, x, 1, l.at+int32(128*j)).By(inAccess + l.acc.pc)
}

// loadWord loads the running part's words j, as wide as a part of 32-bit elements.
func (l *localWords) loadWord(j int, v x86.Vec) {
	if l.base != x86.NoReg {
		l.acc.c.move(l.acc.c.width(tW), v, l.place(j))
		return
	}
	x, m := l.strewnWords(j)
	l.acc.c.zero(v)
	if l.acc.c.evex {
		l.acc.c.Masked(l.acc.executing()).VM(x86.VPGATHERDDK, l.acc.c.width(tW), v, m)
	} else {
		lanes := l.acc.lanesWanted(tW)
		l.acc.c.VMV(x86.VPGATHERDD, l.acc.c.width(tW), v, m, lanes)
		l.acc.c.release(temp(lanes))
	}
	l.acc.c.release(temp(x))
}

// storeElement stores the running part of element k.
func (l *localWords) storeElement(k int, s *source) {
	from, first := l.acc.dataOf(s), k*int(l.acc.m.Elem)/4
	v := l.acc.c.load(from, s.typ)
	low := v
	if s.typ == tX {
		low = temp(l.acc.c.truncate(v, l.acc.c.alloc).v)
	}
	if l.acc.m.Elem < 4 {
		l.merge(k, low.v)
	} else {
		l.storeWord(first, low.v)
	}
	if l.acc.m.Elem == 8 {
		l.acc.c.VVI(x86.VPSRLQ, l.acc.c.full(), low.v, v.v, 32)
		high := temp(l.acc.c.truncate(vecAt(low.v), l.acc.c.alloc).v)
		l.storeWord(first+1, high.v)
		l.acc.c.release(high)
	}
	if s.typ == tX {
		l.acc.c.release(low)
	}
	l.acc.c.unload(v, from)
	l.acc.c.release(from)
}

// merge stores narrow elements, between what else their words have.
func (l *localWords) merge(k int, data x86.Vec) {
	w, j := l.acc.c.width(tW), k*int(l.acc.m.Elem)/4
	word, v, of := l.acc.c.alloc(), l.acc.c.alloc(), l.acc.c.constant(tW, 1<<(8*l.acc.m.Elem)-1)
	l.loadWord(j, word)
	var by x86.Vec
	move := func(v x86.Vec) { l.acc.c.VVI(x86.VPSLLD, w, v, v, l.shiftOf(k)) }
	if l.shift < 0 {
		by = l.shifts(k)
		move = func(v x86.Vec) { l.acc.c.VVV(x86.VPSLLVD, w, v, v, by) }
	}
	mask := l.acc.c.alloc()
	l.acc.c.copyOf(mask, of, tW)
	move(mask)
	l.acc.c.vvx(l.acc.c.opFor(cAndn, tW), w, word, mask, vecAt(word))
	l.acc.c.vvx(l.acc.c.opFor(cAnd, tW), w, v, data, of)
	move(v)
	l.acc.c.vvx(l.acc.c.opFor(cOr, tW), w, word, word, vecAt(v))
	l.storeWord(j, word)
	for _, t := range []x86.Vec{mask, v, word} {
		l.acc.c.release(temp(t))
	}
	if l.shift < 0 {
		l.acc.c.release(temp(by))
	}
}

// storeWord stores the running part's words j.
func (l *localWords) storeWord(j int, v x86.Vec) {
	w := l.acc.c.width(tW)
	switch {
	case l.base == x86.NoReg:
		x, m := l.strewnWords(j)
		l.acc.c.Masked(l.acc.executing()).MV(x86.VPSCATTERDD, w, m, v)
		l.acc.c.release(temp(x))
	case l.acc.use == allLanes:
		l.acc.c.store(w, l.place(j), v)
	default:
		old := l.acc.c.alloc()
		l.acc.c.move(w, old, l.place(j))
		l.acc.c.blend(w, tW, old, v, l.acc.use)
		l.acc.c.store(w, l.place(j), old)
		l.acc.c.release(temp(old))
	}
}

// storeLanes stores element k lane by lane, where there are no scatters.
func (l *localWords) storeLanes(k int) {
	s, size := &l.acc.src[1+k], l.acc.src[1+k].typ.size()
	var from x86.Mem
	switch {
	case s.known:
		l.acc.c.MovImm(x86.R8, s.value)
	case s.slot:
		l.acc.c.RM(x86.MOV, size, x86.R8, l.acc.c.regs(s.off))
	default:
		from = l.acc.inMemory(s, 1+k)
	}
	byte4, j := int32(k*int(l.acc.m.Elem)%4), int32(k*int(l.acc.m.Elem)/4)
	l.acc.loop(func() {
		l.acc.c.RM(x86.MOV, x86.S32, x86.RAX, x86.At(rCtx, saveRow).With(x86.RCX, 4))
		if l.acc.m.Size < 4 { // the bytes of a word follow each other
			l.acc.c.RR(x86.MOV, x86.S32, x86.RDX, x86.RAX)
			l.acc.c.RI(x86.AND, x86.S32, x86.RDX, 3)
			l.acc.c.RI(x86.AND, x86.S32, x86.RAX, ^3)
		}
		l.acc.c.RI(x86.SHL, x86.S32, x86.RAX, 5)
		l.acc.c.RM(x86.LEA, x86.S64, x86.RAX, x86.AtIndex(x86.RAX, x86.RCX, 4, 0))
		if l.acc.m.Size < 4 {
			l.acc.c.RR(x86.ADD, x86.S64, x86.RAX, x86.RDX)
		}
		if !s.known && !s.slot {
			l.acc.c.RM(x86.MOV, size, x86.R8, from.With(x86.RCX, uint8(s.typ.bits()/8)))
		}
		to := x86.AtIndex(rRegs, x86.RAX, 1, l.at+128*j+byte4).By(inAccess + l.acc.pc)
		if l.acc.m.Elem < 8 {
			l.acc.c.MR(x86.MOV, l.acc.elementSize(), to, x86.R8)
			return
		}
		l.acc.c.MR(x86.MOV, x86.S32, to, x86.R8)
		l.acc.c.RR(x86.MOV, x86.S64, x86.RDX, x86.R8)
		l.acc.c.RI(x86.SHR, x86.S64, x86.RDX, 32)
		l.acc.c.MR(x86.MOV, x86.S32, to.Plus(128), x86.RDX)
	})
}
