// Package mbarriers says what a CTA remembers of its mbarrier objects, what comes of operations on them
// (9.7.13.15), and in words what a phase still waits for.
package mbarriers

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// Set is the objects of a CTA, by their shared addresses. The 64 bits of an object lie in shared memory; the
// set has beside them what the last operation left there, so that an object that was never made, was ended or
// was overwritten is told from a living one, and counts the phases, of which the object holds the parity.
type Set struct {
	live  map[uint32]Object
	ended map[uint32]Object // that mbarrier.inval has ended
}

// Object is what is remembered of an object.
type Object struct {
	Word  mem.Mbarrier
	Phase uint64 // that has not completed
}

// Describe names the fields.
func (o Object) Describe() string {
	return fmt.Sprintf(" (phase %d, pending %d of %d, tx-count %d)", o.Phase, o.Word.Pending(), o.Word.Expected(), o.Word.Tx())
}

// Token is the state word of an arrival at this moment (9.7.13.15.13).
func (o Object) Token() uint64 { return o.Word.Token(o.Phase) }

// Wrong is what is wrong with an operation: what leaves no value to go on with. The bits of an object are
// undocumented, and so is what becomes of counts that they do not hold. All else that breaks a rule is done as
// a GPU does it.
type Wrong struct {
	Value uint64
	Text  string
}

func wrong(value uint64, format string, args ...any) *Wrong {
	return &Wrong{value, fmt.Sprintf(format, args...)}
}

// Clear forgets all objects.
func (s *Set) Clear() {
	clear(s.live)
	clear(s.ended)
}

// Untouched reports whether there are no objects, and have been none.
func (s *Set) Untouched() bool { return len(s.live)+len(s.ended) == 0 }

// Empty reports whether no object lives.
func (s *Set) Empty() bool { return len(s.live) == 0 }

// Living is the object at an address, if one lives there.
func (s *Set) Living(addr uint32) (o Object, ok bool) {
	o, ok = s.live[addr]
	return o, ok
}

// Known is that, or the one that has been ended.
func (s *Set) Known(addr uint32) (o Object, ok bool) {
	if o, ok = s.live[addr]; !ok {
		o, ok = s.ended[addr]
	}
	return o, ok
}

// All visits those that live by their addresses.
func (s *Set) All() iter.Seq2[uint32, Object] {
	return func(yield func(uint32, Object) bool) {
		for _, addr := range slices.Sorted(maps.Keys(s.live)) {
			if !yield(addr, s.live[addr]) {
				return
			}
		}
	}
}

// At is a place of shared memory where an object may be.
type At struct {
	Set  *Set
	Addr uint32 // rank << 24 | offset
	Word *mem.Mbarrier
}

// Init makes an object (9.7.13.15.9), also over what is left of another.
func (b At) Init(count uint32, v1 bool) *Wrong {
	m, e := mem.NewMbarrier(count, v1)
	if e != 0 {
		return wrong(uint64(count), "mbarrier.init with a count of %d, which is not in 1…%d", count, mem.MaxMbarrierCount(v1))
	}
	delete(b.Set.ended, b.Addr)
	b.put(Object{m, 0})
	return nil
}

// Inval ends an object (9.7.13.15.10): its memory, all zeros, is free for other use. An operation that comes
// late finds the object as long as nothing else is written there. Where no object lives nothing happens.
func (b At) Inval() {
	s := b.Set
	o, lives := s.live[b.Addr]
	if !lives {
		return
	}
	delete(s.live, b.Addr)
	if s.ended == nil {
		s.ended = map[uint32]Object{}
	}
	s.ended[b.Addr] = o
	*b.Word = 0
}

// State returns the object, also one that has been ended and is still there, or why there is none.
func (b At) State() (Object, *Wrong) {
	o, ok := b.Set.live[b.Addr]
	if late, ended := b.Set.ended[b.Addr]; ended && !ok && *b.Word == 0 {
		return late, nil
	}
	switch {
	case !ok && *b.Word == 0:
		return o, wrong(0, "there is no mbarrier: it was not initialised, or has been invalidated")
	case !ok:
		return o, wrong(uint64(*b.Word), "there is no mbarrier, but other data: %#016x", uint64(*b.Word))
	case *b.Word != o.Word:
		return o, wrong(uint64(*b.Word), "the mbarrier was overwritten with %#016x", uint64(*b.Word))
	}
	return o, nil
}

// put writes the object, and remembers what is there; of one that has been ended nothing is in memory.
func (b At) put(o Object) {
	s := b.Set
	if _, ended := s.ended[b.Addr]; ended {
		s.ended[b.Addr] = o
		return
	}
	if s.live == nil {
		s.live = map[uint32]Object{}
	}
	*b.Word = o.Word
	s.live[b.Addr] = o
}

// Op is an operation of a count on an object.
type Op struct {
	name string
	do   func(mem.Mbarrier, uint32) (mem.Mbarrier, mem.MbarrierError)
}

// The operations.
var (
	ExpectTx       = &Op{"expect_tx", mem.Mbarrier.ExpectTx}              // raises the tx-count
	CompleteTx     = &Op{"complete_tx", mem.Mbarrier.CompleteTx}          // lowers it, as n bytes of a copy that have come
	Arrive         = &Op{"arrive", mem.Mbarrier.Arrive}                   // counts n arrivals
	ArriveExpectTx = &Op{"arrive.expect_tx", mem.Mbarrier.ArriveExpectTx} // raises the tx-count and arrives once
	Drop           = &Op{"arrive_drop", mem.Mbarrier.Drop}                // lowers the arrivals that later phases expect
	Expect         = &Op{"cp.async.mbarrier.arrive", mem.Mbarrier.Expect} // raises those that the current phase expects
	Report         = &Op{"report", reporting(false)}                      // of layout v1, how an operation went (9.4: 9.7.15.16.10)
	ReportFailure  = &Op{"report", reporting(true)}                       // the same of one that has failed
)

func reporting(failed bool) func(mem.Mbarrier, uint32) (mem.Mbarrier, mem.MbarrierError) {
	return func(m mem.Mbarrier, n uint32) (mem.Mbarrier, mem.MbarrierError) { return m.Report(failed, n) }
}

// Do does an operation, and returns the object before and behind it: in another phase, where it completes one.
func (b At) Do(op *Op, n uint32) (before, after Object, bad *Wrong) {
	before, bad = b.State()
	if bad != nil {
		return before, before, bad
	}
	word, e := op.do(before.Word, n)
	if e != 0 {
		return before, before, wrong(uint64(n), "%s of %d: %s%s", op.name, n, reasons[e], before.Describe())
	}
	after = Object{word, before.Phase}
	if word.Parity() != before.Word.Parity() {
		after.Phase++
	}
	b.put(after)
	return before, after, nil
}

// reasons say which rule an operation would break.
var reasons = map[mem.MbarrierError]string{
	mem.MbarrierCount:    "the count is 0 or exceeds what an mbarrier holds",
	mem.MbarrierArrivals: "more arrivals than are pending",
	mem.MbarrierDrop:     "more arrivals than later phases expect",
	mem.MbarrierTx:       "the tx-count would leave its range of ±1048575",
	mem.MbarrierLayout:   "the mbarrier has layout v0, which holds no report; want mbarrier.init.layout::v1",
}

// Incomplete demands that n arrivals do not complete the phase (.noComplete).
func (b At) Incomplete(n uint32) *Wrong {
	o, bad := b.State()
	if bad != nil || o.Word.Pending() != n || o.Word.Tx() != 0 {
		return bad
	}
	return wrong(uint64(n), "%d arrivals with .noComplete would complete the phase%s", n, o.Describe())
}

// Passed reports whether the phase of a token, the current one or the one before, has completed (9.7.13.15.16).
// An object knows the parity of its phase alone, so that the state of an earlier phase is taken for one of
// these.
func (o Object) Passed(token uint64) bool { return mem.TokenPhase(token)&1 != uint64(o.Word.Parity()) }

// PassedParity reports whether the current phase, or the conditional one, has another parity: then the phase
// before has completed, which is the one that was asked for. The lowest bit counts alone: Triton's kernels for
// sm_90 pass -1.
func (o Object) PassedParity(parity uint32, conditional bool) bool {
	current := o.Word.Parity()
	if conditional {
		current = o.Word.ConditionalParity()
	}
	return current != parity&1
}
