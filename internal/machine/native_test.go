package machine

import (
	"math/bits"
	"math/rand/v2"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"reflect"
	"testing"
)

// emulated is compiled code in Go, to test the machine's side: it follows the rules of native.go
// with the test programs' own handlers, and leaves wherever chance says.
type emulated struct {
	insts  []Inst
	rng    *rand.Rand
	leave  int // it leaves at one of so many instructions; 0: only where it has to
	calls  int
	places int // most at one return
	begun  int // batches that began with a CTA
	lanes  map[int32]abi.Place
	s      *abi.State
	of     *Code
	core   *Core // nil: accesses to memory are left
}

func init() { Checked = true }

// same compares handlers by their code.
func same(a, b Handler) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }

// newEmulated makes the Native of a test program, whose instructions all start blocks.
func newEmulated(c *Code, rng *rand.Rand, leave int) (*abi.Native, *emulated) {
	e := &emulated{insts: c.Insts, rng: rng, leave: leave, of: c}
	n := &abi.Native{Entries: make([]uintptr, len(c.Insts)), Bounds: make([]int32, len(c.Insts)), Meets: meets(c.Insts)}
	for pc := range n.Entries {
		n.Bounds[pc] = -1
		if leave == 0 || rng.IntN(3) != 0 {
			n.Entries[pc] = uintptr(pc) + 1
		}
	}
	n.Call = func(s *abi.State, entry uintptr) { e.run(s, int32(entry)-1) }
	return n, e
}

// meets are the immediate post-dominators of instructions, by sets.
func meets(insts []Inst) []int32 {
	all := make([]map[int32]bool, len(insts))
	for changed := true; changed; {
		changed = false
		for pc := len(insts) - 1; pc >= 0; pc-- {
			set := meetOfNext(insts, all, int32(pc))
			if set == nil {
				continue
			}
			set[int32(pc)] = true
			if len(set) != len(all[pc]) {
				all[pc], changed = set, true
			}
		}
	}
	out := make([]int32, len(insts))
	for pc := range insts {
		out[pc] = -1
		for q := range all[pc] { // the nearest one is passed by the most others
			if q != int32(pc) && (out[pc] < 0 || len(all[q]) > len(all[out[pc]])) {
				out[pc] = q
			}
		}
	}
	return out
}

// meetOfNext intersects the sets of an instruction's successors; nil: not known yet.
func meetOfNext(insts []Inst, all []map[int32]bool, pc int32) map[int32]bool {
	next := []int32{pc + 1}
	switch in := &insts[pc]; {
	case same(in.Full, hExit):
		return map[int32]bool{}
	case same(in.Full, hBra) && in.Guard == NoGuard:
		next = []int32{int32(in.Imm)}
	case same(in.Full, hBra):
		next = append(next, int32(in.Imm))
	}
	var set map[int32]bool
	for _, s := range next {
		if all[s] == nil {
			continue
		}
		if set == nil {
			set = map[int32]bool{}
			for q := range all[s] {
				set[q] = true
			}
		}
		for q := range set {
			if !all[s][q] {
				delete(set, q)
			}
		}
	}
	return set
}

// run executes from an entry until it leaves.
func (e *emulated) run(s *abi.State, pc int32) {
	e.s, e.lanes = s, map[int32]abi.Place{}
	e.calls++
	e.come(abi.Place{PC: pc, Mask: s.Mask, Fuel: s.Fuel})
	for first := true; len(e.lanes) != 0; first = false {
		p := e.smallest()
		if !first && e.leave != 0 && e.rng.IntN(e.leave) == 0 || !e.step(p) {
			break
		}
	}
	for _, p := range e.lanes {
		s.Places[s.N] = p
		s.N++
	}
	e.places = max(e.places, len(e.lanes))
}

func (e *emulated) smallest() (p abi.Place) {
	p.PC = int32(len(e.insts))
	for pc, q := range e.lanes {
		if pc < p.PC {
			p = q
		}
	}
	return p
}

func (e *emulated) come(p abi.Place) {
	if p.Mask == 0 {
		return
	}
	if old, ok := e.lanes[p.PC]; ok {
		p.Mask |= old.Mask
		p.Fuel = min(p.Fuel, old.Fuel)
	}
	e.lanes[p.PC] = p
}

// step executes one instruction; false if it has to leave there.
func (e *emulated) step(p abi.Place) bool {
	in := &e.insts[p.PC]
	w := Warp{regs: rowsAt(e.s), Mask: p.Mask}
	if in.Guard != NoGuard {
		w.Mask &= *w.P(in.Guard &^ 1) ^ -(in.Guard & 1)
	}
	rest := p
	rest.Mask &^= w.Mask
	rest.PC++
	switch {
	case same(in.Full, hBra):
		return e.branch(in, p, rest, w.Mask)
	case same(in.Full, hExit):
		e.s.Exited |= w.Mask
	case simple(in) || same(in.Full, hSum) && e.meets(&w, in) || e.reaches(&w, in):
		if w.Mask != 0 {
			in.Part(&w, in)
		}
		rest.Mask = p.Mask
	default:
		return false
	}
	e.went(p, w.Mask)
	e.come(rest)
	return true
}

// meets reports whether the running lanes of a .sync instruction wait for none.
func (e *emulated) meets(w *Warp, in *Inst) bool {
	w.Live, w.frag, w.cta = e.s.Living(), &Fragment{mask: w.Mask}, &CTA{grid: new(Grid)}
	return w.allHere(w.R32(in.B))
}

// reaches reports whether an instruction is an access to memory, in a batch, of a core that is known.
func (e *emulated) reaches(w *Warp, in *Inst) bool {
	w.core, w.index = e.core, int32(bits.TrailingZeros32(e.s.Batch.Current))
	return e.core != nil && e.s.Batch.Warp != 0 && (same(in.Full, hOut) || same(in.Full, hAto))
}

// went counts an instruction.
func (e *emulated) went(p abi.Place, executed uint32) {
	e.s.Steps++
	e.s.Ops += uint64(bits.OnesCount32(executed))
	delete(e.lanes, p.PC)
}

func (e *emulated) branch(in *Inst, p, rest abi.Place, taken uint32) bool {
	to, back := int32(in.Imm), int32(in.Imm) <= p.PC
	whole := taken == p.Mask
	if !whole && taken != 0 && int32(in.D) <= p.PC {
		return false
	}
	e.went(p, taken)
	e.come(rest)
	there := abi.Place{PC: to, Mask: taken, Fuel: p.Fuel}
	if !whole || !back {
		e.come(there)
		return true
	}
	if in.Flags&QuietLoop != 0 {
		there.Fuel--
		e.s.Looped = 1
	} else {
		there.Fuel -= e.s.PollFuel
	}
	if there.Fuel > 0 {
		e.come(there)
		return true
	}
	old := e.lanes[to]
	e.lanes[to] = abi.Place{PC: to, Mask: there.Mask | old.Mask, Fuel: old.Fuel, Flags: abi.FuelOut}
	return false
}

// simple reports whether a handler of the tests touches registers alone.
func simple(in *Inst) bool {
	for _, h := range []Handler{hOut, hCAS, hXch, hAto, hGet, hRet, hCall, hCalX, hBar, hBarC, hArrC, hNap, hSum} {
		if same(in.Full, h) {
			return false
		}
	}
	return true
}

// TestNative runs random graphs through emulated compiled code that leaves anywhere: memory and
// counts are those of the interpreter.
func TestNative(t *testing.T) {
	m := newMachine(t, 200)
	rng := rand.New(rand.NewPCG(7, 8))
	native, places := uint64(0), 0
	for round := range rounds(50) {
		g := randomGraph(rng, 1+rng.IntN(12))
		exit := g.pc(len(g.to))
		c := g.code(func(int) int { return exit })
		c.Insts = c.Split
		for i := range c.Split {
			c.Split[i].Flags = BlockStart | QuietLoop
		}
		places = max(places, m.compareNative(t, c, rng, uint64(round), &native))
		for i := range 64 {
			if got, want := m.words[64+i], g.reference(uint32(i)); got != want {
				t.Fatalf("round %d, thread %d: got %#x, want %#x\n%v", round, i, got, want, g.to)
			}
		}
	}
	if native == 0 || places < 3 {
		t.Errorf("%d lane-ops ran in compiled code, which returned at most %d places at once", native, places)
	}
}

// TestNativeConverged does the same with scalars, uniform loops and locks.
func TestNativeConverged(t *testing.T) {
	m := newMachine(t, 200)
	rng := rand.New(rand.NewPCG(9, 10))
	native := uint64(0)
	for round := range rounds(25) {
		g := randomGraph(rng, 1+rng.IntN(6))
		c := g.looped(uint64(2+rng.IntN(20)), rng.IntN(3) == 0)
		for i := range c.Insts {
			if c.Insts[i].Flags |= BlockStart; i < g.pc(len(g.to)) {
				c.Insts[i].Flags |= QuietLoop
			}
		}
		m.compareNative(t, c, rng, uint64(round), &native)
	}
	if native == 0 {
		t.Error("nothing ran in compiled code")
	}
}

// compareNative runs a program in both engines and returns the most places of one return.
func (m *testMachine) compareNative(t *testing.T, c *Code, rng *rand.Rand, seed uint64, native *uint64) (places int) {
	t.Helper()
	want := m.mustRun(c, 1, 64, func(l *Launch) { l.Seed = seed })
	words := append([]uint32(nil), m.words...)
	for _, leave := range []int{0, 3, 20} {
		n, e := newEmulated(c, rng, leave)
		c.native.Store(nil)
		m.compile = func(c *Code) { c.SetNative(n) }
		got := m.mustRun(c, 1, 64, func(l *Launch) { l.Seed = seed })
		m.compile = nil
		for i := range words {
			if m.words[i] != words[i] {
				t.Fatalf("leaving at one of %d, word %d: got %#x, the interpreter %#x", leave, i, m.words[i], words[i])
			}
		}
		places = max(places, e.places)
		*native += got.NativeOps
		if got.NativeOps, got.Left = 0, nil; !reflect.DeepEqual(got, want) {
			t.Fatalf("leaving at one of %d: %+v, the interpreter %+v", leave, got, want)
		}
	}
	return places
}
