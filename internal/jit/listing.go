package jit

// The listing of compiled code: machine instructions behind the PTX that they stand for.

import "fmt"

// list puts an instruction into the listing, if there is one.
func (c *compiler) list(pc int32) {
	if c.listing != nil {
		c.Note(fmt.Sprintf("%5d  %s", pc, c.f.Text(pc)))
	}
}

// title puts a line between parts of the code into the listing, if there is one.
func (c *compiler) title(format string, args ...any) {
	if c.listing != nil {
		c.Note(fmt.Sprintf(format, args...))
	}
}
