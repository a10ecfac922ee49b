package mbarriers

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// object makes an object in a set of its own.
func object(t *testing.T, count uint32) At {
	t.Helper()
	b := At{Set: new(Set), Addr: 1<<24 | 0x400, Word: new(mem.Mbarrier)}
	if bad := b.Init(count, false); bad != nil {
		t.Fatal(bad.Text)
	}
	return b
}

func (b At) want(t *testing.T, bad *Wrong, text string) {
	t.Helper()
	if (bad == nil) != (text == "") || bad != nil && !strings.Contains(bad.Text, text) {
		t.Errorf("%+v, want %q", bad, text)
	}
}

// TestPhases: a phase completes when all arrivals and all bytes are there, and the next one expects as many.
func TestPhases(t *testing.T) {
	b := object(t, 2)
	for phase := range uint64(3) {
		first, _ := b.State()
		for _, step := range []struct {
			op       *Op
			n        uint32
			complete bool
		}{{ExpectTx, 64, false}, {Arrive, 2, false}, {CompleteTx, 64, true}} {
			before, after, bad := b.Do(step.op, step.n)
			if bad != nil || before.Phase != phase || (after.Phase != phase) != step.complete {
				t.Fatalf("phase %d: %v to %v, %+v", phase, before, after, bad)
			}
		}
		now, bad := b.State()
		if bad != nil || !now.Passed(first.Token()) || now.Passed(now.Token()) || !now.PassedParity(uint32(phase)&1, false) {
			t.Errorf("phase %d: %v, %+v", phase, now, bad)
		}
	}
	_, _, bad := b.Do(Arrive, 3)
	b.want(t, bad, "arrive of 3: more arrivals than are pending (phase 3, pending 2 of 2, tx-count 0)")
	b.want(t, b.Incomplete(1), "")
	b.want(t, b.Incomplete(2), "would complete the phase")
	if _, _, bad := b.Do(Report, 1); bad == nil {
		t.Error("layout v0 holds a report")
	}
}

// TestLate: an object that has been ended serves those who come late, as long as its bytes are free; what was
// written over one is told from none at all.
func TestLate(t *testing.T) {
	b := object(t, 2)
	b.Inval()
	if *b.Word != 0 || !b.Set.Empty() || b.Set.Untouched() {
		t.Errorf("%x, %+v", *b.Word, b.Set)
	}
	if _, after, bad := b.Do(Arrive, 1); bad != nil || after.Word.Pending() != 1 || *b.Word != 0 {
		t.Errorf("late: %v, %+v, %x", after, bad, *b.Word)
	}
	if s := b.Step(Signals, 0); s.Lives || !s.Held || s.Word.Pending() != 1 {
		t.Errorf("%+v", s)
	}
	*b.Word = 7
	_, bad := b.State()
	b.want(t, bad, "no mbarrier, but other data: 0x0000000000000007")
	b.want(t, b.Init(1, false), "")
	*b.Word ^= 1 << 40
	_, bad = b.State()
	b.want(t, bad, "overwritten")
	b.Set.Clear()
	*b.Word = 0
	_, bad = b.State()
	b.want(t, bad, "not initialised")
	b.want(t, b.Init(0, false), "count of 0")
	if !b.Set.Untouched() {
		t.Errorf("%+v", b.Set)
	}
}

// TestAll: objects come by address, without those that have been ended.
func TestAll(t *testing.T) {
	s := new(Set)
	for _, addr := range []uint32{32, 8, 24, 16} {
		at := At{s, addr, new(mem.Mbarrier)}
		if bad := at.Init(addr, false); bad != nil {
			t.Fatal(bad)
		}
		if addr == 24 {
			at.Inval()
		}
	}
	sum := ""
	for addr, o := range s.All() {
		sum += string(rune('0'+addr/8)) + string(rune('0'+o.Word.Pending()/8)) + " "
	}
	if _, ended := s.Living(24); sum != "11 22 44 " || ended {
		t.Error(sum)
	}
	if o, ok := s.Known(24); !ok || o.Word.Pending() != 24 {
		t.Error(o)
	}
}
