//go:build amd64 && (linux || darwin || freebsd)

package native

// This file calls code that needs a stack: what a C compiler has made. A goroutine's is too small for what C spills.

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stackBytes is the size of a stack; below it lies a guard page.
const stackBytes = 256 << 10

// stacks are those that no call uses.
var stacks struct {
	sync.Mutex
	free [][]byte
}

// CallOn runs C code at an address with a context and an argument, on a stack of its own. It is a Go function with a stack
// check: where the goroutine can be stopped between two calls.
func CallOn(entry uintptr, context unsafe.Pointer, argument uint64) error {
	m, err := takeStack()
	if err != nil {
		return err
	}
	enterOn(entry, uintptr(context), uintptr(argument), uintptr(unsafe.Pointer(&m[0]))+uintptr(len(m)))
	stacks.Lock()
	stacks.free = append(stacks.free, m)
	stacks.Unlock()
	return nil
}

func takeStack() ([]byte, error) {
	stacks.Lock()
	defer stacks.Unlock()
	if n := len(stacks.free); n > 0 {
		m := stacks.free[n-1]
		stacks.free = stacks.free[:n-1]
		return m, nil
	}
	guard := unix.Getpagesize()
	m, err := pages(stackBytes + guard)
	if err != nil {
		return nil, err
	}
	if err := unix.Mprotect(m[:guard], unix.PROT_NONE); err != nil {
		return nil, err
	}
	return m, nil
}

//go:noescape
func enterOn(entry, context, argument, stack uintptr)
