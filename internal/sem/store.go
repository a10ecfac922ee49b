package sem

// st. Lanes store in ascending order, so the highest of those with one address wins.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// planStore sets up [a] = b.
func planStore(b *Build) {
	ops := b.In.Ops
	elems := Elements(&ops[1])
	m := b.memoryOp(machine.Store, b.Sel.Get(isa.C_ss), elems)
	for i := range elems {
		if m.Elem == 16 {
			lo, hi := b.Halves(&elems[i])
			b.Ext().Src = append(b.Ext().Src, lo, hi)
			m.halve()
			break
		}
		b.Ext().Src = append(b.Ext().Src, b.element(&elems[i], m, i))
	}
	b.Out.B = b.Ext().Src[0]
	m.By, m.Space = b.Address(&ops[0], m.Space)
	b.storeHandlers(m, m.By)
}

// element places a source element; an immediate takes the width of the type.
func (b *Build) element(o *ir.Operand, m *memoryOp, i int) uint32 { return b.Src(o, m.Bits[i]) }

func (b *Build) storeHandlers(m *memoryOp, by uop.Addressing) {
	single := len(m.Bits) == 1 && !m.Strong
	switch {
	case by == uop.ByRow64 && single && m.Elem == 4 && m.Bits[0] <= 32:
		b.Does(uop.Store32)
	case by == uop.ByRow64 && single && m.Elem == 8:
		b.Does(uop.Store64)
	case by == uop.ByRow64:
		b.Does(uop.StoreRows)
	case by == uop.ByRow32:
		b.Does(uop.StoreRows32)
	case by == uop.ByFrame:
		b.Does(uop.StoreLocal)
	case by == uop.ByParam:
		b.Does(uop.StoreParam)
	case by == uop.ByConst:
		b.Does(uop.StoreConst)
	default:
		b.Fail("BUG: a store cannot have this address")
	}
}

func store32(w *machine.Warp, in *machine.Inst) machine.State {
	m, addr := memoryOf(in), w.R64(in.A)
	a, st := w.Access(in, &m.Request, addr)
	if st == machine.Next {
		storeRow[uint32](w.R32(in.B), a, addr, 0, w.Mask)
	}
	return st
}

func store64(w *machine.Warp, in *machine.Inst) machine.State {
	m, addr := memoryOf(in), w.R64(in.A)
	a, st := w.Access(in, &m.Request, addr)
	if st == machine.Next {
		storeRow64(w.R64(in.B), a, addr, 0, w.Mask)
	}
	return st
}

func storeRows(w *machine.Warp, in *machine.Inst) machine.State {
	return storeAt(w, in, w.R64(in.A))
}

func storeRows32(w *machine.Warp, in *machine.Inst) machine.State {
	var wide [32]uint64
	widen(&wide, w.R32(in.A), in.Imm)
	return storeAt(w, in, &wide)
}

func storeConst(w *machine.Warp, in *machine.Inst) machine.State {
	var zero [32]uint64
	return storeAt(w, in, &zero)
}

func storeAt(w *machine.Warp, in *machine.Inst, addr *[32]uint64) machine.State {
	m := memoryOf(in)
	a, st := w.Access(in, &m.Request, addr)
	if st == machine.Next {
		m.storeAll(w, in, a, addr)
	}
	return st
}

// storeAll stores every element of every executing lane. A vector is stored lane by lane:
// vectors of two lanes may overlap.
func (m *memoryOp) storeAll(w *machine.Warp, in *machine.Inst, a *machine.Access, addr *[32]uint64) {
	if len(m.Bits) == 1 && !m.Strong {
		m.storeElement(w, a, addr, in.B, m.Bits[0])
		return
	}
	if m.Whole {
		Each(w.Mask, func(i int) { m.storeWhole(a, addr, i, m.gathered(w, in.Ext.Src, i)) })
		return
	}
	Each(w.Mask, func(i int) {
		for k, off := range in.Ext.Src {
			m.write(a, addr, i, uint32(k)*m.Elem, LoadElem(w, off, m.Bits[k], i))
		}
	})
}

// gathered is what a lane stores at once: the low bytes of its elements.
func (m *memoryOp) gathered(w *machine.Warp, src []uint32, i int) (v mem.Uint128) {
	for k, off := range src {
		low := LoadElem(w, off, m.Bits[k], i) & (^uint64(0) >> (64 - 8*m.Elem))
		if at := 8 * uint(k) * uint(m.Elem); at < 64 {
			v.Lo |= low << at
		} else {
			v.Hi |= low << (at - 64)
		}
	}
	return v
}

// storeWhole stores all elements of a lane at once.
func (m *memoryOp) storeWhole(a *machine.Access, addr *[32]uint64, i int, v mem.Uint128) {
	switch m.Size {
	case 16:
		strongStore128(a, addr, i, v)
	case 8:
		strongStore64(a, addr, i, 0, v.Lo)
	case 4:
		mem.Store32(a.Ptr(addr, i, 0), uint32(v.Lo))
	default:
		mem.Store16(a.Ptr(addr, i, 0), uint16(v.Lo))
	}
}

// storeElement stores the low bytes of a row.
func (m *memoryOp) storeElement(w *machine.Warp, a *machine.Access, addr *[32]uint64, off uint32, bits int) {
	if bits > 32 {
		s := w.R64(off)
		switch m.Elem {
		case 1:
			storeRow[uint8](s, a, addr, 0, w.Mask)
		case 2:
			storeRow[uint16](s, a, addr, 0, w.Mask)
		case 4:
			storeRow[uint32](s, a, addr, 0, w.Mask)
		default:
			storeRow64(s, a, addr, 0, w.Mask)
		}
		return
	}
	s := w.R32(off)
	switch m.Elem {
	case 1:
		storeRow[uint8](s, a, addr, 0, w.Mask)
	case 2:
		storeRow[uint16](s, a, addr, 0, w.Mask)
	default:
		storeRow[uint32](s, a, addr, 0, w.Mask)
	}
}

// write stores one element of one lane: atomically if the access is strong.
func (m *memoryOp) write(a *machine.Access, addr *[32]uint64, i int, off uint32, v uint64) {
	switch {
	case m.Elem == 8 && m.Strong:
		strongStore64(a, addr, i, off, v)
	case m.Strong:
		mem.StoreStrong(a.Ptr(addr, i, off), m.Elem, v)
	case m.Elem == 8:
		a.Store64(addr, i, off, v)
	case m.Elem == 4:
		a.Store32(addr, i, off, uint32(v))
	case m.Elem == 2:
		a.Store16(addr, i, off, uint16(v))
	default:
		a.Store8(addr, i, off, uint8(v))
	}
}

func storeFrame(w *machine.Warp, in *machine.Inst) machine.State {
	return storeLocal(w, in, w.LocalBase())
}

func storeParam(w *machine.Warp, in *machine.Inst) machine.State {
	return storeLocal(w, in, w.ParamBase())
}

// storeLocal stores to the frame's local memory, at one offset in all lanes.
func storeLocal(w *machine.Warp, in *machine.Inst, base uint32) machine.State {
	m := memoryOf(in)
	at := uint64(base) + in.Imm
	if m.Elem == 4 && m.Bits[0] <= 32 && len(m.Bits) == 1 && at%4 == 0 && w.OwnsLocal(at, 4) {
		StoreLanes(w.LocalRow(uint32(at)), w.R32(in.B), w.Mask)
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
		m.storeAll(w, in, a, &addr)
	}
	return st
}
