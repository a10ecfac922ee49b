// Package native holds executable memory and the way into it: pages are written, then made
// executable, never both (W^X), and code is called as a leaf on the goroutine's stack.
//
// Code is called with the address of its context in RDI and returns with RET. It may change all
// registers but RSP, RBP and R14, must not use the stack, and leaves the direction flag and
// MXCSR as it found them and the upper halves of vector registers clean (VZEROUPPER).
//
// Where there is no amd64, or the system forbids executable memory, New fails: everything is
// then interpreted.
package native

import "errors"

// ErrUnavailable says that this platform has no executable memory for us.
var ErrUnavailable = errors.New("machine code needs amd64 on Linux, macOS, FreeBSD or Windows")

// Code is executable memory. It lives until Free; calling it afterwards faults.
type Code struct{ mem []byte }

// Len returns the bytes of the code, in whole pages.
func (c *Code) Len() int { return len(c.mem) }
