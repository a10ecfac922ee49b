// This file has the option prices, the one CUDA case with approximate functions.

package corpus

import "math"

var approximate = Tolerance{
	Abs: 1e-4,
	Why: "ex2, lg2, rcp, rsqrt and div are .approx: a few units in the last place of prices up to 100",
}

// BlackScholes prices n calls and puts.
func BlackScholes(n int) *Run {
	const rate, volatility = float32(0.02), float32(0.3)
	seed := random(18)
	s := list(n, func(int) float32 { return seed.between(5, 30) })
	x := list(n, func(int) float32 { return seed.between(1, 100) })
	t := list(n, func(int) float32 { return seed.between(0.25, 10) })
	calls, puts := make([]float32, n), make([]float32, n)
	for i := range n {
		c, p := option(float64(s[i]), float64(x[i]), float64(t[i]), float64(rate), float64(volatility), cndPolynomial)
		calls[i], puts[i] = float32(c), float32(p)
	}
	bs, bx, bt := input("price", s), input("strike", x), input("years", t)
	call, put := output("call", calls), output("put", puts)
	call.Tol, put.Tol = approximate, approximate
	return &Run{
		Buffers: []*Buffer{bs, bx, bt, call, put},
		Launches: []Launch{{Kernel: "blackscholes", Grid: line(2), Block: line(128),
			Args: args(bs, bx, bt, call, put, rate, volatility, int32(n))}},
	}
}

// option returns the prices of a European call and put in double precision.
func option(s, x, t, rate, volatility float64, cnd func(float64) float64) (call, put float64) {
	root := math.Sqrt(t)
	d1 := (math.Log(s/x) + (rate+volatility*volatility/2)*t) / (volatility * root)
	d2 := d1 - volatility*root
	discounted := x * math.Exp(-rate*t)
	return s*cnd(d1) - discounted*cnd(d2), discounted*cnd(-d2) - s*cnd(-d1)
}

// cndPolynomial is the kernel's cumulative normal distribution, Abramowitz and Stegun 26.2.17.
func cndPolynomial(d float64) float64 {
	k := 1 / (1 + 0.2316419*math.Abs(d))
	poly := k * (0.319381530 + k*(-0.356563782+k*(1.781477937+k*(-1.821255978+k*1.330274429))))
	tail := 1 / math.Sqrt(2*math.Pi) * math.Exp(-d*d/2) * poly
	if d > 0 {
		return 1 - tail
	}
	return tail
}
