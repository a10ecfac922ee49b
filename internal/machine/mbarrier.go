package machine

// This file finds mbarrier objects in the shared memory of a cluster, applies operations to them
// and wakes who waits for their phases (9.7.13.15).

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// Mbarrier is an mbarrier object of a CTA of the cluster. Its methods return nil, or what is
// wrong: a fault without a place, as a step of an operation returns it and Warp.Fault takes it.
//
// The object's 64 bits lie in shared memory; the CTA remembers beside them what the last
// operation left there, so that an object that was never made, was ended or was overwritten is
// told from a living one, and counts the phases, of which the object holds the parity.
//
// A fault is what leaves no value to go on with: the bits of an object are undocumented, and so is what becomes of counts that they
// do not hold. All else that breaks a rule is done as a GPU does it, and told to who asked (WatchMbarrier).
type Mbarrier struct {
	cta  *CTA
	addr uint32 // rank << 24 | offset
	word *mem.Mbarrier
}

// madeMbarrier is what a CTA remembers of an object.
type madeMbarrier struct {
	word  mem.Mbarrier
	phase uint64
}

// MbarrierAt finds the object at a lane's address; q is of kind Atomic and of 8 aligned bytes, in
// generic or shared space.
func (w *Warp) MbarrierAt(q *Request, addr uint64, lane int) (Mbarrier, *Fault) {
	x := addr
	if q.Space == Generic {
		if !mem.InShared(addr) {
			return Mbarrier{}, &Fault{Kind: WrongWindow, Lanes: 1 << lane, Addr: addr, Size: q.Size, Align: q.Align, Access: q.Kind, Space: q.Space}
		}
		x -= mem.SharedWindow
	}
	p, _, f := w.resolve(q, addr, lane)
	if f != nil {
		f.Lanes = 1 << lane
		return Mbarrier{}, f
	}
	return Mbarrier{w.cta.cluster.ctas[x>>mem.RankShift], uint32(x), (*mem.Mbarrier)(p)}, nil
}

// Mbarrier finds the object at a shared address, rank included, for a step of an operation.
func (op *Op) Mbarrier(addr uint64) (Mbarrier, *Fault) {
	q := Request{Space: Shared, Kind: Atomic, Size: mem.MbarrierBytes, Align: mem.MbarrierBytes}
	b, f := op.warp.MbarrierAt(&q, addr, 0)
	if f != nil {
		f.Lanes = 0
		return b, f
	}
	op.signals(b)
	op.watchMbarrier(b)
	return b, nil
}

// Init makes an object (9.7.13.15.9), also over what is left of another.
func (b Mbarrier) Init(count uint32, v1 bool) *Fault {
	m, e := mem.NewMbarrier(count, v1)
	if e != 0 {
		return b.fault(uint64(count), "mbarrier.init with a count of %d, which is not in 1…%d", count, mem.MaxMbarrierCount(v1))
	}
	delete(b.cta.ended, b.addr)
	b.put(m, 0)
	return nil
}

// Inval ends an object (9.7.13.15.10): its memory, all zeros, is free for other use. An operation that comes late finds the object as
// long as nothing else is written there. Where no object lives nothing happens.
func (b Mbarrier) Inval() *Fault {
	if m, lives := b.cta.mbarriers[b.addr]; lives {
		delete(b.cta.mbarriers, b.addr)
		if b.cta.ended == nil {
			b.cta.ended = map[uint32]madeMbarrier{}
		}
		b.cta.ended[b.addr] = m
		*b.word = 0
	}
	return nil
}

// ExpectTx raises the tx-count.
func (b Mbarrier) ExpectTx(n uint32) *Fault { return b.apply("expect_tx", n, mem.Mbarrier.ExpectTx) }

// CompleteTx lowers the tx-count, as n bytes of a copy that have come.
func (b Mbarrier) CompleteTx(n uint32) *Fault {
	return b.apply("complete_tx", n, mem.Mbarrier.CompleteTx)
}

// Arrive counts n arrivals.
func (b Mbarrier) Arrive(n uint32) *Fault { return b.apply("arrive", n, mem.Mbarrier.Arrive) }

// ArriveExpectTx raises the tx-count and arrives once.
func (b Mbarrier) ArriveExpectTx(n uint32) *Fault {
	return b.apply("arrive.expect_tx", n, mem.Mbarrier.ArriveExpectTx)
}

// Drop lowers the arrivals that later phases expect; the arrival itself is another step.
func (b Mbarrier) Drop(n uint32) *Fault { return b.apply("arrive_drop", n, mem.Mbarrier.Drop) }

// Expect raises the arrivals that the current phase expects.
func (b Mbarrier) Expect(n uint32) *Fault {
	return b.apply("cp.async.mbarrier.arrive", n, mem.Mbarrier.Expect)
}

// Rank is that of the object's CTA in the cluster.
func (b Mbarrier) Rank() uint32 { return b.cta.crank }

// Incomplete demands that n arrivals do not complete the phase (.noComplete).
func (b Mbarrier) Incomplete(n uint32) *Fault {
	m, f := b.state()
	if f != nil || m.word.Pending() != n || m.word.Tx() != 0 {
		return f
	}
	return b.fault(uint64(n), "%d arrivals with .noComplete would complete the phase%s", n, m.describe())
}

// Token is the state word of an arrival at this moment (9.7.13.15.13).
func (b Mbarrier) Token() (uint64, *Fault) {
	m, f := b.state()
	if f != nil {
		return 0, f
	}
	return m.word.Token(m.phase), nil
}

// State returns the object's counts, and the number of its phase.
func (b Mbarrier) State() (m mem.Mbarrier, phase uint64, f *Fault) {
	made, f := b.state()
	return made.word, made.phase, f
}

// Passed tells whether the phase of a token, the current one or the one before, has completed (9.7.13.15.16). An object knows the
// parity of its phase alone, so that the state of an earlier phase is taken for one of these.
func (b Mbarrier) Passed(token uint64) (bool, *Fault) {
	m, f := b.state()
	if f != nil || mem.TokenPhase(token)&1 == uint64(m.word.Parity()) {
		return false, f
	}
	b.tellPhase(m.phase)
	return true, nil
}

// Report tells the object how an operation of the current phase went; it must be of layout v1 (9.4: 9.7.15.16.10).
func (b Mbarrier) Report(failed bool, value uint32) *Fault {
	return b.apply("report", value, func(m mem.Mbarrier, n uint32) (mem.Mbarrier, mem.MbarrierError) { return m.Report(failed, n) })
}

// PassedParity tells whether the current phase, or the conditional one, has another parity: then the phase before has
// completed, which is the one that was asked for. The lowest bit counts alone: Triton's kernels for sm_90 pass -1.
func (b Mbarrier) PassedParity(parity uint32, conditional bool) (bool, *Fault) {
	m, f := b.state()
	if f != nil {
		return false, f
	}
	current := m.word.Parity()
	if conditional {
		current = m.word.ConditionalParity()
	}
	if current == parity&1 {
		return false, nil
	}
	b.tellPhase(m.phase)
	return true, nil
}

// made is what the CTA remembers of the object at an address, whether it lives or has been ended.
func (c *CTA) made(addr uint32) (m madeMbarrier, ok bool) {
	if m, ok = c.mbarriers[addr]; !ok {
		m, ok = c.ended[addr]
	}
	return m, ok
}

// state returns the object, also one that has been ended and is still there, or why there is none.
func (b Mbarrier) state() (madeMbarrier, *Fault) {
	m, ok := b.cta.mbarriers[b.addr]
	if late, ended := b.cta.ended[b.addr]; ended && !ok && *b.word == 0 {
		return late, nil
	}
	switch {
	case !ok && *b.word == 0:
		return m, b.fault(0, "there is no mbarrier: it was not initialised, or has been invalidated")
	case !ok:
		return m, b.fault(uint64(*b.word), "there is no mbarrier, but other data: %#016x", uint64(*b.word))
	case *b.word != m.word:
		return m, b.fault(uint64(*b.word), "the mbarrier was overwritten with %#016x", uint64(*b.word))
	}
	return m, nil
}

// lives reports whether the object was made and has not been ended.
func (b Mbarrier) lives() bool {
	_, ok := b.cta.mbarriers[b.addr]
	return ok
}

// apply does one operation and releases those who wait for the phase that it completes.
func (b Mbarrier) apply(name string, n uint32, do func(mem.Mbarrier, uint32) (mem.Mbarrier, mem.MbarrierError)) *Fault {
	m, f := b.state()
	if f != nil {
		return f
	}
	next, e := do(m.word, n)
	if e != 0 {
		return b.fault(uint64(n), "%s of %d: %s%s", name, n, reasons[e], m.describe())
	}
	b.cta.cluster.changed++
	if next.Parity() == m.word.Parity() {
		b.put(next, m.phase)
		return nil
	}
	b.put(next, m.phase+1)
	b.cta.tellPhase(b.addr)
	b.cta.cluster.release(b, next, m.phase+1, next.ConditionalParity() != m.word.ConditionalParity())
	return nil
}

// put writes the object, and remembers what is there; of one that has been ended nothing is in memory.
func (b Mbarrier) put(m mem.Mbarrier, phase uint64) {
	made := madeMbarrier{m, phase}
	if _, ended := b.cta.ended[b.addr]; ended {
		b.cta.ended[b.addr] = made
		return
	}
	if b.cta.mbarriers == nil {
		b.cta.mbarriers = map[uint32]madeMbarrier{}
	}
	*b.word = m
	b.cta.mbarriers[b.addr] = made
}

// reasons say which rule an operation would break.
var reasons = map[mem.MbarrierError]string{
	mem.MbarrierCount:    "the count is 0 or exceeds what an mbarrier holds",
	mem.MbarrierArrivals: "more arrivals than are pending",
	mem.MbarrierDrop:     "more arrivals than later phases expect",
	mem.MbarrierTx:       "the tx-count would leave its range of ±1048575",
	mem.MbarrierLayout:   "the mbarrier has layout v0, which holds no report; want mbarrier.init.layout::v1",
}

// describe names the fields.
func (m madeMbarrier) describe() string {
	return fmt.Sprintf(" (phase %d, pending %d of %d, tx-count %d)", m.phase, m.word.Pending(), m.word.Expected(), m.word.Tx())
}

func (b Mbarrier) fault(value uint64, format string, args ...any) *Fault {
	return &Fault{Kind: BadMbarrier, Addr: uint64(b.addr), Value: value, Space: Shared, Text: fmt.Sprintf(format, args...)}
}
