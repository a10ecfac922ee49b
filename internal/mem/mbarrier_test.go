package mem

import (
	"math/rand/v2"
	"testing"
)

// slowMbarrier follows 9.7.13.15 with a field for every count.
type slowMbarrier struct {
	limit, expected, pending, tx int64
	phase                        uint64
}

func (s *slowMbarrier) check() {
	if s.pending == 0 && s.tx == 0 {
		s.phase, s.pending = s.phase+1, s.expected
	}
}

// do applies one operation; false if it is not allowed, which changes nothing.
func (s *slowMbarrier) do(op int, n int64) bool {
	next := *s
	ok := true
	counted := n >= 1 && n <= s.limit
	switch op {
	case 0:
		next.tx += n
	case 1:
		next.tx -= n
	case 2:
		next.pending -= n
		ok = counted
	case 3:
		next.tx += n
		next.pending--
	case 4:
		next.expected -= n
		ok = counted
	case 5:
		next.pending += n
		ok = n <= s.limit
	}
	if !ok || next.tx > 1<<20-1 || next.tx < -(1<<20-1) || next.pending < 0 || next.expected < 0 || next.pending > s.limit {
		return false
	}
	if *s = next; op <= 3 {
		s.check()
	}
	return true
}

// TestMbarrier compares random histories with the plain model, in both layouts.
func TestMbarrier(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ops := []func(Mbarrier, uint32) (Mbarrier, MbarrierError){
		Mbarrier.ExpectTx, Mbarrier.CompleteTx, Mbarrier.Arrive, Mbarrier.ArriveExpectTx, Mbarrier.Drop, Mbarrier.Expect}
	sizes := []uint32{0, 1, 2, 3, 511, 512, 1<<20 - 2, 1<<20 - 1, 1 << 20, ^uint32(0)}
	phases := uint64(0)
	for round := range 4000 {
		v1 := round&1 != 0
		limit := uint32(1<<20 - 1)
		if v1 {
			limit = 1<<9 - 1
		}
		n := 1 + r.Uint32N(4)
		if round%7 == 0 {
			n = limit
		}
		m, e := NewMbarrier(n, v1)
		if e != 0 {
			t.Fatal(e)
		}
		s := slowMbarrier{limit: int64(limit), expected: int64(n), pending: int64(n)}
		for range 40 {
			op, n := r.IntN(len(ops)), 1+r.Uint32N(3)
			if r.IntN(4) == 0 {
				n = sizes[r.IntN(len(sizes))]
			}
			switch r.IntN(4) {
			case 0:
				op, n = 2, 1
			case 1:
				op, n = 1, uint32(max(s.tx, 0))
			}
			next, e := ops[op](m, n)
			if ok := s.do(op, int64(n)); ok != (e == 0) {
				t.Fatalf("op %d of %d on %#x: error %d, want %v", op, n, m, e, ok)
			}
			if e != 0 && next != m {
				t.Fatalf("op %d of %d on %#x fails and changes it", op, n, m)
			}
			m = next
			if int64(m.Expected()) != s.expected || int64(m.Pending()) != s.pending || int64(m.Tx()) != s.tx || m.Parity() != uint32(s.phase&1) || m.V1() != v1 {
				t.Fatalf("after op %d of %d: %#x, want %+v", op, n, m, s)
			}
		}
		phases += s.phase
	}
	if phases < 5000 {
		t.Errorf("only %d phases completed", phases)
	}
	for _, v1 := range []bool{false, true} {
		for _, n := range []uint32{0, 512, 1 << 20, ^uint32(0)} {
			if _, e := NewMbarrier(n, v1); (e == 0) != (!v1 && n == 512) {
				t.Errorf("layout v1 %v, count %d: error %d", v1, n, e)
			}
		}
	}
}

// TestMbarrierToken reads phase and pending count back.
func TestMbarrierToken(t *testing.T) {
	for _, n := range []uint32{1, 7, 1<<20 - 1} {
		m, _ := NewMbarrier(n, false)
		for _, phase := range []uint64{0, 1, 2, 5, 1<<43 + 3} {
			token := m.Token(phase)
			if TokenPhase(token) != phase || TokenPending(token) != n || token>>63 != phase&1 {
				t.Errorf("token %#x of phase %d, pending %d: phase %d, pending %d", token, phase, n, TokenPhase(token), TokenPending(token))
			}
		}
	}
}
