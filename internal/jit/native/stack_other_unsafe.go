//go:build !(amd64 && (linux || darwin || freebsd))

package native

import "unsafe"

// CallOn fails, as TakeStack does: there is no code here that wants a stack.
func CallOn(uintptr, unsafe.Pointer, uint64) error { return ErrUnavailable }

// TakeStack fails.
func TakeStack() (uintptr, error) { return 0, ErrUnavailable }

// GiveStack is for stacks that TakeStack has returned.
func GiveStack(uintptr) {}

// CallAt is, too.
func CallAt(uintptr, uintptr, unsafe.Pointer, uint64) {}
