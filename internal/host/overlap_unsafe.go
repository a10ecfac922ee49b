package host

// This file compares where slices lie.

import "unsafe"

// overlap reports whether two slices of one length have memory in common.
func overlap(a, b []byte) bool {
	x, y := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return x-y < uintptr(len(a)) || y-x < uintptr(len(a))
}
