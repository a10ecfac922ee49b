package tensor

import "fmt"

// The size of the tensor memory of a CTA (9.7.16.1).
const (
	Lanes   = 128
	Columns = 512
	// MaxColumns is the most of any target: sm_107 has 576 for an exclusive allocation (PTX 9.4).
	MaxColumns = 576
	// Unit is the columns that are allocated together (9.7.16.1.2).
	Unit = 32
)

// Addr is an address in tensor memory (9.7.16.1.1): the lane in the upper half, the column in
// the lower one. The halves are added to separately.
type Addr uint32

// At makes an address.
func At(lane, column int) Addr { return Addr(lane<<16 | column&0xffff) }

// Lane returns the lane index.
func (a Addr) Lane() int { return int(a >> 16) }

// Column returns the column index.
func (a Addr) Column() int { return int(a & 0xffff) }

func (a Addr) String() string {
	return fmt.Sprintf("%#08x (lane %d, column %d)", uint32(a), a.Lane(), a.Column())
}

// ColumnCount says why a number of columns cannot be allocated; nil if it can (9.7.16.7.1: a
// power of two of at least 32 and at most 512).
func ColumnCount(n uint32) error {
	switch {
	case n < Unit || n > Columns:
		return fmt.Errorf("%d columns: tensor memory is allocated in 32, 64, 128, 256 or 512 columns", n)
	case n&(n-1) != 0:
		return fmt.Errorf("%d columns: the number must be a power of two (32, 64, 128, 256, 512)", n)
	}
	return nil
}

// ExclusiveCount says why a number of columns cannot be allocated exclusively on a device that
// has so many; nil if it can (PTX 9.4: whole units).
func ExclusiveCount(n, have uint32) error {
	switch {
	case n == 0 || n%Unit != 0:
		return fmt.Errorf("%d columns: an exclusive allocation takes a multiple of 32 columns", n)
	case n > have:
		return fmt.Errorf("%d columns: the device has %d", n, have)
	}
	return nil
}
