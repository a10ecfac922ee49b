package sem

// Visiting the lanes that execute, and reaching their elements of a row.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// Each visits the lanes of a mask in ascending order.
func Each(m uint32, visit func(i int)) {
	for ; m != 0; m &= m - 1 {
		visit(bits.TrailingZeros32(m) & 31)
	}
}

// Lowest is the first lane of a mask that is not empty.
func Lowest(m uint32) int { return bits.TrailingZeros32(m) & 31 }

// OneByOne runs f for the executing lanes one after the other, with w.Mask set to that lane, so that a fault names it; f's first
// state other than Next ends it.
func OneByOne(w *machine.Warp, f func(lane int) machine.State) machine.State {
	all := w.Mask
	defer func() { w.Mask = all }()
	for m := all; m != 0; m &= m - 1 {
		w.Mask = m & -m
		if st := f(Lowest(m)); st != machine.Next {
			return st
		}
	}
	return machine.Next
}

// LoadElem reads one lane's element of a row by register width.
func LoadElem(w *machine.Warp, off uint32, bits, i int) uint64 {
	if bits > 32 {
		return w.R64(off)[i&31]
	}
	return uint64(w.R32(off)[i&31])
}

// StoreElem writes one lane's element of a row by register width.
func StoreElem(w *machine.Warp, off uint32, bits, i int, v uint64) {
	if bits > 32 {
		w.R64(off)[i&31] = v
	} else {
		w.R32(off)[i&31] = uint32(v)
	}
}

// StoreLanes writes the executing lanes of a row.
func StoreLanes(d, v *[32]uint32, mask uint32) {
	if mask == ^uint32(0) {
		*d = *v
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = v[i]
	}
}

// SetMask writes the executing lanes of a predicate.
func SetMask(w *machine.Warp, off, value uint32) {
	p := w.P(off)
	*p = *p&^w.Mask | value&w.Mask
}

// Bit turns a comparison's result into 0 or 1 without a branch.
func Bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
