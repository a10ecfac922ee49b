//go:build windows

package mem

// This file reserves address space with VirtualAlloc and commits it in steps.

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// reserved is address space of which the first part is committed.
type reserved struct {
	mem       []byte
	committed uint64
}

func reserve(n uint64) (reserved, error) {
	n = (n + pageStep - 1) &^ (pageStep - 1)
	p, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return reserved{}, err
	}
	return reserved{mem: hostBytes(p, n)}, nil
}

// hostBytes makes a slice of memory that the system has handed out as a number.
func hostBytes(p uintptr, n uint64) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), n)
}

// pageStep is the smallest step of committing: one system call makes this much usable.
const pageStep = 4 << 20

// commit makes the first n bytes usable; they read as zero.
func (r *reserved) commit(n uint64) error {
	if n <= r.committed {
		return nil
	}
	n = min((n+pageStep-1)&^(pageStep-1), r.size())
	start := uintptr(unsafe.Pointer(&r.mem[r.committed]))
	if _, err := windows.VirtualAlloc(start, uintptr(n-r.committed), windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
		return err
	}
	r.committed = n
	return nil
}

func (r *reserved) release() error {
	m := r.mem
	*r = reserved{}
	if m == nil {
		return nil
	}
	return freeOutside(m)
}

// outside allocates memory outside the Go heap.
func outside(n int) ([]byte, error) {
	p, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return hostBytes(p, uint64(n)), nil
}

func freeOutside(m []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(m))), 0, windows.MEM_RELEASE)
}
