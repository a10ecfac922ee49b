package machine

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
)

// Where a parted program has %ctaid: a row for the split variant, a slot for the converged one.
const (
	partedRow   = testRegs
	partedSlot  = partedRow + 128
	partedBytes = partedSlot + 8
)

// parted writes programs in which lanes exit and part, and the whole warp meets: r4 is the lane's value, r1 the member mask.
type parted struct {
	rng   *rand.Rand
	insts []Inst
}

func (g *parted) emit(in Inst) int {
	g.insts = append(g.insts, in)
	return len(g.insts) - 1
}

// choose sets a predicate for some lanes, by thread or by value.
func (g *parted) choose() uint32 {
	from, mask := []uint32{tid, r(4)}[g.rng.IntN(2)], uint64([]int{1, 3, 7, 16, 31, 33, 35, 99}[g.rng.IntN(8)])
	g.emit(op(hAnI, r(3), from, 0, mask))
	g.emit(op(hEqI, p(0), r(3), 0, g.rng.Uint64N(mask+1)&mask))
	return p(0)
}

func (g *parted) statements(n, depth int) {
	for range n {
		g.statement(depth)
	}
}

func (g *parted) statement(depth int) {
	switch k := g.rng.IntN(8); {
	case k < 1:
		g.emit(op(hExit, 0, 0, 0, 0).when(g.choose()))
	case k < 4:
		g.emit(op(hSum, r(2), r(4), r(1), 0))
		g.emit(op(hAdd, r(4), r(4), r(2), 0))
	case k < 5:
		g.emit(op(hAdd, r(4), r(4), tid, 0))
	case k < 6 && depth == 2:
		g.emit(op(hBar, 0, 0, 0, 0))
	case depth > 0:
		fork := g.emit(bra(0, 0).when(g.choose()))
		g.statements(1+g.rng.IntN(3), depth-1)
		end := g.emit(bra(0, 0))
		g.insts[fork].Imm = uint64(len(g.insts))
		g.statements(g.rng.IntN(3), depth-1)
		g.insts[end].Imm = uint64(len(g.insts))
	}
}

// ofOneWarp has the others of the CTA go past the statements.
func (g *parted) ofOneWarp() {
	g.emit(op(hAnI, r(3), tid, 0, 96))
	g.emit(op(hEqI, p(0), r(3), 0, 32*g.rng.Uint64N(3)))
	fork := g.emit(bra(0, 0).unless(p(0)))
	g.statements(3+g.rng.IntN(6), 2)
	g.insts[fork].Imm = uint64(len(g.insts))
}

// code ends a program: the lane's value goes to memory with a scalar that follows from %ctaid.
func (g *parted) code() *Code {
	g.emit(op(hAdI, r(8), partedRow, 0, 5))
	g.emit(op(hImm, r(1), 0, 0, ^uint64(0)))
	g.emit(op(hAdd, r(4), r(4), tid, 0))
	if g.rng.IntN(3) == 0 {
		g.statements(3+g.rng.IntN(6), 2)
	} else {
		g.ofOneWarp()
	}
	use := g.emit(op(hAdI, r(5), r(8), 0, 0))
	g.emit(op(hAdd, r(4), r(4), r(5), 0))
	g.emit(op(hAto, r(6), r(5), 0, 0))
	g.emit(op(hAto, r(6), r(4), 0, 1))
	g.emit(op(hOut, 0, r(4), 0, 64))
	g.emit(op(hExit, 0, 0, 0, 0))
	for pc, meet := range meets(g.insts) {
		if same(g.insts[pc].Full, hBra) {
			g.insts[pc].D = uint32(meet)
		}
	}
	c := code(g.insts...)
	c.FrameBytes = partedBytes
	c.Specials = append(c.Specials, specials.Ref{Off: partedRow, Width: regs.Row32, Reg: specialNamed("%ctaid")}, specials.Ref{Off: partedSlot, Width: regs.Slot64, Reg: specialNamed("%ctaid")})
	c.Insts = append([]Inst(nil), c.Split...)
	c.Insts[0] = op(func(w *Warp, in *Inst) State { *w.S64(in.D) = *w.S64(in.A) + in.Imm; return Next }, testScalar, partedSlot, 0, 5)
	c.Insts[use] = op(hSOut, r(5), testScalar, 0, 0)
	for pc := range c.Insts {
		c.Insts[pc].Flags = BlockStart
	}
	c.Insts[0].Flags |= WritesScalar
	c.Scalars = []regs.Scalar{{Slot: testScalar, Row: r(8), Width: regs.Row32, Live: []regs.Range{{From: 1, To: int32(use + 1)}}}}
	return c
}

// TestNativeParted runs programs in which lanes exit and part before the warp meets, in CTAs of several warps, through emulated
// compiled code that leaves anywhere: what they compute and count is the interpreter's.
func TestNativeParted(t *testing.T) {
	m := newMachine(t, 400)
	rng := rand.New(rand.NewPCG(13, 14))
	native, splits, ended := uint64(0), uint64(0), 0
	for round := range rounds(60) {
		c := (&parted{rng: rng}).code()
		threads := []uint32{32, 64, 100, 128}[round%4]
		want, stuck := m.launch(c, 7, threads, nil)
		words := append([]uint32(nil), m.words...)
		for _, leave := range []int{0, 3, 20} {
			for _, hot := range []bool{false, true} {
				n, e := newEmulated(c, rng, leave)
				e.batches(n)
				e.core = m.core
				if c.native.Store(nil); hot {
					c.SetNative(n)
				}
				m.compile = func(c *Code) { c.SetNative(n) }
				got, err := m.launch(c, 7, threads, nil)
				m.compile = nil
				if fmt.Sprint(err) != fmt.Sprint(stuck) {
					t.Fatalf("round %d, %d threads, leaving at one of %d: %v, the interpreter %v", round, threads, leave, err, stuck)
				}
				if stuck != nil {
					continue
				}
				ended++
				native, splits = native+got.NativeOps, splits+got.Splits
				if got.NativeOps, got.Left = 0, nil; !reflect.DeepEqual(got, want) || !reflect.DeepEqual(m.words, words) {
					t.Fatalf("round %d, %d threads, leaving at one of %d: %+v, the interpreter %+v, memory %v", round, threads, leave, got, want, reflect.DeepEqual(m.words, words))
				}
			}
		}
	}
	if native == 0 || splits == 0 || ended < rounds(60)*3 {
		t.Errorf("%d lane-ops ran in compiled code, frames left the converged state %d times, and %d launches ended", native, splits, ended)
	}
}
