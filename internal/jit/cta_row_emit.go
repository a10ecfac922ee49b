package jit

// The code for CTAs in a row: for how many of them tests hold, and their program, a loop for each warp.

import (
	"math"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// rRow counts CTAs: nothing is in shared memory.
const rRow = rShared

// rowProgram assembles what CTAs in a row do once their tests have been passed; their number is in its place.
func (m *ctaCode) rowProgram(r *ctaRow, begin, next, out x86.Label) {
	m.allFree()
	m.title("all lanes, of all warps of CTAs in a row")
	m.Bind(begin)
	m.count()
	for i := range m.k.items {
		if n := m.k.items[i].node; n != nil {
			n.slot = 0
		}
	}
	for i := range r.groups {
		m.rowGroup(r, &r.groups[i])
	}
	m.title("CTAs in a row are done")
	m.count()
	m.RM(x86.MOV, x86.S64, x86.RAX, placeOf(m.inRow))
	m.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RAX, int32(m.k.executed))
	m.RR(x86.ADD, x86.S64, rSteps, x86.RCX)
	if d := 32*m.k.executed - m.k.laneOps; d != 0 {
		m.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RAX, int32(d))
		m.MR(x86.SUB, x86.S64, ctxOps, x86.RCX)
	}
	m.MI(x86.MOV, x86.S32, batchMoved, 1)
	m.passRow()
	m.batch.clean = true
	m.endCTA(out, sweptMore)
	m.batch.clean = false
	m.Jmp(next)
}

// rowGroup assembles what a warp does in all of them.
func (m *ctaCode) rowGroup(r *ctaRow, g *rowGroup) {
	again := m.NewLabel()
	m.title("a warp of CTAs in a row")
	m.count()
	m.cursors = [len(ctaCursors)]ctaCursor{}
	for i, p := range g.places {
		base := m.host(p.num)
		m.RM(x86.MOV, x86.S64, ctaCursors[i], placeOf(base))
		for _, w := range p.want {
			if w.by != 0 {
				m.RM(x86.ADD, x86.S64, ctaCursors[i], placeOf(m.hop(ctaHop{w.num, w.by})))
			}
		}
		m.used++
		m.cursors[i] = ctaCursor{base: base, rates: slices.Clone(p.want), used: m.used}
	}
	m.RM(x86.MOV, x86.S64, rRow, placeOf(m.inRow))
	m.Bind(again)
	m.title("a warp, CTA by CTA")
	m.count()
	for i := g.first; i < g.end; i++ {
		x := m.k.items[i]
		m.held.began = m.held.clock
		if n := x.of(); !n.fold {
			m.makeRoom()
			m.assembleNode(n, x.store != nil)
		}
		m.drop(i)
	}
	for i, p := range g.places {
		if d := r.steps[p.num]; d != 0 {
			m.RI(x86.ADD, x86.S64, ctaCursors[i], int32(d))
		}
	}
	m.R(x86.DEC, x86.S64, rRow)
	m.Jcc(x86.NE, again)
}

// passRow makes the last CTA in a row the running one; RAX is their number.
func (m *ctaCode) passRow() {
	placed := m.NewLabel()
	m.R(x86.DEC, x86.S64, x86.RAX)
	m.MR(x86.SUB, x86.S32, batchCTAs, x86.RAX)
	m.MR(x86.ADD, x86.S32, batchDone, x86.RAX)
	m.MR(x86.ADD, x86.S64, batchPlace, x86.RAX)
	m.RM(x86.ADD, x86.S64, x86.RAX, batchPlace.Plus(24))
	m.RM(x86.CMP, x86.S64, x86.RAX, batchSMs)
	m.Jcc(x86.B, placed)
	m.RM(x86.SUB, x86.S64, x86.RAX, batchSMs)
	m.Bind(placed)
	m.MR(x86.MOV, x86.S64, batchPlace.Plus(24), x86.RAX)
}

// rowTests goes to the program of CTAs in a row if it can be that of two or more: from one whose tests have been passed.
func (m *ctaCode) rowTests(r *ctaRow, begin, one x86.Label) {
	m.title("how many CTAs in a row")
	m.count()
	m.RM(x86.MOV, x86.S64, rRow, batchGrid) // how many behind this one
	m.RM(x86.SUB, x86.S64, rRow, batchPlace)
	m.R(x86.DEC, x86.S64, rRow)
	m.RM(x86.MOV, x86.S32, x86.RAX, batchCTAs)
	m.atMost()
	m.RM(x86.MOV, x86.S64, x86.RAX, batchSMs) // which take CTAs in turn
	m.R(x86.DEC, x86.S64, x86.RAX)
	m.atMost()
	m.MovImm(x86.RAX, uint64(r.most-1))
	m.atMost()
	m.rowApart(r, one)
	for _, n := range m.k.numbers {
		if d := r.steps[n]; n.typ == tW && d != 0 { // it goes on without wrapping
			m.RM(x86.MOV, x86.S64, x86.RAX, n.mem())
			m.room32(d)
		}
	}
	for _, g := range m.k.guards {
		m.rowGuard(r, g)
	}
	m.RR(x86.TEST, x86.S64, rRow, rRow)
	m.Jcc(x86.E, one)
	m.R(x86.INC, x86.S64, rRow)
	m.MR(x86.MOV, x86.S64, placeOf(m.inRow), rRow)
	m.Jmp(begin)
}

// atMost makes the CTAs that follow no more than RAX.
func (m *ctaCode) atMost() {
	m.RR(x86.CMP, x86.S64, x86.RAX, rRow)
	m.Cmov(x86.B, x86.S64, rRow, x86.RAX)
}

// atMostBy is atMost for what is left in RAX until something fails that comes nearer by a step with every CTA.
func (m *ctaCode) atMostBy(step int64) {
	if k := shiftOf(step); k != 0 {
		m.RI(x86.SHR, x86.S64, x86.RAX, int32(k))
	}
	m.atMost()
}

// room32 is atMostBy for a number in RAX that is not to leave 32 bits.
func (m *ctaCode) room32(step int64) {
	if step > 0 {
		m.R(x86.NEG, x86.S64, x86.RAX)
		m.RI(x86.ADD, x86.S64, x86.RAX, math.MaxInt32)
	} else {
		m.RI(x86.SUB, x86.S64, x86.RAX, math.MinInt32)
	}
	m.atMostBy(step)
}

// rowGuard makes CTAs that follow no more than those for which a test holds that holds for the first one.
func (m *ctaCode) rowGuard(r *ctaRow, g *ctaGuard) {
	d := r.steps[g.x.num]
	switch g.kind {
	case guardFits:
		if d != 0 {
			m.extreme(&g.x, d > 0)
			m.room32(d)
		}
	case guardOrder:
		if d -= r.steps[g.y.num]; d <= 0 {
			return
		}
		m.extreme(&g.x, true)
		m.RR(x86.MOV, x86.S64, x86.RDX, x86.RAX)
		m.extreme(&g.y, false)
		m.RR(x86.SUB, x86.S64, x86.RAX, x86.RDX)
		if !g.equal {
			m.R(x86.DEC, x86.S64, x86.RAX)
		}
		m.atMostBy(d)
	case guardInside:
		if d == 0 {
			return
		}
		m.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
		if d < 0 {
			m.extreme(&g.x, false)
			m.RM(x86.SUB, x86.S64, x86.RAX, m.startOf(g.pc))
		} else {
			m.extreme(&g.x, true)
			m.R(x86.NEG, x86.S64, x86.RAX)
			m.RM(x86.ADD, x86.S64, x86.RAX, m.endOf(g.pc, g.load))
		}
		m.atMostBy(d)
	}
}

// rowApart makes sure that the order of CTAs does not show: they load from other allocations than they store to, and
// what they store with one factor ends before it begins with the next one.
func (m *ctaCode) rowApart(r *ctaRow, one x86.Label) {
	m.RM(x86.MOV, x86.S64, x86.RDX, ctxBounds)
	for _, p := range r.apart {
		m.RM(x86.MOV, x86.S64, x86.RAX, m.startOf(p[0]))
		m.RM(x86.CMP, x86.S64, x86.RAX, m.startOf(p[1]))
		m.Jcc(x86.E, one)
	}
	if r.rate == nil {
		return
	}
	m.RMI(x86.IMUL, x86.S64, x86.RAX, r.rate.mem(), int32(r.least))
	m.RI(x86.SUB, x86.S64, x86.RAX, int32(r.spread+max(r.step, -r.step)))
	m.Jcc(x86.B, one)
	m.atMostBy(r.step)
}
