package sched

import (
	"testing"

	"ptxvm.invalid/ptxvm"
)

// mbarriers: what waits for them gets on, or is named.

func mbarrierScenarios() []*scenario {
	return []*scenario{
		rounds(1, 5), rounds(32, 4), rounds(33, 3), rounds(256, 3),
		sendRing(4, 2, 9), sendRing(16, 8, 5), sendRing(4, 4, 1),
		bytes(6, 40, 2), bytes(8, 1, 8), bytes(3, 33, 1),
		drop(), siblings(), times(), loose(),
	}
}

func rounds(threads, n uint32) *scenario {
	each := threads * (threads - 1) / 2
	fold := uint32(0)
	for i := range n {
		fold = fold*3 + (i+1)*each
	}
	return &scenario{file: "mbarrier", kernel: "rounds", grid: line(1), block: line(threads),
		mem: make([]uint32, threads), args: []any{n}, want: fill(int(threads), func(uint32) uint32 { return fold })}
}

// sendRing has producers in rank 0, one thread for each other rank.
func sendRing(ctas, size, words uint32) *scenario {
	want := fill(int(ctas), func(cta uint32) (fold uint32) {
		if cta%size == 0 {
			return 0
		}
		for i := range words {
			fold = fold*5 + i*7 + cta%size
		}
		return fold
	})
	return &scenario{file: "mbarrier", kernel: "ring", grid: line(ctas), block: line(40), cluster: line(size),
		mem: make([]uint32, ctas), args: []any{words}, want: want}
}

func bytes(ctas, threads, size uint32) *scenario {
	return &scenario{file: "mbarrier", kernel: "bytes", grid: line(ctas), block: line(threads), cluster: line(size),
		mem: make([]uint32, ctas), want: fill(int(ctas), func(uint32) uint32 { return threads * (threads - 1) / 2 })}
}

// drop: 32 lanes of two arrivals each; lane i stays for i rounds and drops in the next, lane 31
// for 31. Then two arrivals are expected, of which .noComplete finds both pending.
func drop() *scenario {
	want := fill(33, func(i uint32) uint32 { return i + 1 })
	want[31], want[32] = 31, 2
	return &scenario{file: "mbarrier", kernel: "drop", grid: line(1), block: line(32), mem: make([]uint32, 33), want: want}
}

func siblings() *scenario {
	return &scenario{file: "mbarrier", kernel: "siblings", grid: line(1), block: line(32), mem: make([]uint32, 32),
		want: fill(32, func(i uint32) uint32 { return i })}
}

// times: the first wait takes its 5000 ns and the instruction itself; phase -1 has passed.
func times() *scenario {
	return &scenario{file: "mbarrier", kernel: "times", grid: line(1), block: line(1), mem: make([]uint32, 11),
		want: []uint32{0, 1, 0, 0, 1, 0, 0, 1, 5002, 0, 0}}
}

// TestMbarrierReleases: a thread that waits for a phase when it completes is through, whatever becomes of the object before it runs. A
// thread that has not begun to wait would find the new one, so that the order of the warps is fixed.
func TestMbarrierReleases(t *testing.T) {
	s := &scenario{file: "mbarrier", kernel: "reborn", grid: line(1), block: line(96), mem: make([]uint32, 96),
		want: fill(96, func(i uint32) uint32 { return i })}
	for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
		got, _, err := s.launch(t, ptxvm.DeviceConfig{Workers: 1, Engine: engine})
		if err != nil {
			t.Fatalf("%v: %v", engine, err)
		}
		if i := difference(got, s.want); i >= 0 {
			t.Errorf("%v: word %d is %#x, want %#x", engine, i, got[i], s.want[i])
		}
	}
}

// loose: parity -1 is 1, the phase before the first, and 2 is 0; the ended object counts; the new one is in its phase 0, then in
// its phase 2, whose parity is that of the state.
func loose() *scenario {
	return &scenario{file: "mbarrier", kernel: "loose", grid: line(1), block: line(1), mem: make([]uint32, 6),
		want: []uint32{1, 0, 1, 0, 1, 0}}
}
