// This file follows the lanes of a warp through shuffles, in the operations' own order.

package corpus

type number interface{ int32 | float32 | float64 }

// shuffleDown is the sum by shfl.down of 16, 8, 4, 2, 1: a lane without a partner adds its own value.
func shuffleDown[T number](v [32]T) T {
	for offset := 16; offset > 0; offset /= 2 {
		from := v
		for lane := range v {
			if lane+offset < 32 {
				v[lane] = from[lane] + from[lane+offset]
			} else {
				v[lane] = from[lane] + from[lane]
			}
		}
	}
	return v[0]
}

// shuffleXor is the sum by shfl.bfly of first, first/2, …, 1, as lane 0 gets it.
func shuffleXor[T number](v [32]T, first int) T {
	for offset := first; offset > 0; offset /= 2 {
		from := v
		for lane := range v {
			v[lane] = from[lane] + from[lane^offset]
		}
	}
	return v[0]
}

// lanes collects the values of a warp's lanes.
func lanes[T any](f func(lane int) T) [32]T {
	var v [32]T
	for lane := range v {
		v[lane] = f(lane)
	}
	return v
}
