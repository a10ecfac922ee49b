package ptxvm

// This file reads Buffers inside arguments, where reflection may not.

import (
	"reflect"
	"unsafe"
)

// lifetimeOf reads the field of a Buffer that reflection holds, also where the Buffer is an
// unexported field of an argument and Interface may not be called.
func lifetimeOf(buffer reflect.Value) *lifetime {
	var p unsafe.Pointer = buffer.FieldByName("of").UnsafePointer()
	return (*lifetime)(p)
}
