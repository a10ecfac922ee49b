//go:build linux && (amd64 || arm64)

package main

import "unsafe"

// pointers makes the array of addresses of parameters that cuLaunchKernel takes. They hold as
// long as the caller keeps the arguments alive.
func pointers(args [][]byte) []uintptr {
	list := make([]uintptr, len(args)+1)
	for i, a := range args {
		list[i] = uintptr(unsafe.Pointer(&a[0]))
	}
	return list
}

// goString reads a C string.
func goString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
