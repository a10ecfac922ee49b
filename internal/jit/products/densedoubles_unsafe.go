package products

// Products of matrices of f64 (num.Doubles): the columns of a row side by side, one fma for each element of K. Rows with a NaN
// are computed again by num.Doubles.Row, as operands of the processor's fma have another order.

import (
	"math/bits"
	"runtime"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/num"
)

// MultiplyDoubles implements num.Multiplier.
func (m *Multiplier) MultiplyDoubles(d *num.Doubles) bool {
	code := m.once(&m.doubles, (*denseCode).doubles)
	if code == 0 || d.Rows == 0 || d.K == 0 {
		return false
	}
	c := denseContext{
		left: unsafe.Pointer(&d.Left[0]), right: unsafe.Pointer(&d.Right[0]), sum: unsafe.Pointer(&d.Sum[0]),
		rows: uint64(d.Rows), groups: uint64(d.K),
	}
	native.Call(code, unsafe.Pointer(&c))
	runtime.KeepAlive(d)
	for odd := c.result; odd != 0; odd &= odd - 1 { // the last row has the lowest bit
		d.Row(d.Rows - 1 - bits.TrailingZeros64(odd))
	}
	return true
}

// doubles assembles a loop over rows, in which all of K is one over the rows of Right.
func (e *denseCode) doubles() {
	const a, nan = 4, 5
	e.RM(x86.MOV, x86.S64, dnLeft, x86.At(dnContext, dcLeft))
	e.RM(x86.MOV, x86.S64, dnSum, x86.At(dnContext, dcSum))
	e.RM(x86.MOV, x86.S64, dnRows, x86.At(dnContext, dcRows))
	e.Zero(dnAny)
	row, inner := e.NewLabel(), e.NewLabel()
	e.Bind(row)
	e.RM(x86.MOV, x86.S64, dnRight, x86.At(dnContext, dcRight))
	e.RM(x86.MOV, x86.S64, dnColumns, x86.At(dnContext, dcGroups))
	parts := 8 * num.DotF64Lanes / e.w.Bytes()
	for i := range parts {
		e.load(x86.Vec(i), x86.At(dnSum, int32(i)*e.size()))
	}
	e.Bind(inner)
	e.VM(x86.VBROADCASTSD, e.w, a, x86.At(dnLeft, 0))
	for i := range parts {
		e.VVM(x86.VFMADD231PD, e.w, x86.Vec(i), a, x86.At(dnRight, int32(i)*e.size()))
	}
	e.RI(x86.ADD, x86.S64, dnLeft, 8)
	e.RI(x86.ADD, x86.S64, dnRight, 8*num.DotF64Lanes)
	e.RI(x86.SUB, x86.S64, dnColumns, 1)
	e.Jcc(x86.NE, inner)
	e.unordered(parts, nan)
	e.RI(x86.SHL, x86.S64, dnAny, 1)
	odd := e.NewLabel()
	e.RR(x86.TEST, x86.S32, dnTemp, dnTemp)
	next := e.NewLabel()
	e.Jcc(x86.NE, odd)
	for i := range parts {
		e.store(x86.At(dnSum, int32(i)*e.size()), x86.Vec(i))
	}
	e.Jmp(next)
	e.Bind(odd)
	e.RI(x86.OR, x86.S64, dnAny, 1)
	e.Bind(next)
	e.RI(x86.ADD, x86.S64, dnSum, 8*num.DotF64Lanes)
	e.RI(x86.SUB, x86.S64, dnRows, 1)
	e.Jcc(x86.NE, row)
	e.MR(x86.MOV, x86.S64, x86.At(dnContext, dcResult), dnAny)
	e.None(x86.VZEROUPPER)
	e.None(x86.RET)
}

// unordered puts into dnTemp whether a register of the first few has a NaN.
func (e *denseCode) unordered(n int, temp x86.Vec) {
	const unord = 3
	if e.wide {
		e.KVVI(x86.VCMPPDK, e.w, x86.K1, 0, 0, unord)
		e.RK(x86.KMOVW, dnTemp, x86.K1)
		return
	}
	e.VVVI(x86.VCMPPD, e.w, temp, 0, 0, unord)
	for i := 1; i < n; i++ {
		e.VVVI(x86.VCMPPD, e.w, temp+1, x86.Vec(i), x86.Vec(i), unord)
		e.or(temp, temp, temp+1)
	}
	e.RV(x86.VMOVMSKPD, e.w, dnTemp, temp)
}
