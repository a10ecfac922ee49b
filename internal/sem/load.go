package sem

// ld, ld.nc, ldu.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// planLoad sets up d = [a].
func planLoad(b *Build) { b.load(b.Sel.Get(isa.C_ss)) }

// planLoadGlobal is for forms that only read global memory.
func planLoadGlobal(b *Build) { b.load(isa.M_global) }

func (b *Build) load(space isa.Mod) {
	ops := b.In.Ops
	elems := Elements(&ops[0])
	m := b.memoryOp(machine.Load, space, elems)
	var wide []uint32 // rows of 128-bit registers for narrower elements
	for i := range elems {
		off := machine.NoGuard
		switch {
		case m.Bits[i] > 64 && m.Elem < 16:
			off, _ = b.Halves(&elems[i])
			wide, m.Bits[i] = append(wide, off), 64
		case m.Bits[i] > 64:
			lo, hi := b.Halves(&elems[i])
			b.Ext().Dst = append(b.Ext().Dst, lo)
			off = hi
			m.halve()
		case m.Bits[i] > 0:
			off = b.Dst(&elems[i], m.Bits[i])
		}
		b.Ext().Dst = append(b.Ext().Dst, off)
	}
	b.Out.D = b.Ext().Dst[0]
	m.By, m.Space = b.Address(&ops[1], m.Space)
	b.loadHandlers(m, m.By)
	b.ExtendHigh(wide, m.Signed)
}

// halve turns a 128-bit element into two of 64 bits; a strong access stays whole.
func (m *memoryOp) halve() { m.Bits, m.Elem, m.Whole = []int{64, 64}, 8, m.Strong }

// loadHandlers chooses by uop.Addressing; the plain 32- and 64-bit loads have handlers of their own.
func (b *Build) loadHandlers(m *memoryOp, by uop.Addressing) {
	if by == uop.ByConst && (m.Space == machine.Local || m.Space == machine.Generic) { // one address, and memory of each lane's own
		b.Out.A, m.By, by = b.Const(regs.Row64, 0), uop.ByRow64, uop.ByRow64
	}
	single := len(m.Bits) == 1 && !m.Strong
	switch {
	case by == uop.ByRow64 && single && m.Elem == 4 && m.Bits[0] == 32:
		b.Does(uop.Load32)
	case by == uop.ByRow64 && single && m.Elem == 8:
		b.Does(uop.Load64)
	case by == uop.ByRow64:
		b.Does(uop.LoadRows)
	case by == uop.ByRow32:
		b.Does(uop.LoadRows32)
	case by == uop.ByFrame:
		b.Does(uop.LoadLocal)
	case by == uop.ByParam:
		b.Does(uop.LoadParam)
	default:
		b.Does(uop.LoadUniform)
	}
}

// uniformAddress is the address, less the displacement, that all lanes have.
func (m *memoryOp) uniformAddress(w *machine.Warp, in *machine.Inst) uint64 {
	switch m.By {
	case uop.BySlot64:
		return *w.S64(in.A)
	case uop.BySlot32:
		return machine.Narrow(*w.S32(in.A), in.Imm)
	case uop.ByKernel:
		return w.Params()
	}
	return 0
}

// extend cuts or extends an element of memory to its register: by its own sign if it has one,
// to the register's width (9.4.1).
func (m *memoryOp) extend(v uint64, bits int) uint64 {
	if n := 64 - 8*uint(m.Elem); m.Signed {
		v = uint64(int64(v<<n) >> n)
	}
	return v & (^uint64(0) >> (64 - uint(bits)))
}

func fillRow(w *machine.Warp, off uint32, bits int, v uint64) {
	if bits > 32 {
		d := w.R64(off)
		for i := range d {
			if w.Mask>>i&1 != 0 {
				d[i] = v
			}
		}
		return
	}
	d := w.R32(off)
	for i := range d {
		if w.Mask>>i&1 != 0 {
			d[i] = uint32(v)
		}
	}
}

func fillSlot(w *machine.Warp, off uint32, bits int, v uint64) {
	if bits > 32 {
		*w.S64(off) = v
	} else {
		*w.S32(off) = uint32(v)
	}
}

// A load from one address for all lanes, to rows or to scalar slots.

func loadToRows(w *machine.Warp, in *machine.Inst) machine.State { return loadUniform(w, in, fillRow) }
func loadToSlots(w *machine.Warp, in *machine.Inst) machine.State {
	return loadUniform(w, in, fillSlot)
}

func loadUniform(w *machine.Warp, in *machine.Inst, fill func(*machine.Warp, uint32, int, uint64)) machine.State {
	m := memoryOf(in)
	p, st := w.AccessUniform(in, &m.Request, m.uniformAddress(w, in))
	if st != machine.Next {
		return st
	}
	var whole mem.Uint128
	if m.Whole {
		whole = m.readWhole(p)
	}
	for k, off := range in.Ext.Dst {
		switch {
		case off == machine.NoGuard:
		case m.Whole:
			fill(w, off, m.Bits[k], m.part(whole, k))
		default:
			fill(w, off, m.Bits[k], m.extend(m.read(mem.Add(p, uint32(k)*m.Elem)), m.Bits[k]))
		}
	}
	return machine.Next
}

func load32(w *machine.Warp, in *machine.Inst) machine.State {
	m, addr := memoryOf(in), w.R64(in.A)
	a, st := w.Access(in, &m.Request, addr)
	if st == machine.Next {
		loadRow[uint32](w.R32(in.D), a, addr, 0, w.Mask, ^uint32(0))
	}
	return st
}

func load64(w *machine.Warp, in *machine.Inst) machine.State {
	m, addr := memoryOf(in), w.R64(in.A)
	a, st := w.Access(in, &m.Request, addr)
	if st == machine.Next {
		loadRow64(w.R64(in.D), a, addr, 0, w.Mask)
	}
	return st
}

func loadRows(w *machine.Warp, in *machine.Inst) machine.State { return loadAt(w, in, w.R64(in.A)) }

func loadRows32(w *machine.Warp, in *machine.Inst) machine.State {
	var wide [32]uint64
	widen(&wide, w.R32(in.A), in.Imm)
	return loadAt(w, in, &wide)
}

func loadAt(w *machine.Warp, in *machine.Inst, addr *[32]uint64) machine.State {
	m := memoryOf(in)
	a, st := w.Access(in, &m.Request, addr)
	if st == machine.Next {
		m.loadAll(w, in, a, addr)
	}
	return st
}

// widen makes 64-bit addresses of a row of 32-bit ones, less the displacement.
func widen(d *[32]uint64, a *[32]uint32, disp uint64) {
	for i := range d {
		d[i] = machine.Narrow(a[i], disp)
	}
}

// loadAll loads every element of every executing lane.
func (m *memoryOp) loadAll(w *machine.Warp, in *machine.Inst, a *machine.Access, addr *[32]uint64) {
	if m.Whole {
		m.loadWhole(w, in, a, addr)
		return
	}
	for k, off := range in.Ext.Dst {
		if off == machine.NoGuard {
			continue
		}
		if from := uint32(k) * m.Elem; m.Strong {
			m.loadStrong(w, a, addr, off, from, m.Bits[k])
		} else {
			m.loadElement(w, a, addr, off, from, m.Bits[k])
		}
	}
}

// loadElement loads one element by its size and sign into a row by the register's width.
func (m *memoryOp) loadElement(w *machine.Warp, a *machine.Access, addr *[32]uint64, off, from uint32, bits int) {
	if bits > 32 {
		d := w.R64(off)
		switch {
		case m.Elem == 8:
			loadRow64(d, a, addr, from, w.Mask)
		case m.Elem == 4 && m.Signed:
			loadRow[int32](d, a, addr, from, w.Mask, ^uint64(0))
		case m.Elem == 4:
			loadRow[uint32](d, a, addr, from, w.Mask, ^uint64(0))
		case m.Elem == 2 && m.Signed:
			loadRow[int16](d, a, addr, from, w.Mask, ^uint64(0))
		case m.Elem == 2:
			loadRow[uint16](d, a, addr, from, w.Mask, ^uint64(0))
		case m.Signed:
			loadRow[int8](d, a, addr, from, w.Mask, ^uint64(0))
		default:
			loadRow[uint8](d, a, addr, from, w.Mask, ^uint64(0))
		}
		return
	}
	d, keep := w.R32(off), ^uint32(0)>>(32-uint(bits))
	switch {
	case m.Elem == 4:
		loadRow[uint32](d, a, addr, from, w.Mask, keep)
	case m.Elem == 2 && m.Signed:
		loadRow[int16](d, a, addr, from, w.Mask, keep)
	case m.Elem == 2:
		loadRow[uint16](d, a, addr, from, w.Mask, keep)
	case m.Signed:
		loadRow[int8](d, a, addr, from, w.Mask, keep)
	default:
		loadRow[uint8](d, a, addr, from, w.Mask, keep)
	}
}

// loadStrong loads one element atomically, lane by lane (8.4: relaxed and stronger).
func (m *memoryOp) loadStrong(w *machine.Warp, a *machine.Access, addr *[32]uint64, off, from uint32, bits int) {
	Each(w.Mask, func(i int) {
		var v uint64
		if m.Elem == 8 {
			v = strongLoad64(a, addr, i, from)
		} else {
			v = m.read(a.Ptr(addr, i, from))
		}
		StoreElem(w, off, bits, i, m.extend(v, bits))
	})
}

// loadWhole loads all elements at once, lane by lane. The memory model lets the elements of a vector be accesses of their
// own (8.2.2); hardware takes 16 bytes whole, and CUB's scans rely on it.
func (m *memoryOp) loadWhole(w *machine.Warp, in *machine.Inst, a *machine.Access, addr *[32]uint64) {
	Each(w.Mask, func(i int) {
		v := m.wholeOf(a, addr, i)
		for k, off := range in.Ext.Dst {
			if off != machine.NoGuard {
				StoreElem(w, off, m.Bits[k], i, m.part(v, k))
			}
		}
	})
}

// wholeOf is what a lane loads at once.
func (m *memoryOp) wholeOf(a *machine.Access, addr *[32]uint64, i int) mem.Uint128 {
	switch m.Size {
	case 16:
		return strongLoad128(a, addr, i)
	case 8:
		return mem.Uint128{Lo: strongLoad64(a, addr, i, 0)}
	}
	return m.readWhole(a.Ptr(addr, i, 0))
}

// readWhole is wholeOf at a host address.
func (m *memoryOp) readWhole(p mem.Pointer) mem.Uint128 {
	switch m.Size {
	case 16:
		return mem.Load128(p)
	case 8:
		return mem.Uint128{Lo: mem.Load64(p)}
	case 4:
		return mem.Uint128{Lo: uint64(mem.Load32(p))}
	}
	return mem.Uint128{Lo: uint64(mem.Load16(p))}
}

// part is element k of what was loaded at once, as its register has it.
func (m *memoryOp) part(v mem.Uint128, k int) uint64 {
	word, at := v.Lo, 8*uint(k)*uint(m.Elem)
	if at >= 64 {
		word, at = v.Hi, at-64
	}
	return m.extend(word>>at&(^uint64(0)>>(64-8*uint(m.Elem))), m.Bits[k])
}

// loadFrame loads from the frame's local depot, at one offset in all lanes.
func loadFrame(w *machine.Warp, in *machine.Inst) machine.State {
	return loadLocal(w, in, w.LocalBase())
}

// loadParam loads from the frame's .param area.
func loadParam(w *machine.Warp, in *machine.Inst) machine.State {
	return loadLocal(w, in, w.ParamBase())
}

func loadLocal(w *machine.Warp, in *machine.Inst, base uint32) machine.State {
	m := memoryOf(in)
	at := uint64(base) + in.Imm
	if m.Elem == 4 && m.Bits[0] == 32 && len(m.Bits) == 1 && at%4 == 0 && w.OwnsLocal(at, 4) {
		StoreLanes(w.R32(in.D), w.LocalRow(uint32(at)), w.Mask)
		return machine.Next
	}
	q := m.Request
	q.Space = machine.Local
	var addr [32]uint64
	for i := range addr {
		addr[i] = uint64(base)
	}
	a, st := w.Access(in, &q, &addr)
	if st == machine.Next {
		m.loadAll(w, in, a, &addr)
	}
	return st
}

// read reads one element at a host address: atomically if the access is strong.
func (m *memoryOp) read(p mem.Pointer) uint64 {
	if m.Strong {
		return mem.LoadStrong(p, m.Elem)
	}
	return mem.LoadPlain(p, m.Elem)
}
