// This file has the kernels on dense matrices and grids: product, transpose, stencil, Game of Life.

package corpus

// Matmul is C = A·B of m×k and k×n floats by 16×16 tiles.
func Matmul(t Target, m, n, k int) *Run {
	a, b := floats(5, m*k), floats(6, k*n)
	c := output("c", matmul(t, a, b, m, n, k, 16))
	ba, bb := input("a", a), input("b", b)
	return &Run{
		Buffers: []*Buffer{ba, bb, c},
		Launches: []Launch{{Kernel: "_Z6matmulILi16EEvPKfS1_Pfiii", Grid: [3]int{blocks(n, 16), blocks(m, 16), 1},
			Block: [3]int{16, 16, 1}, Args: args(ba, bb, c, int32(m), int32(n), int32(k))}},
	}
}

// matmul adds in ascending k; tiles beyond the edge add products of zeros.
func matmul(t Target, a, b []float32, m, n, k, tile int) []float32 {
	return list(m*n, func(i int) float32 {
		row, col := i/n, i%n
		var sum float32
		for j := range k {
			sum = t.fma32(a[row*k+j], b[j*n+col], sum)
		}
		for range blocks(k, tile)*tile - k {
			sum = t.fma32(0, 0, sum)
		}
		return sum
	})
}

// Transpose turns a width×height matrix of words.
func Transpose(width, height int) *Run {
	in := words(7, width*height)
	out := output("out", list(width*height, func(i int) uint32 { return in[i%height*width+i/height] }))
	bin := input("in", in)
	return &Run{
		Buffers: []*Buffer{bin, out},
		Launches: []Launch{{Kernel: "transpose", Grid: [3]int{blocks(width, 32), blocks(height, 32), 1},
			Block: [3]int{32, 8, 1}, Args: args(bin, out, int32(width), int32(height))}},
	}
}

// Stencil is one step of the five-point stencil.
func Stencil(t Target, width, height int) *Run {
	const center, side = float32(0.6), float32(0.1)
	in := floats(8, width*height)
	out := output("out", list(len(in), func(i int) float32 {
		x, y := i%width, i/width
		if x == 0 || x == width-1 || y == 0 || y == height-1 {
			return in[i]
		}
		sides := in[i-width] + in[i+width] + in[i-1] + in[i+1]
		return t.fma32(in[i], center, float32(sides*side))
	}))
	bin := input("in", in)
	return &Run{
		Buffers: []*Buffer{bin, out},
		Launches: []Launch{{Kernel: "stencil", Grid: [3]int{blocks(width, 16), blocks(height, 16), 1},
			Block: [3]int{16, 16, 1}, Args: args(bin, out, int32(width), int32(height), center, side)}},
	}
}

// Life plays generations of the Game of Life on a torus, back and forth between two boards.
func Life(width, height, generations int) *Run {
	seed := random(9)
	board := list(width*height, func(int) uint8 { return uint8(seed.below(2)) })
	seen := [2][]uint8{board, make([]uint8, len(board))}
	boards := [2]*Buffer{inout("even", board, board), output("odd", board)}
	run := &Run{Buffers: boards[:]}
	for g := range generations {
		from, to := g%2, (g+1)%2
		seen[to] = lifeStep(seen[from], width, height)
		boards[to].Want = encode(seen[to])
		run.Launches = append(run.Launches, Launch{Kernel: "life", Grid: [3]int{blocks(width, 32), blocks(height, 4), 1},
			Block: [3]int{32, 4, 1}, Args: args(boards[from], boards[to], int32(width), int32(height))})
	}
	return run
}

func lifeStep(in []uint8, width, height int) []uint8 {
	return list(len(in), func(i int) uint8 {
		neighbours := -int(in[i])
		for dy := range 3 {
			for dx := range 3 {
				y, x := (i/width+dy+height-1)%height, (i%width+dx+width-1)%width
				neighbours += int(in[y*width+x])
			}
		}
		if neighbours == 3 || neighbours == 2 && in[i] == 1 {
			return 1
		}
		return 0
	})
}
