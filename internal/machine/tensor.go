package machine

// This file holds the tensor memory of a CTA (9.7.16.1): its words, and who may touch them.

import (
	"fmt"
	"iter"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// TensorMemory is the tensor memory of a CTA. Like shared memory it belongs to the core that
// owns the CTA. It has no words until the first allocation.
type TensorMemory struct {
	cta   *CTA
	words []uint32 // lane after lane, tensor.MaxColumns each
	units [tensor.MaxColumns / tensor.Unit]*TensorAllocation
	used  [tensor.MaxColumns / tensor.Unit]bool // has been allocated at some time
	last  uint32                                // columns of the latest allocation; 0: none yet
	given *Place                                // relinquish_alloc_permit; nil: the CTA may allocate
	calls []*pairCall                           // of this CTA, that wait for its peer
}

// TensorAllocation is columns that belong together.
type TensorAllocation struct {
	Column, Columns uint32
	Group           int // CTAs that share the fate of it
	Place           Place
}

// Tensor returns the tensor memory of the warp's CTA.
func (w *Warp) Tensor() *TensorMemory { return &w.cta.tensor }

// PeerTensor returns that of the peer CTA (9.7.16.5.2), nil if there is no CTA that lives.
func (w *Warp) PeerTensor() *TensorMemory {
	if p := w.cta.pair(); p != nil && p.alive != 0 {
		return &p.tensor
	}
	return nil
}

// pair returns the peer CTA: the other one whose rank in the cluster differs in the last bit
// (9.7.16.5.1); nil if there is none.
func (c *CTA) pair() *CTA {
	if r := int(c.crank ^ 1); r < len(c.cluster.ctas) {
		return c.cluster.ctas[r]
	}
	return nil
}

// ClusterSize returns the number of CTAs of the warp's cluster.
func (w *Warp) ClusterSize() int { return len(w.cta.cluster.ctas) }

// Rank returns the rank of the CTA in its cluster.
func (t *TensorMemory) Rank() uint32 { return t.cta.crank }

// Row returns n words of a lane from a column on. The columns must be allocated.
func (t *TensorMemory) Row(lane, column, n int) []uint32 {
	at := lane*tensor.MaxColumns + column
	return t.words[at : at+n : at+n]
}

// From returns the words from a cell on: that of the next lane is tensor.MaxColumns further.
func (t *TensorMemory) From(lane, column int) []uint32 {
	return t.words[lane*tensor.MaxColumns+column:]
}

// Extent describes lanes × columns for reports.
func (t *TensorMemory) Extent(lane, lanes, column, columns int) Extent {
	return Extent{
		Space: Tensor, CTA: t.cta.crank, Lane: -1, From: uint64(column), To: uint64(column + columns),
		Row: uint32(lane), End: uint32(lane + lanes),
	}
}

// Check says why columns cannot be touched in some lanes; nil if they can.
func (t *TensorMemory) Check(lane, lanes, column, columns int) error {
	switch {
	case lane+lanes > tensor.Lanes:
		return fmt.Errorf("lanes %d to %d: tensor memory has lanes 0 to %d", lane, lane+lanes-1, tensor.Lanes-1)
	case column+columns > int(t.Columns()):
		return fmt.Errorf("columns %d to %d: tensor memory has columns 0 to %d", column, column+columns-1, t.Columns()-1)
	}
	for u := column / tensor.Unit; u <= (column+columns-1)/tensor.Unit; u++ {
		if t.units[u] == nil {
			return fmt.Errorf("columns %d to %d of CTA rank %d: column %d is not allocated%s", column, column+columns-1, t.cta.crank, max(column, u*tensor.Unit), t.held())
		}
	}
	return nil
}

// Columns returns how many columns the device has.
func (t *TensorMemory) Columns() uint32 {
	if t.cta.grid.Target.Arch == 107 {
		return tensor.MaxColumns
	}
	return tensor.Columns
}

// held lists the allocations, for messages.
func (t *TensorMemory) held() string {
	text := ""
	for a := range t.allocations() {
		text += fmt.Sprintf(", %d to %d", a.Column, a.Column+a.Columns-1)
	}
	if text == "" {
		return "; nothing is"
	}
	return "; allocated: columns " + text[2:]
}

// allocations visits the allocations in ascending order.
func (t *TensorMemory) allocations() iter.Seq[*TensorAllocation] {
	return func(yield func(*TensorAllocation) bool) {
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

// begin makes the tensor memory of a new CTA.
func (t *TensorMemory) begin(c *CTA) {
	if t.cta != c || t.last != 0 || t.given != nil || len(t.calls) != 0 {
		*t = TensorMemory{cta: c, words: t.words}
	}
}

// room finds free columns: the first that fit, as does the peer's memory for a pair.
func (t *TensorMemory) room(n uint32, peer *TensorMemory) (column uint32, ok bool) {
	need, limit := int(n/tensor.Unit), int(t.Columns()/tensor.Unit)
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

// take makes an allocation. What the columns hold is undefined (9.7.16.7.1): zero here, poison
// for observers.
func (t *TensorMemory) take(a *TensorAllocation) {
	if t.words == nil {
		t.words = make([]uint32, tensor.Lanes*tensor.MaxColumns)
	}
	for u := a.Column / tensor.Unit; u < (a.Column+a.Columns)/tensor.Unit; u++ {
		t.units[u], t.used[u] = a, true
	}
	fresh := uint32(0)
	if t.cta.grid.observing {
		fresh = tensorPoison
	}
	for lane := range tensor.Lanes {
		row := t.Row(lane, int(a.Column), int(a.Columns))
		for i := range row {
			row[i] = fresh
		}
	}
	t.last = a.Columns
}

// tensorPoison is a NaN as f32 and in each half as f16 and bf16, and no small integer.
const tensorPoison = 0x7fed7fed

func (t *TensorMemory) drop(a *TensorAllocation) {
	for u := a.Column / tensor.Unit; u < (a.Column+a.Columns)/tensor.Unit; u++ {
		t.units[u] = nil
	}
}

// TensorLeak is tensor memory that a CTA has not freed before it ended.
type TensorLeak struct {
	TensorAllocation
	CTA     [3]uint32
	CTARank uint64
	More    int // further allocations that were not freed, in this and other CTAs
}

// leaks counts what a CTA that has ended leaves allocated.
func (c *CTA) leaks() {
	if c.tensor.last == 0 {
		return
	}
	for a := range c.tensor.allocations() {
		c.grid.leak(TensorLeak{TensorAllocation: *a, CTA: c.id, CTARank: c.rank})
	}
}

// leak keeps the leak of the CTA with the lowest index, so that it does not depend on the cores.
func (g *Grid) leak(l TensorLeak) {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.leaked
	switch {
	case old == nil:
		g.leaked = &l
	case old.CTARank > l.CTARank:
		l.More = old.More + 1
		g.leaked = &l
	default:
		old.More++
	}
}

// TensorShow asks for the tensor memory of one CTA as it is when the CTA ends, freed columns
// included.
type TensorShow struct {
	CTARank uint64
	Columns []int      // that were allocated at some time; nil: the CTA had none
	Words   [][]uint32 // by lane, a word for each of Columns
}

// show fills a launch's TensorShow if this is its CTA.
func (c *CTA) show() {
	s := c.grid.ShowTensor
	if s == nil || s.CTARank != c.rank || c.tensor.last == 0 {
		return
	}
	for u, used := range c.tensor.used {
		for i := 0; used && i < tensor.Unit; i++ {
			s.Columns = append(s.Columns, u*tensor.Unit+i)
		}
	}
	s.Words = make([][]uint32, tensor.Lanes)
	for lane := range s.Words {
		for _, col := range s.Columns {
			s.Words[lane] = append(s.Words[lane], c.tensor.Row(lane, col, 1)[0])
		}
	}
}
