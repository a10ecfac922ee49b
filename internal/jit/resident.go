package jit

// Which rows and values stay in registers for the whole function: what is used most.

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
	return next
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
	for pc := range r.steps {
		u.weight = r.weight(int32(pc))
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
