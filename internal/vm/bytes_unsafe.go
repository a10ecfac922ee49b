package vm

// This file views Go values as bytes, and reads Buffers and Surfaces inside arguments, where reflection may not.

import (
	"reflect"
	"unsafe"
)

// lifetimeOf reads the field of a Buffer or Surface that reflection holds, also where that is an
// unexported field of an argument and Interface may not be called.
func lifetimeOf(handle reflect.Value) *lifetime {
	var p unsafe.Pointer = handle.FieldByName("of").UnsafePointer()
	return (*lifetime)(p)
}

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

// hostAddr is where bytes lie, which are no memory of Go's.
func hostAddr(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
