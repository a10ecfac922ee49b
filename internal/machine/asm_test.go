package machine

// This file is a tiny assembler for tests: hand-decoded programs with handlers of their own.

import (
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Layout of the test programs' register blocks.
const (
	testPred   = 16 * 128
	testScalar = testPred + 64
	testWide   = testScalar + 64
	testBytes  = testWide + 8*256
	testTid    = testBytes
	testRegs   = testTid + 128
)

func r(i int) uint32 { return uint32(i) * 128 }
func p(i int) uint32 { return testPred + uint32(i)*4 }
func x(i int) uint32 { return testWide + uint32(i)*256 }

// tid is the row of %tid.x.
const tid = testTid

// lanes runs a function for every lane of w.Mask.
func lanes(f func(w *Warp, in *Inst, i int)) Handler {
	return func(w *Warp, in *Inst) State {
		for m := w.Mask; m != 0; m &= m - 1 {
			f(w, in, first(m))
		}
		return Next
	}
}

func op(h Handler, d, a, b uint32, imm uint64) Inst {
	return Inst{Full: h, Part: h, D: d, A: a, B: b, Imm: imm, Guard: NoGuard}
}

// The handlers.
var (
	hAdd = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = w.R32(in.A)[i] + w.R32(in.B)[i] })
	hAdI = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = w.R32(in.A)[i] + uint32(in.Imm) })
	hAnI = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = w.R32(in.A)[i] & uint32(in.Imm) })
	hImm = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = uint32(in.Imm) })
	hLtI = lanes(func(w *Warp, in *Inst, i int) { setPred(w, in.D, i, w.R32(in.A)[i] < uint32(in.Imm)) })
	hEqI = lanes(func(w *Warp, in *Inst, i int) { setPred(w, in.D, i, w.R32(in.A)[i] == uint32(in.Imm)) })
	hLt  = lanes(func(w *Warp, in *Inst, i int) { setPred(w, in.D, i, w.R32(in.A)[i] < w.R32(in.B)[i]) })
	// hCAS and hAtom work on the word Imm of the global buffer.
	hCAS = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = mem.CAS32(word(w, in.Imm), 0, 1) })
	hXch = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = mem.Exchange32(word(w, in.Imm), w.R32(in.A)[i]) })
	hAto = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = mem.Add32(word(w, in.Imm), w.R32(in.A)[i]) })
	hGet = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = mem.Load32(word(w, in.Imm)) })
	// hOut stores A at word Imm + thread of the global buffer.
	hOut = lanes(func(w *Warp, in *Inst, i int) {
		mem.Store32(word(w, in.Imm+uint64(w.Index()*32+i)), w.R32(in.A)[i])
	})
	hBra  Handler = func(w *Warp, in *Inst) State { return w.Branch(in, w.Mask, int32(in.Imm)) }
	hExit Handler = func(w *Warp, in *Inst) State { return w.Exit(in) }
	hRet  Handler = func(w *Warp, in *Inst) State { return w.Ret(in) }
	hCall Handler = func(w *Warp, in *Inst) State { return w.Call(in, nil) }
	hCalX Handler = func(w *Warp, in *Inst) State { return w.Call(in, w.R64(in.A)) }
	hBar  Handler = func(w *Warp, in *Inst) State { return barrier(w, in, barriers.Sync, false) }
	hBarC Handler = func(w *Warp, in *Inst) State { return barrier(w, in, barriers.Sync, true) }
	hArrC Handler = func(w *Warp, in *Inst) State { return barrier(w, in, barriers.Arrive, true) }
	hNap  Handler = func(w *Warp, in *Inst) State { return w.Sleep(100) }
	// hPopc counts the lanes with A != 0 over the CTA.
	hPopc Handler = func(w *Warp, in *Inst) State {
		var id [32]uint32
		n, st := w.Barrier(in, BarrierIn{Kind: barriers.Popc, ID: &id, Pred: *w.P(in.A)})
		if st != Next {
			return st
		}
		return lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = n })(w, in)
	}
	// hSum is a .sync instruction: D = sum of A over the lanes of the member mask in B.
	hSum Handler = func(w *Warp, in *Inst) State {
		members := w.R32(in.B)
		g, st := w.Gather(in, GatherIn{Key: 1, Members: members, A: w.R32(in.A)})
		if st != Next {
			return st
		}
		var sum [32]uint32
		for m := w.Mask; m != 0; m &= m - 1 {
			for k := members[first(m)] & g.Lanes; k != 0; k &= k - 1 {
				sum[first(m)] += g.A[first(k)]
			}
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			w.R32(in.D)[first(m)] = sum[first(m)]
		}
		return Next
	}
	// hSAdd adds Imm to the scalar at D, hSOut broadcasts it to row D.
	hSAdd Handler = func(w *Warp, in *Inst) State { *w.S64(in.D) += in.Imm; return Next }
	hSOut         = lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = uint32(*w.S64(in.A)) })
)

func setPred(w *Warp, off uint32, i int, v bool) {
	q := w.P(off)
	*q &^= 1 << i
	if v {
		*q |= 1 << i
	}
}

func barrier(w *Warp, in *Inst, k barriers.Kind, counted bool) State {
	var id, count [32]uint32
	for i := range id {
		id[i], count[i] = in.A, uint32(in.Imm)
	}
	b := BarrierIn{Kind: k, ID: &id}
	if counted {
		b.Count = &count
	}
	_, st := w.Barrier(in, b)
	return st
}

// bra jumps to target; the lanes meet at pc.
func bra(target, meet int) Inst {
	return Inst{Full: hBra, Part: hBra, Imm: uint64(target), D: uint32(int32(meet)), Guard: NoGuard}
}

func (in Inst) when(pred uint32) Inst   { in.Guard = pred; return in }
func (in Inst) unless(pred uint32) Inst { in.Guard = pred | 1; return in }

// code makes a function that runs split.
func code(insts ...Inst) *Code {
	for i := range insts {
		insts[i].Flags |= BlockStart
	}
	return &Code{
		Func: &FuncInfo{Name: "f"}, Split: insts, RegBytes: testBytes, FrameBytes: testRegs,
		Specials: []specials.Ref{{Off: tid, Width: regs.Row32, Reg: specialNamed("%tid")}},
	}
}

// testMachine is one core with a buffer of words, and the least that a host can be: it runs one cluster after the other,
// and parked ones when no other can begin.
type testMachine struct {
	*mem.Arena
	t       testing.TB
	words   []uint32
	base    uint64
	core    *Core
	compile func(*Code) // installs machine code, at once; nil: code is interpreted
	number  uint64
	params  uint64
	block   []byte

	grid     *Grid
	next     uint64 // cluster that has not begun
	resident int64
	given    int64
	queue    []*Cluster
}

// testParams is the most bytes of parameters; the workspace lies behind them.
const testParams = 1024

func newMachine(t testing.TB, words int) *testMachine {
	t.Helper()
	a, err := mem.NewArena(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	m := &testMachine{Arena: a, t: t}
	m.core = NewCore(a, new(images.Table), m)
	t.Cleanup(func() {
		if err := errors.Join(m.core.Close(), a.Close()); err != nil {
			t.Error(err)
		}
	})
	if m.base, err = a.Alloc(uint64(words)*4, mem.Info{Label: "buffer"}); err != nil {
		t.Fatal(err)
	}
	if m.params, err = a.Alloc(2*testParams, mem.Info{Label: "parameters", ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	m.words, m.block = wordsOf(a.Bytes(m.base, uint64(words)*4)), a.Bytes(m.params, testParams)
	return m
}

func (m *testMachine) launch(c *Code, grid, block uint32, change func(*Launch)) (s Stats, err error) {
	l := &Launch{
		Entry: c, Shape: shape.Shape{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}, Cluster: [3]uint32{1, 1, 1}},
		Target: sizes.Of(90),
	}
	if change != nil {
		change(l)
	}
	clear(m.words)
	m.grid, m.next, m.resident, m.given = new(Grid), 0, 0, 0
	if err := m.grid.Describe(l, false); err != nil {
		return s, err
	}
	copy(m.block, l.Params)
	m.grid.Native = m.compile != nil
	m.grid.Start(m.number, 0, m.params, m.params+testParams)
	m.number++
	m.run()
	s = m.core.TakeStats()
	return s, m.grid.Outcome(&s)
}

// run runs all clusters.
func (m *testMachine) run() {
	for cl := m.obtain(); cl != nil && !m.grid.Stopped(); cl = m.obtain() {
		switch cl.Run() {
		case Parked, Polling:
			m.queue = append(m.queue, cl)
		default:
			m.core.Retire(cl)
			m.resident--
		}
	}
	for _, cl := range m.queue {
		m.core.Retire(cl)
	}
	m.queue = nil
}

func (m *testMachine) obtain() (cl *Cluster) {
	switch {
	case m.left() && m.resident < m.grid.Room():
		m.resident++
		m.next++
		return m.core.Begin(m.grid, m.next-1)
	case len(m.queue) == 0:
		return nil
	}
	cl, m.queue = m.queue[0], m.queue[1:]
	return cl
}

// left reports whether clusters have not begun.
func (m *testMachine) left() bool { return m.next < m.grid.Clusters() }

func (m *testMachine) Breathe(bool) {}
func (m *testMachine) Crowded() bool {
	return len(m.queue) != 0 || m.left() && m.resident < m.grid.Room()
}
func (m *testMachine) Last() bool     { return m.resident == 1 && !m.left() }
func (m *testMachine) Begun(n uint64) { m.next += n }
func (m *testMachine) Reserve(rank uint64) uint64 {
	if m.next != rank+1 {
		return 0
	}
	return m.grid.Clusters() - m.next
}
func (m *testMachine) Withdraw() (rank uint64, ok bool) {
	if rank, ok = m.next, m.left(); ok {
		m.next++
	}
	return rank, ok
}
func (m *testMachine) GiveUp(first bool) bool {
	if first {
		m.given++
	}
	return m.given >= m.resident && (!m.left() || m.resident >= m.grid.Room())
}
func (m *testMachine) Judge(*Cluster) bool { return false }
func (m *testMachine) TakeHeart()          { m.given-- }
func (m *testMachine) Warm(*Code, uint64)  {}
func (m *testMachine) Heat(c *Code, _ uint64) {
	if m.compile != nil {
		m.compile(c)
	}
}
func (m *testMachine) MissedParts(*Code) {}

// mustRun launches and fails the test on an error.
func (m *testMachine) mustRun(c *Code, grid, block uint32, change func(*Launch)) Stats {
	m.t.Helper()
	s, err := m.launch(c, grid, block, change)
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// want compares words of the buffer from word 64 on with f(thread).
func (m *testMachine) want(threads int, f func(i int) uint32) {
	m.t.Helper()
	for i := range threads {
		if got := m.words[64+i]; got != f(i) {
			m.t.Fatalf("thread %d: got %d, want %d", i, got, f(i))
		}
	}
}
