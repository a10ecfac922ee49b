package jit

// Accesses by indices: indices that follow each other are one vector, with one comparison of the first one; else one comparison for
// each register of indices, with limits that the machine has computed for this access when it learned of the allocation, and then
// gathers and scatters from one base.

import (
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// indexAccess assembles a load or store by indices.
func (a *accessed) indexAccess() {
	if !a.mayFollow() {
		a.indexApart()
		return
	}
	done := a.NewLabel()
	a.indexFollow(a.later(func() {
		a.indexApart()
		a.Jmp(done)
	}))
	a.Bind(done)
}

// mayFollow tells whether indices that follow each other are one vector.
func (a *accessed) mayFollow() bool {
	return a.use == allLanes && len(a.m.At) == 1 && a.m.Elem == 1<<a.s.index.shift && a.m.Align <= a.m.Elem && a.src[1].off != machine.NoGuard && !a.src[0].elsewhere()
}

// indexFollow accesses one vector, if the index of each lane is that of lane 0 and the lane, else it goes to apart. Those of all
// lanes are inside exactly if the first one, less the first inside, and 31 are below the number of those inside.
func (a *accessed) indexFollow(apart x86.Label) {
	if row := a.src[0].row; row >= 0 {
		a.RV(x86.VMOVD, x86.W128, x86.RAX, x86.Vec(row))
	} else {
		a.RM(x86.MOV, x86.S32, x86.RAX, a.regs(a.src[0].off))
	}
	a.compareIndices(apart)
	a.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	a.RR(x86.MOV, x86.S32, x86.R8, x86.RAX)
	a.RM(x86.SUB, x86.S32, x86.R8, a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Low)))
	a.RI(x86.ADD, x86.S64, x86.R8, 31)
	a.RM(x86.MOV, x86.S32, x86.RCX, a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Count)))
	a.RR(x86.CMP, x86.S64, x86.R8, x86.RCX)
	a.Jcc(x86.AE, a.miss)
	a.prove(a.pc)
	a.RM(x86.MOV, x86.S64, x86.R11, a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Host)))
	a.RR(x86.MOVSXD, x86.S64, x86.RAX, x86.RAX)
	d := &a.src[1]
	a.eachPart(d.typ, func() {
		m := a.byProof(x86.AtIndex(x86.R11, x86.RAX, uint8(a.m.Elem), int32(a.in.Imm)+int32(a.part*a.lanes)*int32(a.m.Elem)))
		if a.s.op.Kind == sem.OpLoad {
			a.loadPart(m, d)
		} else {
			a.storePart(m, d)
		}
	})
}

// compareIndices goes to other unless each lane's index is EAX + lane.
func (a *accessed) compareIndices(other x86.Label) {
	first, x, sum := a.everywhere(tW, x86.RAX), a.alloc(), a.alloc()
	a.eachPart(tW, func() {
		to := x
		if a.part == 0 {
			to = sum
		}
		a.VVM(vops[cAdd].avx2[tW], a.full(), to, first, a.constRow(tW, func(i int) uint64 { return uint64(a.part*a.lanes + i) }))
		have := a.operand(&a.src[0])
		defer a.release(have)
		if a.evex {
			if have.kind == inVec {
				a.KVVI(icmp[cmpNE].op[tW], a.full(), x86.K5+x86.K(a.part), to, have.v, 4)
			} else {
				a.KVMI(icmp[cmpNE].op[tW], a.full(), x86.K5+x86.K(a.part), to, have.m, 4)
			}
			return
		}
		a.vvx(x86.VPXOR, a.full(), to, to, have)
		if a.part > 0 {
			a.VVV(x86.VPOR, a.full(), sum, sum, x)
		}
	})
	if a.evex {
		a.KK(x86.KORTESTW, x86.K5, x86.K6)
	} else {
		a.VV(x86.VPTEST, a.full(), sum, sum)
	}
	for _, v := range []x86.Vec{sum, x, first} {
		a.release(temp(v))
	}
	a.Jcc(x86.NE, other)
}

// indexApart is the access at indices that do not follow each other. Narrow elements are gathered with what lies behind them, but at
// the end of an allocation, where addresses of 64 bits are made for them.
func (a *accessed) indexApart() {
	fail, done, behind := a.miss, a.NewLabel(), uint32(0)
	if a.m.Elem < 4 {
		behind, fail = (4-a.m.Elem)>>a.s.index.shift, a.later(func() {
			a.byAddresses()
			a.Jmp(done)
		})
	}
	a.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	a.testIndices(behind, fail)
	a.RM(x86.MOV, x86.S64, x86.R11, a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Host)))
	a.strew(x86.R11)
	a.Bind(done)
}

// byAddresses is the access lane by lane at the addresses of 64 bits.
func (a *accessed) byAddresses() {
	n, s, at := a.s.index, *a.s, *a
	a.widen(n, a.use)
	s.index, at.s, at.src = nil, &s, slices.Clone(a.src)
	at.src[0] = source{typ: tX, off: n.home, row: -1}
	at.laneByLane()
}

// boundsAt is a field of the access's bounds; RDX has the table.
func (a *accessed) boundsAt(field uintptr) x86.Mem {
	return a.boundsField(a.bound, field)
}

// testIndices goes to fail unless the index of each executing lane, less the first one inside, is below the number
// of those inside, less some behind them, and aligned.
func (a *accessed) testIndices(behind uint32, fail x86.Label) {
	defer a.prove(a.pc)
	low, count := a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Low)), a.boundsAt(unsafe.Offsetof(machine.NativeBounds{}.Count))
	odd := uint32(max(int64(a.m.Align)>>a.s.index.shift-1, 0)) // bits of an index that alignment wants to be 0
	if behind != 0 {
		a.RM(x86.MOV, x86.S32, x86.RCX, count)
		a.RI(x86.SUB, x86.S32, x86.RCX, int32(behind))
		a.Jcc(x86.BE, fail)
		count = x86.At(rCtx, saveLimits)
		a.MR(x86.MOV, x86.S32, count, x86.RCX)
	}
	if !a.evex {
		first := a.alloc()
		a.broadcast(a.full(), tW, first, low)
		a.testBelow(first, func(to x86.Vec) {
			a.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
			a.broadcast(a.full(), tW, to, count)
		}, odd, func() loc { return a.operand(&a.src[0]) })
		a.Jcc(x86.NE, fail)
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
	a.Jcc(x86.NE, fail)
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
