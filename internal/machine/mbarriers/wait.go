package mbarriers

// This file says in words what a phase still waits for, and how a wait or an operation uses an object.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// Wait is an object whose phase lanes wait for.
type Wait struct {
	CTA               uint32 // its rank in the cluster
	Addr              uint32 // as instructions name it, without the rank
	Name              string // of the variable that holds it, for those who know; may be empty
	Phase             uint64 // that has not completed
	Pending, Expected uint32 // arrivals
	Tx                int32  // bytes that are announced and have not come
	Foreign           bool   // it is another CTA's than that of the lanes
}

// WaitFor is a wait for the current phase of an object of the CTA with a rank in the cluster, by lanes of
// another one or not.
func (s *Set) WaitFor(addr uint32, foreign bool) *Wait {
	o, _ := s.Known(addr)
	return &Wait{CTA: addr >> mem.RankShift, Addr: addr & (mem.MaxShared - 1), Phase: o.Phase,
		Pending: o.Word.Pending(), Expected: o.Word.Expected(), Tx: o.Word.Tx(), Foreign: foreign}
}

// Reason says what the phase still wants: arrivals, and bytes of transactions (9.7.13.15.5). The object may not
// be known.
func (b *Wait) Reason() string {
	if b == nil {
		return "wait for an mbarrier"
	}
	var t strings.Builder
	t.WriteString("wait for the mbarrier")
	if b.Name != "" {
		t.WriteString(" " + b.Name)
	}
	fmt.Fprintf(&t, " at %#x", b.Addr)
	if b.Foreign {
		fmt.Fprintf(&t, " of CTA rank %d", b.CTA)
	}
	fmt.Fprintf(&t, ", phase %d: ", b.Phase)
	switch {
	case b.Pending == 0:
		fmt.Fprintf(&t, "all %d arrivals are there", b.Expected)
	default:
		fmt.Fprintf(&t, "%d of %d arrivals are missing", b.Pending, b.Expected)
	}
	switch {
	case b.Tx > 0:
		fmt.Fprintf(&t, ", and %d bytes that expect_tx has announced have not come (tx-count %[1]d)", b.Tx)
	case b.Tx < 0:
		fmt.Fprintf(&t, ", and %d bytes have come that no expect_tx has announced (tx-count %d)", -int64(b.Tx), b.Tx)
	}
	return t.String()
}

// Use is what an operation does with an object.
type Use uint8

// The uses.
const (
	Signals Use = iota // counts, waits, looks
	Inits
	Invals
	AwaitsToken  // waits with the state of a phase
	AwaitsParity // waits for a parity
)

// Step is a use of an object that is about to happen.
type Step struct {
	Use    Use
	Addr   uint32 // in the shared memory of the cluster: the rank of the CTA in its high bits
	Lives  bool   // it was made, and nothing has ended it
	Held   bool   // its bytes are what the last operation has left there, also of one that has been ended
	Value  uint64 // AwaitsToken, AwaitsParity: what the wait names
	Object        // Phase: the current one
}

// Step describes a use of the object.
func (b At) Step(use Use, value uint64) Step {
	o, bad := b.State()
	_, lives := b.Set.Living(b.Addr)
	return Step{Use: use, Addr: b.Addr, Lives: lives, Held: bad == nil, Value: value, Object: o}
}
