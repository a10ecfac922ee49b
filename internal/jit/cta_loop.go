package jit

// Loops with barriers inside in the program of a CTA. All warps come to the loop, go round it equally often and leave
// it together, so a turn is assembled once, for all warps from barrier to barrier: in the registers are rows that the
// last turn has left (carries), or polynomials in the number of the turn, which is an atom like others. How often it
// goes round is a number (ctaTrip), computed in front: tests and bounds take the first turn and the last one, between
// which everything is linear.
//
// In the machine the warp that completes a barrier goes on first, so from turn to turn warps change their order. A program has
// one order: what warps do between two barriers must not depend on it (cta_apart.go).

import (
	"fmt"
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// maxLoopSteps is how many instructions the turns of a CTA may have: compiled code is not left in between.
const maxLoopSteps = 1 << 22

// A CTA lets others run after 64 passes over its warps, of which each barrier makes one, and a program is one go: so many barriers may
// be in the turns, and so many elsewhere.
const (
	maxLoopPasses  = 48
	maxOtherPasses = 12
)

// ctaLoop is a loop of a CTA's program.
type ctaLoop struct {
	head, latch int32
	turn        byte       // its atom
	last        *ctaNumber // how often it is gone back
	trip        ctaTrip
	carries     []ctaCarry
	begin, end  *ctaNode  // read what carries are in the first turn, and in the next one
	steps       []ctaKept // what registers hold behind a turn, that go on by steps
	kept        []ctaKept // what they hold in front of it, if somebody reads it

	from, to        int   // barriers that had been passed in front and behind
	executed, lanes int64 // instructions and lanes that execute them, in a turn that goes back

	moving  []*ctaMoving // in the order in which they were asked for
	counter int          // its place
	top     x86.Label
}

// ctaCarry is a row that a turn leaves to the next one.
type ctaCarry struct {
	*ctaNode
	off uint32
}

// ctaKept is what a register holds.
type ctaKept struct {
	warp  int
	off   uint32
	value ctaVal
}

// findLoops finds the loops with barriers, in order; none if one is in another, or lanes part by masks.
func (k *cta) findLoops() (list []*ctaLoop) {
	if k.border {
		return nil
	}
	for pc := range k.steps {
		in := &k.insts[pc]
		if k.steps[pc].op.Kind != sem.OpBranch || in.Imm > uint64(pc) || in.Guard == machine.NoGuard {
			continue
		}
		l := &ctaLoop{head: int32(in.Imm), latch: int32(pc)}
		barrier := slices.ContainsFunc(k.steps[l.head:pc], func(s step) bool { return s.op.Kind == sem.OpBarrier })
		if !barrier {
			continue
		}
		if n := len(list); n != 0 && l.head <= list[n-1].latch {
			return nil
		}
		list = append(list, l)
	}
	return list
}

// schedule runs the warps to the loops, through them, and to their end.
func (k *cta) schedule() bool {
	for _, l := range k.findLoops() {
		switch k.runTo(l.head, false) {
		case ctaFailed:
			return false
		case ctaEnds:
			return true
		}
		if !k.loop(l) {
			return false
		}
	}
	return k.runTo(-1, false) == ctaEnds && (len(k.loops) == 0 || k.passed <= maxOtherPasses)
}

// loop makes a turn of a loop at whose head all warps stand. One that is known to go round, or not to, is left to be
// unrolled.
func (k *cta) loop(l *ctaLoop) bool {
	before := k.registers()
	after, known, ok := k.tried(l)
	if !ok || known && !k.rolled {
		k.unrolls = k.unrolls || ok
		return ok
	}
	if !k.enter(l, before, after) {
		return false
	}
	executed, lanes := k.executed, k.laneOps
	if k.runTo(l.latch, true) != ctaStands || k.passed == l.from {
		return false
	}
	k.executed += int64(len(k.warps))
	l.executed, l.lanes = k.executed-executed, k.laneOps-lanes+int64(32*len(k.warps))
	for _, w := range k.warps {
		if !k.trips(l, w) {
			return false
		}
	}
	return k.leaveLoop(l)
}

// registers are what the warps hold.
func (k *cta) registers() (list []map[uint32]ctaVal) {
	for _, w := range k.warps {
		list = append(list, maps.Clone(w.env))
	}
	return list
}

// tried runs a turn to see what it changes, and whether it is known that it is the last, or not; all else stays as it was but for
// numbers, of which others may be made.
func (k *cta) tried(l *ctaLoop) (after []map[uint32]ctaVal, known, ok bool) {
	was, before := *k, k.registers()
	k.trial = true
	if ok = k.runTo(l.latch, true) == ctaStands && !k.failed; ok {
		c := k.warps[0].env[k.insts[l.latch].Guard&^1].cond
		if ok = c != nil; ok {
			_, known = c.value(^uint32(0))
		}
	}
	after = k.registers()
	numbers, atoms, places := k.numbers, k.atoms, k.places
	*k = was
	k.numbers, k.atoms, k.places = numbers, atoms, places
	for i, w := range k.warps {
		w.env, w.places, w.backs = before[i], standAt(l.head), 0
	}
	return after, known, ok
}

// enter gives registers that a turn changes what they hold in any turn.
func (k *cta) enter(l *ctaLoop, before, after []map[uint32]ctaVal) bool {
	l.last = &ctaNumber{typ: tX, key: fmt.Sprintf("last %d", l.head), loop: l, at: k.place8()}
	k.numbers = append(k.numbers, l.last)
	turn := k.atom(tX, ctaAtom{kind: atomTurn, off: uint32(l.head)})
	if turn == nil {
		return false
	}
	l.turn, l.from = turn.terms[0].mono[0], k.passed
	k.loops = append(k.loops, l)
	l.begin = k.node(k.warps[0], ctaNode{kind: nodeBegin, loop: l, wanted: ^uint32(0)})
	live := k.liveOffsets(l.head)
	for i, w := range k.warps {
		w.pc = l.head
		for _, off := range slices.Sorted(maps.Keys(after[i])) {
			b, had := before[i][off]
			switch a := after[i][off]; {
			case !live[off] || !had:
				delete(w.env, off)
			case b == a || b.samePoly(a):
			case !k.inTurn(l, w, off, a):
				return false
			}
		}
		for off := range live {
			if v, ok := w.env[off]; ok {
				l.kept = append(l.kept, ctaKept{warp: i, off: off, value: v})
			}
		}
	}
	return true
}

// inTurn gives a register what it holds in any turn, that holds a value behind the first one.
func (k *cta) inTurn(l *ctaLoop, w *ctaWarp, off uint32, second ctaVal) bool {
	first := w.env[off]
	switch {
	case first.cond != nil || second.cond != nil:
		return false
	case first.poly != nil && second.poly != nil:
		if first.poly.typ != second.poly.typ {
			return false
		}
		step := second.poly.sum(first.poly, true).whole()
		by := step.times(k.mem.cta.of(step.typ, string([]byte{l.turn}), rowOf(1), false))
		if by == nil {
			return false
		}
		now := first.poly.sum(by, false)
		w.env[off] = ctaVal{poly: now}
		l.steps = append(l.steps, ctaKept{warp: w.index, off: off, value: ctaVal{poly: now.sum(step, false)}})
		return bounded(now) != nil
	case first.wide() || second.wide():
		return false
	}
	c := &ctaNode{kind: nodeCarry, loop: l, warp: w.index, pc: w.pc, phase: k.phase}
	raw, loose := first.loosely()
	if c.loose = loose && second.node != nil && second.node.kind == nodeCanon; !c.loose {
		raw = first
	}
	l.begin.in = append(l.begin.in, raw)
	l.carries = append(l.carries, ctaCarry{ctaNode: c, off: off})
	w.env[off] = k.carried(w, c)
	return true
}

// carried is what a carry is to those who look at its bits.
func (k *cta) carried(w *ctaWarp, c *ctaNode) ctaVal {
	if !c.loose {
		return ctaVal{node: c}
	}
	return ctaVal{node: k.node(w, ctaNode{kind: nodeCanon, in: []ctaVal{{node: c}}})}
}

// leaveLoop has what is true behind the loop, if all is as was supposed of a turn.
func (k *cta) leaveLoop(l *ctaLoop) bool {
	l.to = k.passed
	changed := map[ctaKept]bool{}
	for _, s := range l.steps {
		if !k.warps[s.warp].env[s.off].samePoly(s.value) {
			return false
		}
		changed[ctaKept{warp: s.warp, off: s.off}] = true
	}
	l.end = k.node(k.warps[0], ctaNode{kind: nodeEnd, loop: l, wanted: ^uint32(0)})
	for _, c := range l.carries {
		w := k.warps[c.warp]
		next := w.env[c.off]
		if c.loose {
			if next.node == nil || next.node.kind != nodeCanon {
				return false
			}
			next = next.node.in[0]
		}
		if next.cond != nil || next.wide() || next.node != nil && next.node.kind == nodeCarry {
			return false
		}
		l.end.in = append(l.end.in, next)
		w.env[c.off] = k.carried(w, c.ctaNode)
		changed[ctaKept{warp: c.warp, off: c.off}] = true
	}
	for _, s := range l.kept {
		if is := k.warps[s.warp].env[s.off]; !changed[ctaKept{warp: s.warp, off: s.off}] && is != s.value && !is.samePoly(s.value) {
			return false
		}
	}
	return k.behindLoop(l)
}

// behindLoop gives registers what they hold there.
func (k *cta) behindLoop(l *ctaLoop) bool {
	for _, w := range k.warps {
		w.pc = l.latch + 1
		w.places = standAt(w.pc)
		for off, v := range w.env {
			switch {
			case v.poly != nil:
				if p := k.atLast(l, v.poly); p != nil {
					w.env[off] = ctaVal{poly: p}
				} else {
					delete(w.env, off)
				}
			case v.cond != nil && v.cond.kind != condKnown:
				delete(w.env, off) // it may be one of the turn
			}
		}
	}
	limit := min(maxLoopSteps/max(l.executed, 1), int64(maxLoopPasses/len(k.findLoops())/(l.to-l.from)))
	k.guard(ctaGuard{kind: guardOrder, pc: l.latch, equal: true, x: sideOf(l.last, ctaExtent{some: true}), y: sideOf(nil, ctaExtent{some: true, low: limit, high: limit})})
	return true
}
