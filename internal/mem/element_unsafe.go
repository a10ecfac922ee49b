package mem

// Elements at checked host addresses: plain ones, one access of the element's size each, and strong ones, which other workers
// may reach meanwhile.

import "unsafe"

// Pointer is a checked host address.
type Pointer = unsafe.Pointer

// Add is the address off bytes behind another.
func Add(p Pointer, off uint32) Pointer { return unsafe.Add(p, off) }

// LoadPlain reads an element of 1, 2, 4 or 8 bytes.
func LoadPlain(p Pointer, size uint32) uint64 {
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

// StorePlain writes the low bytes of v: 1, 2, 4 or 8.
func StorePlain(p Pointer, size uint32, v uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// LoadStrong reads an element of 1, 2, 4 or 8 bytes that other workers may write.
func LoadStrong(p Pointer, size uint32) uint64 {
	switch size {
	case 1:
		return uint64(Load8(p))
	case 2:
		return uint64(Load16(p))
	case 4:
		return uint64(Load32(p))
	}
	return Load64(p)
}

// StoreStrong writes the low bytes of v, 1, 2, 4 or 8, that other workers may read.
func StoreStrong(p Pointer, size uint32, v uint64) {
	switch size {
	case 1:
		Store8(p, uint8(v))
	case 2:
		Store16(p, uint16(v))
	case 4:
		Store32(p, uint32(v))
	default:
		Store64(p, v)
	}
}

// CopyPlain copies 4, 8 or 16 aligned bytes.
func CopyPlain(to, from Pointer, size uint32) {
	switch size {
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	default:
		*(*[2]uint64)(to) = *(*[2]uint64)(from)
	}
}

// StoreElement stores one element of 1, 2, 4 or 8 bytes that other workers may read.
func StoreElement(to, data []byte) {
	n := uint32(len(data))
	StoreStrong(unsafe.Pointer(unsafe.SliceData(to)), n, LoadPlain(unsafe.Pointer(unsafe.SliceData(data)), n))
}

// CopyUnits copies between shared and global memory in units of 16 bytes, each whole; toGlobal says which side other workers may
// reach.
func CopyUnits(to, from []byte, toGlobal bool) {
	for k := 0; k < len(from); k += 16 {
		d, s := unsafe.Pointer(&to[k]), unsafe.Pointer(&from[k])
		if toGlobal {
			Exchange128(d, *(*Uint128)(s))
		} else {
			*(*Uint128)(d) = Load128(s)
		}
	}
}

// ClearBytes makes n bytes zero.
func ClearBytes(p Pointer, n uint64) { clear(unsafe.Slice((*byte)(p), n)) }

// LoadBytes and StoreBytes copy bytes that lie together at a checked address.
func LoadBytes(to []byte, from Pointer) { copy(to, unsafe.Slice((*byte)(from), len(to))) }

// StoreBytes is the other direction of LoadBytes.
func StoreBytes(to Pointer, from []byte) { copy(unsafe.Slice((*byte)(to), len(from)), from) }
