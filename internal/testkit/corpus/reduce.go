// This file has the kernels that combine many values into few: reduction, scan, histogram.

package corpus

// ReduceInt is a sum of n words by some CTAs.
func ReduceInt(ctas, n int) *Run {
	seed := random(10)
	return reduction("_Z6reduceIiEvPKT_PS0_i", ctas, list(n, func(int) int32 { return int32(seed.next()) }))
}

// ReduceFloat is a sum of floats in the order of grid-stride loop, shuffles and atomics.
func ReduceFloat() *Run {
	return reduction("_Z6reduceIfEvPKT_PS0_i", 6, floats(11, 5000))
}

func reduction[T int32 | float32](kernel string, ctas int, x []T) *Run {
	const threads = 192
	var total T
	for cta := range ctas { // one atomic a CTA, CTAs ascending
		total += blockSum(x, cta, ctas, threads)
	}
	bx, sum := input("x", x), inout("sum", []T{0}, []T{total})
	return &Run{
		Buffers: []*Buffer{bx, sum},
		Launches: []Launch{{Kernel: kernel, Grid: line(ctas), Block: line(threads),
			Args: args(bx, sum, int32(len(x)))}},
	}
}

// blockSum is one CTA's share: a strided sum a thread, a tree a warp, a tree of the warps' sums.
func blockSum[T number](x []T, cta, ctas, threads int) T {
	partial := lanes(func(warp int) T {
		if warp >= threads/32 {
			return 0
		}
		return shuffleDown(lanes(func(lane int) T {
			var v T
			for i := cta*threads + warp*32 + lane; i < len(x); i += ctas * threads {
				v += x[i]
			}
			return v
		}))
	})
	return shuffleDown(partial)
}

// Scan is an inclusive sum of n words with decoupled look-back.
func Scan(n int) *Run {
	const tile = 4 * 128
	ctas := blocks(n, tile)
	in, sum := words(12, n), uint32(0)
	states := make([]uint64, ctas)
	out := output("out", list(n, func(i int) uint32 {
		sum += in[i]
		states[i/tile] = 2<<32 | uint64(sum) // flag 2: an inclusive prefix
		return sum
	}))
	bin := input("in", in)
	ticket := inout("ticket", []uint32{0}, []uint32{uint32(ctas)})
	state := inout("states", make([]uint64, ctas), states)
	return &Run{
		Buffers: []*Buffer{bin, out, ticket, state},
		Launches: []Launch{{Kernel: "scan", Grid: line(ctas), Block: line(128),
			Args: args(bin, out, int32(n), ticket, state)}},
	}
}

// Histogram counts n bytes.
func Histogram(ctas, n int) *Run {
	data := octets(13, n)
	counts := make([]uint32, 256)
	for _, v := range data {
		counts[v]++
	}
	bdata, bins := input("data", data), inout("bins", make([]uint32, 256), counts)
	return &Run{
		Buffers: []*Buffer{bdata, bins},
		Launches: []Launch{{Kernel: "histogram", Grid: line(ctas), Block: line(128),
			Args: args(bdata, int32(n), bins)}},
	}
}
