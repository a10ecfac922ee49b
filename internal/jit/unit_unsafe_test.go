package jit

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var operands = flag.String("operands", "", "approximate functions of one operand: at all from one to another, as 0-ffffffff")

// approximations are the functions of one operand that read tables of the special function unit.
var approximations = []uop.Op{
	uop.RcpApproxF32, uop.RcpApproxFtzF32, uop.RsqrtApproxF32, uop.RsqrtApproxFtzF32, uop.Ex2ApproxF32, uop.Ex2ApproxFtzF32,
	uop.SqrtApproxF32, uop.SqrtApproxFtzF32, uop.Lg2ApproxF32, uop.Lg2ApproxFtzF32, uop.SinApproxF32, uop.SinApproxFtzF32, uop.CosApproxF32, uop.CosApproxFtzF32,
}

// TestApproximations compares compiled approximations with package num: at both ends of every segment of
// every exponent, and at random operands; or at every operand that is asked for.
func TestApproximations(t *testing.T) {
	if err := (Options{}).possible(); err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, fn := range approximations {
		runs := []*approximation{}
		for _, wide := range []bool{false, true} {
			if !wide || native.HasAVX512() {
				runs = append(runs, newApproximation(t, fn, wide))
			}
		}
		eachOperand(r, func(first, step uint32) bool { return compareUnits(t, runs, fn, first, step) })
		for _, a := range runs {
			a.code.Free()
		}
	}
}

// eachOperand visits 32 operands at a time: first, first + step and so on.
func eachOperand(r *rand.Rand, visit func(first, step uint32) bool) {
	var from, to uint64
	if n, _ := fmt.Sscanf(*operands, "%x-%x", &from, &to); n == 2 {
		for a := from; a <= to && visit(uint32(a), 1); a += 32 {
		}
		return
	}
	for segment := range uint32(1 << 16) { // of 2^16 operands; the last 16 before it, the first 16 in it
		if !visit(segment<<16-16, 1) || segment%8 == 0 && !visit(r.Uint32(), r.Uint32()) {
			return
		}
	}
}

// approximation is one function for one width.
type approximation struct {
	wide bool
	b    *bench
	code *native.Code
}

func newApproximation(t *testing.T, fn uop.Op, wide bool) *approximation {
	a := &approximation{wide: wide, b: newBench()}
	code, err := native.New((&trial{wide512: wide, mask: ^uint32(0)}).assemble(t, a.b, fn))
	if err != nil {
		t.Skip(err)
	}
	a.code = code
	return a
}

func compareUnits(t *testing.T, runs []*approximation, op uop.Op, first, step uint32) bool {
	fn := sem.Function(op).(func(uint32) uint32)
	var want [32]uint32
	for i := range want {
		want[i] = fn(first + uint32(i)*step)
	}
	for _, a := range runs {
		in := (*[32]uint32)(unsafe.Pointer(&a.b.block[0]))
		for i := range in {
			in[i] = first + uint32(i)*step
		}
		native.Call(a.code.Addr(0), unsafe.Pointer(a.b.state))
		if got := (*[32]uint32)(unsafe.Pointer(&a.b.block[dstAt])); *got != want {
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%s, AVX-512 %v: of %#x %#x, want %#x", op, a.wide, in[i], got[i], want[i])
					return false
				}
			}
		}
	}
	return true
}
