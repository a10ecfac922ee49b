// This file has the kernels whose threads wait for each other: grid barrier, spin lock, lock-free list.

package corpus

// GridSync passes words around a ring of CTAs through so many grid barriers.
func GridSync(ctas int, rounds int32) *Run {
	first := words(26, 2*ctas)
	data := append([]uint32(nil), first...)
	for r := range int(rounds) {
		from, to := data[r%2*ctas:][:ctas], data[(r+1)%2*ctas:][:ctas]
		for cta := range ctas {
			to[cta] = from[(cta+1)%ctas]*3 + uint32(cta)
		}
	}
	ring := inout("data", first, data)
	barrier := inout("barrier", []uint32{0, 0}, []uint32{0, uint32(rounds)})
	return &Run{
		Buffers: []*Buffer{ring, barrier},
		Launches: []Launch{{Kernel: "gridsync", Grid: line(ctas), Block: line(64),
			Args: args(ring, barrier, rounds)}},
	}
}

// WarpLock has every lane of one warp a CTA take a lock so many times.
func WarpLock(ctas int, turns int32) *Run {
	threads := 32 * ctas
	mutex := inout("mutex", []uint32{0}, []uint32{0})
	counter := inout("counter", []uint32{0}, []uint32{uint32(threads) * uint32(turns)})
	taken := output("turns", list(threads, func(int) uint32 { return uint32(turns) }))
	return &Run{
		Buffers: []*Buffer{mutex, counter, taken},
		Launches: []Launch{{Kernel: "warplock", Grid: line(ctas), Block: line(32),
			Args: args(mutex, counter, taken, turns)}},
	}
}

// LinkedList pushes nodes on one list from all CTAs; the last CTA walks it. The links depend on the schedule.
func LinkedList() *Run {
	const n = 300
	values := words(27, n)
	var sum, mix uint32
	for i, v := range values {
		sum += v
		mix ^= uint32(i)
	}
	head := inout("head", []int32{-1}, nil)
	head.Want = nil
	nodes, bvalues := scratch[uint32]("nodes", 2*n), input("values", values)
	result := output("result", []uint32{n, sum, mix})
	return &Run{
		Buffers: []*Buffer{nodes, head, bvalues, result},
		Launches: []Launch{{Kernel: "linkedlist", Grid: line(blocks(n, 64)), Block: line(64),
			Args: args(nodes, head, bvalues, int32(n), result)}},
	}
}
