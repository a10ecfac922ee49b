package num

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// element is what an element of a group says of its order: whether it is a NaN, its number, and where two are equal in that, -0 behind +0.
type element struct {
	nan  bool
	x    float64
	zero float64 // -1 for -0
}

// elementOf reads an element of eight bits by the definition of its format.
func elementOf(c Comparable, bits uint32) element {
	switch {
	case !c.Float && c.Signed:
		return element{x: float64(int8(bits))}
	case !c.Float:
		return element{x: float64(uint8(bits))}
	case bits&0x7f == 0x7f:
		return element{nan: true}
	}
	x := math.Ldexp(float64(8+bits&7), int(bits>>3&15)-10) // e4m3: 1.mmm * 2^(e-7)
	if bits&0x78 == 0 {
		x = math.Ldexp(float64(bits&7), -9)
	}
	if bits&0x80 == 0 {
		return element{x: x}
	}
	if x == 0 {
		return element{zero: -1}
	}
	return element{x: -x}
}

// TestChoose sorts groups of four by the numbers that their elements stand for.
func TestChoose(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, kind := range []Comparable{CompareU8, CompareS8, CompareE4M3} {
		for n := range 4000 {
			c := Choice{Comparable: kind, Least: n&1 != 0, Abs: n&2 != 0, Later: n&4 != 0, Ranks: n&8 != 0}
			var group [4]uint32
			for i := range group {
				if group[i] = r.Uint32() & 0xff; n&16 != 0 { // a few values, so that some are equal
					group[i] = []uint32{0, 0x80, 0x81, 1, 0x7f, 0xff, 0x7e}[r.IntN(7)]
				}
			}
			if got, want := c.Choose(&group), chosen(&c, &group); got != want {
				t.Fatalf("%+v of %#x: places %v, want %v", c, group, got, want)
			}
		}
	}
}

// chosen is Choose by a stable sort.
func chosen(c *Choice, group *[4]uint32) [2]int {
	places := []int{0, 1, 2, 3}
	if c.Later {
		slices.Reverse(places)
	}
	slices.SortStableFunc(places, func(i, j int) int {
		a, b := elementOf(c.Comparable, group[i]), elementOf(c.Comparable, group[j])
		if a.nan || b.nan {
			return cmp.Compare(truth(b.nan), truth(a.nan))
		}
		if c.Abs {
			a, b = element{x: math.Abs(a.x)}, element{x: math.Abs(b.x)}
		}
		order := cmp.Or(cmp.Compare(b.x, a.x), cmp.Compare(b.zero, a.zero))
		if c.Least {
			return -order
		}
		return order
	})
	if first, second := places[0], places[1]; c.Ranks || first < second {
		return [2]int{first, second}
	}
	return [2]int{places[1], places[0]}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
