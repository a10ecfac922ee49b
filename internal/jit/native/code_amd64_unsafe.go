//go:build amd64 && (linux || darwin || freebsd || windows)

package native

// This file makes code and calls it.

import "unsafe"

// New copies code into memory of its own and makes that executable.
func New(code []byte) (*Code, error) {
	m, err := pages(len(code))
	if err != nil {
		return nil, err
	}
	copy(m, code)
	if err := protect(m); err != nil {
		free(m)
		return nil, err
	}
	return &Code{m}, nil
}

// Free gives the memory back.
func (c *Code) Free() error {
	m := c.mem
	c.mem = nil
	if m == nil {
		return nil
	}
	return free(m)
}

// Addr returns the address of a byte of the code.
func (c *Code) Addr(off int) uintptr { return uintptr(unsafe.Pointer(&c.mem[off])) }

// Call runs the code at an address with a context. It is a Go function with a stack check: where
// the goroutine can be stopped between two calls.
func Call(entry uintptr, context unsafe.Pointer) { enter(entry, uintptr(context)) }

//go:noescape
func enter(entry, context uintptr)
