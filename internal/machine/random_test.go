package machine

import (
	"math/rand/v2"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"testing"
)

// graph is a random control-flow graph. Block b hashes its number into r1, counts r2 up, and
// goes to the next block or to another by a bit of r1; a lane leaves when r2 reaches a limit.
// The last block is the exit, which therefore post-dominates every other one immediately.
type graph struct {
	to    [][2]int
	limit uint32
}

func randomGraph(rng *rand.Rand, blocks int) *graph {
	g := &graph{limit: 20 + rng.Uint32N(30)}
	for range blocks {
		g.to = append(g.to, [2]int{len(g.to) + 1, rng.IntN(blocks + 1)})
	}
	return g
}

const blockLen = 6

func (g *graph) pc(b int) int { return 3 + b*blockLen }

// reference runs one lane alone.
func (g *graph) reference(h uint32) uint32 {
	n := uint32(0)
	for b := 0; b != len(g.to); {
		h = h*31 + uint32(b)
		if n++; n >= g.limit {
			break
		}
		b = g.to[b][h>>3&1]
	}
	return h
}

// code decodes the graph; meet gives the reconvergence pc of a block's branches.
func (g *graph) code(meet func(b int) int) *Code {
	hash := lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = w.R32(in.D)[i]*31 + uint32(in.Imm) })
	bit := lanes(func(w *Warp, in *Inst, i int) { setPred(w, in.D, i, w.R32(in.A)[i]>>3&1 != 0) })
	exit := g.pc(len(g.to))
	insts := []Inst{
		op(hAdI, r(1), tid, 0, 0),
		op(hImm, r(2), 0, 0, 0),
		op(hAnI, r(3), tid, 0, 3),
	}
	for b, to := range g.to {
		insts = append(insts,
			op(hash, r(1), 0, 0, uint64(b)),
			op(hAdI, r(2), r(2), 0, 1),
			op(hLtI, p(0), r(2), 0, uint64(g.limit)),
			bra(exit, meet(b)).unless(p(0)),
			op(bit, p(1), r(1), 0, 0),
			bra(g.pc(to[1]), meet(b)).when(p(1)),
		)
	}
	insts = append(insts, op(hOut, 0, r(1), 0, 64), op(hExit, 0, 0, 0, 0))
	return code(insts...)
}

// TestRandomGraphs compares warps with their lanes alone, for the right reconvergence pcs,
// for none, and for wrong ones: those cost speed, never results.
func TestRandomGraphs(t *testing.T) {
	m := newMachine(t, 200)
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range rounds(150) {
		g := randomGraph(rng, 1+rng.IntN(12))
		exit := g.pc(len(g.to))
		for name, meet := range map[string]func(int) int{
			"exit":   func(int) int { return exit },
			"none":   func(int) int { return -1 },
			"random": func(int) int { return g.pc(rng.IntN(len(g.to) + 1)) },
		} {
			c := g.code(meet)
			for _, flags := range []Flags{0, QuietLoop} {
				for i := range c.Split {
					c.Split[i].Flags = BlockStart | flags
				}
				m.mustRun(c, 1, 64, func(l *Launch) { l.Seed = uint64(round) })
				for i := range 64 {
					if got, want := m.words[64+i], g.reference(uint32(i)); got != want {
						t.Fatalf("round %d, meeting at %s, thread %d: got %#x, want %#x\n%v", round, name, i, got, want, g.to)
					}
				}
			}
		}
	}
}

// TestRandomConverged puts random graphs into a uniform loop whose counter is a scalar, with a
// lock in the loop now and then: the frame leaves the converged state and returns to it.
func TestRandomConverged(t *testing.T) {
	m := newMachine(t, 200)
	rng := rand.New(rand.NewPCG(5, 6))
	splits := uint64(0)
	for round := range rounds(100) {
		g := randomGraph(rng, 1+rng.IntN(6))
		trips, lock := uint64(2+rng.IntN(20)), rng.IntN(3) == 0
		c := g.looped(trips, lock)
		s := m.mustRun(c, 1, 64, nil)
		splits = max(splits, s.Splits)
		for i := range 64 {
			want := uint32(i)
			for range trips {
				want = g.reference(want)
			}
			if got := m.words[64+i]; got != want+uint32(trips) {
				t.Fatalf("round %d, thread %d: got %#x, want %#x", round, i, got, want+uint32(trips))
			}
		}
		if lock && m.words[1] != 64*uint32(trips) {
			t.Fatalf("round %d: counter %d, want %d", round, m.words[1], 64*trips)
		}
	}
	if splits < 4 {
		t.Errorf("at most %d splits in a launch of 2 warps: no frame returned to the converged state", splits)
	}
}

// looped is the graph in a loop of trips, behind it a critical section if lock is set. The
// counter is the scalar; its row in the split variant is r8.
func (g *graph) looped(trips uint64, lock bool) *Code {
	exit := g.pc(len(g.to))
	row := g.code(func(int) int { return exit }).Split
	row = row[:len(row)-2]
	row[1] = op(hImm, r(8), 0, 0, 0)
	row[2] = op(hImm, r(2), 0, 0, 0) // loop head
	if lock {
		at := exit
		row = append(row,
			op(hCAS, r(4), 0, 0, 0),
			op(hEqI, p(2), r(4), 0, 0),
			bra(at, at+3).unless(p(2)),
			op(hGet, r(4), 0, 0, 1),
			op(hAdI, r(4), r(4), 0, 1),
			op(hXch, r(5), r(4), 0, 1),
			op(hImm, r(4), 0, 0, 0),
			op(hXch, r(5), r(4), 0, 0),
		)
	}
	add := len(row)
	row = append(row,
		op(hAdI, r(8), r(8), 0, 1),
		op(hLtI, p(3), r(8), 0, trips),
		bra(2, add+3).when(p(3)),
		op(hAdd, r(1), r(1), r(8), 0),
		op(hOut, 0, r(1), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	conv := append([]Inst(nil), row...)
	slot := uint32(testScalar)
	conv[1] = op(hSAdd, slot, 0, 0, 0)
	conv[add] = op(hSAdd, slot, 0, 0, 1)
	conv[add+1] = op(func(w *Warp, in *Inst) State {
		*w.P(in.D) = 0
		if *w.S64(in.A) < in.Imm {
			*w.P(in.D) = ^uint32(0)
		}
		return Next
	}, p(3), slot, 0, trips)
	conv[add+3] = op(lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] += uint32(*w.S64(in.A)) }), r(1), slot, 0, 0)
	conv[1].Flags, conv[add].Flags = WritesScalar, WritesScalar
	c := code(row...)
	for i := range conv {
		c.Split[i].Flags = BlockStart
	}
	c.Insts = conv
	c.Scalars = []regs.Scalar{{Slot: slot, Row: r(8), Width: regs.Row32, Live: []regs.Range{{From: 2, To: int32(add + 4)}}}}
	return c
}

// rounds is the number of random cases: a fifth in short runs.
func rounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}
