package kernels

// This file lists the kernels by kind, with sizes and launches. Small sizes are in general no multiples of a block, where the kernel has a guard.

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// kinds are all kernels. A list is in the file of its kind.
var kinds = []struct {
	name    string
	kernels []Kernel
}{
	{"stream", []Kernel{
		{Name: "triad", Small: 3001, Large: 1 << 19, Make: func(n int) *corpus.Run {
			return run(launch("triad", 16, 256, uniform[float32]("b", n, -1, 1), uniform[float32]("c", n, -1, 1), result[float32]("a", n), float32(0.37), n))
		}},
		{Name: "bytesadd", Small: 3000, Large: 1 << 18, Make: func(n int) *corpus.Run {
			return over("bytesadd", n, uniform[uint8]("p", 4*n, 0, 255), 40, n)
		}},
		{Name: "gather", Small: 3000, Large: 1 << 17, Make: func(n int) *corpus.Run {
			index := list(n, func(i int) int32 { return int32(i * 7919 % n) })
			return over("gather", n, data("index", index), uniform[float32]("x", n, -1, 1), uniform[float32]("y", n, -1, 1), n)
		}},
		{Name: "horner", Small: 3000, Large: 1 << 18, Make: func(n int) *corpus.Run {
			return over("horner", n, uniform[float32]("x", n, -1, 1), result[float32]("y", n), n)
		}},
		{Name: "aossoa", Small: 2000, Large: 1 << 17, Make: func(n int) *corpus.Run {
			return over("aossoa", n, uniform[float32]("in", 3*n, 0.1, 1), result[float32]("x", n), result[float32]("y", n), result[float32]("z", n), n)
		}},
		{Name: "ttrelu", Small: 3000, Large: 1 << 18, Make: func(n int) *corpus.Run {
			x, bias, residual := uniform[float32]("x", n, -1, 1), uniform[float32]("bias", 256, -1, 1), uniform[float32]("residual", n, -1, 1)
			return run(launch("ttrelu", blocks(n, 512), 128, x, bias, residual, result[float32]("out", n), 256, n, uint64(0), uint64(0)))
		}},
	}},
	{"stencil", []Kernel{
		{Name: "heat2d", Small: 70, Large: 512, Make: func(n int) *corpus.Run {
			return tiles("heat2d", n, n, uniform[float32]("in", n*n, 0, 1), result[float32]("out", n*n), float32(0.2), n, n)
		}},
		{Name: "blurtile", Small: 70, Large: 512, Make: func(n int) *corpus.Run {
			return tiles("blurtile", n, n, uniform[int32]("in", n*n, 0, 1000), result[int32]("out", n*n), n, n)
		}},
		{Name: "life", Small: 100, Large: 512, Make: func(n int) *corpus.Run {
			return tiles("life", n, n, uniform[uint8]("in", n*n, 0, 2), result[uint8]("out", n*n), n, n)
		}},
		{Name: "wave3d", Small: 18, Large: 66, Make: func(n int) *corpus.Run {
			return tiles("wave3d", n-2, n-2, uniform[float32]("now", n*n*n, -1, 1), uniform[float32]("was", n*n*n, -1, 1), float32(0.1), n)
		}},
	}},
	{"linear algebra", []Kernel{
		{Name: "gemv", Small: 32, Large: 512, Make: func(n int) *corpus.Run {
			return run(launch("gemv", blocks(n, 4), 128, uniform[float32]("m", n*2*n, -1, 1), uniform[float32]("v", 2*n, -1, 1), result[float32]("y", n), n, 2*n))
		}},
		{Name: "lu16", Small: 6, Large: 256, Make: func(n int) *corpus.Run {
			r := seeded("lu16")
			m := fill("m", 256*n, func(i int) float64 {
				if v := between(r, -1.0, 1); i%17 != 0 || i%256/16 != i%16 {
					return v
				}
				return between(r, 16.0, 20)
			})
			return run(launch("lu16", n, [2]int{16, 16}, m))
		}},
		{Name: "ger", Small: 50, Large: 512, Make: func(n int) *corpus.Run {
			return run(launch("ger", [2]int{blocks(n, 128), 8}, 128, uniform[float64]("x", n, -1, 1), uniform[float64]("y", n, -1, 1), uniform[float64]("m", n*n, -1, 1), n, n))
		}},
		{Name: "sgemm", Small: 64, Large: 256, Make: func(n int) *corpus.Run {
			return run(launch("sgemm", [2]int{n / 64, n / 64}, 256, uniform[float32]("a", n*n, -1, 1), uniform[float32]("b", n*n, -1, 1), result[float32]("c", n*n), n))
		}},
		{Name: "chol6", Small: 240, Large: 1 << 13, Make: func(n int) *corpus.Run {
			diagonal := func(i int) bool { return i/n%7 == 0 }
			r := seeded("chol6")
			m := fill("in", 36*n, func(i int) float32 {
				if v := between(r, float32(-1), 1); !diagonal(i) {
					return v
				}
				return between(r, float32(8), 12)
			})
			return run(launch("chol6", blocks(n, 128), 128, m, zeros[float32]("out", 36*n), n))
		}},
		{Name: "trsm8", Small: 300, Large: 1 << 14, Make: func(n int) *corpus.Run {
			l := fill("l", 64, func(i int) float64 { return 1 / float64(1+i%8*3+i/8) })
			return over("trsm8", n, l, uniform[float64]("b", 8*n, -1, 1), n)
		}},
	}},
	{"reduction", []Kernel{
		{Name: "dot", Small: 1 << 12, Large: 1 << 19, Make: func(n int) *corpus.Run {
			grid := min(32, n/256)
			return run(launch("dot", grid, 256, uniform[float32]("x", n, -1, 1), uniform[float32]("y", n, -1, 1), result[float32]("part", grid), n))
		}},
		{Name: "minmax", Small: 5000, Large: 1 << 19, Make: func(n int) *corpus.Run {
			out := data("out", []int32{1<<31 - 1, -1 << 31, 0})
			return run(launch("minmax", 8, 256, uniform[int32]("x", n, -1e9, 1e9), out, n))
		}},
		{Name: "argmax", Small: 300, Large: 4000, Make: func(n int) *corpus.Run {
			return run(launch("argmax", n/20, 128, uniform[float32]("x", n/20*n, -1, 1), result[float32]("best", n/20), result[int32]("where", n/20), n))
		}},
	}},
	{"scan", []Kernel{
		{Name: "scanblock", Small: 4, Large: 1024, Make: func(n int) *corpus.Run {
			return run(launch("scanblock", n, 256, uniform[uint32]("in", 256*n, 0, 1000), result[uint32]("out", 256*n)))
		}},
		{Name: "scanwarp", Small: 3000, Large: 1 << 18, Make: func(n int) *corpus.Run {
			return over("scanwarp", n, uniform[int32]("in", n, 1, 1e6), result[int32]("out", n), n)
		}},
		{Name: "compact", Small: 3000, Large: 1 << 18, Make: func(n int) *corpus.Run {
			return over("compact", n, uniform[int32]("in", n, -1000, 1000), zeros[int32]("out", n), result[int32]("count", 8*blocks(n, 256)), n)
		}},
	}},
	{"sort", []Kernel{
		{Name: "bitonic", Small: 4, Large: 128, Make: func(n int) *corpus.Run {
			return run(launch("bitonic", n, 256, uniform[uint32]("keys", 512*n, 0, 1<<32-1)))
		}},
		{Name: "ranksort", Small: 300, Large: 2048, Make: func(n int) *corpus.Run {
			return over("ranksort", n, uniform[float32]("in", n, 0, 100), result[float32]("out", n), n)
		}},
		{Name: "mergepath", Small: 1003, Large: 1 << 17, Make: func(n int) *corpus.Run {
			p := fill("p", n, func(i int) int32 { return int32(3 * i) })
			q := fill("q", n, func(i int) int32 { return int32(i*i/n*2 + i) })
			return over("mergepath", blocks(2*n, 8), p, q, result[int32]("out", 2*n), n)
		}},
	}},
	{"histogram", []Kernel{
		{Name: "histo2d", Small: 3000, Large: 1 << 18, Make: func(n int) *corpus.Run {
			return over("histo2d", n, uniform[uint8]("x", n, 0, 255), uniform[uint8]("y", n, 0, 200), zeros[uint32]("table", 64*64), n)
		}},
		{Name: "bins8", Small: 300, Large: 8192, Make: func(n int) *corpus.Run {
			return over("bins8", n, uniform[uint8]("x", 64*n, 0, 255), result[uint16]("bins", 8*n), 64, n)
		}},
	}},
	{"sparse", []Kernel{
		{Name: "ellspmv", Small: 1000, Large: 1 << 15, Make: func(n int) *corpus.Run {
			col := uniform[int32]("col", 7*n, 0, int32(n))
			return over("ellspmv", n, col, uniform[float32]("val", 7*n, -1, 1), uniform[float32]("x", n, -1, 1), result[float32]("y", n), n)
		}},
		{Name: "csrvector", Small: 100, Large: 4096, Make: func(n int) *corpus.Run {
			start := lengths(n, 100)
			entries := int(start[n])
			col := uniform[int32]("col", entries, 0, int32(n))
			return run(launch("csrvector", blocks(n, 4), 128, data("start", start), col, uniform[float64]("val", entries, -1, 1), uniform[float64]("x", n, -1, 1), result[float64]("y", n), n))
		}},
	}},
	{"graph", []Kernel{
		{Name: "bfs", Small: 1000, Large: 1 << 15, Make: func(n int) *corpus.Run {
			level := fill("level", n, func(i int) int32 { return int32(min(i, 1)) * -1 })
			next := uniform[int32]("next", 8*n, 0, int32(n))
			return run(list(6, func(d int) corpus.Launch { return launch("bfs", blocks(n, 256), 256, next, level, d, n) })...)
		}},
		{Name: "floyd", Small: 40, Large: 192, Make: func(n int) *corpus.Run {
			dist := uniform[int32]("dist", n*n, 1, 1000)
			return run(list(n, func(k int) corpus.Launch { return launch("floyd", [2]int{blocks(n, 64), n}, 64, dist, n, k) })...)
		}},
		{Name: "pagerank", Small: 500, Large: 1 << 14, Make: func(n int) *corpus.Run {
			start := lengths(n, 24)
			from := uniform[int32]("from", int(start[n]), 0, int32(n))
			return over("pagerank", n, data("start", start), from, uniform[float32]("share", n, 0, 1), result[float32]("rank", n), n)
		}},
	}},
	{"Fourier", []Kernel{
		{Name: "walsh", Small: 4, Large: 256, Make: func(n int) *corpus.Run {
			return run(launch("walsh", n, 256, uniform[int32]("data", 512*n, -1000, 1000)))
		}},
		{Name: "fft256", Small: 4, Large: 256, Make: func(n int) *corpus.Run {
			w := fill("w", 256, func(i int) float32 {
				sin, cos := math.Sincos(-2 * math.Pi * float64(i/2) / 256)
				return float32([]float64{cos, sin}[i%2])
			})
			return run(launch("fft256", n, 128, uniform[float32]("data", 512*n, -1, 1), w))
		}},
	}},
	{"convolution", []Kernel{
		{Name: "fir17", Small: 3000, Large: 1 << 18, Make: func(n int) *corpus.Run {
			return over("fir17", n, uniform[float32]("x", n+16, -1, 1), result[float32]("y", n), n)
		}},
		{Name: "conv3x3", Small: 40, Large: 200, Make: func(n int) *corpus.Run {
			in, weight := uniform[float32]("in", 8*n*n, -1, 1), uniform[float32]("weight", 4*8*9, -1, 1)
			grid := [3]int{blocks(n-2, 32), blocks(n-2, 8), 4}
			return run(launch("conv3x3", grid, [2]int{32, 8}, in, weight, result[float32]("out", 4*(n-2)*(n-2)), n, n))
		}},
		{Name: "maxpool", Small: 50, Large: 512, Make: func(n int) *corpus.Run {
			return tiles("maxpool", n, n, uniform[float32]("in", 4*n*n, -1, 1), result[float32]("out", n*n), n, n)
		}},
	}},
	{"norm", []Kernel{
		{Name: "rmsnorm", Small: 22, Large: 1024, Make: func(n int) *corpus.Run {
			return run(launch("rmsnorm", blocks(n, 4), 128, uniform[float32]("x", 256*n, -1, 1), uniform[float32]("weight", 256, 0.5, 1), result[float32]("y", 256*n), n))
		}},
		{Name: "softmaxrow", Small: 22, Large: 2048, Make: func(n int) *corpus.Run {
			y := within(result[float32]("y", 128*n), corpus.Tolerance{Rel: 2e-6, Why: "expf of CUDA has 2 units in the last place, that of C 1; both sides divide"})
			return run(launch("softmaxrow", blocks(n, 4), 128, uniform[float32]("x", 128*n, -4, 4), y, n))
		}},
		{Name: "ttnorm", Small: 8, Large: 1024, Make: func(n int) *corpus.Run {
			out := within(result[float32]("out", 512*n), corpus.Tolerance{Abs: 1e-5, Why: "sums of 512 in another order, and rsqrt.approx"})
			l := launch("ttnorm", n, 128, uniform[float32]("x", 512*n, -1, 1), uniform[float32]("weight", 512, 0.5, 1), uniform[float32]("bias", 512, -1, 1), out, uint64(0), uint64(0))
			l.Shared = 16 // of four warps
			return run(l)
		}},
	}},
	{"attention", []Kernel{
		{Name: "attnrow", Small: 64, Large: 512, Make: func(n int) *corpus.Run {
			tol := corpus.Tolerance{Abs: 5e-5, Why: "__expf of up to -8 has 11 units in the last place, in products of some six, and sums of n terms"}
			q, k, v := uniform[float32]("q", 16*n, -1, 1), uniform[float32]("k", 16*n, -1, 1), uniform[float32]("v", 16*n, -1, 1)
			return run(launch("attnrow", blocks(n, 64), 64, q, k, v, within(result[float32]("out", 16*n), tol), n, n))
		}},
	}},
	{"quantised", []Kernel{
		{Name: "q4gemv", Small: 100, Large: 4096, Make: func(n int) *corpus.Run {
			return over("q4gemv", n, uniform[uint32]("q", 4*8*n, 0, 1<<32-1), uniform[float32]("scale", 8*n, 0, 0.1), uniform[float32]("x", 256, -1, 1), result[float32]("y", n), n, 8)
		}},
		{Name: "dp4a", Small: 300, Large: 8192, Make: func(n int) *corpus.Run {
			return over("dp4a", n, uniform[int32]("x", 32*n, -1<<31, 1<<31-1), uniform[int32]("y", 32, -1<<31, 1<<31-1), result[int32]("out", n), 32, n)
		}},
		{Name: "bf16cvt", Small: 2000, Large: 1 << 17, Make: func(n int) *corpus.Run {
			return over("bf16cvt", n, uniform[float32]("x", 2*n, -1, 1), result[uint32]("y", n), n)
		}},
		{Name: "quant8", Small: 3008, Large: 1 << 17, Make: func(n int) *corpus.Run {
			return over("quant8", n, uniform[float32]("x", n, -1, 1), result[int8]("q", n), result[float32]("scale", n/32), n)
		}},
	}},
	{"hash", []Kernel{
		{Name: "crc32", Small: 500, Large: 1 << 14, Make: func(n int) *corpus.Run {
			return over("crc32", n, uniform[uint8]("data", 64*n, 0, 255), result[uint32]("crc", n), n)
		}},
		{Name: "murmur3", Small: 3000, Large: 1 << 17, Make: func(n int) *corpus.Run {
			return over("murmur3", n, uniform[uint32]("keys", 4*n, 0, 1<<32-1), result[uint32]("hash", n), uint32(12345), n)
		}},
		{Name: "siphash", Small: 1000, Large: 1 << 15, Make: func(n int) *corpus.Run {
			return over("siphash", n, uniform[uint32]("keys", 4*n, 0, 1<<32-1), result[uint64]("hash", n), n)
		}},
	}},
	{"random numbers", []Kernel{
		{Name: "pcgpi", Small: 2, Large: 16, Make: func(n int) *corpus.Run {
			return run(launch("pcgpi", n, 128, result[uint32]("hits", 128*n), 40*n))
		}},
		{Name: "philox", Small: 1000, Large: 1 << 16, Make: func(n int) *corpus.Run {
			return over("philox", n, result[uint32]("out", 4*n), uint32(0xdeadbeef), n)
		}},
		{Name: "xorshift", Small: 300, Large: 8192, Make: func(n int) *corpus.Run {
			return over("xorshift", n, uniform[uint32]("seed", 4*n, 0, 1<<32-1), result[int32]("far", n), 200, n)
		}},
	}},
	{"dynamic programming", []Kernel{
		{Name: "editdist", Small: 200, Large: 4096, Make: func(n int) *corpus.Run {
			return over("editdist", n, uniform[uint8]("p", 24*n, 'a', 'e'), uniform[uint8]("q", 24*n, 'a', 'e'), result[int32]("dist", n), n)
		}},
		{Name: "knapsack", Small: 1000, Large: 1 << 16, Make: func(n int) *corpus.Run {
			even, odd := zeros[int32]("even", n), zeros[int32]("odd", n)
			return run(list(16, func(i int) corpus.Launch {
				l := launch("knapsack", blocks(n, 256), 256, even, odd, 3+7*i, 10+13*i%29, n)
				if i%2 == 1 {
					l.Args[0], l.Args[1] = l.Args[1], l.Args[0]
				}
				return l
			})...)
		}},
	}},
	{"image", []Kernel{
		{Name: "gray", Small: 3000, Large: 1 << 18, Make: func(n int) *corpus.Run {
			return over("gray", n, uniform[uint8]("rgb", 3*n, 0, 255), result[uint8]("out", n), n)
		}},
		{Name: "bilinear", Small: 60, Large: 400, Make: func(n int) *corpus.Run {
			return tiles("bilinear", n*3/2, n*3/2, uniform[uint8]("in", n*n, 0, 255), result[uint8]("out", n*3/2*(n*3/2)), n, n, n*3/2, n*3/2)
		}},
		{Name: "median3", Small: 70, Large: 512, Make: func(n int) *corpus.Run {
			return tiles("median3", n, n, uniform[uint8]("in", n*n, 0, 255), zeros[uint8]("out", n*n), n, n)
		}},
	}},
	{"particle", []Kernel{
		{Name: "verlet", Small: 1000, Large: 1 << 16, Make: func(n int) *corpus.Run {
			return over("verlet", n, uniform[float32]("pos", 4*n, 0, 1), uniform[float32]("vel", 4*n, -3, 3), float32(0.01), n)
		}},
		{Name: "kmeans", Small: 1000, Large: 1 << 15, Make: func(n int) *corpus.Run {
			return over("kmeans", n, uniform[float32]("x", 4*n, -1, 1), uniform[float32]("centre", 64, -1, 1), result[int32]("which", n), n)
		}},
		{Name: "ljcut", Small: 500, Large: 8192, Make: func(n int) *corpus.Run {
			near := uniform[int32]("near", 24*n, 0, int32(n))
			return over("ljcut", n, uniform[float32]("pos", 4*n, 0, 4), near, result[float32]("force", 4*n), float32(6.25), n)
		}},
	}},
	{"string", []Kernel{
		{Name: "strfind", Small: 300, Large: 8192, Make: func(n int) *corpus.Run {
			return over("strfind", n, uniform[uint8]("text", 64*n, 'a', 'd'), data("word", []uint8("abca")), result[int32]("count", n), n)
		}},
		{Name: "base64", Small: 2000, Large: 1 << 17, Make: func(n int) *corpus.Run {
			return over("base64", n, uniform[uint8]("in", 3*n, 0, 255), result[uint8]("out", 4*n), n)
		}},
		{Name: "itoa", Small: 1000, Large: 1 << 16, Make: func(n int) *corpus.Run {
			return over("itoa", n, uniform[uint32]("in", n, 0, 1<<32-1), result[uint8]("out", 10*n), n)
		}},
	}},
	{"double", []Kernel{
		{Name: "simpson", Small: 200, Large: 4096, Make: func(n int) *corpus.Run {
			return over("simpson", n, uniform[float64]("upper", n, 1, 5), result[float64]("area", n), 64, n)
		}},
		{Name: "julia", Small: 40, Large: 160, Make: func(n int) *corpus.Run {
			return tiles("julia", n, n, result[int32]("steps", n*n), n, n, 200)
		}},
	}},
	{"control flow", []Kernel{
		{Name: "bytecode", Small: 500, Large: 1 << 14, Make: func(n int) *corpus.Run {
			return over("bytecode", n, uniform[uint8]("code", 64, 0, 8), uniform[int32]("data", n, -1e6, 1e6), 64, n)
		}},
		{Name: "calls", Small: 500, Large: 1 << 14, Make: func(n int) *corpus.Run {
			return over("calls", n, uniform[uint32]("x", n, 1, 1<<24), uniform[uint32]("y", n, 1, 1<<24), result[uint32]("out", n), n)
		}},
		{Name: "queens", Small: 64, Large: 1024, Make: func(n int) *corpus.Run {
			return run(launch("queens", blocks(n, 64), 64, result[int32]("ways", n), 7, n))
		}},
	}},
	{"integer", []Kernel{
		{Name: "powmod", Small: 300, Large: 4096, Make: func(n int) *corpus.Run {
			return over("powmod", n, uniform[uint32]("base", n, 0, 1<<32-1), result[uint32]("out", n), uint32(1234567), uint32(1000000007), n)
		}},
		{Name: "hamming", Small: 300, Large: 8192, Make: func(n int) *corpus.Run {
			return over("hamming", n, uniform[uint32]("x", 4*n, 0, 1<<32-1), uniform[uint32]("codes", 4*64, 0, 1<<32-1), result[int32]("nearest", n), n)
		}},
	}},
}
