package jit

// The code of loops in a CTA's program. Between turns rows are in memory; addresses that go on from turn to turn have
// places, and so have numbers of the turn.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// ctaMoving is a number that goes on from turn to turn: it begins with a number or with zero.
type ctaMoving struct {
	num   *ctaNumber // whose host it begins with; nil: 0
	steps []ctaStep
	at    int // its place
}

// ctaStep is a number times a constant, or the constant.
type ctaStep struct {
	num *ctaNumber
	by  int64
}

// stayThrough has rows from in front of a loop that its turns read stay until the last one ends.
func (k *cta) stayThrough() {
	for _, l := range k.loops {
		for _, x := range k.items[l.begin.item : l.end.item+1] {
			for _, v := range x.of().in {
				if n := v.node; n != nil && (n.item <= l.begin.item || n.kind == nodeCarry && n.loop == l) {
					n.last = max(n.last, l.end.item)
				}
			}
		}
		for _, c := range l.carries {
			c.wanted, c.item, c.last = ^uint32(0), l.begin.item, max(c.last, l.end.item)
		}
	}
}

// of is the row that is computed, or the store.
func (x *ctaItem) of() *ctaNode {
	if x.node != nil {
		return x.node
	}
	return x.store
}

// sameTurn tells whether two items are executed equally often, one behind the other.
func (k *cta) sameTurn(i, j int) bool {
	for _, l := range k.loops {
		for _, at := range []int{l.begin.item, l.end.item} {
			if i <= at && j >= at {
				return false
			}
		}
	}
	return true
}

// beginLoop assembles what stands in front of the turns.
func (m *ctaCode) beginLoop(n *ctaNode) {
	l := n.loop
	m.leave()
	for i, c := range l.carries {
		m.keepCarry(c.ctaNode, &n.in[i])
		m.live = append(m.live, c.ctaNode)
	}
	l.counter = m.place()
	m.c.RM(x86.MOV, x86.S64, x86.RAX, l.last.mem())
	m.c.MR(x86.MOV, x86.S64, placeOf(l.counter), x86.RAX)
	m.cursors = [len(ctaCursors)]ctaCursor{}
	l.top = m.c.NewLabel()
	m.c.Bind(l.top)
	m.c.title("all lanes, of all warps of a CTA, a turn from %d", l.head)
	m.c.count()
}

// keepCarry stores what a carry is in the next turn.
func (m *ctaCode) keepCarry(c *ctaNode, v *ctaVal) {
	if c.slot == 0 {
		slot := slices.Index(m.slots, false)
		if slot < 0 {
			m.c.short = true
			return
		}
		m.slots[slot], c.slot = true, slot+1
	}
	for m.c.part = range 32 / m.c.lanes {
		x := m.loc(v)
		r := m.c.load(x, tW)
		m.c.store(m.c.full(), rowPlace(c.slot-1, m.c.part*m.c.lanes), r.v)
		m.c.unload(r, x)
		m.c.release(x)
	}
}

// endTurn assembles the way to the next turn.
func (m *ctaCode) endTurn(n *ctaNode) {
	l := n.loop
	for i, c := range l.carries {
		m.makeRoom(32/m.c.lanes + besides)
		m.keepCarry(c.ctaNode, &n.in[i])
	}
	m.leave()
	for _, p := range l.moving {
		for _, s := range p.steps {
			if s.num == nil {
				m.c.MI(x86.ADD, x86.S64, placeOf(p.at), int32(s.by))
				continue
			}
			m.c.RM(x86.MOV, x86.S64, x86.RAX, placeOf(m.hop(ctaHop{s.num, s.by})))
			m.c.MR(x86.ADD, x86.S64, placeOf(p.at), x86.RAX)
		}
	}
	m.c.MI(x86.SUB, x86.S64, placeOf(l.counter), 1)
	m.c.Jcc(x86.AE, l.top)
	m.cursors = [len(ctaCursors)]ctaCursor{}
	m.c.title("all lanes, of all warps of a CTA, behind the loop from %d", l.head)
	m.c.count()
}

// place is one more place in memory.
func (m *ctaCode) place() int {
	m.places++
	return m.places - 1
}

// moved is the place of a number that goes on from turn to turn as a lane's address does, or as a rate.
func (m *ctaCode) moved(l *ctaLoop, num *ctaNumber, steps []ctaStep) int {
	i := slices.IndexFunc(l.moving, func(p *ctaMoving) bool { return p.num == num && slices.Equal(p.steps, steps) })
	if i < 0 {
		if num != nil {
			m.host(num)
		}
		i = len(l.moving)
		l.moving = append(l.moving, &ctaMoving{num: num, steps: steps, at: m.place()})
	}
	return l.moving[i].at
}

// host is the place of the host's address that a number is.
func (m *ctaCode) host(n *ctaNumber) int {
	if n.host == 0 {
		n.host = m.place() + 1
	}
	return n.host - 1
}

// rate is the place of a number that a rate multiplies.
func (m *ctaCode) rate(r *ctaRate) x86.Mem {
	if r.loop == nil {
		return r.num.mem()
	}
	return placeOf(m.moved(r.loop, nil, []ctaStep{{num: r.of, by: 1}}))
}

// startMoving assembles what numbers that go on begin with.
func (m *ctaCode) startMoving() {
	for _, l := range m.k.loops {
		for _, p := range l.moving {
			if p.num == nil {
				m.c.MI(x86.MOV, x86.S64, placeOf(p.at), 0)
				continue
			}
			m.c.RM(x86.MOV, x86.S64, x86.RAX, placeOf(p.num.host-1))
			m.c.MR(x86.MOV, x86.S64, placeOf(p.at), x86.RAX)
		}
	}
}

// countTurns adds what the turns but the last of a loop execute.
func (m *ctaCode) countTurns() {
	for _, l := range m.k.loops {
		m.c.RMI(x86.IMUL, x86.S64, x86.RAX, l.last.mem(), int32(l.executed))
		m.c.RR(x86.ADD, x86.S64, rSteps, x86.RAX)
		if d := 32*l.executed - l.lanes; d != 0 {
			m.c.RMI(x86.IMUL, x86.S64, x86.RAX, l.last.mem(), int32(d))
			m.c.MR(x86.SUB, x86.S64, ctxOps, x86.RAX)
		}
	}
}
