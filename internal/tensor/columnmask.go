package tensor

import "fmt"

// ColumnMask says which columns of B count as zero, and how far its columns are shifted (9.7.16.4.3). A run of used
// columns and a run of zero ones take turns; the examples of the manual give the lengths, its table has them exchanged.
type ColumnMask struct {
	Shift int
	masks bool
	used  int // columns
	zero  int
	start [4]int
	first [4]bool // begins with the zero ones
}

// DecodeColumnMask reads a zero-column mask descriptor for a product of m rows.
func DecodeColumnMask(d uint64, m int) (ColumnMask, error) {
	c := ColumnMask{
		Shift: int(field(d, 56, 6)), masks: field(d, 39, 1) == 1, used: int(field(d, 48, 8)) + 1, zero: int(field(d, 40, 8)) + 1,
	}
	for i := range c.start {
		c.start[i], c.first[i] = int(field(d, uint(8*i), 8)), field(d, uint(32+i), 1) == 1
	}
	most := 32
	if m == 32 {
		most = 16
	}
	switch {
	case field(d, 36, 3) != 0 || field(d, 62, 2) != 0:
		return c, fmt.Errorf("zero-column mask descriptor %#016x: bits 36 to 38 and 62 to 63 are reserved, must be 0", d)
	case c.Shift > most:
		return c, fmt.Errorf("zero-column mask descriptor %#016x: bits 56 to 61 (column shift) are %d; with M = %d at most %d", d, c.Shift, m, most)
	}
	return c, nil
}

// Zero reports whether a column of a part counts as zero.
func (c *ColumnMask) Zero(part, column int) bool {
	if !c.masks {
		return false
	}
	p := (column + c.start[part]) % (c.used + c.zero)
	if c.first[part] {
		return p < c.zero
	}
	return p >= c.used
}
