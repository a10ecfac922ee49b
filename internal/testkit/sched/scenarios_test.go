package sched

// The scenarios and what plain Go computes for them.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm"
)

func scenarios() []*scenario {
	all := []*scenario{
		lock(1, 32, 25), lock(1, 96, 5), lock(6, 40, 4),
		depths(32, 13), depths(70, 5), depths(31, 31),
		arms(32), gridSync(7, 96, 9), gridSync(40, 32, 5), lookBack(50, 32), lookBack(21, 80),
		early(100, 37), early(256, 1), early(64, 64), early(33, 32), early(96, 64),
		pipe(25), both(96), both(32), both(128), halves(20), gone(),
		reduce(96, 50), reduce(33, 33), reduce(1, 0), reduce(1024, 1000),
		calls(32), branches(64), branches(45), nested(2, 96, 6), nested(1, 33, 9), nested(3, 1, 20),
	}
	for _, block := range []ptxvm.Dim3{{X: 33}, {X: 1, Y: 1}, {X: 8, Y: 8, Z: 4}, {X: 16, Y: 16}, {X: 7, Y: 5, Z: 3}, {X: 1, Y: 64}, {X: 64, Y: 2}} {
		all = append(all, shapes(2, block))
	}
	return append(append(all, clusterScenarios()...), mbarrierScenarios()...)
}

// fill computes n words by index.
func fill(n int, f func(i uint32) uint32) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = f(uint32(i))
	}
	return words
}

func lock(ctas, threads, turns uint32) *scenario {
	n := ctas * threads
	want := fill(int(2+n), func(uint32) uint32 { return turns })
	want[0], want[1] = 0, n*turns
	return &scenario{file: "lock", kernel: "lock", grid: line(ctas), block: line(threads),
		mem: make([]uint32, 2+n), args: []any{turns}, want: want}
}

// walk is the recursive function of depths.ptx.
func walk(depth uint32, value uint64) uint64 {
	if depth == 0 {
		return ^value
	}
	saved := uint64(uint16(value) * 257)
	r := walk(depth-1, value*6364136223846793005+uint64(depth)) ^ saved
	if depth&1 != 0 {
		return r + value
	}
	return r - uint64(depth)
}

func depths(threads, period uint32) *scenario {
	want := make([]uint32, 2*threads)
	for i := range threads {
		v := walk(i%period, uint64(i))
		want[2*i], want[2*i+1] = uint32(v), uint32(v>>32)
	}
	return &scenario{file: "depths", kernel: "depths", block: line(threads),
		mem: make([]uint32, len(want)), args: []any{period}, want: want}
}

func arms(odd uint32) *scenario {
	scaled := func(x, trips uint32) uint32 {
		for i := range trips {
			x = x*3 + i
		}
		return x
	}
	value := func(i uint32) uint32 {
		if i&1 != 0 {
			return scaled(odd, i) + 1000
		}
		return scaled(i, 5)
	}
	want := append([]uint32{32}, fill(32, func(i uint32) uint32 { return value(i^1) - value(i) })...)
	return &scenario{file: "arms", kernel: "arms", block: line(32), mem: make([]uint32, 33), args: []any{odd}, want: want}
}

func early(threads, stay uint32) *scenario {
	want := fill(int(threads), func(i uint32) uint32 {
		if i >= stay {
			return 0xdead
		}
		return (stay - 1 - i) * (stay - 1 - i)
	})
	return &scenario{file: "early", kernel: "early", block: line(threads),
		mem: make([]uint32, threads), args: []any{stay}, want: want}
}

func shapes(ctas uint32, block ptxvm.Dim3) *scenario {
	y, z := max(block.Y, 1), max(block.Z, 1)
	n := block.X * y * z
	id := func(cta, i uint32) uint32 {
		return i%block.X | i/block.X%y<<8 | i/block.X/y<<16 | cta<<24
	}
	var want []uint32
	for cta := range ctas {
		for i := range n {
			want = append(want, id(cta, i), id(cta, n-1-i)+(i%block.X)*(i/block.X%y))
		}
	}
	return &scenario{file: "shapes", kernel: "shapes", grid: line(ctas), block: block, mem: make([]uint32, len(want)), want: want}
}

func pipe(rounds uint32) *scenario {
	want := fill(32, func(lane uint32) (fold uint32) {
		for r := range rounds {
			fold = fold*5 + r*37 + lane
		}
		return fold
	})
	return &scenario{file: "barriers", kernel: "pipe", block: line(64), mem: make([]uint32, 32), args: []any{rounds}, want: want}
}

func both(threads uint32) *scenario {
	word := func(i uint32) uint32 {
		if i&1 != 0 {
			return i*10 + 1
		}
		return i*10 + 2
	}
	want := fill(int(threads), func(i uint32) uint32 {
		if i&1 != 0 {
			return word(i ^ 1)
		}
		return word(i ^ 3)
	})
	return &scenario{file: "barriers", kernel: "both", block: line(threads), mem: make([]uint32, threads), want: want}
}

func reduce(threads, limit uint32) *scenario {
	below := min(threads, limit)
	want := fill(int(3*threads), func(i uint32) uint32 {
		switch {
		case i%3 == 0:
			return below
		case i%3 == 1 && below == threads, i%3 == 2 && below < threads:
			return 1
		}
		return 0
	})
	return &scenario{file: "barriers", kernel: "reduce", block: line(threads), mem: make([]uint32, 3*threads), args: []any{limit}, want: want}
}

func halves(rounds uint32) *scenario {
	v := fill(32, func(i uint32) uint32 { return i })
	for range rounds {
		v = fill(32, func(i uint32) uint32 {
			from := v[i&16|(i+1)&15]
			if i < 16 {
				return from + 1
			}
			return from*3 + 1
		})
	}
	return &scenario{file: "barriers", kernel: "halves", block: line(32), mem: make([]uint32, 32), args: []any{rounds}, want: v}
}

func gone() *scenario {
	want := fill(32, func(i uint32) uint32 {
		if i < 16 {
			return 0
		}
		return (i ^ 5) * 11
	})
	return &scenario{file: "barriers", kernel: "gone", block: line(32), mem: make([]uint32, 32), want: want}
}

func calls(threads uint32) *scenario {
	table := []func(uint32) uint32{
		func(x uint32) uint32 { return x + 100 },
		func(x uint32) uint32 { return x * x },
		func(x uint32) uint32 { return max(x, 1) * (x + 1) / 2 },
	}
	twice := func(i uint32) uint32 {
		f := table[i*i%3]
		return f(f(i) % 50)
	}
	want := fill(int(threads), func(i uint32) uint32 {
		return twice(i) + twice(min(i+1, 31))
	})
	return &scenario{file: "indirect", kernel: "call", block: line(threads), mem: make([]uint32, threads), want: want}
}

func branches(threads uint32) *scenario {
	want := fill(int(threads), func(i uint32) uint32 {
		// The first step halves whatever the parity; then steps go by it until the value is at most 1.
		v, steps := (i+1)>>1, uint32(1)
		for v > 1 {
			if v&1 != 0 {
				v = v*3 + 1
			} else {
				v >>= 1
			}
			steps++
		}
		return steps
	})
	return &scenario{file: "indirect", kernel: "branch", block: line(threads), mem: make([]uint32, threads), want: want}
}

func nested(ctas, threads, bound uint32) *scenario {
	want := fill(int(ctas*threads), func(t uint32) uint32 { return nestedHash(t, bound) })
	return &scenario{file: "nested", kernel: "nested", grid: line(ctas), block: line(threads),
		mem: make([]uint32, len(want)), args: []any{bound}, want: want}
}

// nestedHash is nested.ptx for one thread.
func nestedHash(t, bound uint32) uint32 {
	h := t
	for i := uint32(0); i < t&7+bound; i++ {
		for j := uint32(0); j <= (i+t)&3; {
			j++
			way := (j ^ h) & 3
			if way == 0 {
				continue
			}
			if way == 3 {
				if h&64 != 0 {
					break
				}
				h += 17
			}
			h = h*1664525 + j
			h ^= h >> 7
			if way != 1 {
				h += i
			}
		}
		if h&255 == 255 {
			break
		}
	}
	return h
}

func lookBack(ctas, threads uint32) *scenario {
	// The sums do not depend on which CTA took which ticket. mem holds the state and then the output.
	state := 2 + 2*ctas
	want := make([]uint32, state+ctas*threads)
	want[0] = ctas
	sum := uint32(0)
	for tile := range ctas {
		for i := range threads {
			want[state+tile*threads+i] = sum + i
		}
		sum += tile*tile + 1
		want[2+2*tile], want[3+2*tile] = 2, sum
	}
	return &scenario{file: "grid", kernel: "lookback", grid: line(ctas), block: line(threads),
		mem: make([]uint32, len(want)), args: []any{state}, want: want}
}

func gridSync(ctas, threads, rounds uint32) *scenario {
	data := fill(int(2*ctas), func(i uint32) uint32 { return bits.Reverse32(i*0x9e3779b9 + 1) })
	mem := append([]uint32{0}, data...)
	want := append([]uint32{ctas * rounds}, data...)
	for r := range rounds {
		from, to := want[1+r%2*ctas:][:ctas], want[1+(r+1)%2*ctas:][:ctas]
		for c := range ctas {
			to[c] = from[(c+1)%ctas]*3 + c
		}
	}
	return &scenario{file: "grid", kernel: "sync", grid: line(ctas), block: line(threads), mem: mem, args: []any{rounds}, want: want}
}
