// The first stage of a row's conversion: the operands as float64 values.

package num

import "math"

// widenRow widens exactly, 64-bit integers to odd: what is rounded later has fewer bits.
func (r *Rows) widenRow(x *[32]float64, a *[32]uint64) {
	switch r.Src {
	case U8:
		for i, v := range a {
			x[i] = float64(uint8(v))
		}
	case S8:
		for i, v := range a {
			x[i] = float64(int8(v))
		}
	case U16:
		for i, v := range a {
			x[i] = float64(uint16(v))
		}
	case S16:
		for i, v := range a {
			x[i] = float64(int16(v))
		}
	case U32:
		for i, v := range a {
			x[i] = float64(uint32(v))
		}
	case S32:
		for i, v := range a {
			x[i] = float64(int32(v))
		}
	case U64, S64:
		widenWholeRow(x, a, r.Src == S64)
	default:
		r.widenFloatRow(x, a)
	}
}

// widenWholeRow: what does not fit into 53 bits loses its low ones to the last that stays.
func widenWholeRow(x *[32]float64, a *[32]uint64, signed bool) {
	for i, v := range a {
		switch {
		case v>>53 == 0:
			x[i] = float64(int64(v))
		case signed && (v+1<<53)>>54 == 0:
			x[i] = float64(int64(v))
		case signed:
			x[i] = float64(int64(v)>>11|sticky(v)) * 2048
		default:
			x[i] = float64(int64(v>>11)|sticky(v)) * 2048
		}
	}
}

// sticky is 1 if any of the low 11 bits is set.
func sticky(v uint64) int64 { return int64((v&0x7ff + 0x7ff) >> 11) }

func (r *Rows) widenFloatRow(x *[32]float64, a *[32]uint64) {
	switch {
	case r.Src == F64:
		for i, v := range a {
			x[i] = f64(v)
		}
	case r.Src == F32 && r.Ftz:
		for i, v := range a {
			x[i] = f32(FtzF32(uint32(v)))
		}
	case r.Src == F32:
		for i, v := range a {
			x[i] = f32(uint32(v))
		}
	case r.Src == BF16:
		for i, v := range a {
			x[i] = f32(uint32(v) << 16)
		}
	case r.Src == F16:
		widenF16Row(x, a)
	default:
		for i, v := range a {
			x[i] = r.widen(v)
		}
	}
}

// widenF16Row places the bits under an f64 exponent, which makes the value 2^1008 too
// small, and multiplies. Infinity and NaN become NaN, of which slow makes the result.
func widenF16Row(x *[32]float64, a *[32]uint64) {
	for i, v := range a {
		if v&infF16 == infF16 {
			x[i] = math.NaN()
			continue
		}
		x[i] = math.Float64frombits(v&signHalf<<48|v&magHalf<<42) * 0x1p1008
	}
}
