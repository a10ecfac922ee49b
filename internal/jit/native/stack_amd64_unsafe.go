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

// stacks are the ends of those that no call uses. None is given back to the system.
var stacks struct {
	sync.Mutex
	free []uintptr
}

// CallOn runs C code at an address with a context and an argument, on a stack of its own.
func CallOn(entry uintptr, context unsafe.Pointer, argument uint64) error {
	stack, err := TakeStack()
	if err == nil {
		CallAt(stack, entry, context, argument)
		GiveStack(stack)
	}
	return err
}

// CallAt is CallOn on a stack that has been taken: what the code leaves there it finds when it is called once more.
func CallAt(stack, entry uintptr, context unsafe.Pointer, argument uint64) {
	enterOn(entry, uintptr(context), uintptr(argument), stack)
}

// GiveStack gives a stack to whom it is of use.
func GiveStack(stack uintptr) {
	stacks.Lock()
	defer stacks.Unlock()
	stacks.free = append(stacks.free, stack)
}

// TakeStack returns the end of a stack that no call uses.
func TakeStack() (uintptr, error) {
	stacks.Lock()
	defer stacks.Unlock()
	if n := len(stacks.free); n > 0 {
		stack := stacks.free[n-1]
		stacks.free = stacks.free[:n-1]
		return stack, nil
	}
	guard := unix.Getpagesize()
	m, err := pages(stackBytes + guard)
	if err != nil {
		return 0, err
	}
	if err := unix.Mprotect(m[:guard], unix.PROT_NONE); err != nil {
		return 0, err
	}
	return uintptr(unsafe.Pointer(&m[0])) + uintptr(len(m)), nil
}

//go:noescape
func enterOn(entry, context, argument, stack uintptr)
