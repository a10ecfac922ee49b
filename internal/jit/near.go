package jit

// Loads from small tables in shared memory, by AVX-512: lanes whose words all lie in the same sixteen are one load and a permutation
// for each register, where a gather would take one lane after the other. Where they lie is asked when they are loaded.

import (
	"ptxvm/internal/jit/x86"
	"ptxvm/internal/machine"
	"ptxvm/internal/sem"
)

// nearBytes is the size of such a table, and what its place is a multiple of, less the displacement.
const nearBytes = 64

// mayBeNear tells whether an access of lanes anywhere is a load of words of shared memory into a row.
func (a *accessed) mayBeNear() bool {
	d := &a.src[1]
	return a.evex && a.use == allLanes && a.s.op.Kind == sem.OpLoad && a.bound < 0 && a.src[0].typ == tW && len(a.m.At) == 1 &&
		a.m.Elem == 4 && d.off != machine.NoGuard && d.typ == tW && a.m.Bits[0] >= 32
}

// near loads lanes that have been found inside and goes to done if their words are near each other.
func (a *accessed) near(done x86.Label) {
	if !a.mayBeNear() {
		return
	}
	first, sum, far := a.alloc(), a.alloc(), a.NewLabel()
	a.eachPart(tW, func() {
		have := a.operand(&a.src[0])
		row := a.load(have, tW)
		if a.part == 0 {
			a.RV(x86.VMOVQ, x86.W128, x86.RAX, row.v)
			a.VV(x86.VPBROADCASTD, a.full(), first, row.v)
			a.VVV(x86.VPXORD, a.full(), sum, first, row.v)
		} else {
			a.VVV(x86.VPXORD, a.full(), first, first, row.v)
			a.VVV(x86.VPORD, a.full(), sum, sum, first)
		}
		a.unload(row, have)
		a.release(have)
	})
	beyond := nearBytes - 1
	a.KVM(x86.VPTESTMD, a.full(), x86.K5, sum, a.Const32(^uint32(beyond)).Bcast())
	a.release(temp(sum))
	a.release(temp(first))
	a.KK(x86.KORTESTW, x86.K5, x86.K5)
	a.Jcc(x86.E, a.later(func() { a.permuted(far, done) }))
	a.Bind(far)
}

// permuted loads the sixteen words that lane 0, whose address is in EAX, finds its own among and goes to done, or to far if not all
// of them are inside.
func (a *accessed) permuted(far, done x86.Label) {
	a.RI(x86.AND, x86.S32, x86.RAX, -nearBytes)
	a.displace(x86.RAX)
	a.limits(nearBytes, far)
	a.RR(x86.MOV, x86.S64, x86.RCX, x86.RAX)
	a.RR(x86.SUB, x86.S64, x86.RCX, x86.R8)
	a.RR(x86.CMP, x86.S64, x86.RCX, x86.RDX)
	a.Jcc(x86.A, far)
	a.host(x86.RAX)
	table, v := a.alloc(), a.alloc()
	a.move(a.full(), table, x86.At(x86.RAX, 0))
	a.eachPart(tW, func() {
		have := a.operand(&a.src[0])
		row := a.load(have, tW)
		a.VVI(x86.VPSRLD, a.full(), v, row.v, 2)
		a.unload(row, have)
		a.release(have)
		a.VVV(x86.VPERMD, a.full(), v, v, table) // by the lowest four bits
		a.write(vecAt(v), tW, &a.src[1], allLanes)
	})
	a.release(temp(v))
	a.release(temp(table))
	a.Jmp(done)
}
