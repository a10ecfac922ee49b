package num

// Two of four: what structured sparse vectors keep (9.4: 9.7.10.30).

// Comparable says how the elements of a dense vector compare.
type Comparable struct {
	Bits   int
	Signed bool   // of whole numbers: two's complement; of floats it does not count
	Float  bool   // sign and magnitude: -0 is less than +0
	NaN    uint32 // of floats: the least magnitude that is a NaN; 0: there is none
	Value  uint32 // bits that count; of floats the sign is the highest of them
}

// The elements that a descriptor names.
var (
	CompareU8   = Comparable{Bits: 8, Value: 0xff}
	CompareS8   = Comparable{Bits: 8, Signed: true, Value: 0xff}
	CompareF16  = Comparable{Bits: 16, Float: true, NaN: 0x7c01, Value: 0xffff}
	CompareBF16 = Comparable{Bits: 16, Float: true, NaN: 0x7f81, Value: 0xffff}
	CompareE5M2 = Comparable{Bits: 8, Float: true, NaN: 0x7d, Value: 0xff}
	CompareE4M3 = Comparable{Bits: 8, Float: true, NaN: 0x7f, Value: 0xff}
	CompareE3M2 = Comparable{Bits: 8, Float: true, Value: 0x3f}
	CompareE2M3 = Comparable{Bits: 8, Float: true, Value: 0x3f}
	CompareF32  = Comparable{Bits: 32, Float: true, NaN: 0x7f800001, Value: 0xffffffff}
)

// Choice is how two of four elements are chosen.
type Choice struct {
	Comparable
	Least bool // the least ones, else the greatest
	Abs   bool // by magnitude
	Later bool // of equal elements, and of NaNs, the later one goes first
	Ranks bool // they come in the order in which they were chosen, not in that of their places
}

// Choose returns the places of the two that are kept. NaNs are, before all others.
func (c *Choice) Choose(group *[4]uint32) [2]int {
	first := c.best(group, -1)
	second := c.best(group, first)
	if !c.Ranks && first > second {
		first, second = second, first
	}
	return [2]int{first, second}
}

// best is the place of the element that goes before all others but the one at except.
func (c *Choice) best(group *[4]uint32, except int) int {
	best := -1
	for i := range group {
		if i != except && (best < 0 || c.before(group[i], group[best])) {
			best = i
		}
	}
	return best
}

// before reports whether element x, which stands behind y, goes before it.
func (c *Choice) before(x, y uint32) bool {
	kx, nx := c.key(x)
	ky, ny := c.key(y)
	switch {
	case nx != ny:
		return nx
	case kx == ky || nx:
		return c.Later
	}
	return kx > ky != c.Least
}

// key orders values as their numbers do.
func (c *Choice) key(x uint32) (key int64, nan bool) {
	x &= c.Value
	sign := (c.Value + 1) >> 1
	if c.Value == 0xffffffff {
		sign = 1 << 31
	}
	magnitude, negative := x&^sign, x&sign != 0
	switch {
	case c.Float:
		if nan = c.NaN != 0 && magnitude >= c.NaN; negative && !c.Abs {
			return -int64(magnitude) - 1, nan // -0 is below +0
		}
		return int64(magnitude), nan
	case !c.Signed:
		return int64(x), false
	case !negative:
		return int64(x), false
	case c.Abs:
		return int64(c.Value) + 1 - int64(x), false
	}
	return int64(x) - int64(c.Value) - 1, false
}
