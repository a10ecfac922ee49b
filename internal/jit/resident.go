package jit

// Which rows and values stay in registers for the whole function: what is used most, as far as
// runs do not need the registers more.

import (
	"cmp"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// residentRows are the rows that have registers, by their offsets. There are few, so looking at each beats a map.
type residentRows []residentRow

type residentRow struct {
	off uint32
	reg int // the first
}

// of returns the first register of a row.
func (r residentRows) of(off uint32) (int, bool) {
	for i := range r {
		if r[i].off == off {
			return r[i].reg, true
		}
	}
	return 0, false
}

// add gives a row, which has none, registers.
func (r *residentRows) add(off uint32, reg int) {
	at, _ := slices.BinarySearchFunc(*r, off, func(row residentRow, off uint32) int { return cmp.Compare(row.off, off) })
	*r = slices.Insert(*r, at, residentRow{off, reg})
}

// candidate is something that could stay in registers.
type candidate struct {
	weight int64
	regs   int
	row    uint32
	bcast  *bcastKey
}

// mostResidents is how many registers can hold rows: the operations that take most temporaries would find too few with more.
func (r *region) mostResidents() int {
	if r.wide512 {
		return 32
	}
	for pc := range r.steps {
		if s := &r.steps[pc]; !s.leaves && s.prog != nil && s.prog.asks {
			return 16 - unitTemps256 - 2 // its operand, and one that waits for another part
		}
	}
	return 16
}

// allocate gives registers [0, n) to what is used most, n at most limit: rows take several, values
// of all lanes one. It returns n.
func (r *region) allocate(e *emitter, limit int) int {
	list := r.candidates()
	all := 16 - 1
	if r.wide512 {
		all = 32 - spareVecs
	}
	limit = balance(list, limit, all, r.crowds())
	next := 0
	for _, c := range list {
		if next+c.regs > limit {
			continue
		}
		if c.bcast != nil {
			e.bcast = append(e.bcast, resident{*c.bcast, x86.Vec(next)})
		} else {
			r.row.add(c.row, next)
		}
		next += c.regs
	}
	for pc := range r.steps {
		s := &r.steps[pc]
		for k := range s.in {
			r.place(&s.in[k])
		}
		r.place(&s.dst)
	}
	for _, list := range []runs{r.fullRuns, r.partRuns} {
		for _, u := range list {
			r.placeMerged(&u.merged)
		}
	}
	return next
}

func (r *region) placeMerged(m *merged) {
	for k := range m.in {
		r.place(&m.in[k])
	}
	for k := range m.rows {
		r.place(&m.rows[k].dst)
	}
}

// place notes the register of a resident row.
func (r *region) place(s *source) {
	s.row = -1
	if s.typ == tW && !s.known && !s.slot {
		if reg, ok := r.row.of(s.off); ok {
			s.row = reg
		}
	}
}

// candidates lists what could stay, the most rewarding first.
func (r *region) candidates() (list []*candidate) {
	u := &usage{rows: map[uint32]*candidate{}, values: map[bcastKey]*candidate{}, perRow: 4}
	if r.wide512 {
		u.perRow = 2
	}
	for pc := int32(0); int(pc) < len(r.steps); pc++ {
		u.weight = r.weight(pc)
		if run := r.fullRuns[pc]; run != nil {
			u.merged(&run.merged)
			pc = run.end - 1
			continue
		}
		u.step(&r.steps[pc])
	}
	for _, c := range u.rows {
		list = append(list, c)
	}
	for k, c := range u.values {
		key := k
		c.bcast = &key
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *candidate) int {
		if d := b.weight*int64(a.regs) - a.weight*int64(b.regs); d != 0 {
			return int(min(max(d, -1), 1))
		}
		return compareCandidates(a, b)
	})
	return list
}

// weight is how often an instruction is expected to run: ten times as much for each loop around it.
func (r *region) weight(pc int32) int64 {
	w := int64(1)
	for range r.depth[pc] {
		w *= 10
	}
	return w
}

// compareCandidates makes the order of equal weights definite.
func compareCandidates(a, b *candidate) int {
	switch {
	case (a.bcast == nil) != (b.bcast == nil):
		if a.bcast == nil {
			return -1
		}
		return 1
	case a.bcast == nil:
		return int(int64(a.row) - int64(b.row))
	case a.bcast.slot != b.bcast.slot:
		if a.bcast.slot {
			return -1
		}
		return 1
	case a.bcast.value != b.bcast.value:
		if a.bcast.value < b.bcast.value {
			return -1
		}
		return 1
	}
	return int(a.bcast.typ) - int(b.bcast.typ)
}

// usage counts what could stay in registers.
type usage struct {
	rows   map[uint32]*candidate
	values map[bcastKey]*candidate
	perRow int
	weight int64 // of what is being counted
}

func (u *usage) row(off uint32, times int64) {
	if u.rows[off] == nil {
		u.rows[off] = &candidate{regs: u.perRow, row: off}
	}
	u.rows[off].weight += times * u.weight
}

func (u *usage) value(k bcastKey) {
	if u.values[k] == nil {
		u.values[k] = &candidate{regs: 1}
	}
	u.values[k].weight += u.weight
}

// step counts the uses of one instruction.
func (u *usage) step(s *step) {
	if s.leaves || s.prog == nil || s.onSlots() {
		return
	}
	p := s.prog
	need := needed(p)
	for i := range p.ops {
		if need[i] {
			u.operation(&p.ops[i], s.in)
		}
	}
	if s.dst.typ == tW {
		u.row(s.dst.off, 3)
	}
}

// merged counts the uses of a run.
func (u *usage) merged(m *merged) {
	need := m.needs()
	for i, n := range m.uses() {
		if need[i] {
			u.operation(&m.ops[i], m.in)
			if m.ops[i].code == cConst {
				for range n - 1 {
					u.operation(&m.ops[i], m.in)
				}
			}
		}
	}
	for i := range m.rows {
		if m.rows[i].dst.typ == tW {
			u.row(m.rows[i].dst.off, 3)
		}
	}
}

func (u *usage) operation(o *operation, in []source) {
	switch {
	case o.code == cConst:
		u.value(bcastKey{typ: o.typ, value: o.imm})
	case o.code != cIn || in[o.imm].typ == tM:
	case in[o.imm].slot:
		u.value(bcastKey{in[o.imm].typ, true, uint64(in[o.imm].off)})
	case o.typ == tW:
		u.row(in[o.imm].off, 2)
	}
}

// balance returns how many of at most limit registers, of all that are not needed for something else, residents should get: the rest is for the
// values inside runs, which cost a store and a load each time they find none.
func balance(list []*candidate, limit, all int, crowds []crowd) int {
	best, least := limit, int64(-1)
	for n := limit; n >= 0; n -= 2 {
		cost, taken := int64(0), 0
		for _, c := range list {
			if taken+c.regs > n {
				cost += c.weight
			} else {
				taken += c.regs
			}
		}
		for _, c := range crowds {
			for living := all - taken + 1; living < len(c.times); living++ {
				cost += 3 * c.weight * c.times[living]
			}
		}
		if least < 0 || cost < least {
			best, least = n, cost
		}
	}
	return best
}

// crowd says how crowded a run is: for each number of values alive how many operations see it.
type crowd struct {
	weight int64
	times  []int64
}

func (r *region) crowds() (list []crowd) {
	for _, u := range r.fullRuns {
		list = append(list, crowd{r.weight(u.first), u.merged.crowd()})
	}
	return list
}

// crowd counts them.
func (m *merged) crowd() []int64 {
	need := m.needs()
	readers, ends := m.readers(need), m.ints(len(m.ops)+1)
	times, living := []int64{0}, 0
	for i := range m.ops {
		living -= ends[i]
		if !need[i] || m.given(val(i)) || m.ops[i].typ == tM {
			continue
		}
		if n := len(readers[i]); n > 0 {
			living++
			ends[min(readers[i][n-1], len(m.ops))]++
		}
		for len(times) <= living {
			times = append(times, 0)
		}
		times[living]++
	}
	return times
}
