package machine

import (
	"math/bits"
	"math/rand/v2"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"reflect"
	"testing"
)

// Places of emulated batch code; the rest is a pc behind one of them.
const (
	batchEntry = 1e6 * (1 + iota)
	batchOut
	batchStart
	batchStands
	batchResumes
	batchBegin
)

// batches gives emulated compiled code what machine/nativebatch.go asks of it.
func (e *emulated) batches(n *abi.Native) {
	n.Batch, n.Out, n.Start, n.Again, n.Begin = batchEntry, batchOut, batchStart, batchStart, batchBegin
	n.Warps, n.Resumes, n.Wholes = make([]uintptr, len(e.insts)), make([]uintptr, len(e.insts)), make([]uintptr, len(e.insts))
	for pc := range e.insts {
		if n.Entries[pc] != 0 {
			n.Warps[pc] = batchStands + uintptr(pc)
		}
		if same(e.insts[pc].Full, hBar) {
			n.Resumes[pc] = batchResumes + uintptr(pc)
		}
	}
	alone := n.Call
	n.Call = func(s *abi.State, entry uintptr) {
		switch b := &s.Batch; entry {
		case batchEntry:
		case batchBegin:
			e.begun++
			b.Alive, b.Later = b.All, b.All
		default:
			alone(s, entry)
			return
		}
		e.s = s
		for e.turn(&s.Batch) {
		}
	}
}

// turn lets the next warp run; false if the batch ends there.
func (e *emulated) turn(b *abi.Batch) bool {
	s := e.s
	if b.Current = 0; b.Later == 0 && !e.pass(b) || s.Steps > b.Budget {
		return false
	}
	i := bits.TrailingZeros32(b.Later)
	b.Current = 1 << i
	b.Later &^= b.Current
	r := &warpsAt(b)[i]
	b.Warp, s.Regs, s.Mask, s.Fuel, s.Looped, s.Exited, s.N = 1, r.Regs, r.Mask, r.Fuel, 0, 0, 0
	pc := int32(r.At % 1e6)
	switch r.At - uintptr(pc) {
	case batchOut:
		b.Later |= b.Current
		b.Current = 0
		return false
	case batchStart:
		clearRows(s)
		for _, r := range e.of.Specials {
			if part, ok := r.CTAPart(); ok {
				regs.Block{P: rowsAt(s)}.Fill(r.Off, r.Width, b.Place[part])
			}
		}
	case batchResumes:
		s.Steps++
		s.Ops += uint64(bits.OnesCount32(r.Mask))
		pc++
	}
	return e.goOn(b, r, pc)
}

// goOn runs a warp until it exits or waits; false if it leaves for the machine.
func (e *emulated) goOn(b *abi.Batch, r *abi.Warp, pc int32) bool {
	s := e.s
	e.run(s, pc)
	for s.N == 1 && s.Places[0].Flags == 0 && same(e.insts[s.Places[0].PC].Full, hBar) {
		p := s.Places[0]
		if s.N = 0; b.Waiting != 0 && b.Barrier != int32(e.insts[p.PC].A) {
			s.N = 1
			return false
		}
		s.Steps++
		s.Ops += uint64(bits.OnesCount32(p.Mask))
		b.Barrier = int32(e.insts[p.PC].A)
		if b.Waiting |= b.Current; b.Waiting != b.Alive {
			*r = abi.Warp{Regs: r.Regs, At: batchResumes + uintptr(p.PC), PC: p.PC, Fuel: p.Fuel, Mask: p.Mask, Lanes: r.Lanes}
			b.Moved = 1
			return true
		}
		release(b)
		entered, exited := s.Mask, s.Exited
		s.Mask, s.Exited, s.Fuel = p.Mask, 0, p.Fuel
		e.run(s, p.PC+1)
		s.Mask, s.Exited = entered, s.Exited|exited
	}
	if s.N != 0 {
		return false
	}
	r.At, r.Mask, r.Fuel = batchStart, r.Lanes, b.Turn
	b.Alive &^= b.Current
	b.Moved = 1
	if b.Waiting != 0 && b.Waiting == b.Alive {
		release(b)
	}
	return true
}

func release(b *abi.Batch) {
	b.Later |= b.Waiting &^ (2*b.Current - 1)
	b.Waiting = 0
}

// pass begins the next pass, or the next CTA.
func (e *emulated) pass(b *abi.Batch) bool {
	switch {
	case b.Alive&^b.Waiting != 0:
		if b.Passed >= b.PassLimit || b.Moved == 0 {
			return false
		}
		b.Passed++
		b.Later = b.Alive &^ b.Waiting
	case b.CTAs == 0:
		return false
	default:
		b.CTAs--
		b.Done++
		b.Place[0]++
		b.Began, b.Passed, b.PassLimit = e.s.Steps, 1, b.Slice
		b.Alive, b.Later = b.All, b.All
	}
	b.Moved = 0
	return true
}

// TestNativeBatch runs CTAs of several warps through emulated batches that leave anywhere: barriers in
// a loop, atomics that tell the order of warps, and lanes and warps that exit before the others.
func TestNativeBatch(t *testing.T) {
	m := newMachine(t, 400)
	rng := rand.New(rand.NewPCG(11, 12))
	c := code(
		op(hAdI, r(1), r(1), 0, 1), // 0: counts trips
		op(hBar, 0, 1, 0, 0),
		op(hImm, r(2), 0, 0, 1),
		op(hAto, r(3), r(2), 0, 3), // the order
		op(hAdd, r(4), r(4), r(3), 0),
		op(hAdd, r(4), r(4), r(4), 0),
		op(hBar, 0, 2, 0, 0),
		op(hEqI, p(2), tid, 0, 5),
		op(hExit, 0, 0, 0, 0).when(p(2)),
		op(hLtI, p(0), r(1), 0, 3),
		bra(0, 11).when(p(0)),
		op(hOut, 0, r(4), 0, 64), // 11
		op(hLtI, p(1), tid, 0, 70),
		op(hExit, 0, 0, 0, 0).unless(p(1)),
		op(hBar, 0, 1, 0, 0),
		op(hAto, r(3), r(2), 0, 3),
		op(hOut, 0, r(3), 0, 192),
		op(hExit, 0, 0, 0, 0),
	)
	c.Insts = c.Split
	for i := range c.Insts {
		c.Insts[i].Flags |= QuietLoop
	}
	for _, threads := range []uint32{97, 128, 32, 1} {
		want := m.mustRun(c, 7, threads, nil)
		words := append([]uint32(nil), m.words...)
		for _, leave := range []int{0, 5, 40} {
			for _, hot := range []bool{false, true} { // compiled before the first CTA, which it begins
				n, e := newEmulated(c, rng, leave)
				e.batches(n)
				if c.native.Store(nil); hot {
					c.SetNative(n)
				}
				m.compile = func(c *Code) { c.SetNative(n) }
				got := m.mustRun(c, 7, threads, nil)
				m.compile = nil
				if got.NativeOps == 0 || hot && leave == 0 && e.begun == 0 {
					t.Errorf("%d threads: %d lane-ops ran in compiled code, which began %d CTAs", threads, got.NativeOps, e.begun)
				}
				if got.NativeOps, got.Left = 0, nil; !reflect.DeepEqual(got, want) {
					t.Errorf("%d threads, leaving at one of %d: %+v, the interpreter %+v", threads, leave, got, want)
				}
				for i := range words {
					if m.words[i] != words[i] {
						t.Fatalf("%d threads, leaving at one of %d, word %d: %#x, the interpreter's %#x", threads, leave, i, m.words[i], words[i])
					}
				}
			}
		}
	}
}
