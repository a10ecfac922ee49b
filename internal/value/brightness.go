package value

// This file turns values into shades for pictures of characters.

import (
	"math"
)

// Brightness is an f32 as a shade: 0 and below, and NaN, is 0; 1 and above is 255.
func Brightness(bits uint32) byte {
	f := math.Float32frombits(bits)
	switch {
	case f >= 1:
		return 255
	case f > 0:
		return byte(math.RoundToEven(float64(f) * 255))
	}
	return 0
}
