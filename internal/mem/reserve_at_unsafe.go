//go:build linux

package mem

// This file reserves address space at a given host address.

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errTaken says that something else is mapped where memory was asked for.
var errTaken = errors.New("the address range is in use")

// reserveAt reserves n bytes at a host address.
func reserveAt(base, n uint64) (reserved, error) {
	n = (n + pageStep - 1) &^ (pageStep - 1)
	p, err := mapAt(base, n, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|noReserve, -1)
	if err != nil {
		return reserved{}, err
	}
	return reserved{mem: unsafe.Slice((*byte)(p), n), unmap: unmap}, nil
}

// mapPages maps n bytes of zeros at a host address.
func mapPages(at, n uint64) (reserved, error) {
	p, err := mapAt(at, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|noReserve, -1)
	if err != nil {
		return reserved{}, err
	}
	return reserved{mem: unsafe.Slice((*byte)(p), n), committed: n, unmap: unmap}, nil
}

// hostBase is where the memory is.
func (r *reserved) hostBase() uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r.mem)))) }

// mapAt maps memory at a host address that is free; kernels before 4.17 take that for a hint.
func mapAt(base, n uint64, prot, flags, fd int) (unsafe.Pointer, error) {
	p, err := unix.MmapPtr(fd, 0, hostMemory(base), uintptr(n), prot, flags|unix.MAP_FIXED_NOREPLACE)
	switch {
	case err != nil:
		return nil, err
	case uint64(uintptr(p)) != base:
		return nil, errors.Join(errTaken, unix.MunmapPtr(p, uintptr(n)))
	}
	return p, nil
}

// unmap ends a mapping that MmapPtr has made.
func unmap(m []byte) error {
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(m)), uintptr(len(m)))
}
