package jit

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"ptxvm/internal/jit/native"
	"ptxvm/internal/sem"
)

// TestApproximate compares the approximate functions on bits of every exponent and sign, in both
// widths, and with the operand of a row and of a slot.
func TestApproximate(t *testing.T) {
	if err := (Options{}).possible(); err != nil {
		t.Skip(err)
	}
	b, r := newBench(), rand.New(rand.NewPCG(5, 6))
	seen := map[string]bool{}
	for _, fn := range sem.LaneFunctions() {
		name := functionName(fn)
		if approxTwins[name] == nil || seen[name] {
			continue
		}
		seen[name] = true
		for _, x := range []trial{{mask: ^uint32(0)}, {mask: ^uint32(0), wide512: true}, {scalar: true, mask: ^uint32(0)}} {
			if x.wide512 && !has512() {
				continue
			}
			code := x.assemble(t, b, fn)
			if code == nil {
				if x.wide512 || name[:3] != "Sin" && name[:3] != "Cos" { // AVX2 rounds to nearest alone
					t.Errorf("%s, %+v: not compiled", name, x)
				}
				continue
			}
			c, err := native.New(code)
			if err != nil {
				t.Skip(err)
			}
			f := reflect.ValueOf(fn)
			for range 200 {
				for i := range 32 {
					b.put(0, tW, i, r.Uint64())
					b.put(rowBytes, tW, i, r.Uint64())
				}
				b.put(slotsAt, tW, 0, b.get(0, tW, 0))
				b.put(slotsAt+8, tW, 0, b.get(rowBytes, tW, 0))
				native.Call(c.Addr(0), unsafe.Pointer(b.state))
				for i := range 32 {
					if got, want := b.get(dstAt, tW, i), b.want(f, i); got != want {
						t.Fatalf("%s, %+v: of %#x and %#x %#x, want %#x", name, x, b.get(0, tW, i), b.get(rowBytes, tW, i), got, want)
					}
					if x.scalar {
						break
					}
				}
			}
			c.Free()
		}
	}
}
