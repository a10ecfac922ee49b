package tensor

import (
	"fmt"
	"strings"
)

// interleaves and fills are what tensor maps say by a number (table 33).
var interleaves = [...]string{"", ", interleaved by 16 bytes", ", interleaved by 32 bytes", ", interleaved"}

// String describes a tensor map: f16 64x128 at 0x7000…, strides 128, box 64x8, swizzle of 128 bytes. Dimension 0 stands first.
func (m *Map) String() string {
	list := func(n int, of func(d int) any, between string) string {
		words := make([]string, n)
		for d := range words {
			words[d] = fmt.Sprint(of(d))
		}
		return strings.Join(words, between)
	}
	text := fmt.Sprintf("%v %s at %#x", m.Type, list(m.Rank, func(d int) any { return m.dim(d) }, "x"), m.Address)
	if m.Rank > 1 {
		text += ", strides " + list(m.Rank-1, func(d int) any { return m.Strides[d] }, " ")
	}
	text += ", box " + list(m.Rank, func(d int) any { return m.Box[d] }, "x")
	if steps := list(m.Rank, func(d int) any { return m.Steps[d] }, " "); strings.Trim(steps, "1 ") != "" {
		text += ", element strides " + steps
	}
	text += interleaves[m.Interleave&3]
	if span := mapSpans[min(int(m.Swizzle), len(mapSpans)-1)]; span != 0 {
		text += fmt.Sprintf(", swizzle of %d bytes", span)
	}
	if m.NaNs {
		text += ", NaN outside"
	}
	if m.Mode != Tiles {
		text += ", im2col"
	}
	return text
}
