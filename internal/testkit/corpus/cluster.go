// This file has the kernels whose blocks work in clusters.

package corpus

// ClusterHistogram counts n words by their remainder, in clusters of size CTAs.
func ClusterHistogram(ctas, size, n, nbins int) *Run {
	data := words(17, n)
	counts := make([]uint32, nbins)
	for _, v := range data {
		counts[v%uint32(nbins)]++
	}
	in, bins := input("in", data), inout("bins", make([]uint32, nbins), counts)
	return &Run{
		Buffers: []*Buffer{in, bins},
		Launches: []Launch{{Kernel: "clusterHist", Grid: line(ctas), Block: line(96), Cluster: line(size),
			Shared: 4 * blocks(nbins, size), Args: args(in, uint32(n), bins, uint32(nbins))}},
	}
}

// ClusterRing folds the sums that the other blocks of a cluster of four hand over.
func ClusterRing(ctas int) *Run {
	const threads, size = 64, 4
	data := words(23, ctas*threads)
	sums, out := make([]uint32, ctas), make([]uint32, ctas)
	for i, v := range data {
		sums[i/threads] += v
	}
	for cta := range out {
		total, first, rank := sums[cta], cta/size*size, cta%size
		for step := 1; step < size; step++ {
			total = total*3 + sums[first+(rank+size-step)%size]*uint32(step+1)
		}
		out[cta] = total
	}
	in, res := input("in", data), inout("out", make([]uint32, ctas), out)
	return &Run{
		Buffers:  []*Buffer{in, res},
		Launches: []Launch{{Kernel: "ringSum", Grid: line(ctas), Block: line(threads), Args: args(in, res)}},
	}
}
