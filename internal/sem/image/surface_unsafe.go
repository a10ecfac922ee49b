package image

// Elements of surfaces at checked host addresses: one plain access of the element's size each.

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tex"
)

// addLong is add for offsets beyond 4 GiB.
func addLong(p mem.Pointer, off uint64) mem.Pointer { return unsafe.Add(p, off) }

// distance is how many bytes behind a place another one is in the same memory.
func distance(from, to mem.Pointer) uint64 { return uint64(uintptr(to) - uintptr(from)) }

// loadFound loads elements of size bytes at byte off of what each lane accesses; lanes of the mask
// that access nothing get 0.
func loadFound[D sem.Word](d *[32]D, f *found, off, size, mask uint32) {
	switch size {
	case 1:
		loadAs[uint8](d, f, off, mask)
	case 2:
		loadAs[uint16](d, f, off, mask)
	case 4:
		loadAs[uint32](d, f, off, mask)
	default:
		loadAs[uint64](d, f, off, mask)
	}
}

func loadAs[T uint8 | uint16 | uint32 | uint64, D sem.Word](d *[32]D, f *found, off, mask uint32) {
	for m := f.lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = D(*(*T)(unsafe.Add(f.at[i], off)))
	}
	for m := mask &^ f.lanes; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&31] = 0
	}
}

func storeFound32(s *[32]uint32, f *found) {
	for m := f.lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		*(*uint32)(f.at[i]) = s[i]
	}
}

// storeSample writes a sample: whole if it is a word, else in words, else channel by channel.
func storeSample(p mem.Pointer, s *tex.Sample, f tex.Format) {
	size, step := f.Bytes(), f.Bytes()
	switch {
	case size == 16:
		step = 8
	case size&(size-1) != 0:
		step = f.Channel.Bytes()
	}
	var word [8]byte
	for at := 0; at < size; at += step {
		clear(word[:])
		copy(word[:], s[at:at+step])
		mem.StorePlain(mem.Add(p, uint32(at)), uint32(step), binary.LittleEndian.Uint64(word[:]))
	}
}
