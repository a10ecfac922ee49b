package tmem

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// caller counts how often it is woken.
type caller struct{ woken *int }

func (c caller) Wake() { *c.woken++ }

func newCaller() caller { return caller{new(int)} }

func newMemory(rank uint32) *Memory {
	m := new(Memory)
	m.Begin(Device{CTARank: rank, Width: tensor.Columns, Fresh: Poison})
	return m
}

// alloc allocates columns in a memory alone.
func alloc(t *testing.T, m *Memory, columns uint32) *Allocation {
	t.Helper()
	q := Call{Columns: columns, Group: 1}
	if err := m.Admit(&q); err != nil {
		t.Fatal(err)
	}
	a, err := m.Perform(&q, fmt.Sprint("by ", columns))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestColumns: the first columns that fit, words that hold what the device says, and those that are free again.
func TestColumns(t *testing.T) {
	m := newMemory(0)
	if !m.Untouched() || m.Words() != nil {
		t.Error("a new memory has been touched")
	}
	a, b := alloc(t, m, 256), alloc(t, m, 128)
	if a.Column != 0 || b.Column != 256 || a.Made != "by 256" {
		t.Errorf("allocations are %+v and %+v", a, b)
	}
	if m.Row(127, 383, 1)[0] != Poison || m.Untouched() {
		t.Errorf("the last word holds %#x", m.Row(127, 383, 1)[0])
	}
	if q := (Call{Columns: 128, Group: 1}); alloc(t, m, 128).Column != 384 || m.AtOnce(&q) {
		t.Error("512 columns are not all")
	}
	if none, err := m.Perform(&Call{Columns: 32, Group: 1}, nil); none != nil || err != nil {
		t.Errorf("a full memory gives %+v, %v", none, err)
	}
	if _, err := m.Perform(&Call{Free: true, Addr: tensor.At(0, 256), Columns: 128, Group: 1}, nil); err != nil {
		t.Error(err)
	}
	if c := alloc(t, m, 64); c.Column != 256 {
		t.Errorf("columns that are free again are not the first: %+v", c)
	}
	if used := m.Used(); len(used) != 512 {
		t.Errorf("%d columns were ever allocated", len(used))
	}
	if m.Begin(Device{Width: tensor.Columns}); !m.Untouched() || len(m.Used()) != 0 {
		t.Error("the next CTA finds what the one before has done")
	}
}

// TestRefused: what 9.7.16.7.1 does not allow, and touching what no CTA has.
func TestRefused(t *testing.T) {
	m := newMemory(1)
	alloc(t, m, 64)
	for want, q := range map[string]Call{
		"sizes must not grow":    {Columns: 128, Group: 1},
		"power of two":           {Columns: 48, Group: 1},
		"no allocation starts":   {Free: true, Addr: tensor.At(0, 32), Columns: 64, Group: 1},
		"the allocation has 64":  {Free: true, Columns: 32, Group: 1},
		"with cta_group::1":      {Free: true, Columns: 64, Group: 2},
		"no allocation starts a": {Free: true, Addr: tensor.At(3, 0), Columns: 64, Group: 1},
	} {
		err := m.Admit(&q)
		if err == nil {
			_, err = m.Perform(&q, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", &q, err, want)
		}
	}
	if m.Relinquish(3); m.Admit(&Call{Columns: 32, Group: 1}) == nil {
		t.Error("a CTA allocates that has relinquished the right")
	}
	for _, at := range [][4]int{{0, 128, 0, 64}, {0, 128, 64, 1}, {100, 29, 0, 1}, {0, 1, 500, 13}} {
		if err := m.Check(at[0], at[1], at[2], at[3]); (err == nil) != (at[2]+at[3] == 64) {
			t.Errorf("%v: %v", at, err)
		}
	}
}

// TestPairs: calls of a pair meet in order, deallocs pass an alloc that waits for columns, and both are told of what differs.
func TestPairs(t *testing.T) {
	left, right := newMemory(0), newMemory(1)
	call := Call{Columns: 512, Group: 2}
	first, second := newCaller(), newCaller()
	mine := left.Meet(right, call, first, "left")
	if mine.Done || !strings.Contains(left.Reason(first, right), "wait for the peer CTA (rank 1) to make the same call: tcgen05.alloc of 512 columns") {
		t.Errorf("a call alone: %+v, %s", mine, left.Reason(first, right))
	}
	theirs := right.Meet(left, call, second, "right")
	if !mine.Done || !theirs.Done || *first.woken != 1 || *second.woken != 1 || mine.Result.Made != "left" || theirs.Result.Made != "right" {
		t.Errorf("calls of both: %+v, %+v", mine, theirs)
	}
	left.Forget(left.Pending(first))
	right.Forget(right.Pending(second))
	more := []*Pending{left.Meet(right, Call{Columns: 64, Group: 2}, first, nil), right.Meet(left, Call{Columns: 64, Group: 2}, second, nil)}
	if more[0].Done || !strings.Contains(left.Reason(first, right), "wait for free columns of tensor memory; allocated: columns 0 to 511") {
		t.Errorf("no columns are free: %+v, %s", more[0], left.Reason(first, right))
	}
	free := Call{Free: true, Columns: 512, Group: 2}
	left.Meet(right, free, newCaller(), nil)
	if right.Meet(left, free, newCaller(), nil); !more[0].Done || !more[1].Done || more[0].Result.Column != 0 {
		t.Errorf("behind deallocs: %+v, %+v", more[0], more[1])
	}
	odd := left.Meet(right, Call{Columns: 32, Group: 2}, newCaller(), nil)
	if right.Meet(left, Call{Columns: 64, Group: 2}, newCaller(), nil); odd.Err == nil || !strings.Contains(odd.Err.Error(), "tcgen05.alloc of 64 columns in the peer CTA (rank 1)") {
		t.Errorf("calls that differ: %v", odd.Err)
	}
}
