// This file has the narrow types: fixed point in s16, packed halves, bfloat16.

package corpus

// taps is the filter of fir.cu, in Q15.
var taps = [...]int32{-63, -118, 0, 341, 702, 610, -368, -2042, -3124, -1670, 3268, 11004,
	18650, 11004, 3268, -1670, -3124, -2042, -368, 610, 702, 341, 0, -118}

// FIR filters n samples.
func FIR(n int) *Run {
	seed := random(23)
	in := list(n, func(int) int16 { return int16(seed.next()) })
	for i := range min(n, 80) {
		in[i] = int16(-32768 + 65535*(i/20%2)) // long full-scale steps saturate
	}
	bin, out := input("in", in), output("out", list(n, func(i int) int16 { return filtered(in[:i+1]) }))
	return &Run{
		Buffers: []*Buffer{bin, out},
		Launches: []Launch{{Kernel: "fir", Grid: line(blocks(n, 96)), Block: line(96),
			Args: args(bin, out, int32(n))}},
	}
}

// filtered is the output for the last sample of a history.
func filtered(in []int16) int16 {
	sum := int32(1 << 14)
	for k, tap := range taps {
		if k < len(in) {
			sum += tap * int32(in[len(in)-1-k])
		}
	}
	return int16(min(max(sum>>15, -32768), 32767))
}

// HalfAxpy is y = a*x + y on packed halves.
func HalfAxpy() *Run {
	const n, a = 500, float32(1.7001953125) // a rounds to a half
	seed := random(24)
	narrow := func(int) half { return roundHalf(float64(seed.unit()) * float64(int(1)<<seed.below(16))) }
	x, y := list(n, narrow), list(n, narrow)
	bx := input("x", x)
	by := inout("y", y, list(n, func(i int) half { return fmaHalf(roundHalf(float64(a)), x[i], y[i]) }))
	return &Run{
		Buffers: []*Buffer{bx, by},
		Launches: []Launch{{Kernel: "haxpy", Grid: line(2), Block: line(128),
			Args: args(int32(n/2), a, bx, by)}},
	}
}

// BfloatDot is a dot product of bfloat16 by one warp a CTA; from sm_80 on a thread's sums are bfloat16.
func BfloatDot(t Target) *Run {
	const n, ctas = 2000, 4
	seed := random(25)
	narrow := func(int) bfloat { return roundBfloat(seed.unit()) }
	x, y := list(n, narrow), list(n, narrow)
	dots := list(ctas, func(cta int) bfloat {
		return roundBfloat(shuffleDown(lanes(func(lane int) float32 {
			return bfloatThread(t, x, y, cta*32+lane, ctas*32)
		})))
	})
	bx, by, out := input("x", x), input("y", y), output("dots", dots)
	return &Run{
		Buffers: []*Buffer{bx, by, out},
		Launches: []Launch{{Kernel: "bfdot", Grid: line(ctas), Block: line(32),
			Args: args(bx, by, int32(n/2), out)}},
	}
}

// bfloatThread is one thread's share: the low and the high halves of every stride-th pair.
func bfloatThread(t Target, x, y []bfloat, first, stride int) float32 {
	var narrow [2]bfloat
	var wide [2]float32
	for pair := first; pair < len(x)/2; pair += stride {
		for h := range 2 {
			a, b := x[2*pair+h], y[2*pair+h]
			narrow[h] = fmaBfloat(a, b, narrow[h])
			wide[h] = t.fma32(bfloatValue(a), bfloatValue(b), wide[h])
		}
	}
	if t.Arch >= 80 {
		return bfloatValue(narrow[0]) + bfloatValue(narrow[1])
	}
	return wide[0] + wide[1]
}
