package jit

// Loops in which lanes load from places of their own, where that takes less time than gathers (walk_cost.go): each lane walks its trips
// alone, in general registers, and then the next lane does. Nothing in such a loop changes what another lane sees, and who leaves waits behind it (turns.go), so only what
// is counted tells the order: how many trips the longest walk has, and in how many of them nobody leaves.
//
// A walk has at most so many trips, then all lanes stand at the head of the loop. Lanes work on copies of their rows: if a load
// misses, what has been walked is forgotten, and the loop of turns begins where it was.

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

const (
	maxWalkRows  = 16
	maxWalkLoads = 8
)

// walk is the program of a trip of one lane.
type walk struct {
	t       *trips
	m       merged
	rows    []walkRow
	loads   []walkLoad
	cond    val // who goes back: how compares a and b
	a, b    val
	how     uint64 // cmpEQ and so on
	turned  bool   // it is who does not
	pred    uint32
	predNot bool // the predicate holds for those who leave

	last   []int  // by value: the operation that reads it last; len(ops): the end of the trip
	need   []bool // by value
	class  []walkClass
	at     []walkPlace // by value
	x      []x86.Vec   // registers that are free
	r      []x86.Reg
	saved  []x86.Reg // registers that are, around a walk
	count  x86.Reg   // trips that are left; less than zero where rows go on by them
	up     bool      // there are such rows
	known  *walkLength
	beside *walk // the walk of another lane, in turns with this one; nil if there is none
}

// walkClass is the kind of register that a value is in.
type walkClass uint8

const (
	noClass walkClass = iota
	generalClass
	floatClass
)

// walkPlace is the register of a value.
type walkPlace struct {
	r   x86.Reg
	v   x86.Vec
	has bool
}

// walkRow is a row that a trip reads or writes.
type walkRow struct {
	src     source
	in, out val // noVal: none
	class   walkClass
	walkPlace
	index bool // it is an index that the walk has tested: it is extended to 64 bits
	step  int  // what it goes on by a trip, if the number of the trip tells it and its register keeps what it was; 0 if not

	passes bool   // it has no register: it goes on by so much a trip, and how many there are is known
	by     uint32 // that
}

// walkLoad is a load of a trip.
type walkLoad struct {
	pc        int32
	to, index val
	shift     uint8
	disp      int32
	row       int   // whose index goes on by step a trip and is tested once, -1 if there is none
	step      int64 // a power of two
	host      x86.Reg
	low, n    x86.Reg // its limits; NoReg: in memory
	fma       val     // the one that reads it out of memory, noVal if it is loaded before
}

// walker builds a walk.
type walker struct {
	merger
	w *walk
}

// walkOf is how lanes walk through a loop of turns alone; nil if they do not.
func (r *region) walkOf(t *trips) *walk {
	b := &walker{w: &walk{t: t}}
	m := &b.w.m
	m.evex, m.mem = r.wide512, r.mem
	b.merger = merger{r: r, m: m, base: map[uint32]val{}, now: map[uint32]val{}, wrote: map[uint32]typ{}, loose: map[uint32]bool{}}
	s := &r.segs[t.first]
	for pc := s.first; pc < s.end-1; pc++ {
		if !b.instruction(pc) {
			return nil
		}
	}
	if len(b.w.loads) > maxWalkLoads || !b.condition(s.end-1) || !b.results(s) || !b.w.classify() || b.w.chases() {
		return nil
	}
	return b.w
}

// instruction adds one to the trip; false if it cannot be.
func (b *walker) instruction(pc int32) bool {
	s, in := &b.r.steps[pc], &b.r.insts[pc]
	if in.Guard != machine.NoGuard || s.tests {
		return false
	}
	switch s.op.Kind {
	case sem.OpNothing:
		return true
	case sem.OpLoad:
		return b.load(pc)
	case sem.OpLane, sem.OpCompare, sem.OpSelect:
		if s.onSlots() || len(s.op.Spread) != 0 || s.prog == nil {
			return false
		}
	case sem.OpMove, sem.OpLogic:
	default:
		return false
	}
	b.step(pc, true)
	return true
}

// load adds a load of a word by index.
func (b *walker) load(pc int32) bool {
	s, in := &b.r.steps[pc], &b.r.insts[pc]
	m := &s.op.Memory
	if s.index == nil || s.in[0].typ != tW || len(m.At) != 1 || m.Elem != 4 || s.in[1].typ != tW || s.in[1].off == machine.NoGuard ||
		s.index.shift > maxScale || int64(m.Align)>>s.index.shift > 1 || b.r.bounds[pc] < 0 {
		return false
	}
	at, to := b.read(&s.in[0]), b.m.input(len(b.m.in), tW)
	b.m.in = append(b.m.in, source{typ: tW, off: noRow, row: -1})
	d := s.in[1].off
	b.now[d], b.wrote[d], b.loose[d] = to, tW, false
	b.w.loads = append(b.w.loads, walkLoad{pc: pc, to: to, index: at, shift: s.index.shift, disp: int32(in.Imm), row: -1, host: x86.NoReg, low: x86.NoReg, n: x86.NoReg, fma: noVal})
	return true
}

// condition finds who goes back, and the predicate that says so.
func (b *walker) condition(pc int32) bool {
	w, in := b.w, &b.r.insts[pc]
	w.pred, w.predNot = in.Guard&^1, in.Guard&1 != 0
	v, ok := b.now[w.pred]
	if !ok || b.wrote[w.pred] != tM {
		return false
	}
	w.turned = w.predNot
	for w.m.ops[v].code == cMNot {
		v, w.turned = w.m.ops[v].a, !w.turned
	}
	o := &w.m.ops[v]
	if w.cond = v; o.code != cCmp || o.n != 2 || w.m.typ(o.a) != tW {
		return false
	}
	w.a, w.b, w.how = o.a, o.b, o.imm&^cmpTurned
	w.turned = w.turned != (o.imm&cmpTurned != 0)
	if most := &w.m.ops[o.a]; w.how == cmpEQ && most.code == cMaxU { // x <= y, as AVX2 has it
		switch o.b {
		case most.b:
			w.a, w.how = most.a, cmpLEU
		case most.a:
			w.a, w.how = most.b, cmpLEU
		}
	}
	return true
}

// results lists the rows; false if there are too many, or other predicates.
func (b *walker) results(s *segment) bool {
	w := b.w
	for _, off := range slices.Sorted(maps.Keys(b.wrote)) {
		live := b.r.live.behind(s.end-1, off)
		switch {
		case b.wrote[off] == tM:
			if live && off != w.pred {
				return false
			}
			continue
		case !live:
			continue
		case b.wrote[off] != tW:
			return false
		}
		v := b.now[off]
		if b.loose[off] && !slices.ContainsFunc(w.t.lazy, func(l rowResult) bool { return l.dst.off == off }) {
			v = w.m.canon(v)
		}
		w.rows = append(w.rows, walkRow{src: source{typ: tW, off: off, row: -1}, in: noVal, out: v})
	}
	for k := range w.m.in {
		src := w.m.in[k]
		if src.off == noRow && !src.slot {
			continue
		}
		if src.typ != tW || src.seen != nil || src.pat != nil || src.fetch != nil || src.saved || src.run {
			return false
		}
		v := w.m.input(k, tW)
		i := slices.IndexFunc(w.rows, func(x walkRow) bool { return x.src.off == src.off && !src.slot })
		if i < 0 {
			i = len(w.rows)
			w.rows = append(w.rows, walkRow{src: src, out: noVal})
		}
		w.rows[i].in = v
	}
	for i := range w.rows {
		b.r.place(&w.rows[i].src)
	}
	return len(w.rows) <= maxWalkRows
}

// noVal is no value.
const noVal = ^val(0)

// chases tells whether where a lane loads from depends on what it has loaded in a trip before: then lanes one behind the other wait
// for each load, and side by side they wait together.
func (w *walk) chases() bool {
	loaded, from := make([]bool, len(w.m.ops)), make([]bool, len(w.m.ops))
	mark := func(set []bool) (more bool) {
		for i := len(w.m.ops) - 1; i >= 0; i-- { // what set depends on
			for _, a := range w.m.ops[i].args() {
				if set[i] && !set[a] {
					set[a], more = true, true
				}
			}
			if l := w.loadOf(val(i)); l != nil && set[i] && !set[l.index] {
				set[l.index], more = true, true
			}
		}
		for i := range w.rows {
			if x := &w.rows[i]; x.in != noVal && x.out != noVal && set[x.in] && !set[x.out] {
				set[x.out], more = true, true
			}
		}
		return more
	}
	for i := range w.loads {
		from[w.loads[i].index] = true
	}
	for mark(from) {
	}
	for i := range w.m.ops {
		loaded[i] = w.loadOf(val(i)) != nil
		for _, a := range w.m.ops[i].args() {
			loaded[i] = loaded[i] || loaded[a]
		}
	}
	return slices.ContainsFunc(w.rows, func(x walkRow) bool {
		return x.in != noVal && x.out != noVal && from[x.in] && loaded[x.out]
	})
}

// loadOf is the load that a value comes from, nil if there is none.
func (w *walk) loadOf(v val) *walkLoad {
	for i := range w.loads {
		if w.loads[i].to == v {
			return &w.loads[i]
		}
	}
	return nil
}
