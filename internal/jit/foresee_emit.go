package jit

// Assembling a course: its nodes, the table, and the way back to ordinary code.

import (
	"encoding/binary"
	"maps"
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// rTable is the running warp's part of the first row of the table, on a course: nobody looks at the mask there.
const rTable = rMask

// tableRow is what a warp has of a row of the table.
const tableRow = 128

// put adds a row to the table, and returns its place.
func (c *course) put(bytes func(w int) []byte) int32 {
	at := len(c.table)
	for w := range c.warps {
		c.table = append(c.table, make([]byte, tableRow)...)
		copy(c.table[at+w*tableRow:], bytes(w))
	}
	return int32(at)
}

// at is a place in the warp's row of values. Those of 64 bits have two rows of the table.
func (v *foreseen) at(off int) x86.Mem {
	if v.row == 0 {
		each := tableRow / (v.typ.bits() / 8)
		for first := 0; first < 32; first += each {
			at := v.of.put(func(w int) []byte { return v.bytes(32*w+first, each) })
			if first == 0 {
				v.row = at + 1
			}
		}
	}
	return x86.At(rTable, v.row-1+int32(off/tableRow*tableRow*v.of.warps+off%tableRow)).By(inHost)
}

// bytes are the values of some threads.
func (v *foreseen) bytes(first, n int) (b []byte) {
	for _, x := range v.vals[first : first+n] {
		if v.typ == tX {
			b = binary.LittleEndian.AppendUint64(b, x)
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
	}
	return b
}

// lanes is where the lanes are for which a predicate holds.
func (v *foreseen) lanes() x86.Mem {
	if v.bits == 0 {
		v.bits = 1 + v.of.put(func(w int) []byte { return binary.LittleEndian.AppendUint32(nil, v.mask(w)) })
	}
	return x86.At(rTable, v.bits-1).By(inHost)
}

// pattern is the value as numbers of runs that it keeps to.
func (v *foreseen) pattern(s stride) *pattern {
	if p := v.numbers[s]; p != nil {
		return p
	}
	p := &pattern{stride: s, reg: ir.NoReg, typ: v.typ, base: rTable, wanted: true}
	p.at = v.of.put(func(w int) (b []byte) {
		for lane := 0; lane < 32; lane += s.w {
			b = binary.LittleEndian.AppendUint64(b, v.vals[32*w+lane])
		}
		return b
	})
	if v.numbers == nil {
		v.numbers = map[stride]*pattern{}
	}
	v.numbers[s] = p
	return p
}

// enter makes the code that is assembled next that of a node, or ordinary code.
func (c *compiler) enter(n *node) {
	if c.course == nil {
		return
	}
	if c.node == nil {
		c.base.steps, c.base.runs = c.steps, c.fullRuns
	}
	c.node = n
	if n == nil {
		c.region.steps, c.region.fullRuns = c.base.steps, c.base.runs
	} else {
		c.region.steps, c.region.fullRuns = n.gen.steps, n.gen.runs
	}
}

// fullLabel is where full warps go on with a segment.
func (c *compiler) fullLabel(t int) x86.Label {
	n := c.node
	if n == nil {
		return c.segs[t].full
	}
	if m := n.next[t]; m != nil {
		return m.label
	}
	return c.later(func() {
		c.unforesee(c.segs[n.seg].end, c.segs[t].first)
		c.Jmp(c.segs[t].full)
	})
}

// guardSeen is the guard of the branch or exit at the end of the node, if it is foreseen.
func (c *compiler) guardSeen(in *machine.Inst) *foreseen {
	n := c.node
	if n != nil && n.outer != nil {
		n = n.outer // its block has none
	}
	if n == nil || in != &c.insts[c.segs[n.seg].end-1] {
		return nil
	}
	switch c.steps[c.segs[n.seg].end-1].op.Kind {
	case sem.OpBranch, sem.OpExit, sem.OpReturn:
		return n.guard
	}
	return nil
}

// foreseenBranch assembles a branch whose guard is foreseen.
func (c *compiler) foreseenBranch(i int, pc, to int32, g *foreseen) {
	when := c.insts[pc].Guard&1 == 0
	switch warps := c.node.warps; warps {
	case warps & g.agree(when):
		c.take(i, pc, to, false)
		return
	case warps & g.agree(!when):
		c.uncountAll(false)
	default:
		c.parting(i, pc, to, false)
	}
	c.goOn(i, false)
}

// unforesee leaves the course: what is foreseen before an instruction and live at another one is brought to where
// ordinary code has it. RAX is lost.
func (c *compiler) unforesee(pc, at int32) {
	n := c.node
	if n == nil {
		return
	}
	know, first := c.course.before(n, pc), c.segs[n.seg].first
	c.enter(nil)
	now := map[ir.Reg]*pattern(nil)
	if at == pc && pc > first {
		now = c.local.before(c.region, at)
	}
	live := c.live.at(at)
	regs := make([]ir.Reg, 0, len(know))
	for g := range know {
		if v := know[g]; live.Has(int(g)) && !v.slot && (!v.home || now[g] != nil) {
			regs = append(regs, g)
		}
	}
	slices.Sort(regs)
	for _, g := range regs {
		p := c.global[g]
		if p == nil {
			p = now[g]
		}
		c.bringHome(g, know[g], p)
	}
}

// bringHome writes a register that is foreseen: the numbers of a pattern, a predicate, or a row.
func (c *compiler) bringHome(g ir.Reg, v *foreseen, p *pattern) {
	switch {
	case p != nil:
		from := v.pattern(p.stride)
		for h := range p.n() {
			c.RM(x86.MOV, x86.S64, x86.RAX, from.number(h))
			c.MR(x86.MOV, x86.S64, p.number(h), x86.RAX)
		}
	case v.typ == tM:
		c.RM(x86.MOV, x86.S32, x86.RAX, v.lanes())
		c.MR(x86.MOV, x86.S32, c.regs(c.offset(g)), x86.RAX)
	default:
		from, to := &source{typ: v.typ, seen: v, row: -1}, &source{typ: v.typ, off: c.offset(g)}
		c.place(to)
		c.eachPart(v.typ, func() {
			x := c.load(c.operand(from), v.typ)
			c.write(vecAt(x.v), v.typ, to, allLanes)
			c.release(x)
		})
	}
}

// before is what is foreseen before an instruction of a node, or at its end.
func (c *course) before(n *node, pc int32) foresight {
	know := maps.Clone(n.know)
	for at := c.segs[n.seg].first; at < pc; at++ {
		if n.outer != nil {
			c.followInside(at, know, c.segs[n.seg].end)
		} else {
			c.follow(at, know)
		}
	}
	return know
}

// courseCode assembles the nodes.
func (c *compiler) courseCode() {
	for _, n := range c.course.nodes {
		n.label = c.NewLabel()
	}
	for k, n := range c.course.nodes {
		c.enter(n)
		c.again = k == 0
		c.title("all lanes, from %d on a course", c.segs[n.seg].first)
		c.Bind(n.label)
		c.fullBody(n.seg)
		c.enter(nil)
	}
	c.again = false
}

// courseEntry begins a course: behind everything else, when the table is complete.
func (c *compiler) courseEntry() {
	if c.course == nil || c.batch.course == 0 {
		return
	}
	c.title("a whole warp of another CTA begins")
	c.Bind(c.batch.course)
	c.count()
	c.loadWarp(&c.segs[0])
	table := c.ConstRow(c.course.table, 64)
	c.atTable(table)
	c.Jmp(c.course.nodes[0].label)
	c.gateCode(table)
	c.title("constants")
}

// tableShift is how much larger a warp's part of a row is than its abi.Warp.
const tableShift = 2

var _ = [1]byte{}[unsafe.Sizeof(abi.Warp{})<<tableShift-tableRow]
