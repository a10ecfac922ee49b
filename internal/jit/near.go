package jit

// Loads from small tables in shared memory: lanes whose words all lie in the same sixteen are one load (two by AVX2) and a permutation
// for each register, where a gather would take one lane after the other. Where they lie is asked when they are loaded.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// nearBytes is the size of such a table, and what its place is a multiple of, less the displacement.
const nearBytes = 64

// mayBeNear tells whether an access of lanes anywhere is a load of words of shared memory into a row.
func (a *accessed) mayBeNear() bool {
	d := &a.src[1]
	return a.use == allLanes && a.s.op.Kind == sem.OpLoad && a.bound < 0 && a.src[0].typ == tW && len(a.m.At) == 1 &&
		a.m.Elem == 4 && d.off != machine.NoGuard && d.typ == tW && a.m.Bits[0] >= 32
}

// near loads lanes that have been found inside and goes to done if their words are near each other.
func (a *accessed) near(done x86.Label) {
	if !a.mayBeNear() || !a.c.uses(Near) {
		return
	}
	far := a.c.NewLabel()
	a.together16(a.c.later(func() { a.permuted(far, done) }))
	a.c.Bind(far)
}

// together16 leaves in EAX the address of lane 0, and goes to near if those of all lanes differ in nothing but a place among sixteen words.
func (a *accessed) together16(near x86.Label) {
	xor, or := a.c.opFor(cXor, tW), a.c.opFor(cOr, tW)
	first, sum := a.c.alloc(), a.c.alloc()
	a.c.eachPart(tW, func() {
		have := a.c.operand(&a.src[0])
		row := a.c.load(have, tW)
		if a.c.part == 0 {
			a.c.RV(x86.VMOVQ, x86.W128, x86.RAX, row.v)
			a.c.VV(x86.VPBROADCASTD, a.c.full(), first, row.v)
			a.c.VVV(xor, a.c.full(), sum, first, row.v)
		} else {
			x := a.c.alloc()
			a.c.VVV(xor, a.c.full(), x, first, row.v)
			a.c.VVV(or, a.c.full(), sum, sum, x)
			a.c.release(temp(x))
		}
		a.c.unload(row, have)
		a.c.release(have)
	})
	beyond := ^uint32(nearBytes - 1)
	if a.c.evex {
		a.c.KVM(x86.VPTESTMD, a.c.full(), x86.K5, sum, a.c.Const32(beyond).Bcast())
		a.c.KK(x86.KORTESTW, x86.K5, x86.K5)
	} else {
		a.c.VM(x86.VPTEST, a.c.full(), sum, a.c.constRow(tW, func(int) uint64 { return uint64(beyond) }))
	}
	a.c.release(temp(sum))
	a.c.release(temp(first))
	a.c.Jcc(x86.E, near)
}

// permuted loads the sixteen words that lane 0, whose address is in EAX, finds its own among and goes to done, or to far if not all
// of them are inside.
func (a *accessed) permuted(far, done x86.Label) {
	a.c.RI(x86.AND, x86.S32, x86.RAX, -nearBytes)
	a.displace(x86.RAX)
	a.limits(nearBytes, far)
	a.c.RR(x86.MOV, x86.S64, x86.RCX, x86.RAX)
	a.c.RR(x86.SUB, x86.S64, x86.RCX, x86.R8)
	a.c.RR(x86.CMP, x86.S64, x86.RCX, x86.RDX)
	a.c.Jcc(x86.A, far)
	a.c.prove(a.pc)
	a.host(x86.RAX)
	table, free := a.nearTable()
	v := a.c.alloc()
	a.c.eachPart(tW, func() {
		have := a.c.operand(&a.src[0])
		row := a.c.load(have, tW)
		a.c.VVI(x86.VPSRLD, a.c.full(), v, row.v, 2)
		if len(table) > 1 {
			a.c.pick16(v, v, table[0], table[1])
		} else {
			a.c.VVV(x86.VPERMD, a.c.full(), v, v, table[0].v) // by the lowest four bits
		}
		a.c.unload(row, have)
		a.c.release(have)
		a.c.write(vecAt(v), tW, &a.src[1], allLanes)
	})
	a.c.release(temp(v))
	free()
	a.c.Jmp(done)
}

// vecsPermuted256 is how many temporaries permuted takes by AVX2 with its table in registers.
const vecsPermuted256 = 6

// nearTable is the sixteen words at RAX: in registers or, where few are free, in memory at R11.
func (a *accessed) nearTable() (table []loc, free func()) {
	few, base := !a.c.evex && len(a.c.free) < vecsPermuted256, x86.RAX
	if few {
		base = x86.R11
		a.c.RR(x86.MOV, x86.S64, base, x86.RAX)
	}
	for k := range nearBytes / a.c.full().Bytes() {
		l := loc{kind: inMem, m: a.byProof(x86.At(base, int32(k*a.c.full().Bytes())))}
		if !few {
			v := a.c.alloc()
			a.c.move(a.c.full(), v, l.m)
			l = temp(v)
		}
		table = append(table, l)
	}
	return table, func() {
		for k := range table {
			a.c.release(table[len(table)-1-k])
		}
	}
}

// pick16 takes words of a table of two registers, or of two places in memory, by the lowest four bits of an index (AVX2). The result
// may be where the index was.
func (e *emitter) pick16(d, index x86.Vec, lower, upper loc) {
	w, high, second := e.full(), e.alloc(), e.alloc()
	e.VVI(x86.VPSLLD, w, second, index, 32-4) // the upper eight have it at the top
	e.vvx(x86.VPERMD, w, high, index, upper)
	e.vvx(x86.VPERMD, w, d, index, lower)
	e.VVVV(x86.VBLENDVPS, w, d, d, high, second)
	e.release(temp(second))
	e.release(temp(high))
}
