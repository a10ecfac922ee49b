package ptxtest

// This file compares what a kernel has left with what it should have.

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// shown is how many differences a message lists.
const shown = 8

// Equal holds values to others bit for bit: a NaN equals itself, and -0 is not 0. Differences fail the test and are listed
// with their distance in units in the last place.
func Equal[T ptxvm.Scalar](t testing.TB, have, want []T) {
	t.Helper()
	compare(t, have, want, value.Tolerance{})
}

// Near is Equal with a tolerance as `ptxvm run --tol` takes it: "rtol=1e-5,atol=1e-8" or "ulp=2". NaNs are equal.
func Near[T ptxvm.Scalar](t testing.TB, have, want []T, tolerance string) {
	t.Helper()
	within, err := value.ParseTolerance(tolerance)
	check(t, err)
	compare(t, have, want, within)
}

func compare[T ptxvm.Scalar](t testing.TB, have, want []T, within value.Tolerance) {
	t.Helper()
	if len(have) != len(want) {
		t.Errorf("%d values, want %d", len(have), len(want))
	}
	first, n := typeOf[T]().Compare(bytesOf(have), bytesOf(want), within, shown)
	if n == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d values differ:", n, min(len(have), len(want)))
	for _, d := range first {
		fmt.Fprintf(&b, "\n  [%d] is %s, want %s", d.Index, d.Have, d.Want)
		if d.Apart {
			fmt.Fprintf(&b, " (%d ulp)", d.ULP)
		}
	}
	t.Error(b.String())
}

// bytesOf are values as a device has them.
func bytesOf[T ptxvm.Scalar](vals []T) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, vals)
	if err != nil {
		panic("BUG: " + err.Error()) // every Scalar has a size
	}
	return data
}

// typeOf is the PTX type that a Go type stands for.
func typeOf[T ptxvm.Scalar]() value.Type {
	var name string
	switch typ := reflect.TypeFor[T](); {
	case typ == reflect.TypeFor[ptxvm.Float16]():
		name = "f16"
	case typ == reflect.TypeFor[ptxvm.BFloat16]():
		name = "bf16"
	default:
		kind := typ.Kind().String() // float32, uint8, int64
		name = map[byte]string{'f': "f", 'u': "u", 'i': "s"}[kind[0]] + fmt.Sprint(8*typ.Size())
	}
	typ, err := value.ParseType(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return typ
}
