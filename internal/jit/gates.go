package jit

// Gates: where whole warps go on behind a barrier. A warp that has waited may have come any way, so a gate knows
// only what is settled: registers that a single instruction writes, with what follows from the thread index alone.
// Everything is where ordinary code has it as well, since anybody may have to go on with the warp.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// allWarps are those of which there is a table.
func (c *course) allWarps() uint32 { return uint32(1<<c.warps - 1) }

// findGates finds the gates of which something is foreseen.
func (c *course) findGates() (list []*node) {
	c.gates = map[int]*node{}
	settled := foresight(nil)
	for i := 1; i < len(c.segs); i++ {
		if !c.behindBarrier(i) {
			continue
		}
		if settled == nil {
			settled = c.settled()
		}
		if n := c.come(i, settled, c.allWarps()); n != nil && c.uses(Gates) {
			c.gates[i] = n
			list = append(list, n)
		}
	}
	return list
}

// behindBarrier tells whether a segment is where warps go on that have waited.
func (r *region) behindBarrier(i int) bool {
	s := &r.segs[i-1]
	return s.first < s.end && r.segs[i].first == s.end && r.steps[s.end-1].op.Kind == sem.OpBarrier
}

// settled is what is foreseen of registers wherever they are live.
func (c *course) settled() foresight {
	know, once := foresight{}, c.writtenOnce()
	for pc := range c.insts {
		if v, g := c.result(int32(pc), know); v != nil && once.Has(int(g)) {
			know[g] = c.atHome(v)
		}
	}
	return know
}

// atHome is a value that ordinary code has, too.
func (c *course) atHome(v *foreseen) *foreseen {
	h := c.homes[v]
	if h == nil {
		h = &foreseen{typ: v.typ, slot: v.slot, once: v.once, home: true, of: c, vals: v.vals}
		c.homes[v] = h
	}
	return h
}

// behind is where whole warps go on with a segment behind a barrier.
func (c *compiler) behind(i int) x86.Label {
	if c.course == nil || c.course.gates[i] == nil {
		return c.segs[i].full
	}
	if c.batch.gates[i] == 0 {
		c.batch.gates[i] = c.NewLabel()
	}
	return c.batch.gates[i]
}

// gateCode assembles the gates: behind everything else, when the table is complete.
func (c *compiler) gateCode(table x86.Mem) {
	for i := range c.segs {
		if l := c.batch.gates[i]; l != 0 {
			c.title("through a gate to %d", c.segs[i].first)
			c.Bind(l)
			c.count()
			c.atTable(table)
			c.Jmp(c.course.gates[i].label)
		}
	}
}

// atTable points at the running warp's part of the table.
func (c *compiler) atTable(table x86.Mem) {
	c.RM(x86.MOV, x86.S64, x86.RAX, batchWarp)
	c.RM(x86.SUB, x86.S64, x86.RAX, batchWarps)
	c.RI(x86.SHL, x86.S64, x86.RAX, tableShift)
	c.RM(x86.LEA, x86.S64, rTable, table)
	c.RR(x86.ADD, x86.S64, rTable, x86.RAX)
}
