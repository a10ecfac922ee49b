package jit

// The listing of compiled code: machine instructions behind the PTX that they stand for.

import "fmt"

// note puts the instructions [first, end) into the listing, if there is one. They are the ones for which
// temporaries may run out.
func (c *compiler) note(first, end int32) {
	if !c.short {
		c.shortAt = first
	}
	if c.listing == nil {
		return
	}
	for pc := first; pc < end; pc++ {
		c.Note(fmt.Sprintf("%5d  %s", pc, c.f.Text(pc)))
	}
}

// title puts a line between parts of the code into the listing, if there is one.
func (c *compiler) title(format string, args ...any) {
	if c.listing != nil {
		c.Note(fmt.Sprintf(format, args...))
	}
}
