package ir

// This file is a dense bit set.

import "math/bits"

// Bits is a set of small integers.
type Bits []uint64

// NewBits returns an empty set for members below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Has reports whether i is a member; members beyond the set's size are not.
func (b Bits) Has(i int) bool {
	return i>>6 < len(b) && b[i>>6]>>(uint(i)&63)&1 != 0
}

// Set adds i.
func (b Bits) Set(i int) { b[i>>6] |= 1 << (uint(i) & 63) }

// Clear removes i.
func (b Bits) Clear(i int) { b[i>>6] &^= 1 << (uint(i) & 63) }

// next returns the first member from i on, -1 if there is none.
func (b Bits) next(i int) int {
	for k := i >> 6; k < len(b); k++ {
		w := b[k]
		if k == i>>6 {
			w &= ^uint64(0) << (uint(i) & 63)
		}
		if w != 0 {
			return k<<6 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// Each calls visit for every member in ascending order.
func (b Bits) Each(visit func(int)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			visit(i<<6 + bits.TrailingZeros64(w))
		}
	}
}

// Count returns the number of members.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}
