package products

// Fragments of f64: a chain of fma for each element, all to the nearest. A row of A is four lanes of 256 bits, and so are
// the columns of a parity. Where a NaN comes out nothing is written, as operands of the processor's fma have another order.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// doubleBytes is what 32 lanes have of a register.
const doubleBytes = 2 * laneBytes

// assembleDoubleFragments makes the code; false where there is none for such a product of so many registers.
func (e *denseCode) assembleDoubleFragments(registers [2]int) bool {
	shape := num.DenseShape(e.key)
	f := &fragmentPlan{halves: shape.Rows / 8, vectors: doubleBytes / e.w.Bytes()}
	f.counts = [5]int{f.halves * shape.K / 4, shape.K / 4, 2 * f.halves, 2 * f.halves, 0}
	f.sum = int32(f.counts[1]) * doubleBytes
	if shape.Columns != 8 || shape.Rows%8 != 0 || shape.K%4 != 0 || !f.hasRegisters(registers) || f.sum+int32(f.counts[2])*doubleBytes > int32(fragmentRoom) {
		return false
	}
	e.fragment = f
	e.startFragments()
	tile, odd := e.NewLabel(), e.NewLabel()
	e.Bind(tile)
	for r := range f.counts[1] {
		e.registerOf(1, r)
		for parity := range int32(2) {
			e.turnDoubles(int32(r)*doubleBytes, parity)
		}
	}
	const nan x86.Vec = 15
	e.VVV(e.either(x86.VPXORD, x86.VPXOR), e.w, nan, nan, nan)
	for half := range f.halves {
		e.doubleSums(half, nan)
	}
	e.jumpIfAny(nan, odd)
	for r := range f.counts[3] {
		e.registerOf(3, r)
		for at := int32(0); at < doubleBytes; at += e.size() {
			e.load(0, x86.At(fgRoom, f.sum+int32(r)*doubleBytes+at))
			e.store(x86.At(dnTemp, at), 0)
		}
	}
	e.nextTile(tile)
	e.endFragments(odd)
	return true
}

// turnDoubles lays the columns of a parity out, of a register of B: 256 bits for each of the lanes of four.
func (e *denseCode) turnDoubles(at, parity int32) {
	const w = x86.W256
	for i := range int32(4) {
		e.VM(x86.VMOVUPD, w, x86.Vec(i), x86.At(dnTemp, 32*(2*i+parity)))
	}
	for lane, op := range []x86.Op{x86.VUNPCKLPD, x86.VUNPCKHPD} {
		e.VVV(op, w, 4, 0, 1)
		e.VVV(op, w, 5, 2, 3)
		for pair, half := range []uint8{0x20, 0x31} { // the lower 128 bits of both, and the upper ones
			e.VVVI(x86.VPERM2F128, w, 6, 4, 5, half)
			e.MV(x86.VMOVUPD, w, x86.At(fgRoom, at+32*(2*int32(lane+2*pair)+parity)), 6)
		}
	}
}

// doubleSums computes eight rows.
func (e *denseCode) doubleSums(half int, nan x86.Vec) {
	const a, b, unordered x86.Vec = 12, 13, 14
	f := e.fragment
	for v := range f.vectors {
		at := int32(v) * e.size()
		for parity := range 2 {
			e.registerOf(2, 2*half+parity)
			e.load(x86.Vec(parity), x86.At(dnTemp, at))
		}
		for k := range e.key.K {
			word, lane := k/4, k%4
			if lane == 0 {
				e.registerOf(0, word*f.halves+half)
			}
			e.VMI(x86.VPERMPD, e.w, a, x86.At(dnTemp, at), uint8(lane*0x55))
			for parity := range 2 {
				columns := x86.At(fgRoom, int32(word)*doubleBytes+32*int32(2*lane+parity))
				if !e.wide {
					e.VVM(x86.VFMADD231PD, e.w, x86.Vec(parity), a, columns)
					continue
				}
				e.VM(x86.VBROADCASTF64X4, e.w, b, columns)
				e.VVV(x86.VFMADD231PD, e.w, x86.Vec(parity), a, b)
			}
		}
		for parity := range 2 {
			d := x86.Vec(parity)
			e.noteNaN(nan, d, unordered)
			e.store(x86.At(fgRoom, f.sum+int32(2*half+parity)*doubleBytes+at), d)
		}
	}
}

// noteNaN notes whether a vector has a NaN.
func (e *denseCode) noteNaN(nan, v, temp x86.Vec) {
	const unord = 3
	if e.wide {
		e.KVVI(x86.VCMPPDK, e.w, x86.K1, v, v, unord)
		e.Masked(x86.K1).VVVI(x86.VPTERNLOGQ, e.w, nan, nan, nan, 0xff)
		return
	}
	e.VVVI(x86.VCMPPD, e.w, temp, v, v, unord)
	e.or(nan, nan, temp)
}
