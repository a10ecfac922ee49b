package sem

// Rows of elements of memory: one access of the element's size for each lane.

import (
	"math/bits"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// element is a type of memory elements up to 32 bits; signed ones extend by their sign.
type element interface {
	int8 | int16 | int32 | uint8 | uint16 | uint32
}

type Word interface{ uint32 | uint64 }

// loadRow loads elements of type T at byte off of what each lane accesses; keep cuts the
// result to its register.
func loadRow[T element, D Word](d *[32]D, a *machine.Access, addr *[32]uint64, off uint32, mask uint32, keep D) {
	switch {
	case a.Mode != machine.OneSpan:
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = D(*(*T)(a.Ptr(addr, i, off))) & keep
		}
	case mask == ^uint32(0):
		for i := range d {
			d[i] = D(*(*T)(unsafe.Add(a.At(addr[i]), off))) & keep
		}
	default:
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = D(*(*T)(unsafe.Add(a.At(addr[i]), off))) & keep
		}
	}
}

// loadRow64 loads 64-bit elements.
func loadRow64(d *[32]uint64, a *machine.Access, addr *[32]uint64, off uint32, mask uint32) {
	if a.Mode != machine.OneSpan {
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = a.Load64(addr, i, off)
		}
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = *(*uint64)(unsafe.Add(a.At(addr[i]), off))
	}
}

// storeRow stores the low bytes of a row.
func storeRow[T uint8 | uint16 | uint32, S Word](s *[32]S, a *machine.Access, addr *[32]uint64, off uint32, mask uint32) {
	switch {
	case a.Mode != machine.OneSpan:
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			*(*T)(a.Ptr(addr, i, off)) = T(s[i])
		}
	case mask == ^uint32(0):
		for i := range s {
			*(*T)(unsafe.Add(a.At(addr[i]), off)) = T(s[i])
		}
	default:
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			*(*T)(unsafe.Add(a.At(addr[i]), off)) = T(s[i])
		}
	}
}

// storeRow64 stores 64-bit elements.
func storeRow64(s *[32]uint64, a *machine.Access, addr *[32]uint64, off uint32, mask uint32) {
	if a.Mode != machine.OneSpan {
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			a.Store64(addr, i, off, s[i])
		}
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		*(*uint64)(unsafe.Add(a.At(addr[i]), off)) = s[i]
	}
}

// scattered reports whether the two words of a lane's 64-bit element lie apart: local memory,
// which no other thread sees.
func scattered(a *machine.Access, lane int) bool {
	return a.Mode == machine.OneRow || a.Mode == machine.PerPtr && a.Local>>lane&1 != 0
}

func strongLoad64(a *machine.Access, addr *[32]uint64, i int, off uint32) uint64 {
	if scattered(a, i) {
		return a.Load64(addr, i, off)
	}
	return mem.Load64(a.Ptr(addr, i, off))
}

func strongStore64(a *machine.Access, addr *[32]uint64, i int, off uint32, v uint64) {
	if scattered(a, i) {
		a.Store64(addr, i, off, v)
		return
	}
	mem.Store64(a.Ptr(addr, i, off), v)
}

func strongLoad128(a *machine.Access, addr *[32]uint64, i int) mem.Uint128 {
	if scattered(a, i) {
		return mem.Uint128{Lo: a.Load64(addr, i, 0), Hi: a.Load64(addr, i, 8)}
	}
	return mem.Load128(a.Ptr(addr, i, 0))
}

func strongStore128(a *machine.Access, addr *[32]uint64, i int, v mem.Uint128) {
	if scattered(a, i) {
		a.Store64(addr, i, 0, v.Lo)
		a.Store64(addr, i, 8, v.Hi)
		return
	}
	mem.Exchange128(a.Ptr(addr, i, 0), v)
}
