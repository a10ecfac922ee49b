//go:build !(amd64 && (linux || darwin || freebsd))

package native

import "unsafe"

// CallOn fails: there is no C code here.
func CallOn(uintptr, unsafe.Pointer, uint64) error { return ErrUnavailable }
