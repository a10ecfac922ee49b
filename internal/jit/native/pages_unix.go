//go:build amd64 && (linux || darwin || freebsd)

package native

import "golang.org/x/sys/unix"

func pages(n int) ([]byte, error) {
	n = (n + unix.Getpagesize() - 1) &^ (unix.Getpagesize() - 1)
	return unix.Mmap(-1, 0, max(n, 1), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

func protect(m []byte) error { return unix.Mprotect(m, unix.PROT_READ|unix.PROT_EXEC) }

func unprotect(m []byte) error { return unix.Mprotect(m, unix.PROT_READ|unix.PROT_WRITE) }

func free(m []byte) error { return unix.Munmap(m) }
