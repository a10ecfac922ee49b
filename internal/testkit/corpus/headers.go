// This file has the cases whose PTX is made at test time, since it contains code of the compiler's headers.

package corpus

import (
	"cmp"
	"math"
	"slices"
)

// Headers returns the cases of testdata/cuda/headers: there are sources, and no PTX. Each path of the
// module's source is Module + ".cu".
func Headers() []Case {
	both := []int{75, 90}
	return []Case{
		{"headers/half", "cuda/headers/half", both, same(HeaderHalf)},
		{"headers/cooperative", "cuda/headers/cooperative", both, same(HeaderCooperative)},
		{"headers/libdevice", "cuda/headers/libdevice", both, same(HeaderLibdevice)},
		{"headers/cubsort", "cuda/headers/cubsort", both, same(HeaderSort)},
		{"headers/cubscan", "cuda/headers/cubscan", both, HeaderScan},
		{"headers/barrier", "cuda/headers/barrier", []int{80, 90}, same(HeaderBarrier)},
	}
}

// Source returns the CUDA source of a case, below testdata and with slashes; Triton cases have none.
func (c Case) Source() string { return c.Module + ".cu" }

// HeaderHalf is y = a*x + y on __half2, and the sum of each resulting pair.
func HeaderHalf() *Run {
	const n, a = 400, float32(0.75)
	seed := random(40)
	narrow := func(int) half { return roundHalf(float64(seed.unit())) }
	x, y := list(n, narrow), list(n, narrow)
	after := list(n, func(i int) half { return fmaHalf(roundHalf(float64(a)), x[i], y[i]) })
	sums := list(n/2, func(i int) float32 { return float32(halfValue(after[2*i])) + float32(halfValue(after[2*i+1])) })
	bx, by, sum := input("x", x), inout("y", y, after), output("sum", sums)
	return &Run{
		Buffers: []*Buffer{bx, by, sum},
		Launches: []Launch{{Kernel: "half2axpy", Grid: line(2), Block: line(128),
			Args: args(int32(n/2), a, bx, by, sum)}},
	}
}

// HeaderCooperative is the ring of GridSync with the barrier of cooperative_groups. Its workspace is not a
// parameter: %envreg1 and %envreg2 hold the high and the low half of the address of 8 or more zero bytes.
func HeaderCooperative() *Run {
	const ctas, rounds = 12, 9
	run := GridSync(ctas, rounds)
	data := run.Buffers[0]
	return &Run{
		Buffers:  []*Buffer{data},
		Launches: []Launch{{Kernel: "ring", Grid: line(ctas), Block: line(64), Args: args(data, int32(rounds))}},
	}
}

// HeaderBarrier sums tiles that asynchronous copies bring, by cuda::barrier and by cuda::pipeline.
func HeaderBarrier() *Run {
	const tile, tiles, threads = 128, 5, 64
	seed := random(45)
	in := list(tile*tiles, func(int) int32 { return int32(seed.next()) })
	sums := func(stride int) []int32 {
		return list(threads, func(t int) (sum int32) {
			for k := range tiles {
				sum += in[k*tile+t*stride%tile]
			}
			return sum
		})
	}
	from, bar, pipe := input("in", in), output("bar", sums(7)), output("pipe", sums(5))
	return &Run{
		Buffers: []*Buffer{from, bar, pipe},
		Launches: []Launch{
			{Kernel: "withBarrier", Grid: line(1), Block: line(threads), Args: args(from, bar, int32(tiles))},
			{Kernel: "withPipeline", Grid: line(1), Block: line(threads), Args: args(from, pipe, int32(tiles))},
		},
	}
}

// HeaderLibdevice compares expf, sinf and powf with double precision, large sine arguments included.
func HeaderLibdevice() *Run {
	const n, power = 300, float32(1.7)
	seed := random(41)
	x := list(n, func(i int) float32 {
		if i%7 == 6 {
			return 1e6 * seed.unit()
		}
		return 20 * seed.unit()
	})
	of := func(name string, f func(v float64) float64) *Buffer {
		b := output(name, list(n, func(i int) float32 { return float32(f(float64(x[i]))) }))
		b.Tol = Tolerance{Rel: 1e-6, Abs: 1e-38, Why: "the device library promises a few units in the last place"}
		return b
	}
	bx := input("x", x)
	e, s := of("exponential", math.Exp), of("sine", math.Sin)
	p := of("power", func(v float64) float64 { return math.Pow(math.Abs(v), float64(power)) })
	return &Run{
		Buffers: []*Buffer{bx, e, s, p},
		Launches: []Launch{{Kernel: "elementary", Grid: line(3), Block: line(128),
			Args: args(bx, e, s, p, int32(n))}},
	}
}

// HeaderSort runs CUB's radix sort for inputs that fit one tile: one CTA, all 32 bits of the keys.
func HeaderSort() *Run {
	const n = 3000
	seed := random(42)
	keys := list(n, func(int) uint32 { return uint32(seed.below(2000)) * 2146121 })
	order := list(n, func(i int) uint32 { return uint32(i) })
	bvalues := input("values", slices.Clone(order))
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	bkeys := input("keys", keys)
	keysOut := output("keysOut", list(n, func(i int) uint32 { return keys[order[i]] }))
	valuesOut := output("valuesOut", order)
	list := args(bkeys, keysOut, bvalues, valuesOut, uint32(n), int32(0), int32(32), uint8(0))
	list[7].Size = 1 // an empty struct
	return &Run{
		Buffers:  []*Buffer{bkeys, keysOut, bvalues, valuesOut},
		Launches: []Launch{{Kernel: "DeviceRadixSortSingleTileKernel", Grid: line(1), Block: line(256), Args: list}},
	}
}

// HeaderScan runs CUB's inclusive sum of words as its dispatcher does: tile states cleared, then one CTA a tile.
func HeaderScan(t Target) *Run {
	const n, threads = 7000, 128
	tile := threads * 15 // items a tile, by CUB's tuning
	if t.Arch >= 90 {
		tile = threads * 24
	}
	in, sum := words(43, n), uint32(0)
	bin := input("in", in)
	out := output("out", list(n, func(i int) uint32 {
		sum += in[i]
		return sum
	}))
	tiles := blocks(n, tile)
	states := scratch[uint64]("states", tiles+32) // a warp of padding before the first tile
	state := Arg{Buffer: states, Elem: U64, Size: 16}
	empty := Arg{Elem: U8, Scalar: []byte{0}, Size: 1}
	scan := slices.Concat(args(bin, out), []Arg{state}, args(int32(0)), []Arg{empty, empty}, args(uint32(n), int32(1)))
	return &Run{
		Buffers: []*Buffer{bin, out, states},
		Launches: []Launch{
			{Kernel: "DeviceScanInitKernelINS2_26policy_selector_from_typesIPKiPi", Grid: line(blocks(tiles, threads)),
				Block: line(threads), Args: append([]Arg{state}, args(int32(tiles))...)},
			{Kernel: "DeviceScanKernelINS2_26policy_selector_from_typesIPKiPi", Grid: line(tiles),
				Block: line(threads), Args: scan},
		},
	}
}
