package flow

// This file holds what most instructions and accesses are: nothing they depend on is unwritten, and all lanes of an access
// stay within one page. Whatever is more goes the ways of poison.go, tags.go and access.go, lane by lane, to the same result.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
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
func (e *Engine) plain(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, run machine.Handler) (st machine.State, ok bool) {
	seen := f.Shadows(w) & e.kept
	if seen&poisonWords != 0 {
		return st, false
	}
	var from *dataflow.FlowArg
	if e.checks.Mem && (seen != 0 || f.Symbols) && !onlyPredicates(f.Dst) {
		if from = onlyPointer(w, f); from == nil {
			return st, false
		}
	}
	lanes := w.Mask
	switch {
	case from == nil:
		if st = run(w, in); ended(st) {
			e.cleanAll(w, f, ws, lanes)
		}
	case from.Sym != nil:
		if st = run(w, in); ended(st) {
			pointAll(w, &f.Dst[0], e.symbolTag(w, ws, from.Sym), lanes)
		}
	default:
		tags := *w.R32(from.Tags) // the result may take the place of the source
		if st = run(w, in); ended(st) {
			passTags(w, &f.Dst[0], &tags, lanes)
		}
	}
	return st, true
}

// ended reports whether an instruction has acted, for good.
func ended(st machine.State) bool { return st != machine.Wait && st != machine.Faulted }

// onlyPredicates reports whether an instruction has no result that could point anywhere.
func onlyPredicates(list []regs.Shadowed) bool {
	for i := range list {
		if list[i].Words != 0 && list[i].Width != regs.Pred {
			return false
		}
	}
	return true
}

// onlyPointer is the source whose pointers the one result of an instruction has in all lanes; nil if that needs a closer look.
func onlyPointer(w *machine.Warp, f *dataflow.Flow) (from *dataflow.FlowArg) {
	if len(f.Dst) != 1 || f.Dst[0].Words == 0 || f.Dst[0].Width == regs.Pred || len(f.Decides) != 0 {
		return nil
	}
	switch f.Rule {
	case dataflow.FlowSelect, dataflow.FlowShuffle, dataflow.FlowUnpack:
		return nil
	}
	for i := range f.Args {
		a := &f.Args[i]
		if a.Sym == nil && (a.Words == 0 || a.Pred || *w.P(a.Words + 4)&w.Mask == 0) {
			continue
		}
		switch f.Tags {
		case dataflow.TagsCopy, dataflow.TagsAdd:
			if from != nil || !a.Data {
				return nil
			}
		case dataflow.TagsSub, dataflow.TagsSymbol:
			if i != 0 {
				return nil
			}
		default:
			return nil
		}
		from = a
	}
	if from != nil && from.Sym == nil && *w.P(from.Words + 4)&w.Mask != w.Mask {
		return nil
	}
	return from
}

// passTags makes a register point, in some lanes, to what the lanes of another have pointed to.
func passTags(w *machine.Warp, d *regs.Shadowed, tags *[32]uint32, lanes uint32) {
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

// pointAll makes a register point, in some lanes, to one object; 0 is none.
func pointAll(w *machine.Warp, d *regs.Shadowed, tag, lanes uint32) {
	words := w.S64(d.Words)
	if *words &^= both(lanes); tag == 0 {
		return
	}
	*words |= uint64(lanes) << 32
	row := w.R32(d.Tags)
	if lanes == ^uint32(0) {
		for i := range row {
			row[i] = tag
		}
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		row[bits.TrailingZeros32(m)&31] = tag
	}
}

// both is the words of some lanes.
func both(lanes uint32) uint64 { return uint64(lanes)<<32 | uint64(lanes) }

// cleanAll makes some lanes of the results written, and no pointers.
func (e *Engine) cleanAll(w *machine.Warp, f *dataflow.Flow, ws *warp, lanes uint32) {
	list := destinations(f)
	for i := range list {
		e.clean(w, f, &list[i], ws, lanes)
	}
}

func (e *Engine) clean(w *machine.Warp, f *dataflow.Flow, d *regs.Shadowed, ws *warp, lanes uint32) {
	switch {
	case d.Words == 0:
		return
	case d.Width == regs.Pred:
		*w.P(d.Words) &^= lanes
		return
	}
	if words := w.S64(d.Words); *words != 0 {
		*words &^= both(lanes)
	}
	if e.checks.Mem && mayBeStrange(f, d) {
		ws.out.reset(1)
		if strangers(w, *d, &ws.out.of[0], lanes); ws.out.of[0].tagged != 0 {
			ws.out.of[0].putTags(w, *d, lanes)
		}
	}
}

// extent is where the lanes of an access are: n bytes each, from the lowest address to the highest.
type extent struct {
	machine.Extent // of all of them, where they lie near each other; else only where the lowest is
	low, high      uint64
	dense          bool // they lie behind each other
}

// reach finds where some lanes are, n bytes each.
func reach(addr *[32]uint64, lanes uint32, n uint64) extent {
	if lanes == ^uint32(0) && dense(addr, n) {
		return extent{low: addr[0], high: addr[31], dense: true}
	}
	first := bits.TrailingZeros32(lanes) & 31
	x := extent{low: addr[first], high: addr[first]}
	if lanes == ^uint32(0) {
		for i := range addr {
			x.low, x.high = min(x.low, addr[i]), max(x.high, addr[i])
		}
		return x
	}
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x.low, x.high = min(x.low, addr[i]), max(x.high, addr[i])
	}
	return x
}

// dense reports whether each lane's n bytes lie behind those of the lane before.
func dense(addr *[32]uint64, n uint64) bool {
	if addr[1]-addr[0] != n { // most that are not
		return false
	}
	differ, at := uint64(0), addr[0]
	for i := range addr {
		differ |= addr[i] ^ at
		at += n
	}
	return differ == 0 && addr[31] >= addr[0]
}

// reach finds where all lanes of an access are.
func (e *Engine) reach(w *machine.Warp, ws *warp, m *dataflow.FlowMem) extent {
	var at extent
	n := uint64(m.Elem) * uint64(len(m.Regs))
	if m.One != nil {
		at.low = m.One(w)
		at.high = at.low
	} else {
		m.Resolve(w, &ws.addr)
		at = reach(&ws.addr, w.Mask, n)
	}
	at.Extent = w.ExtentAt(m.Space, at.low, at.high-at.low+n)
	return at
}

// span is a part of a page, in which all lanes of an access are.
type span struct {
	page     *page
	from, to uint64
	global   bool
	whole    bool // the lanes touch every byte
}

// span finds where all lanes of an access are; false if it is more than a page, or local memory.
func (e *Engine) span(w *machine.Warp, ws *warp, at *extent) (s span, ok bool) {
	if at.high-at.low >= pageSize || at.Space == machine.Local || (at.To-1)/pageSize != at.From/pageSize {
		return s, false
	}
	r := e.region(w, at.Extent)
	if r == nil {
		return s, false
	}
	s.global, s.whole = r == e.memory.global, at.dense || at.low == at.high
	s.page, s.from, s.to = ws.lookup(r, at.From/pageSize, e.memory.global), at.From%pageSize, (at.To-1)%pageSize+1
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

// written reports whether all bytes of a page between two are.
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

// pointless reports whether nothing between two bytes of a page points anywhere.
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

// access runs a load, store or atomic operation, by an address that is written, in memory in which nothing is a pointer. Of what
// it reads all is written, and what it writes. ok is false, and nothing has happened, of another.
func (e *Engine) access(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, run machine.Handler) (st machine.State, ok bool) {
	m, lanes := f.Mem, w.Mask
	stores := f.Rule == dataflow.FlowStore
	switch {
	case f.Shadows(w)&e.kept&poisonWords != 0 || f.Rule != dataflow.FlowLoad && e.storesShadow(w, m):
		return st, false
	case m.Kernel:
		return e.parameters(w, in, f, ws, run)
	}
	at := e.reach(w, ws, m)
	inside, known := true, false
	if e.checks.Mem {
		inside, known = e.insideAll(w, ws, m, &at)
	}
	fill := false
	var s span
	switch {
	case m.Space == machine.Const:
	case known && !e.checks.Init && e.pointerless(w, ws, &at):
	default:
		if s, ok = e.span(w, ws, &at); !ok {
			return st, false
		}
		if fill, ok = e.simple(&s, stores); !ok {
			return st, false
		}
	}
	if !inside {
		e.inside(w, in, m, ws, e.resolved(w, ws, m))
	}
	if st = run(w, in); !ended(st) {
		return st, true
	}
	if fill {
		s.hold()
		s.page.fill(s.from, s.to, false)
		s.give()
	}
	e.cleanAll(w, f, ws, lanes)
	return st, true
}

// resolved is the addresses of the lanes of an access.
func (e *Engine) resolved(w *machine.Warp, ws *warp, m *dataflow.FlowMem) *[32]uint64 {
	m.Resolve(w, &ws.addr)
	return &ws.addr
}

// parameters is access to the kernel's.
func (e *Engine) parameters(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, run machine.Handler) (st machine.State, ok bool) {
	m, lanes := f.Mem, w.Mask
	if m.One == nil {
		return st, false
	}
	if st = run(w, in); !ended(st) {
		return st, true
	}
	if !e.checks.Mem || m.Elem != pointerSize || f.Rule != dataflow.FlowLoad {
		e.cleanAll(w, f, ws, lanes)
		return st, true
	}
	off := m.One(w) - w.Params()
	for k := range m.Regs {
		if d := &m.Regs[k]; d.Words != 0 {
			pointAll(w, d, e.parameter(off+uint64(k)*pointerSize), lanes)
		}
	}
	return st, true
}

// pointerless reports whether nothing in the memory of an access is a pointer.
func (e *Engine) pointerless(w *machine.Warp, ws *warp, at *extent) bool {
	r := ws.local
	if at.Space != machine.Local {
		r = e.region(w, at.Extent)
	}
	return r != nil && !r.pointers.Load()
}

// simple reports whether an access leaves nothing to do in the shadow of memory, but that a store fills it.
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

// insideAll reports whether no lane leaves the object that it points to, as far as that is known; and whether all of them
// are inside one object.
func (e *Engine) insideAll(w *machine.Warp, ws *warp, m *dataflow.FlowMem, at *extent) (ok, known bool) {
	tag := e.symbolTag(w, ws, m.Sym)
	switch {
	case tag != 0:
	case m.Base.Words == 0:
		return true, false
	case *w.P(m.Base.Words + 4)&w.Mask == 0:
		return true, false
	default:
		if tag = oneTag(w, m.Base); tag == 0 {
			return false, false
		}
	}
	if tag == unknown {
		return true, false
	}
	o := e.memory.at(tag)
	known = at.Space == o.Space && at.From >= o.From && at.To <= o.To && at.To > at.From && !o.Gone
	return known, known
}

// oneTag is the tag that all lanes of a register have; 0 if they have several.
func oneTag(w *machine.Warp, r regs.Shadowed) uint32 {
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

// storesShadow reports whether a stored value has unwritten bits, or is a pointer.
func (e *Engine) storesShadow(w *machine.Warp, m *dataflow.FlowMem) bool {
	for i := range m.Rows {
		r := &m.Rows[i]
		if r.Sym != nil {
			return true
		}
		if r.Words != 0 && r.Width != regs.Pred && *w.S64(r.Words)&e.kept != 0 {
			return true
		}
	}
	return false
}
