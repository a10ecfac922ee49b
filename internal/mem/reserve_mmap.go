//go:build linux || darwin

package mem

// This file reserves address space with mmap and commits it in steps.

import "golang.org/x/sys/unix"

// reserved is address space from base on, of which the first part is committed.
type reserved struct {
	mem       []byte
	committed uint64
	unmap     func([]byte) error
	view      []byte // the program's, of an arena that is mapped twice
	file      file   // that such an arena lies in
}

// file is an open file, by what it was when it was opened: a program may close descriptors that are not its own.
type file struct {
	fd       int
	dev, ino uint64 // 0: there is none
}

func reserve(n uint64) (reserved, error) {
	n = (n + pageStep - 1) &^ (pageStep - 1)
	m, err := unix.Mmap(-1, 0, int(n), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|noReserve)
	return reserved{mem: m, unmap: unix.Munmap}, err
}

// pageStep is the smallest step of committing: one system call makes this much usable.
const pageStep = 4 << 20

// commit makes the first n bytes usable; they read as zero.
func (r *reserved) commit(n uint64) error {
	if n <= r.committed {
		return nil
	}
	n = min((n+pageStep-1)&^(pageStep-1), r.size())
	if err := unix.Mprotect(r.mem[r.committed:n], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	r.committed = n
	return nil
}

func (r *reserved) release() error {
	m, unmap := r.mem, r.unmap
	*r = reserved{}
	if m == nil {
		return nil
	}
	return unmap(m)
}

// outside allocates memory outside the Go heap.
func outside(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

func freeOutside(m []byte) error { return unix.Munmap(m) }
