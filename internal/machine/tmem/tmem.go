// Package tmem is the tensor memory of a CTA (9.7.16.1): its words, which of its columns are allocated, and the calls that
// allocate and free them, of one CTA or of both of a pair at once (9.7.16.7.1). It belongs to who runs the CTA, as shared
// memory does.
package tmem

import (
	"fmt"
	"iter"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// Memory is the tensor memory of a CTA. It has no words until the first allocation.
type Memory struct {
	Device
	words  []uint32 // lane after lane, tensor.MaxColumns each
	units  [tensor.MaxColumns / tensor.Unit]*Allocation
	used   [tensor.MaxColumns / tensor.Unit]bool // has been allocated at some time
	last   uint32                                // columns of the latest allocation; 0: none yet
	giver  int                                   // the warp of relinquish_alloc_permit
	given  bool                                  // the CTA may allocate no more
	paired []*Pending                            // calls of this CTA that wait for its peer
}

// Device is what a tensor memory is like, and whose it is.
type Device struct {
	CTARank uint32 // in the cluster
	Width   uint32 // columns that the device has
	Fresh   uint32 // what allocated words hold: that is undefined (9.7.16.7.1)
}

// Poison is a Fresh that shows: a NaN as f32 and in each half as f16 and bf16, and no small integer.
const Poison = 0x7fed7fed

// Allocation is columns that belong together.
type Allocation struct {
	Column, Columns uint32
	Group           int // CTAs that share the fate of it
	Made            any // by whom, as the caller says
}

// Begin makes the tensor memory of a new CTA.
func (t *Memory) Begin(d Device) {
	if !t.Untouched() {
		*t = Memory{words: t.words}
	}
	t.Device = d
}

// Untouched reports whether nothing has been done since Begin.
func (t *Memory) Untouched() bool { return t.last == 0 && !t.given && len(t.paired) == 0 }

// Rank returns the rank of the CTA in its cluster.
func (t *Memory) Rank() uint32 { return t.CTARank }

// Words are all words, lane after lane; none if nothing was ever allocated.
func (t *Memory) Words() []uint32 { return t.words }

// Row returns n words of a lane from a column on. The columns must be allocated.
func (t *Memory) Row(lane, column, n int) []uint32 {
	at := lane*tensor.MaxColumns + column
	return t.words[at : at+n : at+n]
}

// From returns the words from a cell on: that of the next lane is tensor.MaxColumns further.
func (t *Memory) From(lane, column int) []uint32 {
	return t.words[lane*tensor.MaxColumns+column:]
}

// Check says why columns cannot be touched in some lanes; nil if they can.
func (t *Memory) Check(lane, lanes, column, columns int) error {
	switch {
	case lane+lanes > tensor.Lanes:
		return fmt.Errorf("lanes %d to %d: tensor memory has lanes 0 to %d", lane, lane+lanes-1, tensor.Lanes-1)
	case column+columns > int(t.Width):
		return fmt.Errorf("columns %d to %d: tensor memory has columns 0 to %d", column, column+columns-1, t.Width-1)
	}
	for u := column / tensor.Unit; u <= (column+columns-1)/tensor.Unit; u++ {
		if t.units[u] == nil {
			return fmt.Errorf("columns %d to %d of CTA rank %d: column %d is not allocated%s", column, column+columns-1, t.CTARank, max(column, u*tensor.Unit), t.held())
		}
	}
	return nil
}

// held lists the allocations, for messages.
func (t *Memory) held() string {
	text := ""
	for a := range t.Allocations() {
		text += fmt.Sprintf(", %d to %d", a.Column, a.Column+a.Columns-1)
	}
	if text == "" {
		return "; nothing is"
	}
	return "; allocated: columns " + text[2:]
}

// Allocations visits the allocations in ascending order.
func (t *Memory) Allocations() iter.Seq[*Allocation] {
	return func(yield func(*Allocation) bool) {
		for u := 0; u < len(t.units); u++ {
			if a := t.units[u]; a != nil {
				if !yield(a) {
					return
				}
				u += int(a.Columns/tensor.Unit) - 1
			}
		}
	}
}

// Used lists the columns that were allocated at some time.
func (t *Memory) Used() (columns []int) {
	for u, used := range t.used {
		for i := 0; used && i < tensor.Unit; i++ {
			columns = append(columns, u*tensor.Unit+i)
		}
	}
	return columns
}

// room finds free columns: the first that fit, as does the peer's memory for a pair.
func (t *Memory) room(n uint32, peer *Memory) (column uint32, ok bool) {
	need, limit := int(n/tensor.Unit), int(t.Width/tensor.Unit)
	for u, free := 0, 0; u < limit; u++ {
		if free++; t.units[u] != nil || peer != nil && peer.units[u] != nil {
			free = 0
		}
		if free == need {
			return uint32(u-need+1) * tensor.Unit, true
		}
	}
	return 0, false
}

// take makes an allocation.
func (t *Memory) take(a *Allocation) {
	if t.words == nil {
		t.words = make([]uint32, tensor.Lanes*tensor.MaxColumns)
	}
	for u := a.Column / tensor.Unit; u < (a.Column+a.Columns)/tensor.Unit; u++ {
		t.units[u], t.used[u] = a, true
	}
	for lane := range tensor.Lanes {
		row := t.Row(lane, int(a.Column), int(a.Columns))
		for i := range row {
			row[i] = t.Fresh
		}
	}
	t.last = a.Columns
}

func (t *Memory) drop(a *Allocation) {
	for u := a.Column / tensor.Unit; u < (a.Column+a.Columns)/tensor.Unit; u++ {
		t.units[u] = nil
	}
}
