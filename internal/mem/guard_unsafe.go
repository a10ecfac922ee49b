//go:build linux

package mem

// This file maps an arena twice, so that the host program's own accesses to device memory fault while the machine's
// do not: device addresses are those of the program's view, which nothing may touch but what is shown to it.

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserveTwice reserves n bytes at a host address for the program, and elsewhere for the machine.
func reserveTwice(base, n uint64) (reserved, error) {
	n = (n + pageStep - 1) &^ (pageStep - 1)
	fd, err := unix.MemfdCreate("ptxvm", unix.MFD_CLOEXEC)
	if err != nil {
		return reserved{}, err
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(n)); err != nil {
		return reserved{}, err
	}
	const flags = unix.MAP_SHARED | noReserve
	view, err := mapAt(base, n, unix.PROT_NONE, flags, fd)
	if err != nil {
		return reserved{}, err
	}
	own, err := above(base+n, func(at uint64) (unsafe.Pointer, error) { return mapAt(at, n, unix.PROT_NONE, flags, fd) })
	if err != nil {
		_ = unix.MunmapPtr(view, uintptr(n))
		return reserved{}, err
	}
	r := reserved{mem: unsafe.Slice((*byte)(own), n), view: unsafe.Slice((*byte)(view), n)}
	for _, m := range [][]byte{r.mem, r.view} { // a child must not write its parent's memory
		if err := unix.Madvise(m, unix.MADV_DONTFORK); err != nil {
			_ = unmapTwice(r)
			return reserved{}, err
		}
	}
	r.unmap = func([]byte) error { return unmapTwice(r) }
	return r, nil
}

// above tries the steps from an address on. The machine's view lies not far above the program's, so that addresses of
// the host that the device adopts stay in the lower half of the address space.
func above(start uint64, try func(at uint64) (unsafe.Pointer, error)) (p unsafe.Pointer, err error) {
	err = errTaken
	for at := (start + HostStep - 1) &^ (HostStep - 1); at < hostEnd && err != nil; at += HostStep {
		p, err = try(at)
	}
	return p, err
}

func unmapTwice(r reserved) error {
	if err := unmap(r.view); err != nil {
		return err
	}
	return unmap(r.mem)
}

// show lets the program reach n bytes from an offset on, whole pages, or no longer.
func (r *reserved) show(off, n uint64, on bool) error {
	if r.view == nil {
		return nil
	}
	prot := unix.PROT_NONE
	if on {
		prot = unix.PROT_READ | unix.PROT_WRITE
	}
	return unix.Mprotect(r.view[off:off+n], prot)
}
