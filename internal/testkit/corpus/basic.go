// This file has the simple elementwise kernels and the loops behind the throughput figures.

package corpus

// VecAdd is c = a + b over a count that fills no block.
func VecAdd() *Run {
	const n = 1000
	a, b := floats(1, n), floats(2, n)
	c := output("c", list(n, func(i int) float32 { return a[i] + b[i] }))
	in := []*Buffer{input("a", a), input("b", b)}
	return &Run{
		Buffers:  append(in, c),
		Launches: []Launch{{Kernel: "vecadd", Grid: line(4), Block: line(256), Args: args(in[0], in[1], c, int32(n))}},
	}
}

// Saxpy is y = a*x + y for n elements, fused.
func Saxpy(t Target, n int) *Run {
	const a = float32(2.7182817)
	x, y := floats(3, n), floats(4, n)
	bx, by := input("x", x), inout("y", y, list(n, func(i int) float32 { return t.fma32(a, x[i], y[i]) }))
	return &Run{
		Buffers:  []*Buffer{bx, by},
		Launches: []Launch{{Kernel: "saxpy", Grid: line(blocks(n, 256)), Block: line(256), Args: args(int32(n), a, bx, by)}},
	}
}

// Empty launches a kernel that does nothing.
func Empty() *Run {
	return &Run{Launches: []Launch{{Kernel: "empty", Grid: line(3), Block: line(64)}}}
}

// AluLoop runs rounds of 72 integer operations in every thread of ctas × threads.
func AluLoop(ctas, threads int, rounds uint32) *Run {
	out := output("out", list(ctas*threads, func(i int) uint32 { return aluMix(uint32(i), rounds) }))
	return &Run{
		Buffers:  []*Buffer{out},
		Launches: []Launch{{Kernel: "aluloop", Grid: line(ctas), Block: line(threads), Args: args(out, rounds)}},
	}
}

func aluMix(i, rounds uint32) uint32 {
	a, b, c, d := i*2654435761+1, i^0x9e3779b9, ^i, i+7
	for range rounds * 8 {
		a = (a + b) ^ c>>3
		b = (b - d) | a<<5
		c = (c ^ a) + d
		d = d&b - (c ^ 0x55555555)
	}
	return a ^ b ^ c ^ d
}

// FmaLoop runs rounds of eight independent fused multiply-adds in every thread.
func FmaLoop(t Target, ctas, threads int, rounds int32) *Run {
	const m, c = float32(0.99993896), float32(0.33333334)
	out := output("out", list(ctas*threads, func(i int) float32 { return fmaChains(t, i, m, c, rounds) }))
	return &Run{
		Buffers:  []*Buffer{out},
		Launches: []Launch{{Kernel: "fmaloop", Grid: line(ctas), Block: line(threads), Args: args(out, m, c, rounds)}},
	}
}

func fmaChains(t Target, i int, m, c float32, rounds int32) float32 {
	var sum float32
	for k := range 8 {
		v := float32(i + k)
		for range rounds {
			v = t.fma32(v, m, c)
		}
		if k == 0 {
			sum = v
		} else {
			sum += v
		}
	}
	return sum
}

// Collatz counts the steps to 1 of n numbers from first on.
func Collatz(first, n int) *Run {
	steps := output("steps", list(n, func(i int) uint32 { return collatzSteps(uint64(first + i)) }))
	return &Run{
		Buffers: []*Buffer{steps},
		Launches: []Launch{{Kernel: "collatz", Grid: line(blocks(n, 128)), Block: line(128),
			Args: args(steps, uint32(first), uint32(n))}},
	}
}

func collatzSteps(v uint64) uint32 {
	steps := uint32(0)
	for ; v != 1; steps++ {
		if v%2 == 0 {
			v /= 2
		} else {
			v = 3*v + 1
		}
	}
	return steps
}
