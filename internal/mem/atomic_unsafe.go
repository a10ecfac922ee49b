package mem

// This file holds atomic accesses to single elements. Addresses are aligned to the element.

import (
	"sync/atomic"
	"unsafe"
)

// Load32 is a relaxed or acquire load of 32 bits.
func Load32(p unsafe.Pointer) uint32 { return atomic.LoadUint32((*uint32)(p)) }

// Load64 is a relaxed or acquire load of 64 bits.
func Load64(p unsafe.Pointer) uint64 { return atomic.LoadUint64((*uint64)(p)) }

// Store32 is a relaxed or release store of 32 bits.
func Store32(p unsafe.Pointer, v uint32) { atomic.StoreUint32((*uint32)(p), v) }

// Store64 is a relaxed or release store of 64 bits.
func Store64(p unsafe.Pointer, v uint64) { atomic.StoreUint64((*uint64)(p), v) }

// CAS32 compares and swaps 32 bits and returns what was there. Where that is not old it only
// loads: writing back what is there would show no thread anything, and polling is much cheaper so.
func CAS32(p unsafe.Pointer, old, new uint32) uint32 {
	for {
		if v := Load32(p); v != old {
			return v
		}
		if atomic.CompareAndSwapUint32((*uint32)(p), old, new) {
			return old
		}
	}
}

// CAS64 compares and swaps 64 bits and returns what was there. Where that is not old it only
// loads: writing back what is there would show no thread anything, and polling is much cheaper so.
func CAS64(p unsafe.Pointer, old, new uint64) uint64 {
	for {
		if v := Load64(p); v != old {
			return v
		}
		if atomic.CompareAndSwapUint64((*uint64)(p), old, new) {
			return old
		}
	}
}

// Add32 adds and returns what was there.
func Add32(p unsafe.Pointer, v uint32) uint32 { return atomic.AddUint32((*uint32)(p), v) - v }

// Exchange32 stores and returns what was there.
func Exchange32(p unsafe.Pointer, v uint32) uint32 { return atomic.SwapUint32((*uint32)(p), v) }

// word returns the aligned 32-bit word around a narrower element and the element's bit offset
// in it.
func word(p unsafe.Pointer) (*uint32, uint) {
	low := uintptr(p) & 3
	shift := uint(low) * 8
	return (*uint32)(unsafe.Add(p, -int(low))), shift
}

// Load8 is a relaxed or acquire load of 8 bits.
func Load8(p unsafe.Pointer) uint8 {
	w, shift := word(p)
	return uint8(atomic.LoadUint32(w) >> shift)
}

// Load16 is a relaxed or acquire load of 16 bits.
func Load16(p unsafe.Pointer) uint16 {
	w, shift := word(p)
	return uint16(atomic.LoadUint32(w) >> shift)
}

// Store8 is a relaxed or release store of 8 bits; neighbours in the word keep their values.
func Store8(p unsafe.Pointer, v uint8) { exchangePart(p, uint32(v), 0xff) }

// Store16 is a relaxed or release store of 16 bits; neighbours in the word keep their values.
func Store16(p unsafe.Pointer, v uint16) { exchangePart(p, uint32(v), 0xffff) }

// Exchange8 stores and returns what was there.
func Exchange8(p unsafe.Pointer, v uint8) uint8 { return uint8(exchangePart(p, uint32(v), 0xff)) }

// CAS8 compares and swaps 8 bits and returns what was there.
func CAS8(p unsafe.Pointer, old, new uint8) uint8 {
	return uint8(casPart(p, uint32(old), uint32(new), 0xff))
}

// CAS16 compares and swaps 16 bits and returns what was there.
func CAS16(p unsafe.Pointer, old, new uint16) uint16 {
	return uint16(casPart(p, uint32(old), uint32(new), 0xffff))
}

// exchangePart swaps the part of a word that mask, shifted to p, covers.
func exchangePart(p unsafe.Pointer, v, mask uint32) uint32 {
	w, shift := word(p)
	for {
		old := atomic.LoadUint32(w)
		if atomic.CompareAndSwapUint32(w, old, old&^(mask<<shift)|v<<shift) {
			return old >> shift & mask
		}
	}
}

func casPart(p unsafe.Pointer, want, v, mask uint32) uint32 {
	w, shift := word(p)
	for {
		old := atomic.LoadUint32(w)
		if was := old >> shift & mask; was != want {
			return was
		}
		if atomic.CompareAndSwapUint32(w, old, old&^(mask<<shift)|v<<shift) {
			return want
		}
	}
}

// Uint128 is 16 bytes of memory: Lo at the lower address.
type Uint128 struct{ Lo, Hi uint64 }

// Load128 is an atomic load of 16 bytes.
func Load128(p unsafe.Pointer) Uint128 {
	return CAS128(p, Uint128{}, Uint128{})
}

// Exchange128 stores 16 bytes atomically and returns what was there.
func Exchange128(p unsafe.Pointer, v Uint128) Uint128 {
	old := Load128(p)
	for {
		was := CAS128(p, old, v)
		if was == old {
			return old
		}
		old = was
	}
}
