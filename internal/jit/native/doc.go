// Package native holds executable memory and the way into it: pages are written, then made
// executable, never both (W^X), and code is called as a leaf on the goroutine's stack, or on
// one of its own (CallOn).
//
// Code is called with the address of its context in RDI and returns with RET. It may change all
// registers but RSP, RBP and R14, must not use the stack, and leaves the direction flag and
// MXCSR as it found them and the upper halves of vector registers clean (VZEROUPPER). On a stack
// of its own it is a function of C: it uses the stack, and gives back RBX, RBP and R12 to R15.
//
// Where there is no amd64, or the system forbids executable memory, New fails: everything is
// then interpreted.
package native

import "errors"

// ErrUnavailable says that this platform has no executable memory for us.
var ErrUnavailable = errors.New("machine code needs amd64 on Linux, macOS, FreeBSD or Windows")

// Code is executable memory. It lives until Free; nobody may call it afterwards.
type Code struct {
	mem   []byte
	chunk *chunk // of which it is a part; nil: it has a mapping of its own
}

// chunk is a mapping of chunkPages; used has a bit for each page that is a function's.
type chunk struct {
	mem  []byte
	used uint64
}

// Len returns the bytes of the code, in whole pages.
func (c *Code) Len() int { return len(c.mem) }
