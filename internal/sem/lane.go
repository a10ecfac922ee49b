package sem

// Lane functions: pure functions of the operands of one lane. internal/gen stamps their
// loops (zlanes.go) from the lane(…) expressions in the tables; a loop that gets the
// function as a value takes four times as long and stays in the tests, as the slow twin.

import (
	"math/bits"
	"reflect"
	"sync"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// stamp is one lane function with its generated handlers.
type stamp struct {
	fn     any             // func(uint32|uint64, …) (uint32|uint64|bool), or with a carry
	full   machine.Handler // all 32 lanes
	part   machine.Handler // the lanes in the mask
	scalar machine.Handler // once, on scalar slots
}

// result and source return the bits of the function's first result and of a parameter.
func (s *stamp) result() int      { return typeBits(reflect.TypeOf(s.fn).Out(0)) }
func (s *stamp) source(i int) int { return typeBits(reflect.TypeOf(s.fn).In(i)) }

// sources is the number of operands that are rows: a carry is none.
func (s *stamp) sources() int {
	t := reflect.TypeOf(s.fn)
	return t.NumIn() + 1 - t.NumOut()
}

func typeBits(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Bool:
		return 1
	case reflect.Uint64:
		return 64
	}
	return 32
}

// laneDo executes a statement with one lane function: destination and sources in written
// order, each as wide as the function's parameter.
type laneDo struct{ fn any }

// lane names the function that computes a statement; its signature is the shape.
func lane(fn any) laneDo { return laneDo{fn} }

func (laneDo) Reads(*isa.Sel, isa.Mod) bool { return false }
func (laneDo) Scalar() bool                 { return true }

func (l laneDo) Plan(b *Build) {
	b.operands(l.stamp(), &b.In.Ops[0], b.In.Ops[1:])
	b.stamped(l.stamp())
}

// operands places a destination and sources where the stamped loops look for them; the
// fourth source is in the immediate.
func (b *Build) operands(s *stamp, dst *ir.Operand, src []ir.Operand) {
	if len(src) < s.sources() {
		b.fail("BUG: %d operands for a function of %d", len(src), s.sources())
		return
	}
	b.Out.D = b.dst(dst, s.result())
	for i := range s.sources() {
		off := b.src(&src[i], s.source(i))
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

// stamp finds the generated handlers. Function values are compared by their code pointers:
// lane functions are named and not generic, so each has one.
func (l laneDo) stamp() *stamp { return stampsByFunc()[reflect.ValueOf(l.fn).Pointer()] }

var stampsByFunc = sync.OnceValue(func() map[uintptr]*stamp {
	m := make(map[uintptr]*stamp, len(stamps))
	for i := range stamps {
		m[reflect.ValueOf(stamps[i].fn).Pointer()] = &stamps[i]
	}
	return m
})

// bit turns a comparison's result into 0 or 1 without a branch.
func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// The partial loops visit the active lanes only: up to half a warp that is faster than
// blending all 32, and a function's cost is paid for active lanes alone. They are inlined with
// the function they get.

func part1[D, A word](m uint32, d *[32]D, a *[32]A, f func(A) D) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i])
	}
}

func part2[D, A, B word](m uint32, d *[32]D, a *[32]A, b *[32]B, f func(A, B) D) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i], b[i])
	}
}

func part3[D, A, B, C word](m uint32, d *[32]D, a *[32]A, b *[32]B, c *[32]C, f func(A, B, C) D) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i], b[i], c[i])
	}
}
