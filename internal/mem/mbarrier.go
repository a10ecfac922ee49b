package mem

// This file holds the arithmetic of mbarrier objects (9.7.13.15). The machine finds them in
// shared memory and wakes who waits.

// Mbarrier is the 64 bits of an mbarrier object, in a format of our own: software only compares
// and copies nothing of it (9.7.13.15.2: it is opaque).
//
//	layout::v0  bit 63 clear, 62 phase parity, 61…42 expected, 41…22 pending, 21…0 tx-count
//	layout::v1  bit 63 set,   62 phase parity, 61 conditional parity, 57…49 report of the last phase,
//	            48…40 report of the current phase, 39…31 expected, 30…22 pending, 21…0 tx-count
//
// The tx-count is a two's complement number. A report is a value of eight bits, above it the predicate.
type Mbarrier uint64

// MbarrierBytes is the size of an object, and its alignment.
const MbarrierBytes = 8

// Limits of the counts (9.7.13.15.2; 9.4: 9.7.15.16.2 for layout v1).
const (
	MaxTx       = 1<<20 - 1 // tx-count, also below zero
	maxCountV0  = 1<<20 - 1 // expected and pending arrivals
	maxCountV1  = 1<<9 - 1
	txBits      = 22
	layoutBit   = 1 << 63
	parityBit   = 1 << 62
	condBit     = 1 << 61
	pendingAt   = txBits
	expectedV0  = pendingAt + 20
	expectedV1  = pendingAt + 9
	reportAt    = expectedV1 + 9
	reportBits  = 9
	reportMask  = 1<<reportBits - 1
	lastAt      = reportAt + reportBits
	txMask      = 1<<txBits - 1
	tokenCounts = 20 // bits of a token that hold the pending count
)

// MbarrierError says which rule an operation would break; 0 is none.
type MbarrierError uint8

// The errors.
const (
	_                MbarrierError = iota
	MbarrierCount                  // a count of 0, or more than the layout holds
	MbarrierArrivals               // more arrivals than are pending
	MbarrierDrop                   // more arrivals dropped than are expected
	MbarrierTx                     // the tx-count leaves its range
	MbarrierLayout                 // a report to an object of layout v0
)

// NewMbarrier makes an object that expects count arrivals in each phase.
func NewMbarrier(count uint32, v1 bool) (Mbarrier, MbarrierError) {
	var m Mbarrier
	if v1 {
		m = layoutBit
	}
	if count == 0 || count > m.MaxCount() {
		return 0, MbarrierCount
	}
	return m.with(count, count, 0), 0
}

// V1 reports whether the object has layout v1.
func (m Mbarrier) V1() bool { return m&layoutBit != 0 }

// MaxCount is the most arrivals that the layout holds.
func (m Mbarrier) MaxCount() uint32 { return MaxMbarrierCount(m.V1()) }

// MaxMbarrierCount is the most arrivals that a layout holds.
func MaxMbarrierCount(v1 bool) uint32 {
	if v1 {
		return maxCountV1
	}
	return maxCountV0
}

// Parity is that of the current phase.
func (m Mbarrier) Parity() uint32 { return uint32(m >> 62 & 1) }

// Expected is the arrivals that each phase expects from the next on.
func (m Mbarrier) Expected() uint32 {
	if m.V1() {
		return uint32(m>>expectedV1) & maxCountV1
	}
	return uint32(m>>expectedV0) & maxCountV0
}

// Pending is the arrivals that the current phase still expects.
func (m Mbarrier) Pending() uint32 { return uint32(m>>pendingAt) & m.MaxCount() }

// Tx is the tx-count of the current phase.
func (m Mbarrier) Tx() int32 { return int32(uint32(m)<<(32-txBits)) >> (32 - txBits) }

// with replaces the counts.
func (m Mbarrier) with(expected, pending uint32, tx int32) Mbarrier {
	at, flags := uint(expectedV0), Mbarrier(layoutBit|parityBit)
	if m.V1() {
		at, flags = expectedV1, flags|condBit|reportMask<<reportAt|reportMask<<lastAt
	}
	return m&flags | Mbarrier(expected)<<at | Mbarrier(pending)<<pendingAt | Mbarrier(uint32(tx)&txMask)
}

// check completes the phase if nothing is pending (9.7.13.15.6). The conditional phase advances with it unless there is a
// report (9.4: 9.7.15.16.8).
func (m Mbarrier) check() Mbarrier {
	if m.Pending() != 0 || m.Tx() != 0 {
		return m
	}
	m ^= parityBit
	if m.V1() {
		report := m >> reportAt & reportMask
		if report == 0 {
			m ^= condBit
		}
		m = m&^(reportMask<<lastAt|reportMask<<reportAt) | report<<lastAt
	}
	return m.with(m.Expected(), m.Expected(), 0)
}

// ConditionalParity is that of the current conditional phase (9.4: 9.7.15.16.5.2): of layout v0 it is the phase itself.
func (m Mbarrier) ConditionalParity() uint32 {
	if m.V1() {
		return uint32(m >> 61 & 1)
	}
	return m.Parity()
}

// Report adds a report to the current phase: the predicate, and bits of the value (9.4: 9.7.15.16.10).
func (m Mbarrier) Report(failed bool, value uint32) (Mbarrier, MbarrierError) {
	if !m.V1() {
		return m, MbarrierLayout
	}
	if failed {
		m |= (Mbarrier(value&0xff) | 1<<(reportBits-1)) << reportAt
	}
	return m, 0
}

// Reported is the report of the last phase that has completed.
func (m Mbarrier) Reported() (failed bool, value uint32) {
	if !m.V1() {
		return false, 0
	}
	r := uint32(m>>lastAt) & reportMask
	return r>>(reportBits-1) != 0, r & 0xff
}

// ExpectTx raises the tx-count (9.7.13.15.5.1).
func (m Mbarrier) ExpectTx(n uint32) (Mbarrier, MbarrierError) { return m.addTx(int64(n)) }

// CompleteTx lowers the tx-count (9.7.13.15.5.2), also below zero: the bytes of a multicast copy
// may come before the peer expects them.
func (m Mbarrier) CompleteTx(n uint32) (Mbarrier, MbarrierError) { return m.addTx(-int64(n)) }

func (m Mbarrier) addTx(n int64) (Mbarrier, MbarrierError) {
	tx := int64(m.Tx()) + n
	if tx > MaxTx || tx < -MaxTx {
		return m, MbarrierTx
	}
	return m.with(m.Expected(), m.Pending(), int32(tx)).check(), 0
}

// Arrive counts n arrivals (9.7.13.15.7).
func (m Mbarrier) Arrive(n uint32) (Mbarrier, MbarrierError) {
	switch {
	case n == 0 || n > m.MaxCount():
		return m, MbarrierCount
	case n > m.Pending():
		return m, MbarrierArrivals
	}
	return m.with(m.Expected(), m.Pending()-n, m.Tx()).check(), 0
}

// ArriveExpectTx raises the tx-count and arrives once, in one step.
func (m Mbarrier) ArriveExpectTx(n uint32) (Mbarrier, MbarrierError) {
	tx := int64(m.Tx()) + int64(n)
	switch {
	case tx > MaxTx:
		return m, MbarrierTx
	case m.Pending() == 0:
		return m, MbarrierArrivals
	}
	return m.with(m.Expected(), m.Pending()-1, int32(tx)).check(), 0
}

// Drop lowers the arrivals that later phases expect (9.7.13.15.14); the arrival itself is
// another step.
func (m Mbarrier) Drop(n uint32) (Mbarrier, MbarrierError) {
	switch {
	case n == 0 || n > m.MaxCount():
		return m, MbarrierCount
	case n > m.Expected():
		return m, MbarrierDrop
	}
	return m.with(m.Expected()-n, m.Pending(), m.Tx()), 0
}

// Expect raises the arrivals that the current phase expects (9.7.13.15.15: cp.async.mbarrier.arrive
// without .noinc).
func (m Mbarrier) Expect(n uint32) (Mbarrier, MbarrierError) {
	if n > m.MaxCount() || m.Pending()+n > m.MaxCount() {
		return m, MbarrierCount
	}
	return m.with(m.Expected(), m.Pending()+n, m.Tx()), 0
}

// Token is the state that an arrival gives: parity and number of its phase, and the pending
// count before it.
//
//	bit 63 parity, 62…20 number of the phase / 2, 19…0 pending
func (m Mbarrier) Token(phase uint64) uint64 {
	return phase<<63 | phase>>1<<(tokenCounts+1)>>1 | uint64(m.Pending())
}

// TokenPhase is the number of a token's phase.
func TokenPhase(token uint64) uint64 { return token<<1>>(tokenCounts+1)<<1 | token>>63 }

// TokenPending is the pending count before the arrival that gave a token (9.7.13.15.17).
func TokenPending(token uint64) uint32 { return uint32(token & (1<<tokenCounts - 1)) }
