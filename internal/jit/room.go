package jit

// Where the values of a run are: temporaries, places that they can be read from again, and slots of
// the state for those that had to make room.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// room is where the values of one part are.
type room struct {
	c       *compiler
	m       *merged
	need    []bool
	use     maskUse
	read    [][]int // what is left of the readers
	at      []loc
	held    []bool // at is a temporary of the value
	holders []val  // of which it may be
	there   []bool // at is known
	own     []bool // the place that a source was read from has another value now
	slot    []int  // where in the state the value was put, -1 if it was not
	slots   []int  // free ones
	next    int    // first that was never used
	input   map[uint32]val
	rows    [][]*source
	bits    [][]int // predicates that get a value
	pins    []val
}

// newRoom empties the compiler's room: there is one at a time.
func newRoom(c *compiler, m *merged, need []bool, readers [][]int, use maskUse) *room {
	n, r := len(m.ops), &c.room
	r.c, r.m, r.need, r.use, r.next = c, m, need, use, 0
	r.read, r.at, r.held, r.there = emptied(r.read, n), emptied(r.at, n), emptied(r.held, n), emptied(r.there, n)
	r.own, r.slot, r.rows, r.slots, r.pins = emptied(r.own, n), emptied(r.slot, n), emptiedLists(r.rows, n), r.slots[:0], r.pins[:0]
	r.holders = r.holders[:0]
	if r.input == nil {
		r.input = map[uint32]val{}
	}
	clear(r.input)
	r.bits = emptiedLists(r.bits, n)
	copy(r.read, readers)
	for i := range r.slot {
		r.slot[i] = -1
		if o := &m.ops[i]; o.code == cIn && !m.in[o.imm].slot {
			r.input[m.in[o.imm].off] = val(i)
		}
	}
	for i := range m.rows {
		r.rows[m.rows[i].v] = append(r.rows[m.rows[i].v], &m.rows[i].dst)
	}
	for i := range m.masks {
		r.bits[m.masks[i].v] = append(r.bits[m.masks[i].v], i)
	}
	return r
}

// emptied is a list of n zeros, in the memory of another if that is long enough.
func emptied[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, 2*n)
	}
	list = list[:n]
	clear(list)
	return list
}

// emptiedLists is a list of n empty lists, in the memory of others.
func emptiedLists[T any](list [][]T, n int) [][]T {
	if cap(list) < n {
		list = append(list[:cap(list)], make([][]T, 2*n-cap(list))...)
	}
	list = list[:n]
	for i := range list {
		list[i] = list[i][:0]
	}
	return list
}

// get brings a value to where an operation can read it.
func (r *room) get(v val) loc {
	if r.there[v] {
		return r.at[v]
	}
	o := &r.m.ops[v]
	var l loc
	switch {
	case r.slot[v] >= 0:
		l = r.unspill(v)
	case o.code == cConst:
		l = r.c.constant(o.typ, o.imm)
	case o.code == cTable:
		l = r.c.tableOf(&r.m.tables[o.imm])
	default:
		r.spare(r.spareToRead(&r.m.in[o.imm]))
		l = r.c.operand(&r.m.in[o.imm])
		if l.kind == inMem && len(r.read[v]) > 1 && len(r.c.free) > spareVecs {
			l = r.c.load(l, o.typ)
		}
	}
	if l.owned && (l.kind == inVec || l.kind == inK) {
		l.owned = false
		r.at[v], r.there[v] = l, true
		r.hold(v)
	}
	return l
}

// spareToRead is how many registers it takes to find a source.
func (r *room) spareToRead(s *source) int {
	switch {
	case r.c.evex || r.c.wide:
		return spareVecs
	case s.typ == tW && !s.slot:
		return 0
	}
	return 1
}

// spare makes room for n temporaries.
func (r *room) spare(n int) {
	for len(r.c.free) < n && r.evict(false) {
	}
	for r.c.evex && len(r.c.freeK) < spareKs && r.evict(true) {
	}
}

// evict takes the register of the value that is needed last; false if there is none to take.
func (r *room) evict(mask bool) bool {
	far, worst, n := none, -1, 0
	for _, v := range r.holders {
		if !r.held[v] {
			continue
		}
		r.holders[n] = v
		n++
		if (r.at[v].kind == inK) != mask || repeated(r.pins, v) {
			continue
		}
		if next := r.read[v]; len(next) > 0 && (next[0] > worst || next[0] == worst && v < far) {
			far, worst = v, next[0]
		}
	}
	r.holders = r.holders[:n]
	if far == none {
		return false
	}
	if !r.m.given(far) || r.own[far] {
		r.spill(far)
	}
	r.unhold(far)
	return true
}

// hold says that a value has a temporary.
func (r *room) hold(v val) {
	r.held[v], r.holders = true, append(r.holders, v)
}

// spill puts a value into the state, unless it is there already.
func (r *room) spill(v val) {
	if r.slot[v] >= 0 {
		return
	}
	if n := len(r.slots); n > 0 {
		r.slot[v], r.slots = r.slots[n-1], r.slots[:n-1]
	} else {
		r.slot[v], r.next = r.next, r.next+1
		if r.next > spillSlots {
			r.c.short, r.c.overflow = true, true
			r.slot[v], r.next = 0, 1
		}
	}
	if l := r.at[v]; l.kind == inK {
		r.c.MK(x86.KMOVW, spillAt(r.slot[v]), l.k)
	} else {
		r.c.store(r.c.full(), spillAt(r.slot[v]), l.v)
	}
}

func (r *room) unspill(v val) loc {
	r.spare(1)
	m := spillAt(r.slot[v])
	if r.m.typ(v) == tM && r.c.evex {
		k := r.c.allocK()
		r.c.KM(x86.KMOVW, k, m)
		return loc{kind: inK, k: k, owned: true}
	}
	t := r.c.alloc()
	r.c.move(r.c.full(), t, m)
	l := temp(t)
	l.elem = r.elem()
	return l
}

// elem is what truth values have for each lane.
func (r *room) elem() typ {
	if r.c.wide {
		return tX
	}
	return tW
}

const spillSlots = abi.Spills

func spillAt(k int) x86.Mem { return x86.At(rCtx, saveSpill+int32(64*k)) }
