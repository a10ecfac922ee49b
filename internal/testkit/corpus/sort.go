// This file has the sorts: radix sort in three kernels a pass, and recursive quicksort.

package corpus

import (
	"cmp"
	"slices"
)

// RadixSort sorts n pairs by key, stably, in eight passes of four bits between two pairs of buffers.
func RadixSort(n int) *Run {
	const threads, radix = 128, 16
	ctas := blocks(n, threads)
	seed := random(14)
	keys := list(n, func(int) uint32 { return uint32(seed.below(700)) * 6135667 }) // some are equal
	values := list(n, func(i int) uint32 { return uint32(i) })
	order := slices.Clone(values)
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	sorted := list(n, func(i int) uint32 { return keys[order[i]] })

	k := [2]*Buffer{inout("keys", keys, sorted), scratch[uint32]("keys2", n)}
	v := [2]*Buffer{inout("values", values, order), scratch[uint32]("values2", n)}
	counts := scratch[uint32]("counts", radix*ctas)
	run := &Run{Buffers: []*Buffer{k[0], k[1], v[0], v[1], counts}}
	for pass := range 8 {
		from, to, shift := pass%2, (pass+1)%2, int32(4*pass)
		run.Launches = append(run.Launches,
			Launch{Kernel: "radixCount", Grid: line(ctas), Block: line(threads), Args: args(k[from], int32(n), shift, counts)},
			Launch{Kernel: "radixScan", Grid: line(1), Block: line(64), Shared: 64 * 4, Args: args(counts, int32(radix*ctas))},
			Launch{Kernel: "radixScatter", Grid: line(ctas), Block: line(threads),
				Args: args(k[from], v[from], int32(n), shift, counts, k[to], v[to])})
	}
	return run
}

// Quicksort sorts each row of a matrix in one thread, recursively.
func Quicksort(rows, width int) *Run {
	seed := random(15)
	data := list(rows*width, func(int) int32 { return int32(seed.below(200) - 100) })
	sorted := slices.Clone(data)
	for r := range rows {
		slices.Sort(sorted[r*width:][:width])
	}
	b := inout("data", data, sorted)
	return &Run{
		Buffers: []*Buffer{b},
		Launches: []Launch{{Kernel: "sortRows", Grid: line(blocks(rows, 32)), Block: line(32),
			Args: args(b, int32(rows), int32(width))}},
	}
}
