package ptxvm

// This file views Go numbers as bytes.

import (
	"unsafe"
)

// scalarBytes views vals as the bytes they are in memory. All hosts that Go and
// ptxvm support are little-endian except a few that CI does not build for; there
// the memory of a device is big-endian too and this view stays right for Upload
// followed by Download.
func scalarBytes[T Scalar](vals []T) []byte {
	if len(vals) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&vals[0])), len(vals)*int(unsafe.Sizeof(vals[0])))
}
