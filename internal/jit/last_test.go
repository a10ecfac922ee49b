package jit_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// TestLastCTA: where one CTA is left, nobody else wants the worker, and compiled code goes on from pass to pass until the fuel of
// its warps is used; of several each lets the others run after 64 passes.
func TestLastCTA(t *testing.T) {
	const bars = "bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;"
	l := newLaboratory(t, "k.ptx", accessHeader+"mov.u32 %r20, 0;\nL: add.u32 %r20, %r20, 1;"+bars+bars+"setp.lt.u32 %p1, %r20, 300; @%p1 bra L;\n\tret;\n}\n")
	buf, _ := l.arena.Alloc(1<<17, mem.Info{Label: "buf"})
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		longest := map[uint32]uint64{}
		for _, grid := range []uint32{1, 2} {
			e := engine(t, jit.Options{Vectors: v})
			l.run(t, "k", grid, [3]uint32{64, 1, 1}, func(c *machine.Code, stopped func() bool) {
				e.Install(c, stopped)
				n := c.Native()
				call := n.Call
				n.Call = func(s *abi.State, entry uintptr) {
					before := s.Batch.Passed
					call(s, entry)
					if before <= 2 { // of the CTA that begins first, when code has seen its parameters
						longest[grid] = max(longest[grid], uint64(s.Batch.Passed))
					}
				}
			}, buf, uint32(24))
		}
		if longest[1] < 200 || longest[2] > 64 {
			t.Errorf("%v: batches of %d passes of one CTA, of %d of the first of two", v, longest[1], longest[2])
		}
	}
}
