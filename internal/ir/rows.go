package ir

// This file colours virtual registers into rows.
//
// Invariant: two registers that are live at one point of one lane's path never share a
// row. Why ordinary liveness is enough although lanes stand at different pcs is said in
// live.go. Intervals: a register holds its row from the first to the last position, in
// layout order, at which it is live or touched. A value that lives around a loop is live
// at the edges of all blocks of the loop, so the interval covers the loop by itself; a
// register live at some point has that point inside its interval whatever the order of
// blocks, so disjoint intervals never interfere.
//
// Positions: instruction pc reads at 2·pc and writes at 2·pc+1, so a result may take the
// row of an operand that dies there. That is allowed only where a handler works element by
// element (Inst.Elementwise); otherwise the write counts as at 2·pc. A register that is
// live into the entry block is read before it is written on some path and has to be zero:
// it holds its row from the start (EntryLive lists those).
//
// A register that an asynchronous load writes shares its row with no other: the write comes at an
// unknown moment before the wait, even if the register is dead.
//
// A scalar slot that is spread into rows (DESIGN §7, converged to split) must be spread, in
// each fragment, to the lanes of that fragment only and only if it is live at its pc
// (Func.LiveAt): elsewhere its row may belong to another register by then.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Rows is the colouring of a function.
type Rows struct {
	Count    [NumWidths]int32 // rows of W32, rows of W64 (W128 takes two of them), slots of WPred; Count[W128] is 0
	Of       []int32          // per register: its row in its row set, -1 if it is never touched
	From, To []int32          // per register: first and last pc at which it holds the row
}

// Bytes is the size of all rows of one frame, 32 lanes wide.
func (r *Rows) Bytes() int64 {
	return 4*int64(r.Count[WPred]) + 128*int64(r.Count[W32]) + 256*int64(r.Count[W64])
}

// Row tells where a register is at a pc; ok is false where its row may hold another's value.
func (f *Func) Row(r Reg, pc int32) (w Width, row int32, ok bool) {
	row = f.Rows.Of[r]
	return f.Regs[r].Width(), row, row >= 0 && f.Rows.From[r] <= pc && pc <= f.Rows.To[r]
}

// EntryLive lists the registers that may be read before they are written: register
// parameters, which the call writes, and registers that read as 0.
func (f *Func) EntryLive() []Reg {
	var out []Reg
	if len(f.Blocks) > 0 {
		f.EachLiveIn(0, func(r Reg) { out = append(out, r) })
	}
	return out
}

// interval is the positions between which a register holds its row.
type interval struct {
	reg         Reg
	first, last int32
}

// colour assigns rows; with oneEach every register has its own.
func (f *Func) colour(oneEach bool) {
	f.Rows = Rows{Of: filled(len(f.Regs), -1), From: filled(len(f.Regs), -1), To: filled(len(f.Regs), -1)}
	spans := f.intervals()
	for _, s := range spans {
		f.Rows.From[s.reg], f.Rows.To[s.reg] = s.first/2, s.last/2
		if oneEach {
			f.Rows.From[s.reg], f.Rows.To[s.reg] = 0, int32(len(f.Insts))
		}
	}
	var sets [NumWidths]rowSet
	f.scanIntervals(spans, &sets, oneEach)
	for w := range sets {
		f.Rows.Count[w] = sets[w].count
	}
}

// scanIntervals walks the intervals by first position, freeing those that have ended.
func (f *Func) scanIntervals(spans []interval, sets *[NumWidths]rowSet, keep bool) {
	byLast := slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b interval) int { return int(a.first - b.first) })
	slices.SortStableFunc(byLast, func(a, b interval) int { return int(a.last - b.last) })
	for _, s := range spans {
		for ; !keep && byLast[0].last < s.first; byLast = byLast[1:] {
			r := byLast[0].reg
			set, n := home(f.Regs[r].Width())
			sets[set].free(f.Rows.Of[r], n)
		}
		set, n := home(f.Regs[s.reg].Width())
		f.Rows.Of[s.reg] = sets[set].take(n)
	}
}

// home is the row set of a width and how many adjacent rows it takes.
func home(w Width) (set Width, rows int32) {
	if w == W128 {
		return W64, 2
	}
	return w, 1
}

// rowSet hands out the lowest free rows of one width.
type rowSet struct {
	count int32
	avail Bits // free rows below count
	hint  int  // no free row in the words before
}

func (s *rowSet) take(n int32) int32 {
	for i := s.hint; i < len(s.avail); i++ {
		if s.avail[i] == 0 {
			if i == s.hint {
				s.hint++
			}
			continue
		}
		if row, ok := s.takeAt(i, n); ok {
			return row
		}
	}
	row := s.count
	s.count += n
	for len(s.avail)*64 < int(s.count) {
		s.avail = append(s.avail, 0)
	}
	return row
}

// takeAt looks for n (1 or 2) adjacent free rows that begin in one word.
func (s *rowSet) takeAt(word int, n int32) (int32, bool) {
	free := s.avail[word]
	if n == 2 {
		above := free >> 1
		if word+1 < len(s.avail) {
			above |= s.avail[word+1] << 63
		}
		free &= above
	}
	if free == 0 {
		return 0, false
	}
	row := word*64 + bits.TrailingZeros64(free)
	for k := range int(n) {
		s.avail.Clear(row + k)
	}
	return int32(row), true
}

func (s *rowSet) free(row, n int32) {
	for k := range n {
		s.avail.Set(int(row + k))
	}
	s.hint = min(s.hint, int(row)/64)
}

// hulls collects the first and last position of every register.
type hulls struct{ first, last []int32 }

func (h *hulls) at(r Reg, pos int32) {
	if h.first[r] < 0 || pos < h.first[r] {
		h.first[r] = pos
	}
	h.last[r] = max(h.last[r], pos)
}

// intervals returns the hull of every register that is touched or live anywhere.
func (f *Func) intervals() []interval {
	h := hulls{filled(len(f.Regs), -1), filled(len(f.Regs), -1)}
	for _, q := range f.Params {
		if q.Reg != NoReg {
			h.at(q.Reg, 0) // the call writes all of them, read or not
		}
	}
	f.liveHulls(&h)
	for pc := range f.Insts {
		f.touched(&h, int32(pc))
	}
	return h.spans()
}

// liveHulls goes along the edges of the blocks in layout order. It looks only at registers that live at one edge and not at the
// next: such a one is where the life of a register begins or ends.
func (f *Func) liveHulls(h *hulls) {
	last, was := int32(0), set(0)
	to := func(now set, pos int32) {
		f.eachChange(was, now, func(r Reg) {
			if f.liveAtEdge(now, r) {
				h.at(r, pos)
			} else {
				h.at(r, last)
			}
		})
		was, last = now, pos
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		to(b.liveIn, 2*b.First)
		to(b.liveOut, 2*b.End-1)
	}
	to(0, last)
}

func (f *Func) touched(h *hulls, pc int32) {
	in := &f.Insts[pc]
	early := !in.Elementwise()
	f.EachReg(in, func(r Reg, a Access) {
		if a == Read || early {
			h.at(r, 2*pc)
		}
		if a == Write {
			h.at(r, 2*pc+1)
		}
		if in.Late(a) {
			h.at(r, 0)
			h.at(r, 2*int32(len(f.Insts))-1)
		}
	})
}

// Late reports whether an instruction touches registers after it has been issued: tcgen05.ld writes them, wgmma.mma_async also
// reads.
func (in *Inst) Late(a Access) bool {
	switch in.Sel.Entry.Effects.Async {
	case isa.AsyncWgmma:
		return true
	case isa.AsyncTensorLoad:
		return a == Write
	}
	return false
}

func (h *hulls) spans() []interval {
	spans := make([]interval, 0, len(h.first))
	for r := range h.first {
		if h.first[r] >= 0 {
			spans = append(spans, interval{Reg(r), h.first[r], h.last[r]})
		}
	}
	return spans
}
