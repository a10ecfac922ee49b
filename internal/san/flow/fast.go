package flow

// This file holds what most instructions and accesses are: nothing they depend on is unwritten, and all lanes of an access
// stay within one page. Whatever is more goes the ways of poison.go, tags.go and access.go, lane by lane, to the same result.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// The halves of the words of a register (machine.FlowReg).
const (
	poisonWords = uint64(1<<32 - 1)
	tagWords    = ^poisonWords
)

// kept is the words that the checks look at.
func (c Checks) kept() (words uint64) {
	if c.Init {
		words |= poisonWords
	}
	if c.Mem {
		words |= tagWords
	}
	return words
}

// plain runs an instruction whose results follow from registers of which nothing is unwritten and at most one is a pointer;
// ok is false, and nothing has happened, of another.
func (e *Engine) plain(w *machine.Warp, in *machine.Inst, f *machine.Flow, run machine.Handler) (st machine.State, ok bool) {
	seen := f.Shadows(w) & e.kept
	if seen&poisonWords != 0 {
		return st, false
	}
	var from *machine.FlowArg
	if seen != 0 && !onlyPredicates(f.Dst) {
		if from = onlyPointer(w, f); from == nil {
			return st, false
		}
	}
	lanes := w.Mask
	if from == nil {
		if st = run(w, in); ended(st) {
			e.cleanAll(w, f, lanes)
		}
		return st, true
	}
	tags := *w.R32(from.Tags) // the result may take the place of the source
	if st = run(w, in); ended(st) {
		passTags(w, f.Dst[0], &tags, lanes)
	}
	return st, true
}

// ended tells whether an instruction has acted, for good.
func ended(st machine.State) bool { return st != machine.Wait && st != machine.Faulted }

// onlyPredicates tells whether an instruction has no result that could point anywhere.
func onlyPredicates(list []machine.FlowReg) bool {
	for i := range list {
		if list[i].Words != 0 && list[i].Width != machine.Pred {
			return false
		}
	}
	return true
}

// onlyPointer is the source whose pointers the one result of an instruction has in all lanes; nil if that needs a closer look.
func onlyPointer(w *machine.Warp, f *machine.Flow) (from *machine.FlowArg) {
	if len(f.Dst) != 1 || f.Dst[0].Words == 0 || f.Dst[0].Width == machine.Pred || len(f.Decides) != 0 {
		return nil
	}
	switch f.Rule {
	case machine.FlowSelect, machine.FlowShuffle, machine.FlowUnpack:
		return nil
	}
	for i := range f.Args {
		a := &f.Args[i]
		if a.Words == 0 || a.Pred || *w.P(a.Words + 4)&w.Mask == 0 {
			continue
		}
		switch f.Tags {
		case machine.TagsCopy, machine.TagsAdd:
			if from != nil || !a.Data {
				return nil
			}
		case machine.TagsSub:
			if i != 0 {
				return nil
			}
		default:
			return nil
		}
		from = a
	}
	if from != nil && *w.P(from.Words + 4)&w.Mask != w.Mask {
		return nil
	}
	return from
}

// passTags makes a register point, in some lanes, to what the lanes of another have pointed to.
func passTags(w *machine.Warp, d machine.FlowReg, tags *[32]uint32, lanes uint32) {
	words := w.S64(d.Words)
	*words = *words&^both(lanes) | uint64(lanes)<<32
	row := w.R32(d.Tags)
	if lanes == ^uint32(0) {
		*row = *tags
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		row[i] = tags[i]
	}
}

// both is the words of some lanes.
func both(lanes uint32) uint64 { return uint64(lanes)<<32 | uint64(lanes) }

// cleanAll makes some lanes of the results written, and no pointers.
func (e *Engine) cleanAll(w *machine.Warp, f *machine.Flow, lanes uint32) {
	list := destinations(f)
	for i := range list {
		e.clean(w, f, &list[i], lanes)
	}
}

func (e *Engine) clean(w *machine.Warp, f *machine.Flow, d *machine.FlowReg, lanes uint32) {
	switch {
	case d.Words == 0:
		return
	case d.Width == machine.Pred:
		*w.P(d.Words) &^= lanes
		return
	}
	if words := w.S64(d.Words); *words != 0 {
		*words &^= both(lanes)
	}
	if e.checks.Mem && mayBeStrange(f, d) {
		out := &e.warp(w).out
		out.reset(1)
		if strangers(w, *d, &out.of[0], lanes); out.of[0].tagged != 0 {
			out.of[0].putTags(w, *d, lanes)
		}
	}
}

// extent is where the lanes of an access are: n bytes each, from the lowest address to the highest.
type extent struct {
	n, low, high uint64
	dense        bool // they lie behind each other
}

// reach finds where some lanes are.
func reach(addr *[32]uint64, lanes uint32, n uint64) extent {
	x := extent{n: n}
	if lanes == ^uint32(0) {
		x.low, x.high, x.dense = addr[0], addr[0], true
		for i := 1; i < 32; i++ {
			x.low, x.high = min(x.low, addr[i]), max(x.high, addr[i])
			x.dense = x.dense && addr[i] == addr[0]+uint64(i)*n
		}
		return x
	}
	first := bits.TrailingZeros32(lanes) & 31
	x.low, x.high = addr[first], addr[first]
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x.low, x.high = min(x.low, addr[i]), max(x.high, addr[i])
	}
	return x
}

// span is a part of a page, in which all lanes of an access are.
type span struct {
	page     *page
	from, to uint64
	global   bool
	whole    bool // the lanes touch every byte
}

// span finds where all lanes of an access are; false if it is more than a page, or local memory.
func (e *Engine) span(w *machine.Warp, ws *warp, m *machine.FlowMem, at *extent) (s span, ok bool) {
	if at.high-at.low >= pageSize || m.Space == machine.Local {
		return s, false
	}
	x := w.ExtentAt(m.Space, at.low, at.high-at.low+at.n)
	if x.Space == machine.Local || (x.To-1)/pageSize != x.From/pageSize {
		return s, false
	}
	r := e.region(w, x)
	if r == nil {
		return s, false
	}
	s.global, s.whole = r == e.memory.global, at.dense || at.low == at.high
	s.page, s.from, s.to = ws.lookup(r, x.From/pageSize, e.memory.global), x.From%pageSize, (x.To-1)%pageSize+1
	return s, true
}

// hold takes the page where others may come to it.
func (s *span) hold() {
	if s.global {
		s.page.mu.Lock()
	}
}

func (s *span) give() {
	if s.global {
		s.page.mu.Unlock()
	}
}

// written tells whether all bytes of a page between two are.
func (p *page) written(from, to uint64) bool {
	for i := from; i < to; {
		n := min(64-i%64, to-i)
		if p.poison[i/64]&mask(i, n) != 0 {
			return false
		}
		i += n
	}
	return true
}

// pointless tells whether nothing between two bytes of a page points anywhere.
func (p *page) pointless(from, to uint64) bool {
	if p.tags == nil {
		return true
	}
	for g := from / granule; g*granule < to; g++ {
		if p.tags[g] != 0 {
			return false
		}
	}
	return true
}

// access runs a load or store within a page in which nothing is a pointer, by an address that is written. Of what a load reads
// all is written, and what a store writes. ok is false, and nothing has happened, of another.
func (e *Engine) access(w *machine.Warp, in *machine.Inst, f *machine.Flow, ws *warp, addr *[32]uint64, run machine.Handler) (st machine.State, ok bool) {
	m, lanes := f.Mem, w.Mask
	stores := f.Rule == machine.FlowStore
	if !stores && f.Rule != machine.FlowLoad || f.Shadows(w)&e.kept&poisonWords != 0 || stores && e.storesShadow(w, m) {
		return st, false
	}
	var at extent
	var s span
	fill := false
	if !m.Kernel {
		at = reach(addr, lanes, uint64(m.Elem)*uint64(len(m.Regs)))
	}
	switch {
	case m.Space == machine.Const:
	case m.Kernel && e.checks.Mem:
		return st, false
	case m.Kernel:
	default:
		if s, ok = e.span(w, ws, m, &at); !ok {
			return st, false
		}
		if fill, ok = e.simple(&s, stores); !ok {
			return st, false
		}
	}
	if e.checks.Mem && !e.insideAll(w, ws, m, &at) {
		e.inside(w, in, m, ws, addr)
	}
	if st = run(w, in); !ended(st) {
		return st, true
	}
	if fill {
		s.hold()
		s.page.fill(s.from, s.to, false)
		s.give()
	}
	e.cleanAll(w, f, lanes)
	return st, true
}

// simple tells whether an access leaves nothing to do in the shadow of memory, but that a store fills it.
func (e *Engine) simple(s *span, stores bool) (fill, ok bool) {
	s.hold()
	defer s.give()
	if e.checks.Mem && !s.page.pointless(s.from, s.to) {
		return false, false
	}
	if !e.checks.Init || s.page.written(s.from, s.to) {
		return false, true
	}
	return true, stores && s.whole
}

// insideAll tells whether all lanes point to one object and stay inside.
func (e *Engine) insideAll(w *machine.Warp, ws *warp, m *machine.FlowMem, at *extent) bool {
	tag := e.symbolTag(w, ws, m.Sym)
	switch {
	case tag != 0:
	case m.Base.Words == 0:
		return true
	case *w.P(m.Base.Words + 4)&w.Mask == 0:
		return true
	default:
		if tag = oneTag(w, m.Base); tag == 0 {
			return false
		}
	}
	if tag == unknown {
		return true
	}
	o, x := e.memory.at(tag), w.ExtentAt(m.Space, at.low, at.high-at.low+at.n)
	return x.Space == o.Space && x.From >= o.From && x.To <= o.To && x.To > x.From && !o.Gone
}

// oneTag is the tag that all lanes of a register have; 0 if they have several.
func oneTag(w *machine.Warp, r machine.FlowReg) uint32 {
	if *w.P(r.Words + 4)&w.Mask != w.Mask {
		return 0
	}
	row := w.R32(r.Tags)
	first := row[bits.TrailingZeros32(w.Mask)&31]
	if w.Mask == ^uint32(0) {
		differ := uint32(0)
		for _, t := range row {
			differ |= t ^ first
		}
		if differ != 0 {
			return 0
		}
		return first
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		if row[bits.TrailingZeros32(m)&31] != first {
			return 0
		}
	}
	return first
}

// storesShadow tells whether a stored value has unwritten bits, or is a pointer.
func (e *Engine) storesShadow(w *machine.Warp, m *machine.FlowMem) bool {
	for i := range m.Rows {
		r := &m.Rows[i]
		if r.Sym != nil {
			return true
		}
		if r.Words != 0 && r.Width != machine.Pred && *w.S64(r.Words)&e.kept != 0 {
			return true
		}
	}
	return false
}
