package jit

// Accesses by indices: indices that follow each other are one vector, with one comparison of the first one; else one comparison for
// each register of indices, with limits that the machine has computed for this access when it learned of the allocation, and then
// gathers and scatters from one base.

import (
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// indexAccess assembles a load or store by indices.
func (a *accessed) indexAccess() {
	if !a.mayFollow() {
		a.indexApart()
		return
	}
	done := a.c.NewLabel()
	a.indexFollow(a.c.later(func() {
		a.indexApart()
		a.c.Jmp(done)
	}))
	a.c.Bind(done)
}

// mayFollow tells whether indices that follow each other are one vector.
func (a *accessed) mayFollow() bool {
	return a.use == allLanes && len(a.m.At) == 1 && a.m.Elem == 1<<a.s.index.shift && a.m.Align <= a.m.Elem && a.src[1].off != machine.NoGuard && !a.src[0].elsewhere()
}

// indexFollow accesses one vector, if the index of each lane is that of lane 0 and the lane, else it goes to apart. Those of all
// lanes are inside exactly if the first one, less the first inside, and 31 are below the number of those inside.
func (a *accessed) indexFollow(apart x86.Label) {
	if row := a.src[0].row; row >= 0 {
		a.c.RV(x86.VMOVD, x86.W128, x86.RAX, x86.Vec(row))
	} else {
		a.c.RM(x86.MOV, x86.S32, x86.RAX, a.c.regs(a.src[0].off))
	}
	a.compareIndices(apart)
	a.c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	a.c.RR(x86.MOV, x86.S32, x86.R8, x86.RAX)
	a.c.RM(x86.SUB, x86.S32, x86.R8, a.boundsAt(unsafe.Offsetof(abi.Bounds{}.Low)))
	a.c.RI(x86.ADD, x86.S64, x86.R8, 31)
	a.c.RM(x86.MOV, x86.S32, x86.RCX, a.boundsAt(unsafe.Offsetof(abi.Bounds{}.Count)))
	a.c.RR(x86.CMP, x86.S64, x86.R8, x86.RCX)
	a.c.Jcc(x86.AE, a.miss)
	a.c.prove(a.pc)
	a.c.RM(x86.MOV, x86.S64, x86.R11, a.boundsAt(unsafe.Offsetof(abi.Bounds{}.Host)))
	a.c.RR(x86.MOVSXD, x86.S64, x86.RAX, x86.RAX)
	d := &a.src[1]
	a.c.eachPart(d.typ, func() {
		m := a.byProof(x86.AtIndex(x86.R11, x86.RAX, uint8(a.m.Elem), int32(a.in.Imm)+int32(a.c.part*a.c.lanes)*int32(a.m.Elem)))
		if a.s.op.Kind == sem.OpLoad {
			a.loadPart(m, d)
		} else {
			a.storePart(m, d)
		}
	})
}

// compareIndices goes to other unless each lane's index is EAX + lane.
func (a *accessed) compareIndices(other x86.Label) {
	first, x, sum := a.everywhere(tW, x86.RAX), a.c.alloc(), a.c.alloc()
	a.c.eachPart(tW, func() {
		to := x
		if a.c.part == 0 {
			to = sum
		}
		a.c.VVM(vops[cAdd].avx2[tW], a.c.full(), to, first, a.c.constRow(tW, func(i int) uint64 { return uint64(a.c.part*a.c.lanes + i) }))
		have := a.c.operand(&a.src[0])
		defer a.c.release(have)
		if a.c.evex {
			if have.kind == inVec {
				a.c.KVVI(icmp[cmpNE].op[tW], a.c.full(), x86.K5+x86.K(a.c.part), to, have.v, 4)
			} else {
				a.c.KVMI(icmp[cmpNE].op[tW], a.c.full(), x86.K5+x86.K(a.c.part), to, have.m, 4)
			}
			return
		}
		a.c.vvx(x86.VPXOR, a.c.full(), to, to, have)
		if a.c.part > 0 {
			a.c.VVV(x86.VPOR, a.c.full(), sum, sum, x)
		}
	})
	if a.c.evex {
		a.c.KK(x86.KORTESTW, x86.K5, x86.K6)
	} else {
		a.c.VV(x86.VPTEST, a.c.full(), sum, sum)
	}
	for _, v := range []x86.Vec{sum, x, first} {
		a.c.release(temp(v))
	}
	a.c.Jcc(x86.NE, other)
}

// indexApart is the access at indices that do not follow each other. Narrow elements are gathered with what lies behind them, but at
// the end of an allocation, where addresses of 64 bits are made for them.
func (a *accessed) indexApart() {
	fail, done, behind := a.miss, a.c.NewLabel(), uint32(0)
	if a.m.Elem < 4 {
		behind, fail = (4-a.m.Elem)>>a.s.index.shift, a.c.later(func() {
			a.byAddresses()
			a.c.Jmp(done)
		})
	}
	a.c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	a.testIndices(behind, fail)
	a.c.RM(x86.MOV, x86.S64, x86.R11, a.boundsAt(unsafe.Offsetof(abi.Bounds{}.Host)))
	a.strew(x86.R11)
	a.c.Bind(done)
}

// byAddresses is the access lane by lane at the addresses of 64 bits.
func (a *accessed) byAddresses() {
	n, s, at := a.s.index, *a.s, *a
	a.c.widen(n, a.use)
	s.index, at.s, at.src = nil, &s, slices.Clone(a.src)
	at.src[0] = source{typ: tX, off: n.home, row: -1}
	at.laneByLane()
}

// boundsAt is a field of the access's bounds; RDX has the table.
func (a *accessed) boundsAt(field uintptr) x86.Mem {
	return a.c.boundsField(a.bound, field)
}

// testIndices goes to fail unless the index of each executing lane, less the first one inside, is below the number
// of those inside, less some behind them, and aligned.
func (a *accessed) testIndices(behind uint32, fail x86.Label) {
	defer a.c.prove(a.pc)
	low, count := a.boundsAt(unsafe.Offsetof(abi.Bounds{}.Low)), a.boundsAt(unsafe.Offsetof(abi.Bounds{}.Count))
	odd := uint32(max(int64(a.m.Align)>>a.s.index.shift-1, 0)) // bits of an index that alignment wants to be 0
	if behind != 0 {
		a.c.RM(x86.MOV, x86.S32, x86.RCX, count)
		a.c.RI(x86.SUB, x86.S32, x86.RCX, int32(behind))
		a.c.Jcc(x86.BE, fail)
		count = x86.At(rCtx, saveLimits)
		a.c.MR(x86.MOV, x86.S32, count, x86.RCX)
	}
	if !a.c.evex {
		first := a.c.alloc()
		a.c.broadcast(a.c.full(), tW, first, low)
		a.testBelow(first, func(to x86.Vec) {
			a.c.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
			a.c.broadcast(a.c.full(), tW, to, count)
		}, odd, func() loc { return a.c.operand(&a.src[0]) })
		a.c.Jcc(x86.NE, fail)
		return
	}
	x, some := a.c.alloc(), x86.K5
	a.c.eachPart(tW, func() {
		const notBelow = 5
		have := a.c.operand(&a.src[0])
		row := a.c.load(have, tW)
		a.c.VVM(x86.VPSUBD, a.c.full(), x, row.v, low.Bcast())
		a.c.unload(row, have)
		a.c.release(have)
		some = x86.K5 + x86.K(a.c.part)
		if a.use != allLanes {
			a.c.Masked(a.c.laneMask(a.use))
		}
		a.c.KVMI(x86.VPCMPUD, a.c.full(), some, x, count.Bcast(), notBelow)
		if odd != 0 {
			if a.use != allLanes {
				a.c.Masked(a.c.laneMask(a.use))
			}
			a.c.KVM(x86.VPTESTMD, a.c.full(), kShift, x, a.c.Const32(odd).Bcast())
			a.c.KKK(x86.KORW, some, some, kShift)
		}
	})
	a.c.release(temp(x))
	a.c.KK(x86.KORTESTW, x86.K5, some)
	a.c.Jcc(x86.NE, fail)
}

// scaled multiplies indices by what is beyond the largest factor of an address.
func (a *accessed) scaled(x loc) loc {
	if a.s.index == nil || a.s.index.shift <= maxScale {
		return x
	}
	to := x.v
	if !x.owned {
		to = a.c.alloc()
	}
	a.c.VVI(x86.VPSLLD, a.c.width(tW), to, x.v, a.s.index.shift-maxScale)
	return temp(to)
}

// unscale gives back what scaled has taken.
func (a *accessed) unscale(x, from loc) {
	if x.v != from.v {
		a.c.release(x)
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
func (n *indexed) native() abi.Index {
	return abi.Index{Row: n.home, At: n.off, Shift: n.shift, Signed: n.signed, Param: n.param, Far: n.far}
}

// reaches lists the accesses by index.
func (r *region) reaches() (list []abi.Reach) {
	for pc := range r.steps {
		if s := &r.steps[pc]; s.index != nil && s.in[0].typ == tW {
			m := &s.op.Memory
			list = append(list, abi.Reach{Index: s.index.native(), PC: int32(pc), Disp: int64(r.insts[pc].Imm), Size: m.Size, Align: max(m.Align, 1), Store: s.op.Kind == sem.OpStore})
		}
	}
	return list
}
