package sem

// Lane functions: pure functions of the operands of one lane. internal/gen stamps their
// loops (zlanes.go) for the lane(uop.…) expressions in the tables; a loop that gets the
// function as a value takes four times as long and stays in the tests, as the reference implementation.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// stamp is one lane function with its generated handlers.
type stamp struct {
	fn any // func(uint32|uint64, …) (uint32|uint64|bool), or with a carry: uop.Op.Shape
	handlers
}

// function is the function of a lane that an operation is.
func function[F any](op uop.Op) F { return stamps[op].fn.(F) }

// laneDo executes a statement with one lane function: destination and sources in written
// order, each as wide as the function's parameter.
type laneDo struct{ op uop.Op }

// lane names the function that computes a statement; its signature is the shape.
func lane(op uop.Op) laneDo { return laneDo{op} }

func (laneDo) Reads(*isa.Sel, isa.Mod) bool { return false }
func (laneDo) Scalar() bool                 { return true }

func (l laneDo) Plan(b *Build) {
	b.operands(l.op, &b.In.Ops[0], b.In.Ops[1:])
	b.Does(l.op)
}

// operands places a destination and sources where the stamped loops look for them; the
// fourth source is in the immediate.
func (b *Build) operands(op uop.Op, dst *ir.Operand, src []ir.Operand) {
	shape := op.Shape()
	if len(src) < int(shape.N) {
		b.Fail("BUG: %d operands for %v of %d", len(src), op, shape.N)
		return
	}
	b.Out.D = b.Dst(dst, int(shape.Result))
	for i, bits := range shape.Operands() {
		off := b.Src(&src[i], int(bits))
		switch i {
		case 0:
			b.Out.A = off
		case 1:
			b.Out.B = off
		case 2:
			b.Out.C = off
		case 3:
			b.Out.Imm = uint64(off)
		}
	}
}

// The partial loops visit the active lanes only: up to half a warp that is faster than
// blending all 32, and a function's cost is paid for active lanes alone. They are inlined with
// the function they get.

func part1[D, A Word](m uint32, d *[32]D, a *[32]A, f func(A) D) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i])
	}
}

func part2[D, A, B Word](m uint32, d *[32]D, a *[32]A, b *[32]B, f func(A, B) D) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i], b[i])
	}
}

func part3[D, A, B, C Word](m uint32, d *[32]D, a *[32]A, b *[32]B, c *[32]C, f func(A, B, C) D) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i], b[i], c[i])
	}
}
