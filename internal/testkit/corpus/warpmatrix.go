// This file has products of matrices by the matrix instructions of a warp. Elements are small whole numbers, so that
// every sum is exact in whatever order it is made.

package corpus

import "math"

// wholes are n whole numbers from -4 to 4 as halves.
func wholes(seed uint64, n int) []half {
	r := random(seed)
	return list(n, func(int) half { return roundHalf(float64(r.below(9)) - 4) })
}

// product is the sum of products of row i of a (k elements a row) and column j of b.
func product(k int, a, b func(p int) float64) (sum float64) {
	for p := range k {
		sum += a(p) * b(p)
	}
	return sum
}

// WmmaHalf is C = alpha·A·B + C by fragments of 16×16×16; B is column-major.
func WmmaHalf(m, n, k int) *Run {
	const alpha = 0.5
	a, b := wholes(61, m*k), wholes(62, k*n)
	r := random(63)
	c := list(m*n, func(int) float32 { return float32(r.below(100)) })
	want := list(m*n, func(i int) float32 {
		row, col := i/n, i%n
		sum := product(k, func(p int) float64 { return halfValue(a[row*k+p]) }, func(p int) float64 { return halfValue(b[col*k+p]) })
		return float32(alpha*sum) + c[i]
	})
	ba, bb, bc := input("a", a), input("b", b), inout("c", c, want)
	return &Run{
		Buffers: []*Buffer{ba, bb, bc},
		Launches: []Launch{{Kernel: "wmmaHalf", Grid: [3]int{n / 16, blocks(m, 32), 1}, Block: [3]int{32, 2, 1},
			Args: args(ba, bb, bc, int32(m), int32(n), int32(k), float32(alpha))}},
	}
}

// WmmaTile is C = 1 + A·B in half precision by tiles of rows×columns.
func WmmaTile(kernel string, rows, columns, m, n, k int) *Run {
	a, b := wholes(64, m*k), wholes(65, k*n)
	c := output("c", halfProduct(a, b, n, k, 1))
	ba, bb := input("a", a), input("b", b)
	return &Run{
		Buffers: []*Buffer{ba, bb, c},
		Launches: []Launch{{Kernel: kernel, Grid: [3]int{n / columns, m / rows, 1}, Block: line(32),
			Args: args(ba, bb, c, int32(n), int32(k))}},
	}
}

func halfProduct(a, b []half, n, k int, plus float64) []half {
	return list(len(a)/k*n, func(i int) half {
		row, col := i/n, i%n
		return roundHalf(plus + product(k, func(p int) float64 { return halfValue(a[row*k+p]) }, func(p int) float64 { return halfValue(b[p*n+col]) }))
	})
}

// WmmaBytes adds products of bytes to C, by columns; each step of 16 products ends at the limits of 32 bits.
func WmmaBytes(m, n, k int) *Run {
	r := random(66)
	bytes := func(int) uint8 { return uint8(r.below(256)) }
	a, b := list(m*k, bytes), list(k*n, bytes)
	near := []int32{1<<31 - 5, -1 << 31, 0, 12345}
	c := list(m*n, func(i int) int32 { return near[i%4] })
	want := list(m*n, func(i int) int32 {
		row, col := i%m, i/m
		sum := int64(c[i])
		for p := range k {
			sum += int64(int8(a[p*m+row])) * int64(int8(b[p*n+col]))
			if p%16 == 15 {
				sum = max(-1<<31, min(sum, 1<<31-1))
			}
		}
		return int32(sum)
	})
	ba, bb, bc := input("a", a), input("b", b), inout("c", c, want)
	return &Run{
		Buffers: []*Buffer{ba, bb, bc},
		Launches: []Launch{{Kernel: "wmmaBytes", Grid: [3]int{n / 16, m / 16, 1}, Block: line(32),
			Args: args(ba, bb, bc, int32(m), int32(n), int32(k))}},
	}
}

// PipeGemm is C = A·B by tiles of 64×64×32 in three stages, and the transpose of C.
func PipeGemm(m, n, k int) *Run {
	a, b := wholes(67, m*k), wholes(68, k*n)
	want := halfProduct(a, b, n, k, 0)
	c := output("c", want)
	ct := output("ct", list(m*n, func(i int) half { return want[i%m*n+i/m] }))
	ba, bb := input("a", a), input("b", b)
	return &Run{
		Buffers: []*Buffer{ba, bb, c, ct},
		Launches: []Launch{{Kernel: "pipeGemm", Grid: [3]int{n / 64, m / 64, 1}, Block: line(128),
			Args: args(ba, bb, c, ct, int32(m), int32(n), int32(k))}},
	}
}

// SparseGemm is C = A·Bᵀ, two of each four elements of a row of A being stored.
func SparseGemm(m, n, k int) *Run {
	r := random(91)
	dense, b := make([]float64, m*k), wholes(92, n*k)
	a, places := make([]half, 0, m*k/2), make([]uint16, m*k/16)
	for i := range m * k / 4 {
		first := r.below(3)
		second := first + 1 + r.below(3-first)
		places[i/4] |= uint16(first|second<<2) << (i % 4 * 4)
		for _, at := range []int{first, second} {
			v := float64(r.below(9)) - 4
			dense[4*i+at], a = v, append(a, roundHalf(v))
		}
	}
	c := output("c", list(m*n, func(i int) float32 {
		row, col := i/n, i%n
		return float32(product(k, func(p int) float64 { return dense[row*k+p] }, func(p int) float64 { return halfValue(b[col*k+p]) }))
	}))
	ba, bp, bb := input("a", a), input("places", places), input("b", b)
	return &Run{
		Buffers: []*Buffer{ba, bp, bb, c},
		Launches: []Launch{{Kernel: "sparseGemm", Grid: [3]int{n / 32, m / 64, 1}, Block: line(128),
			Args: args(ba, bp, bb, c, int32(n), int32(k))}},
	}
}

// TMAGemm is C = A·Bᵀ by tensor copies and wgmma: tiles of 128×64 a CTA, 64 deep, at borders of all three extents.
func TMAGemm(m, n, k int) *Run {
	const stages, tile = 4, 64 * 64 * 2
	a, b := wholes(74, m*k), wholes(75, n*k)
	c := output("c", list(m*n, func(i int) half {
		row, col := i/n, i%n
		return roundHalf(product(k, func(p int) float64 { return halfValue(a[row*k+p]) }, func(p int) float64 { return halfValue(b[col*k+p]) }))
	}))
	tiles := func(b *Buffer, rows, columns int) Arg {
		return Arg{Buffer: b, Elem: U8, Tiles: &Tiles{Dims: []uint32{uint32(columns), uint32(rows)}, Box: []uint32{64, 64}, Swizzle: 128}}
	}
	ba, bb := input("a", a), input("b", b)
	return &Run{
		Buffers: []*Buffer{ba, bb, c},
		Launches: []Launch{{Kernel: "tmaGemm", Grid: [3]int{blocks(n, 64), blocks(m, 128), 1}, Block: line(384), Shared: (3*stages + 2) * tile,
			Args: append([]Arg{tiles(ba, m, k), tiles(bb, n, k), tiles(c, m, n)}, args(int32(k))...)}},
	}
}

// ByteGemm is C = A·Bᵀ of e4m3 by tensor copies and wgmma: tiles of 64×128, 128 deep, in two stages.
func ByteGemm(m, n, k int) *Run {
	a, b := numbers(93, m*k), numbers(94, n*k)
	c := output("c", list(m*n, func(i int) float32 {
		return float32(product(k, func(p int) float64 { return a[i/n*k+p] }, func(p int) float64 { return b[i%n*k+p] }))
	}))
	ba, bb := coded("a", "e4m3", a), coded("b", "e4m3", b)
	tiles := func(b *Buffer, rows, box int) Arg {
		return Arg{Buffer: b, Elem: U8, Tiles: &Tiles{Type: "u8", Dims: []uint32{uint32(k), uint32(rows)}, Box: []uint32{128, uint32(box)}, Swizzle: 128}}
	}
	return &Run{
		Buffers: []*Buffer{ba, bb, c},
		Launches: []Launch{{Kernel: "byteGemm", Grid: [3]int{n / 128, m / 64, 1}, Block: line(128), Shared: 2 * (64 + 128) * 128,
			Args: append([]Arg{tiles(ba, m, 64), tiles(bb, n, 128)}, args(c, int32(n), int32(k))...)}},
	}
}

// tensorCores are the architectures for which Triton makes other products: mma, wgmma, tcgen05.mma, mma of sm_120.
var tensorCores = []int{80, 90, 100, 120}

// TritonMatmul is C = A·B by tiles of 64×64×32 in three stages of cp.async.
func TritonMatmul(t Target) *Run {
	const m, n, k = 80, 112, 96
	a, b := wholes(69, m*k), wholes(70, k*n)
	c := output("c", halfProduct(a, b, n, k, 0))
	ba, bb := input("a", a), input("b", b)
	shared := map[int]int{80: 16384, 90: 24576, 100: 24592, 120: 16384}[t.Arch]
	return &Run{
		Unfenced: t.Arch == 100,
		Buffers:  []*Buffer{ba, bb, c},
		Launches: []Launch{{Kernel: "matmul", Grid: [3]int{blocks(m, 64), blocks(n, 64), 1}, Block: line(128), Shared: shared,
			Args: tritonArgs(ba, bb, c, int32(m), int32(n), int32(k))}},
	}
}

// TritonAttention is softmax(scale·Q·Kᵀ)·V: 80 rows of 64 elements, by tiles of 64 rows and 32 keys.
func TritonAttention(t Target) *Run {
	const length, d, scale = 80, 64, float32(0.03125)
	q, k, v := wholes(71, length*d), wholes(72, length*d), wholes(73, length*d)
	want := make([]float32, length*d)
	for row := range length {
		var weights [length]float64
		sum := 0.0
		for key := range weights {
			s := product(d, func(i int) float64 { return halfValue(q[row*d+i]) }, func(i int) float64 { return halfValue(k[key*d+i]) })
			weights[key] = math.Exp(s * float64(scale))
			sum += weights[key]
		}
		for i := range d {
			want[row*d+i] = float32(product(length, func(key int) float64 { return weights[key] }, func(key int) float64 { return halfValue(v[key*d+i]) }) / sum)
		}
	}
	out := output("out", want)
	out.Tol = Tolerance{Abs: 4.0/2048 + 1e-4, Why: "weights become f16, 2^-11 of each, times a v of 4 at most; ex2.approx"}
	bq, bk, bv := input("q", q), input("k", k), input("v", v)
	shared := map[int]int{80: 16384, 90: 24576, 100: 24608, 120: 16384}[t.Arch]
	return &Run{
		Unfenced: t.Arch == 100,
		Buffers:  []*Buffer{bq, bk, bv, out},
		Launches: []Launch{{Kernel: "attention", Grid: line(blocks(length, 64)), Block: line(128), Shared: shared,
			Args: tritonArgs(bq, bk, bv, out, int32(length), scale)}},
	}
}
