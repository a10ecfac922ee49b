//go:build !(amd64 && (linux || darwin || freebsd || windows))

package native

import "unsafe"

// New fails: there is no executable memory here.
func New([]byte) (*Code, error) { return nil, ErrUnavailable }

// Free does nothing.
func (*Code) Free() error { return nil }

// Addr is never called: there is no code.
func (*Code) Addr(int) uintptr { panic("BUG: no machine code on this platform") }

// Call is never called: there is no code.
func Call(uintptr, unsafe.Pointer) { panic("BUG: no machine code on this platform") }
