package num

import "math"

// MadCutFtzF32 is mad.f32 on sm_1x (9.7.3.7): the product is cut to the 24 bits of a significand, whatever its exponent, and c
// added to that. With a c of zero it is what mul and add give.
func MadCutFtzF32(a, b, c uint32) uint32 {
	if c&infF32 == 0 {
		return AddFtzF32(MulFtzF32(a, b), c)
	}
	const cut = 1<<(52-23) - 1
	p := f32(FtzF32(a)) * f32(FtzF32(b))
	if p != p {
		return nanF32
	}
	return sumF32(math.Float64frombits(math.Float64bits(p)&^cut), f32(c), RN, true)
}

func MadCutFtzSatF32(a, b, c uint32) uint32 { return SatF32(MadCutFtzF32(a, b, c)) }
