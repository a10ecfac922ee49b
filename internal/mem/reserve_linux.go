package mem

// This file names what mmap calls differently on Linux.

import "golang.org/x/sys/unix"

const noReserve = unix.MAP_NORESERVE
