// This file has the sparse kernels: matrix times vector in CSR, and conjugate gradients.

package corpus

import "math"

// csr is a sparse square matrix; row r has the entries rows[r] to rows[r+1].
type csr struct {
	rows, cols []int32
	vals       []float32
}

// sparse makes a matrix with rows of 0 to 79 entries.
func sparse(seed random, n int) csr {
	m := csr{rows: []int32{0}}
	for range n {
		for range seed.below(80) {
			m.cols = append(m.cols, int32(seed.below(n)))
			m.vals = append(m.vals, seed.unit())
		}
		m.rows = append(m.rows, int32(len(m.cols)))
	}
	return m
}

// dot adds every stride-th product of a row, from the one numbered first.
func (m csr) dot(t Target, r, first, stride int, x []float32) float32 {
	var sum float32
	for k := int(m.rows[r]) + first; k < int(m.rows[r+1]); k += stride {
		sum = t.fma32(m.vals[k], x[m.cols[k]], sum)
	}
	return sum
}

// SpmvRow multiplies an n×n matrix with a thread a row.
func SpmvRow(t Target, n int) *Run {
	return spmv("spmvRow", n, 1, func(m csr, r int, x []float32) float32 { return m.dot(t, r, 0, 1, x) })
}

// SpmvWarp multiplies with a warp a row.
func SpmvWarp(t Target, n int) *Run {
	return spmv("spmvWarp", n, 32, func(m csr, r int, x []float32) float32 {
		return shuffleXor(lanes(func(lane int) float32 { return m.dot(t, r, lane, 32, x) }), 16)
	})
}

func spmv(kernel string, n, threadsPerRow int, row func(m csr, r int, x []float32) float32) *Run {
	m, x := sparse(20, n), floats(21, n)
	y := output("y", list(n, func(r int) float32 { return row(m, r, x) }))
	in := []*Buffer{input("rows", m.rows), input("cols", m.cols), input("vals", m.vals), input("x", x)}
	return &Run{
		Buffers: append(in, y),
		Launches: []Launch{{Kernel: kernel, Grid: line(blocks(n*threadsPerRow, 128)), Block: line(128),
			Args: args(in[0], in[1], in[2], in[3], y, int32(n))}},
	}
}

// poisson is the state of conjugate gradients on n points.
type poisson struct {
	x, r, p, q []float64
	s          [3]float64 // r·r, p·Ap, the next r·r
}

const cgThreads = 64

// ConjugateGradient solves the 1-D Poisson equation on n points, in so many iterations of four launches.
func ConjugateGradient(t Target, n, iterations int) *Run {
	seed := random(22)
	r := list(n, func(int) float64 { return float64(seed.unit()) })
	rr := 0.0
	for _, v := range r {
		rr = math.FMA(v, v, rr)
	}
	state := poisson{make([]float64, n), append([]float64(nil), r...), append([]float64(nil), r...),
		make([]float64, n), [3]float64{rr}}
	for range iterations {
		state.iterate(t)
	}
	x, q := inout("x", make([]float64, n), state.x), output("q", state.q)
	br, p := inout("r", r, state.r), inout("p", r, state.p)
	s := inout("s", []float64{rr, 0, 0}, state.s[:])
	run := &Run{Buffers: []*Buffer{x, br, p, q, s}}
	grid, block := line(blocks(n, cgThreads)), line(cgThreads)
	for range iterations {
		run.Launches = append(run.Launches,
			Launch{Kernel: "cgApply", Grid: grid, Block: block, Args: args(p, q, s, int32(n))},
			Launch{Kernel: "cgStep", Grid: grid, Block: block, Args: args(x, br, p, q, s, int32(n))},
			Launch{Kernel: "cgDirection", Grid: grid, Block: block, Args: args(p, br, s, int32(n))},
			Launch{Kernel: "cgNext", Grid: line(1), Block: line(1), Args: args(s)})
	}
	return run
}

func (c *poisson) iterate(t Target) {
	at := func(i int) float64 {
		if i < 0 || i >= len(c.p) {
			return 0
		}
		return c.p[i]
	}
	for i, v := range c.p {
		c.q[i] = (v + v) - (at(i-1) + at(i+1))
	}
	c.s[1] = warpAtomics(0, c.p, c.q)
	alpha := c.s[0] / c.s[1]
	for i := range c.x {
		c.x[i] = t.fma64(alpha, c.p[i], c.x[i])
		c.r[i] -= float64(alpha * c.q[i])
	}
	c.s[2] = warpAtomics(0, c.r, c.r)
	beta := c.s[2] / c.s[0]
	for i := range c.p {
		c.p[i] = t.fma64(beta, c.p[i], c.r[i])
	}
	c.s = [3]float64{c.s[2]}
}

// warpAtomics adds a·b to sum: products rounded, a shuffle tree a warp, one atomic a warp in ascending order.
func warpAtomics(sum float64, a, b []float64) float64 {
	for first := 0; first < blocks(len(a), cgThreads)*cgThreads; first += 32 {
		sum += shuffleDown(lanes(func(lane int) float64 {
			if i := first + lane; i < len(a) {
				return float64(a[i] * b[i])
			}
			return 0
		}))
	}
	return sum
}
