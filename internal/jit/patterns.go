package jit

// Which registers are kept as numbers in code for full warps. A register whose definitions all
// give the same runs is a pattern everywhere (code for some lanes uses its row, which is written
// where lanes part and read where they are together again); any other value is one from its
// definition to the end of the segment.

import (
	"slices"
	"sort"
	"sync"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// pattern is a register, or a value of it in one segment, of which a number for each run is kept.
type pattern struct {
	stride
	reg    ir.Reg
	typ    typ
	off    uint32  // of its row
	base   x86.Reg // where its numbers are, 8 bytes each: behind the warp's register block, or in the state
	at     int32   // for those that are needed in one segment
	from   []int32 // instructions that define it
	wanted bool    // worth it
	home   bool    // a value whose row is written at once: others read it behind the segment
}

// number is where the number of a run is.
func (p *pattern) number(run int) x86.Mem { return x86.At(p.base, p.at+int32(8*run)).By(p.proof()) }

// proof is what shows that numbers may be touched: those in the state and behind the register block need nothing.
func (p *pattern) proof() int32 {
	if p.base == rCtx || p.base == rRegs {
		return 0
	}
	return inHost
}

// finder finds the patterns of a region.
type finder struct {
	*region
	sol   *ir.Solution
	state []found         // by register
	from  map[readAt]bool // those that such a load has written last in their segment
}

// found is what is known of a register while definitions are looked at.
type found struct {
	all  bool // a pattern everywhere, as far as is known
	seen bool // a definition has been evaluated
	stride
}

// findPatterns decides which values are numbers; the sources of full code say so.
func (r *region) findPatterns() {
	for pc := range r.steps {
		in := r.steps[pc].in
		r.steps[pc].full = r.mem.sources.take(len(in))
		copy(r.steps[pc].full, in)
	}
	sol, ok := decode.ClassesOf(r.code.Func)
	if !ok {
		return
	}
	f := &finder{region: r, sol: sol, state: r.mem.states.take(len(r.f.Regs)), from: map[readAt]bool{}}
	for i := range r.code.Specials {
		s := &r.code.Specials[i]
		f.specials[s.Off] = specialStride(s, sol.Shape)
	}
	for i := range r.segs {
		f.findLoaded(&r.segs[i])
	}
	f.everywhere()
	for i := range r.segs {
		f.within(&r.segs[i])
	}
	f.choose()
	if !f.number() || f.some() && !f.uses(Patterns) {
		f.forget()
	}
}

func specialStride(s *specials.Ref, shape ir.LaunchShape) stride {
	switch {
	case specials.ClassOf(s.Reg) != specials.PerLane:
		return everyLane
	case s.Reg == laneID():
		return stride{w: 32, row: 32, step: 1, even: maxEven}
	case s.Reg == threadID() && s.Comp < 3:
		return threadStride(shape, int(s.Comp))
	}
	return stride{}
}

// The special registers that differ between lanes.
var laneID = sync.OnceValue(func() isa.Special { return special("%laneid") })
var threadID = sync.OnceValue(func() isa.Special { return special("%tid") })

func special(name string) isa.Special {
	s, _ := isa.LookupSpecial(name)
	return s
}

// definable tells whether numbers could be computed instead of a row.
func (r *region) definable(pc int32) bool {
	s := &r.steps[pc]
	return !s.leaves && s.op.Kind == sem.OpLane && s.prog != nil && !s.dst.slot && s.dst.typ != tM &&
		r.insts[pc].Guard == machine.NoGuard && s.prog.numbers()
}

// everywhere finds the registers that are patterns wherever they live.
func (f *finder) everywhere() {
	entry := f.live.entry
	differ, known := f.differing(f.sol)
	same := func(pc int32, g ir.Reg) bool { // for lanes that come together
		return !f.sol.Divergent[f.live.blockOf[pc]] || known && !differ.Has(int(g))
	}
	for g := range f.state {
		f.state[g].all = !entry.Has(g) && f.f.Regs[g].Bits > 1
	}
	for pc := range f.steps {
		for _, g := range f.live.uses.writes(int32(pc)) {
			s := &f.state[g]
			s.all = s.all && f.definable(int32(pc)) && same(int32(pc), g) && f.sameRow(int32(pc), g)
		}
	}
	f.settleStrides()
	for g := range f.state {
		if s := &f.state[g]; s.all && s.seen {
			from := f.live.uses.writers(ir.Reg(g))
			d := &f.steps[from[0]].dst
			f.global[ir.Reg(g)] = &pattern{stride: s.stride, reg: ir.Reg(g), typ: d.typ, off: d.off, from: from}
		}
	}
}

// computed has an empty list for each register, with room for all that are computed from it.
func (f *finder) computed() [][]ir.Reg {
	lists := make([][]ir.Reg, len(f.state))
	for g := range lists {
		n := 0
		for _, pc := range f.live.uses.readers(ir.Reg(g)) {
			n += len(f.live.uses.writes(pc))
		}
		lists[g] = f.mem.regs.take(n)[:0]
	}
	return lists
}

// settleStrides evaluates definitions until nothing changes.
func (f *finder) settleStrides() {
	readers := f.computed() // registers that are computed from each
	var work []ir.Reg
	for g := range f.state {
		from := f.live.uses.writers(ir.Reg(g))
		if !f.state[g].all || len(from) == 0 {
			f.state[g].all = false
			continue
		}
		work = append(work, ir.Reg(g))
		for _, pc := range from {
			for _, src := range f.live.uses.reads(pc) {
				readers[src] = append(readers[src], ir.Reg(g))
			}
		}
	}
	for i := 0; i < len(work); i++ {
		changed := false
		for _, pc := range f.live.uses.writers(work[i]) {
			changed = f.evaluate(work[i], pc) || changed
		}
		if changed {
			work = append(work, readers[work[i]]...)
		}
	}
}

// sameRow tells whether an instruction writes a register to its row.
func (f *finder) sameRow(pc int32, g ir.Reg) bool { return f.offset(g) == f.steps[pc].dst.off }

// evaluate lets a definition say what it makes of a register; true if that changes something.
func (f *finder) evaluate(g ir.Reg, pc int32) bool {
	s := &f.state[g]
	if !s.all {
		return false
	}
	wait := false
	made, ok := f.makes(pc, func(src ir.Reg) stride {
		t := &f.state[src]
		wait = wait || t.all && !t.seen
		switch {
		case t.all:
			return t.stride
		case f.from[readAt{pc, src}]:
			return everyLane
		}
		return stride{}
	})
	if wait {
		return false
	}
	old := *s
	if s.seen {
		made = made.meet(s.stride)
	}
	s.seen, s.stride, s.all = true, made, ok && made.known()
	return s.stride != old.stride || s.all != old.all || s.seen != old.seen
}

// makes evaluates a definition, given what registers are.
func (f *finder) makes(pc int32, of func(ir.Reg) stride) (stride, bool) {
	s := &f.steps[pc]
	out, checked := f.follow(s.prog, func(k int) stride { return f.sourceStride(pc, k, of) })
	if checked && f.reads(pc, s.dst.off) {
		return stride{}, false // its old value must stay until the tests have passed
	}
	return out[s.prog.result], true
}

func (f *finder) reads(pc int32, off uint32) bool {
	for k := range f.steps[pc].in {
		if s := &f.steps[pc].in[k]; s.off == off && !s.slot && !s.known && s.typ != tM {
			return true
		}
	}
	return false
}

func (f *finder) sourceStride(pc int32, k int, of func(ir.Reg) stride) stride {
	s := &f.steps[pc].in[k]
	switch {
	case s.typ == tM:
		return stride{}
	case s.known:
		return everyLane.of(s.value)
	case s.slot:
		return everyLane
	}
	if r, ok := f.specials[s.off]; ok {
		return r
	}
	if g := f.readAt(pc, s); g != ir.NoReg {
		return of(g)
	}
	return stride{}
}

// readAt is the register that an instruction reads as a row.
func (r *region) readAt(pc int32, s *source) ir.Reg {
	found := ir.NoReg
	for _, g := range r.live.uses.reads(pc) {
		if r.f.Regs[g].Bits > 1 && r.offset(g) == s.off {
			found = g
		}
	}
	return found
}

// within finds the patterns of one segment and tells its sources.
func (f *finder) within(s *segment) {
	now := map[ir.Reg]*pattern{}
	for pc := s.first; pc < s.end; pc++ {
		step := &f.steps[pc]
		for k := range step.full {
			src := &step.full[k]
			if src.slot || src.known || src.typ == tM || step.op.Kind == sem.OpLoad && k > 0 {
				continue
			}
			if g := f.readAt(pc, src); g != ir.NoReg {
				if src.pat = now[g]; src.pat == nil {
					src.pat = f.global[g]
				}
			}
		}
		for _, g := range f.live.uses.writes(pc) {
			f.define(s, pc, g, now)
		}
	}
}

// define follows a definition of a register.
func (f *finder) define(s *segment, pc int32, g ir.Reg, now map[ir.Reg]*pattern) {
	step := &f.steps[pc]
	if p := f.global[g]; p != nil {
		step.made = p
		return
	}
	if old := now[g]; old != nil && f.insts[pc].Guard != machine.NoGuard {
		old.home = true // other lanes keep it
	}
	delete(now, g)
	if f.loadsOne(pc) {
		step.loaded = f.loadedPattern(pc, g)
		now[g] = step.loaded
		return
	}
	if !f.definable(pc) || !f.sameRow(pc, g) {
		return
	}
	made, ok := f.makes(pc, func(src ir.Reg) stride {
		if p := now[src]; p != nil {
			return p.stride
		}
		if p := f.global[src]; p != nil {
			return p.stride
		}
		return stride{}
	})
	if !ok || !made.known() {
		return
	}
	step.made = &pattern{stride: made, reg: g, typ: step.dst.typ, off: step.dst.off, from: []int32{pc}, home: f.livesBehind(s, g)}
	now[g] = step.made
}

// livesBehind tells whether a register is read behind a segment.
func (r *region) livesBehind(s *segment, g ir.Reg) bool {
	b := r.live.blockOf[s.first]
	if s.end < r.f.Blocks[b].End {
		return r.live.at(s.end).Has(int(g))
	}
	return r.f.LiveOut(b, g)
}

// choose keeps what serves an address, and what would be a row of 64 bits.
func (f *finder) choose() {
	for pc := range f.steps {
		s := &f.steps[pc]
		memory := s.op.Kind == sem.OpLoad || s.op.Kind == sem.OpStore
		if memory && !s.leaves && len(s.full) > 0 {
			f.want(s.full[0].pat)
		}
		if s.made != nil && s.made.typ == tX {
			f.want(s.made)
		}
	}
	f.wantCompared()
	for pc := range f.steps {
		s := &f.steps[pc]
		for k := range s.full {
			if p := s.full[k].pat; p != nil && !p.wanted {
				s.full[k].pat = nil
			}
		}
		if s.made != nil && !s.made.wanted {
			s.made = nil
		}
		if s.loaded != nil && !s.loaded.wanted {
			s.loaded = nil
		}
		if s.made != nil {
			_, s.tests = f.follow(s.prog, func(k int) stride { return f.given(&s.full[k]) })
		}
	}
	for g, p := range f.global {
		if !p.wanted {
			delete(f.global, g)
		}
	}
}

// want keeps a pattern and what it is computed from.
func (f *finder) want(p *pattern) {
	if p == nil || p.wanted {
		return
	}
	p.wanted = true
	for _, pc := range p.from {
		for k := range f.steps[pc].full {
			f.want(f.steps[pc].full[k].pat)
		}
	}
}

// number gives the patterns their places; false if there are too many. Those that are patterns everywhere
// have theirs behind the warp's register block, where barriers leave them; the others share the state.
func (f *finder) number() bool {
	next := int32(f.code.FrameBytes)
	end := next + abi.Room - numbersAhead
	for g := range f.f.Regs {
		if p := f.global[ir.Reg(g)]; p != nil {
			next = p.place(rRegs, next)
		}
	}
	fits := next <= end
	f.numbersEnd = uint32(next)
	for i := range f.segs {
		next = saveNumbers
		for pc := f.segs[i].first; pc < f.segs[i].end; pc++ {
			for _, p := range []*pattern{f.steps[pc].made, f.steps[pc].loaded} {
				if p != nil {
					next = p.place(rCtx, next)
				}
			}
		}
		fits = fits && next <= saveEnd-numbersAhead
	}
	return fits
}

// numbersAhead is how far behind its numbers a pattern may be read.
const numbersAhead = 64

// place gives a pattern without one a place, and returns the next.
func (p *pattern) place(base x86.Reg, at int32) (next int32) {
	if p.at != 0 {
		return at
	}
	p.base, p.at = base, at
	return at + int32(8*p.n())
}

// some tells whether anything is a pattern.
func (f *finder) some() bool {
	return len(f.global) > 0 || slices.ContainsFunc(f.steps, func(s step) bool { return s.made != nil || s.loaded != nil })
}

// forget gives all patterns up.
func (f *finder) forget() {
	clear(f.global)
	f.numbersEnd = f.code.FrameBytes
	for pc := range f.steps {
		s := &f.steps[pc]
		s.made, s.loaded = nil, nil
		for k := range s.full {
			s.full[k].pat = nil
		}
	}
}

// patternsAt has the patterns before an instruction in full code whose rows are not written.
func (r *region) patternsAt(pc int32) (list []*pattern) {
	live := r.live.at(pc)
	live.Each(func(g int) {
		if p := r.global[ir.Reg(g)]; p != nil {
			list = append(list, p)
		}
	})
	now := r.local.before(r, pc)
	live.Each(func(g int) {
		if p := now[ir.Reg(g)]; p != nil {
			list = append(list, p)
		}
	})
	return list
}

// localPatterns has the patterns of one segment whose rows are not written before an instruction.
// Exits ask in the order of the code, so it goes on from the last one.
type localPatterns struct {
	first, pc int32 // of the segment; of the instruction
	now       map[ir.Reg]*pattern
}

func (l *localPatterns) before(r *region, pc int32) map[ir.Reg]*pattern {
	if first := r.segmentOf(pc); l.now == nil || first != l.first || pc < l.pc {
		*l = localPatterns{first, first, map[ir.Reg]*pattern{}}
	}
	for ; l.pc < pc; l.pc++ {
		followPattern(r.live.uses.writes(l.pc), r.steps[l.pc].made, r.global, l.now)
	}
	return l.now
}

// followPattern brings the patterns of a segment whose rows are not written up to date behind an
// instruction that writes registers and makes one of them or nil.
func followPattern(writes []ir.Reg, made *pattern, global, now map[ir.Reg]*pattern) {
	if len(now) > 0 {
		for _, g := range writes {
			delete(now, g)
		}
	}
	if made != nil && global[made.reg] == nil && !made.home {
		now[made.reg] = made
	}
}

// segmentOf is the first instruction of the segment around a pc.
func (r *region) segmentOf(pc int32) int32 {
	i := sort.Search(len(r.segs), func(i int) bool { return r.segs[i].end > pc })
	if i < len(r.segs) && r.segs[i].first <= pc {
		return r.segs[i].first
	}
	return pc
}
