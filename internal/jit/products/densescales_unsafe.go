package products

// This file lays out scale factors for machine code.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/num"
)

// scalesOf lays out the factors: of each row its own, of each group of lanes columns a vector of each; false if one is NaN.
func (c *denseContext) scalesOf(d *num.Dense, lanes int) bool {
	room, per := d.Room(), 1
	if d.Terms {
		per = 2
	}
	left, right := num.Grown(room.Words[4], per*len(d.Scales[0])), num.Grown(room.Words[5], per*len(d.Scales[1]))
	room.Words[4], room.Words[5], room.Words[6] = left, right, num.Grown(room.Words[6], lanes*d.PerLine)
	for i, s := range d.Scales[0] {
		if s.NaN {
			return false
		}
		if left[per*i] = uint32(s.Top); per == 2 {
			left[2*i+1] = s.Significand()
		}
	}
	for i, s := range d.Scales[1] {
		if s.NaN {
			return false
		}
		column, term := i/d.PerLine, i%d.PerLine
		at := (column/lanes*d.PerLine+term)*per*lanes + column%lanes
		if right[at] = uint32(s.Top); per == 2 {
			right[at+lanes] = s.Significand()
		}
	}
	c.leftScales, c.rightScales, c.terms = unsafe.Pointer(&left[0]), unsafe.Pointer(&right[0]), unsafe.Pointer(&room.Words[6][0])
	return true
}
