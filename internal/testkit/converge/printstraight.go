package converge

// Statements of one thread, conditions, and barriers of CTAs as PTX.

import (
	"fmt"
	"math/bits"
)

// arith is an operation on a variable and a value.
type arith struct {
	format string // of the variable and the value
	do     func(d, x uint32) uint32
}

var ariths = []arith{
	{"add.u32 %[1]s, %[1]s, %[2]s;", func(d, x uint32) uint32 { return d + x }},
	{"sub.u32 %[1]s, %[2]s, %[1]s;", func(d, x uint32) uint32 { return x - d }},
	{"xor.b32 %[1]s, %[1]s, %[2]s;", func(d, x uint32) uint32 { return d ^ x }},
	{"mad.lo.u32 %[1]s, %[1]s, 31, %[2]s;", func(d, x uint32) uint32 { return d*31 + x }},
	{"mad.lo.u32 %[1]s, %[2]s, 2654435761, %[1]s;", func(d, x uint32) uint32 { return x*2654435761 + d }},
	{"mov.u32 %[1]s, %[2]s;", func(d, x uint32) uint32 { return x }},
	{"shf.l.wrap.b32 %[1]s, %[1]s, %[2]s, 7;", func(d, x uint32) uint32 { return x<<7 | d>>25 }},
	{"max.s32 %[1]s, %[1]s, %[2]s;", func(d, x uint32) uint32 { return uint32(max(int32(d), int32(x))) }},
	{"popc.b32 %[1]s, %[2]s;", func(d, x uint32) uint32 { return uint32(bits.OnesCount32(x)) }},
}

// slotOps are what a slot is added to by: an order of lanes does not matter.
var slotOps = [slots]struct {
	name string
	do   func(a, b uint32) uint32
}{
	{"add.u32", func(a, b uint32) uint32 { return a + b }},
	{"xor.b32", func(a, b uint32) uint32 { return a ^ b }},
	{"max.u32", func(a, b uint32) uint32 { return max(a, b) }},
	{"or.b32", func(a, b uint32) uint32 { return a | b }},
	{"max.s32", func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }},
	{"min.s32", func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }},
	{"add.s32", func(a, b uint32) uint32 { return a + b }},
	{"xor.b32", func(a, b uint32) uint32 { return a ^ b }},
}

// Where Add adds, by its Mode.
const (
	addSlot = iota
	addCTA
	addSpread
)

var addPlaces = []int{addSlot, addSlot, addCTA, addSpread}

// What a Barrier gives, by its Mode.
const (
	barPlain = iota
	barPopc
	barAnd
	barOr
	barSlot
)

var barriers = []int{barPlain, barPopc, barAnd, barOr, barSlot}

// value writes an operand.
func (p *printer) value(v Value) string {
	switch v.Of {
	case FromVar:
		return p.v(int(v.N))
	case FromConst:
		return fmt.Sprint(v.N)
	case FromCTAHere:
		t := p.temp()
		p.line("mov.u32 %s, %%ctaid.x;", t)
		return t
	}
	return registers[v.Of]
}

// registers hold what a thread knows of itself.
var registers = map[Source]string{
	FromLane: "%lane", FromTid: "%id", FromCTA: "%cta", FromGrid: "%grid", FromThreads: "%threads",
}

func (p *printer) straight(n *Node) {
	switch n.Kind {
	case Set:
		p.line(ariths[n.Mode].format, p.v(n.D), p.value(n.Value))
	case Store:
		p.line("st.global.u32 [%s+%d], %s;", p.own(n.Style), 4*n.Slot, p.v(n.A))
	case Load:
		t, d := p.temp(), p.wide()
		p.line("and.b32 %s, %s, %d;", t, p.v(n.A), inWords-1)
		p.line("mul.wide.u32 %s, %s, 4;", d, t)
		p.line("add.u64 %s, %s, %%in;", d, d)
		p.line("ld.global.u32 %s, [%s];", t, d)
		p.line("xor.b32 %s, %s, %s;", p.v(n.D), p.v(n.D), t)
	case Own:
		p.line("atom.shared.exch.b32 %s, [%%own], %s;", p.v(n.D), p.v(n.D))
	case Add:
		p.add(n)
	}
}

// own is a register that points to a thread's words of out, found in one of three ways.
func (p *printer) own(style int) string {
	switch d := p.wide(); style {
	case 1:
		p.line("mul.wide.u32 %s, %%id, %d;", d, 4*p.Slots)
		p.line("add.u64 %s, %%ctas, %s;", d, d)
		return d
	case 2:
		a, b, x := p.temp(), p.temp(), p.wide()
		p.line("mov.u32 %s, %%ctaid.x;", a)
		p.line("mov.u32 %s, %%ntid.x;", b)
		p.line("mul.lo.u32 %s, %s, %s;", a, a, b)
		if p.rows() > 1 {
			p.line("mov.u32 %s, %%ntid.y;", b)
			p.line("mul.lo.u32 %s, %s, %s;", a, a, b)
		}
		p.line("mul.wide.u32 %s, %s, %d;", d, a, 4*p.Slots)
		p.line("add.u64 %s, %s, %%out;", d, d)
		p.line("mul.wide.u32 %s, %%id, %d;", x, 4*p.Slots)
		p.line("add.u64 %s, %s, %s;", d, d, x)
		return d
	}
	return "%mine"
}

// accOfCTA is a register that points to the CTA's word of acc.
func (p *printer) accOfCTA() string {
	t, d := p.temp(), p.wide()
	p.line("mov.u32 %s, %%ctaid.x;", t)
	p.line("mul.wide.u32 %s, %s, 4;", d, t)
	p.line("add.u64 %s, %s, %%acc;", d, d)
	return d
}

func (p *printer) add(n *Node) {
	switch addPlaces[n.Mode] {
	case addSlot:
		p.line("red.shared.%s [%%sm+%d], %s;", slotOps[n.Slot].name, slotsAt+4*n.Slot, p.v(n.A))
	case addCTA:
		p.line("red.global.add.u32 [%s], %s;", p.accOfCTA(), p.v(n.A))
	case addSpread:
		t, d := p.temp(), p.wide()
		p.line("and.b32 %s, %s, %d;", t, p.v(n.A), accSpread-1)
		p.line("add.u32 %s, %s, %%grid;", t, t)
		p.line("mul.wide.u32 %s, %s, 4;", d, t)
		p.line("add.u64 %s, %s, %%acc;", d, d)
		p.line("red.global.add.u32 [%s], %s;", d, p.v(n.A))
	}
}

// storeHash writes what a thread has come to.
func (p *printer) storeHash(guard string) {
	p.line("mov.u32 %%hash, 0;")
	for i := range firstCount {
		p.line("mad.lo.u32 %%hash, %%hash, 31, %s;", p.v(i))
	}
	p.line("%sst.global.u32 [%s], %%hash;", guard, p.own(p.Last))
}

// cond writes a condition into a predicate.
func (p *printer) cond(c *Cond) string {
	q := p.pred()
	compare := func(yes, no, a string) string {
		if c.Not {
			yes = no
		}
		p.line("setp.%s.u32 %s, %s, %d;", yes, q, a, c.N)
		return q
	}
	switch c.Of {
	case LaneBelow:
		return compare("lt", "ge", "%lane")
	case LaneIs:
		return compare("eq", "ne", "%lane")
	case TidBelow:
		return compare("lt", "ge", "%id")
	case TidIs:
		return compare("eq", "ne", "%id")
	case GridAbove:
		return compare("gt", "le", "%grid")
	case VarBelow:
		return compare("lt", "ge", p.v(c.A))
	}
	return p.bit(c, q)
}

// bit writes a condition on a bit.
func (p *printer) bit(c *Cond, q string) string {
	t := p.temp()
	switch c.Of {
	case LaneBit:
		p.line("bfe.u32 %s, %%lane, %d, 1;", t, c.N)
	case WarpBit:
		p.line("bfe.u32 %s, %%id, %d, 1;", t, c.N+5)
	case CTABit:
		p.line("mov.u32 %s, %%ctaid.x;", t)
		p.line("bfe.u32 %s, %s, %d, 1;", t, t, c.N)
	default:
		p.line("bfe.u32 %s, %s, %d, 1;", t, p.v(c.A), c.N)
	}
	p.line("setp.%s.u32 %s, %s, 0;", map[bool]string{false: "ne", true: "eq"}[c.Not], q, t)
	return q
}

func (p *printer) barrier(n *Node) {
	r, q := p.temp(), ""
	if n.Cond != nil {
		q = p.condOf(n)
	}
	switch barriers[n.Mode] {
	case barPlain:
		p.line("bar.sync 0;")
		p.line("mov.u32 %s, 0;", r)
	case barPopc:
		p.line("bar.red.popc.u32 %s, 0, %s;", r, q)
	case barSlot:
		p.line("bar.sync 0;")
		p.line("ld.shared.u32 %s, [%%sm+%d];", r, slotsAt+4*n.Slot)
		p.line("bar.sync 0;")
	default:
		o := p.pred()
		p.line("bar.red.%s.pred %s, 0, %s;", map[int]string{barAnd: "and", barOr: "or"}[barriers[n.Mode]], o, q)
		p.line("selp.u32 %s, 1, 0, %s;", r, o)
	}
	p.line("mad.lo.u32 %s, %s, 3, %s;", p.v(n.D), p.v(n.D), r)
}
