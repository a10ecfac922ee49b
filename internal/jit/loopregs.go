package jit

// Registers of one loop: while it runs, what it uses most has them, whatever the function keeps in registers
// elsewhere. What made room is at home until the loop ends.

import (
	"cmp"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// loopRegisters gives the program of a loop registers of its own, and assembles what fills them; leave assembles the way back.
func (c *compiler) loopRegisters(m *merged) (leave func()) {
	rows, bcast, free := c.row, c.bcast, c.free
	l := c.newLoopRoom(m)
	for _, row := range rows {
		if _, ok := l.rows.of(row.off); !ok && c.storable(row.off) {
			c.eachOf(row, func(v x86.Vec, m x86.Mem) { c.store(c.full(), m, v) })
		}
	}
	for _, row := range l.rows {
		if _, ok := rows.of(row.off); !ok {
			c.eachOf(row, func(v x86.Vec, m x86.Mem) { c.move(c.full(), v, m) })
		}
	}
	for _, b := range l.bcast {
		if !slices.Contains(bcast, b) {
			c.loadValue(b.key, b.v)
		}
	}
	c.row, c.bcast, c.free = l.rows, l.bcast, l.free
	c.placeMerged(m)
	return func() {
		for _, row := range l.rows {
			if _, ok := rows.of(row.off); !ok && m.writes(row.off) && row.off != noRow {
				c.eachOf(row, func(v x86.Vec, m x86.Mem) { c.store(c.full(), m, v) })
			}
		}
		for _, row := range rows {
			if _, ok := l.rows.of(row.off); !ok {
				c.eachOf(row, func(v x86.Vec, m x86.Mem) { c.move(c.full(), v, m) })
			}
		}
		for _, b := range bcast {
			if !slices.Contains(l.bcast, b) {
				c.loadValue(b.key, b.v)
			}
		}
		c.row, c.bcast, c.free = rows, bcast, free
	}
}

// storable tells whether compiled code writes a row home.
func (r *region) storable(off uint32) bool {
	return off < r.code.RegBytes || off >= r.code.FrameBytes
}

// eachOf visits the registers of a row with their places in memory; those of the running lanes are in the state.
func (c *compiler) eachOf(row residentRow, visit func(v x86.Vec, m x86.Mem)) {
	bytes := c.full().Bytes()
	for i := range 128 / bytes {
		m := c.regs(row.off + uint32(i*bytes))
		if row.off == noRow {
			m = x86.At(rCtx, saveRun+int32(i*bytes))
		}
		visit(x86.Vec(row.reg+i), m)
	}
}

// results are the values of rows.
func (m *merged) results() map[val]bool {
	list := map[val]bool{}
	for i := range m.rows {
		list[m.rows[i].v] = true
	}
	return list
}

func (m *merged) writes(off uint32) bool {
	return slices.ContainsFunc(m.rows, func(d rowResult) bool { return d.dst.off == off })
}

// loopRoom is what has which registers.
type loopRoom struct {
	rows  residentRows
	bcast residents
	free  []x86.Vec
	taken [16]bool
}

// newLoopRoom chooses what has registers. What has them anyway keeps them.
func (c *compiler) newLoopRoom(m *merged) *loopRoom {
	l := &loopRoom{}
	list := loopCandidates(m)
	limit := balance(list, 16-spareVecs, 16, []crowd{{4, m.crowd(m.results())}})
	chosen := list[:0:0]
	for _, k := range list {
		if k.regs <= limit {
			chosen, limit = append(chosen, k), limit-k.regs
		}
	}
	for _, kept := range []bool{true, false} {
		for _, k := range chosen {
			reg, ok := c.residence(k)
			if ok != kept {
				continue
			}
			if !kept {
				reg = l.gap(k.regs)
			}
			if reg >= 0 {
				l.take(k, reg)
			}
		}
	}
	for v := 15; v >= 0; v-- {
		if !l.taken[v] {
			l.free = append(l.free, x86.Vec(v))
		}
	}
	return l
}

// residence is where the function keeps a candidate.
func (c *compiler) residence(k *candidate) (reg int, ok bool) {
	if k.bcast == nil {
		return c.row.of(k.row)
	}
	v, ok := c.emitter.bcast.of(*k.bcast)
	return int(v), ok
}

// gap finds neighbouring registers, -1 if there are none.
func (l *loopRoom) gap(n int) int {
	for reg := 0; reg+n <= len(l.taken); reg++ {
		if !slices.Contains(l.taken[reg:reg+n], true) {
			return reg
		}
	}
	return -1
}

func (l *loopRoom) take(k *candidate, reg int) {
	for i := range k.regs {
		l.taken[reg+i] = true
	}
	if k.bcast != nil {
		l.bcast = append(l.bcast, resident{*k.bcast, x86.Vec(reg)})
	} else {
		l.rows.add(k.row, reg)
	}
}

// Quarters of an instruction that a register saves in each part, by what it holds.
const (
	savesUpdated = 8 // a load and a store
	savesRun     = 6 // a store, and what waits for it
	savesRead    = 2 // most are operands in memory
	savesSlot    = 4
	savesConst   = 1 // the same
)

// loopCandidates lists what could have registers in a loop, the most rewarding first (AVX2).
func loopCandidates(m *merged) (list []*candidate) {
	need := m.needs()
	for i, n := range m.uses() {
		o := &m.ops[i]
		if !need[i] || o.code != cIn && o.code != cConst {
			continue
		}
		if o.code == cConst {
			list = append(list, &candidate{weight: savesConst * int64(n), regs: 1, bcast: &bcastKey{typ: o.typ, value: o.imm}})
			continue
		}
		switch s := &m.in[o.imm]; {
		case s.run:
			list = append(list, &candidate{weight: savesRun, regs: 4, row: noRow})
		case s.slot:
			list = append(list, &candidate{weight: savesSlot, regs: 1, bcast: &bcastKey{s.typ, true, uint64(s.off)}})
		case s.typ == tW && m.writes(s.off):
			list = append(list, &candidate{weight: savesUpdated, regs: 4, row: s.off})
		case s.typ == tW:
			list = append(list, &candidate{weight: savesRead, regs: 4, row: s.off})
		}
	}
	slices.SortStableFunc(list, func(a, b *candidate) int { return cmp.Compare(b.weight*int64(a.regs), a.weight*int64(b.regs)) })
	return list
}
