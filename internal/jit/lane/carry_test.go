package lane

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// TestCarries holds functions with a carry to the interpreter's, on edge values and random ones: of constants the constructor computes the result.
func TestCarries(t *testing.T) {
	edges := []uint64{0, 1, 2, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1}
	g := rand.New(rand.NewPCG(2, 36))
	for op, lower := range carrying {
		fn := reflect.ValueOf(sem.Function(op))
		for range 2000 {
			f := ssa.New("test", 32)
			var args []reflect.Value
			var in []ssa.Value
			for i, bits := range op.Shape().Operands() {
				v := edges[g.IntN(len(edges))]
				if g.IntN(3) == 0 {
					v = g.Uint64() >> g.IntN(64)
				}
				if v &= 1<<bits - 1; strings.HasSuffix(op.String(), "16") {
					v &= 0xffff
				}
				in = append(in, f.Const(TypeOf(int(bits)), v))
				args = append(args, reflect.ValueOf(v).Convert(fn.Type().In(i)))
			}
			carry := uint32(g.IntN(2))
			v, out := lower(f, in, f.Truth(carry == 1))
			sum, _ := f.Known(v)
			flag, known := f.Known(out)
			want := fn.Call(append(slices.Clone(args), reflect.ValueOf(carry)))
			if !known || sum != want[0].Uint() || flag != want[1].Uint() {
				t.Errorf("%v of %#x and %d: %#x and %d, want %#x and %d", op, args, carry, sum, flag, want[0].Uint(), want[1].Uint())
				break
			}
		}
	}
}
