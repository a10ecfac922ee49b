//go:build linux

package driver

// This file asks Linux for what virtual memory is made of: files that have no name, and ranges of the process's addresses.

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// sharedFile is memory that can be mapped in several places.
type sharedFile struct{ fd int }

func newSharedFile(size uint64) (sharedFile, error) {
	fd, err := unix.MemfdCreate("ptxvm", unix.MFD_CLOEXEC)
	if err != nil {
		return sharedFile{}, err
	}
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		_ = unix.Close(fd)
		return sharedFile{}, err
	}
	return sharedFile{fd}, nil
}

func (f sharedFile) close() { _ = unix.Close(f.fd) }

// hostRange is a range of the process's addresses. Where it is mapped, the program's addresses are lower by shift.
type hostRange struct {
	base, size, shift uint64
}

func reserveHost(size uint64) (hostRange, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	return hostRange{base: uint64(uintptr(p)), size: size}, err
}

// place is the pointer that a system call takes for an address in the range.
func (h hostRange) place(addr uint64) unsafe.Pointer {
	addr += h.shift
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}

func (h hostRange) release() { _ = unix.MunmapPtr(h.place(h.base-h.shift), uintptr(h.size)) }

// mapFile maps the first bytes of a file at an address.
func (h hostRange) mapFile(addr, size uint64, f sharedFile) error {
	_, err := unix.MmapPtr(f.fd, 0, h.place(addr), uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
	return err
}

// hide reserves again what was mapped.
func (h hostRange) hide(addr, size uint64) error {
	_, err := unix.MmapPtr(-1, 0, h.place(addr), uintptr(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE|unix.MAP_FIXED)
	return err
}
