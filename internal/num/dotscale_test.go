package num

import (
	"math"
	"testing"
)

// TestScales holds each code of a scale factor to its formula (5.2.3): a power of two times 1 and eighths, without a leading 1 where
// the exponent is 0.
func TestScales(t *testing.T) {
	for _, c := range []struct {
		name         string
		decode       func(uint8) Scale
		bias, nan    int
		ignoredSigns bool
	}{{"ue4m3", ScaleUE4M3, 7, 0x7f, true}, {"ue5m3", ScaleUE5M3, 15, 0xff, false}} {
		for v := range 256 {
			code := v
			if c.ignoredSigns {
				code &= 0x7f
			}
			e, m := code>>3, float64(code&7)/8
			want := math.Ldexp(1+m, e-c.bias)
			if e == 0 {
				want = math.Ldexp(m, 1-c.bias)
			}
			s := c.decode(uint8(v))
			if s.NaN != (code == c.nan) || !s.NaN && math.Ldexp(float64(s.Sig), int(s.Exp)) != want {
				t.Errorf("%s: %#x is %v, want %v", c.name, v, s, want)
			}
		}
	}
}
