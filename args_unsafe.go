package ptxvm

// This file reads Buffers and Surfaces inside arguments, where reflection may not.

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
