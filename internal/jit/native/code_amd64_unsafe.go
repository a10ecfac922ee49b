//go:build amd64 && (linux || darwin || freebsd || windows)

package native

// This file makes code and calls it.

import "unsafe"

// New copies code into memory that is its own and makes that executable.
func New(code []byte) (*Code, error) {
	c, err := take(len(code))
	if err != nil {
		return nil, err
	}
	copy(c.mem, code)
	if err := protect(c.mem); err != nil {
		c.give()
		return nil, err
	}
	return c, nil
}

// Free gives the memory back.
func (c *Code) Free() error { return c.give() }

// Addr returns the address of a byte of the code.
func (c *Code) Addr(off int) uintptr { return uintptr(unsafe.Pointer(&c.mem[off])) }

// Call runs the code at an address with a context. It is a Go function with a stack check: where
// the goroutine can be stopped between two calls.
func Call(entry uintptr, context unsafe.Pointer) { enter(entry, uintptr(context)) }

//go:noescape
func enter(entry, context uintptr)
