package sem

// Elements of memory at checked host addresses: one plain access of the element's size each.

import (
	"math/bits"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// pointer is a checked host address.
type pointer = unsafe.Pointer

func add(p pointer, off uint32) pointer { return unsafe.Add(p, off) }

// plainLoad reads an element of 1, 2, 4 or 8 bytes.
func plainLoad(p pointer, size uint32) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// element is a type of memory elements up to 32 bits; signed ones extend by their sign.
type element interface {
	int8 | int16 | int32 | uint8 | uint16 | uint32
}

type word interface{ uint32 | uint64 }

// loadRow loads elements of type T at byte off of what each lane accesses; keep cuts the
// result to its register.
func loadRow[T element, D word](d *[32]D, a *machine.Access, addr *[32]uint64, off uint32, mask uint32, keep D) {
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
func storeRow[T uint8 | uint16 | uint32, S word](s *[32]S, a *machine.Access, addr *[32]uint64, off uint32, mask uint32) {
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

// copyElement copies 4, 8 or 16 aligned bytes.
func copyElement(to, from pointer, size uint32) {
	switch size {
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	default:
		*(*[2]uint64)(to) = *(*[2]uint64)(from)
	}
}

// storeWhole stores one element of 1, 2, 4 or 8 bytes that others may read meanwhile.
func storeWhole(to, data []byte) {
	p, v := unsafe.Pointer(unsafe.SliceData(to)), plainLoad(unsafe.Pointer(unsafe.SliceData(data)), uint32(len(data)))
	switch len(data) {
	case 1:
		mem.Store8(p, uint8(v))
	case 2:
		mem.Store16(p, uint16(v))
	case 4:
		mem.Store32(p, uint32(v))
	default:
		mem.Store64(p, v)
	}
}

// copyStrong copies between shared and global memory in units of 16 bytes, each whole; toGlobal
// says which side others may reach.
func copyStrong(to, from []byte, toGlobal bool) {
	for k := 0; k < len(from); k += 16 {
		d, s := unsafe.Pointer(&to[k]), unsafe.Pointer(&from[k])
		if toGlobal {
			mem.Exchange128(d, *(*mem.Uint128)(s))
		} else {
			*(*mem.Uint128)(d) = mem.Load128(s)
		}
	}
}

// clearBytes makes n bytes zero.
func clearBytes(p pointer, n uint64) { clear(unsafe.Slice((*byte)(p), n)) }

// loadLine and storeLine copy bytes that lie together at a checked address.
func loadLine(to []byte, from pointer) { copy(to, unsafe.Slice((*byte)(from), len(to))) }

func storeLine(to pointer, from []byte) { copy(unsafe.Slice((*byte)(to), len(from)), from) }

// loadLines reads a row of lines of 16 bytes, each for four lanes, at the addresses of lanes first to first+7; storeLines writes
// them.
func loadLines(row *[32]uint32, a *machine.Access, addr *[32]uint64, first int) {
	for i := range 8 {
		*(*[4]uint32)(row[4*i:]) = *(*[4]uint32)(lineAt(a, addr, first+i))
	}
}

func storeLines(row *[32]uint32, a *machine.Access, addr *[32]uint64, first int) {
	for i := range 8 {
		*(*[4]uint32)(lineAt(a, addr, first+i)) = *(*[4]uint32)(row[4*i:])
	}
}

// lineAt is where a lane's line is: Ptr, made in place for the usual access.
func lineAt(a *machine.Access, addr *[32]uint64, lane int) pointer {
	if base, org, ok := a.Span(); ok {
		return unsafe.Add(base, addr[lane&31]-org)
	}
	return a.Ptr(addr, lane, 0)
}
