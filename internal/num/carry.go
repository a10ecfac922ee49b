// Extended precision: addition, subtraction and multiply-add with carry in and
// carry out (9.7.2). The carry is 0 or 1.

package num

import "math/bits"

func AddC32(a, b, cin uint32) (d, cout uint32) {
	s := uint64(a) + uint64(b) + uint64(cin)
	return uint32(s), uint32(s >> 32)
}

// SubC32 adds the complement: the carry is set where nothing is borrowed.
func SubC32(a, b, cin uint32) (d, cout uint32) { return AddC32(a, ^b, cin) }

// SubBorrow32 takes and gives the borrow.
func SubBorrow32(a, b, bin uint32) (d, bout uint32) {
	s := uint64(a) - uint64(b) - uint64(bin)
	return uint32(s), uint32(s>>32) & 1
}

func AddC64(a, b uint64, cin uint32) (d uint64, cout uint32) {
	s, c := bits.Add64(a, b, uint64(cin))
	return s, uint32(c)
}

// SubC64 is SubC32 of 64 bits.
func SubC64(a, b uint64, cin uint32) (d uint64, cout uint32) { return AddC64(a, ^b, cin) }

// SubBorrow64 is SubBorrow32 of 64 bits.
func SubBorrow64(a, b uint64, bin uint32) (d uint64, bout uint32) {
	s, c := bits.Sub64(a, b, uint64(bin))
	return s, uint32(c)
}

// Multiply-add: the carry out is that of the final addition of the chosen half
// of the product and c.
func MadLoC32(a, b, c, cin uint32) (d, cout uint32)  { return AddC32(a*b, c, cin) }
func MadHiCU32(a, b, c, cin uint32) (d, cout uint32) { return AddC32(MulHiU32(a, b), c, cin) }
func MadHiCS32(a, b, c, cin uint32) (d, cout uint32) { return AddC32(MulHiS32(a, b), c, cin) }

func MadLoC64(a, b, c uint64, cin uint32) (d uint64, cout uint32) { return AddC64(a*b, c, cin) }
func MadHiCU64(a, b, c uint64, cin uint32) (d uint64, cout uint32) {
	return AddC64(MulHiU64(a, b), c, cin)
}
func MadHiCS64(a, b, c uint64, cin uint32) (d uint64, cout uint32) {
	return AddC64(MulHiS64(a, b), c, cin)
}
