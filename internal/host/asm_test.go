package host

// This file is a tiny assembler for tests: hand-decoded programs with handlers of their own.

import (
	"context"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Layout of the test programs' register blocks: eight rows, a predicate, %tid.x.
const (
	testPred  = 8 * 128
	tid       = testPred + 64
	testBytes = tid + 128
)

func r(i int) uint32 { return uint32(i) * 128 }

// op is an instruction without a guard.
func op(h machine.Handler, d, a uint32, imm uint64) machine.Inst {
	return machine.Inst{Full: h, Part: h, D: d, A: a, Imm: imm, Guard: machine.NoGuard}
}

// bra jumps to target in the lanes of the predicate; they meet at pc.
func bra(target, meet int) machine.Inst {
	in := op(func(w *machine.Warp, in *machine.Inst) machine.State { return w.Branch(in, w.Mask, int32(in.Imm)) }, uint32(int32(meet)), 0, uint64(target))
	in.Guard = testPred
	return in
}

// lanes runs a function for every lane of w.Mask.
func lanes(f func(w *machine.Warp, in *machine.Inst, i int)) machine.Handler {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		for i := range 32 {
			if w.Mask>>i&1 != 0 {
				f(w, in, i)
			}
		}
		return machine.Next
	}
}

// The handlers. hAto, hGet and hOut work on the words Imm of the global buffer, hOut on Imm + thread.
var (
	hImm = lanes(func(w *machine.Warp, in *machine.Inst, i int) { w.R32(in.D)[i] = uint32(in.Imm) })
	hAto = lanes(func(w *machine.Warp, in *machine.Inst, i int) {
		w.R32(in.D)[i] = mem.Add32(word(w, in.Imm), w.R32(in.A)[i])
	})
	hGet = lanes(func(w *machine.Warp, in *machine.Inst, i int) { w.R32(in.D)[i] = mem.Load32(word(w, in.Imm)) })
	hOut = lanes(func(w *machine.Warp, in *machine.Inst, i int) {
		mem.Store32(word(w, in.Imm+uint64(w.Index()*32+i)), w.R32(in.A)[i])
	})
	hLtI = lanes(func(w *machine.Warp, in *machine.Inst, i int) { // sets the predicate
		p := w.P(testPred)
		*p &^= 1 << i
		if w.R32(in.A)[i] < uint32(in.Imm) {
			*p |= 1 << i
		}
	})
	hBar machine.Handler = func(w *machine.Warp, in *machine.Inst) machine.State {
		var id [32]uint32
		_, st := w.Barrier(in, machine.BarrierIn{Kind: barriers.Sync, ID: &id})
		return st
	}
	hExit machine.Handler = func(w *machine.Warp, in *machine.Inst) machine.State { return w.Exit(in) }
)

var exit = op(hExit, 0, 0, 0)

// special returns a special register of the ISA.
func special(name string) isa.Special {
	s, ok := isa.LookupSpecial(name)
	if !ok {
		panic("no special register " + name)
	}
	return s
}

// code makes a function that runs split.
func code(insts ...machine.Inst) *machine.Code {
	for i := range insts {
		insts[i].Flags |= machine.BlockStart
	}
	return &machine.Code{
		Func: &machine.FuncInfo{Name: "f"}, Split: insts, RegBytes: testBytes, FrameBytes: testBytes,
		Specials: []specials.Ref{{Off: tid, Width: regs.Row32, Reg: special("%tid")}},
	}
}

// launchOf is a launch of some CTAs in a row.
func launchOf(c *machine.Code, grid, block uint32, workers int) *Launch {
	return &Launch{Workers: workers, Launch: machine.Launch{
		Entry: c, Shape: shape.Shape{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}, Cluster: [3]uint32{1, 1, 1}},
		Target: sizes.Of(90),
	}}
}

// testMachine is a device with a buffer of words.
type testMachine struct {
	*Device
	t     testing.TB
	words []uint32
}

func newMachine(t testing.TB, words int) *testMachine {
	t.Helper()
	a, err := mem.NewArena(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	m := &testMachine{Device: NewDevice(a, 1), t: t}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	base, err := a.Alloc(uint64(words)*4, mem.Info{Label: "buffer"})
	if err != nil {
		t.Fatal(err)
	}
	m.words = wordsOf(a.Bytes(base, uint64(words)*4))
	return m
}

// launch clears the buffer and launches, on one worker.
func (m *testMachine) launch(c *machine.Code, grid, block uint32, change func(*Launch)) (machine.Stats, error) {
	l := launchOf(c, grid, block, 1)
	if change != nil {
		change(l)
	}
	clear(m.words)
	return m.Launch(context.Background(), l)
}

// mustRun launches and fails the test on an error.
func (m *testMachine) mustRun(c *machine.Code, grid, block uint32, change func(*Launch)) machine.Stats {
	m.t.Helper()
	s, err := m.launch(c, grid, block, change)
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}
