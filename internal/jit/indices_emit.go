package jit

// Accesses by indices: one comparison for each register of indices, with limits that the machine has computed for
// this access when it learned of the allocation, and then gathers and scatters from one base.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// indexAccess assembles a load or store by indices.
func (a *accessed) indexAccess() {
	a.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	a.testIndices()
	a.RM(x86.MOV, x86.S64, x86.R11, a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Host)))
	a.strew(x86.R11)
}

// boundsAt is a field of the access's bounds; RDX has the table.
func (a *accessed) boundsAt(field uintptr) x86.Mem {
	return a.boundsField(a.bound, field)
}

// testIndices misses unless the index of each executing lane, less the first one inside, is below the number
// of those inside and aligned.
func (a *accessed) testIndices() {
	defer a.prove(a.pc)
	low, count := a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Low)), a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Count))
	odd := uint32(max(int64(a.m.Align)>>a.s.index.shift-1, 0)) // bits of an index that alignment wants to be 0
	if !a.evex {
		first, n := a.alloc(), a.alloc()
		a.broadcast(a.full(), tW, first, low)
		a.broadcast(a.full(), tW, n, count)
		a.testBelow(first, n, odd, a.miss)
		return
	}
	x, some := a.alloc(), x86.K5
	a.eachPart(tW, func() {
		const notBelow = 5
		have := a.operand(&a.src[0])
		row := a.load(have, tW)
		a.VVM(x86.VPSUBD, a.full(), x, row.v, low.Bcast())
		a.unload(row, have)
		a.release(have)
		some = x86.K5 + x86.K(a.part)
		if a.use != allLanes {
			a.Masked(a.laneMask(a.use))
		}
		a.KVMI(x86.VPCMPUD, a.full(), some, x, count.Bcast(), notBelow)
		if odd != 0 {
			if a.use != allLanes {
				a.Masked(a.laneMask(a.use))
			}
			a.KVM(x86.VPTESTMD, a.full(), kShift, x, a.Const32(odd).Bcast())
			a.KKK(x86.KORW, some, some, kShift)
		}
	})
	a.release(temp(x))
	a.KK(x86.KORTESTW, x86.K5, some)
	a.Jcc(x86.NE, a.miss)
}

// scaled multiplies indices by what is beyond the largest factor of an address.
func (a *accessed) scaled(x loc) loc {
	if a.s.index == nil || a.s.index.shift <= maxScale {
		return x
	}
	to := x.v
	if !x.owned {
		to = a.alloc()
	}
	a.VVI(x86.VPSLLD, a.width(tW), to, x.v, a.s.index.shift-maxScale)
	return temp(to)
}

// unscale gives back what scaled has taken.
func (a *accessed) unscale(x, from loc) {
	if x.v != from.v {
		a.release(x)
	}
}

// maxScale is the logarithm of the largest factor of an address.
const maxScale = 3

// scale is what an address row's elements are multiplied with.
func (a *accessed) scale() uint8 {
	if a.s.index == nil {
		return 1
	}
	return 1 << min(a.s.index.shift, maxScale)
}

// widen writes the executing lanes' row of 64 bits of an index, for what reads that.
func (c *compiler) widen(n *indexed, use maskUse) {
	if n.param < 0 {
		c.MovImm(x86.RAX, n.far)
	} else {
		c.RM(x86.MOV, x86.S64, x86.RAX, ctxParams)
		c.RM(x86.MOV, x86.S64, x86.RAX, x86.AtIndex(x86.RAX, rArena, 1, n.param).By(inHost))
		c.MovImm(x86.RCX, n.far)
		c.RR(x86.ADD, x86.S64, x86.RAX, x86.RCX)
	}
	from, to := &source{typ: tW, off: n.off}, &source{typ: tX, off: n.home, row: -1}
	c.place(from)
	base, extend := c.alloc(), x86.VPMOVZXDQ
	if n.signed {
		extend = x86.VPMOVSXDQ
	}
	c.replicate(c.full(), tX, base, x86.RAX)
	c.eachPart(tX, func() {
		v, have := c.alloc(), c.operand(from)
		if have.kind == inVec {
			c.VV(extend, c.full(), v, have.v)
		} else {
			c.VM(extend, c.full(), v, have.m)
		}
		c.release(have)
		c.VVI(x86.VPSLLQ, c.full(), v, v, n.shift)
		c.VVV(x86.VPADDQ, c.full(), v, v, base)
		c.write(vecAt(v), tX, to, use)
		c.release(temp(v))
	})
	c.release(temp(base))
}

// native says the same to the machine.
func (n *indexed) native() machine.NativeIndex {
	return machine.NativeIndex{Row: n.home, At: n.off, Shift: n.shift, Signed: n.signed, Param: n.param, Far: n.far}
}

// reaches lists the accesses by index.
func (r *region) reaches() (list []machine.NativeReach) {
	for pc := range r.steps {
		if s := &r.steps[pc]; s.index != nil && s.in[0].typ == tW {
			m := &s.op.Memory
			list = append(list, machine.NativeReach{NativeIndex: s.index.native(), PC: int32(pc), Disp: int64(r.insts[pc].Imm), Size: m.Size, Align: max(m.Align, 1), Store: s.op.Kind == sem.OpStore})
		}
	}
	return list
}
