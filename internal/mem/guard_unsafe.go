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
	r := reserved{}
	defer func() {
		if r.file.ino == 0 {
			_ = unix.Close(fd)
		}
	}()
	if err := unix.Ftruncate(fd, int64(n)); err != nil {
		return reserved{}, err
	}
	const flags = unix.MAP_SHARED | noReserve
	view, err := mapAt(base, n, unix.PROT_NONE, flags, fd)
	if err != nil {
		return reserved{}, err
	}
	own, err := below(base, n, func(at uint64) (unsafe.Pointer, error) { return mapAt(at, n, unix.PROT_NONE, flags, fd) })
	if err != nil {
		_ = unix.MunmapPtr(view, uintptr(n))
		return reserved{}, err
	}
	r = reserved{mem: unsafe.Slice((*byte)(own), n), view: unsafe.Slice((*byte)(view), n)}
	for _, m := range [][]byte{r.mem, r.view} { // a child must not write its parent's memory
		if err := unix.Madvise(m, unix.MADV_DONTFORK); err != nil {
			_ = unmapTwice(r)
			return reserved{}, err
		}
	}
	r.file = opened(fd)
	both := r
	r.unmap = func([]byte) error { return unmapTwice(both) }
	return r, nil
}

// opened is the file of a descriptor; none if the system does not tell which.
func opened(fd int) file {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return file{}
	}
	return file{fd, uint64(s.Dev), s.Ino}
}

// touched lists the parts, as offset and size, of n bytes that anything has been written or read in; the others are zero.
func (r *reserved) touched(off, n uint64) (parts [][2]uint64) {
	if r.file.ino == 0 || opened(r.file.fd) != r.file {
		return [][2]uint64{{off, n}}
	}
	for at, end := off, off+n; at < end; {
		from, err := unix.Seek(r.file.fd, int64(at), unix.SEEK_DATA)
		if err == unix.ENXIO || err == nil && uint64(from) >= end { // nothing comes
			return parts
		}
		to, failed := unix.Seek(r.file.fd, from, unix.SEEK_HOLE)
		if err != nil || failed != nil {
			return append(parts, [2]uint64{at, end - at})
		}
		parts = append(parts, [2]uint64{uint64(from), min(uint64(to), end) - uint64(from)})
		at = uint64(to)
	}
	return parts
}

// below tries the steps that leave n bytes in front of an address. The machine's view lies below the program's, so that an
// address of the host that the device adopts is above the host's own by what lies between the views. From the lower half of the
// host's addresses it stays far below the windows; a view above would have no address for what lies near 0, where programs have
// their data that are not made to be moved, and Go's heap may be.
func below(end, n uint64, try func(at uint64) (unsafe.Pointer, error)) (p unsafe.Pointer, err error) {
	err = errTaken
	for at := (end - n) &^ (HostStep - 1); at >= hostLeast && at < end && err != nil; at -= HostStep {
		p, err = try(at)
	}
	return p, err
}

func unmapTwice(r reserved) error {
	if r.file.ino != 0 && opened(r.file.fd) == r.file {
		_ = unix.Close(r.file.fd) // the memory is what counts
	}
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
