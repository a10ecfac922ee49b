package regalloc

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

// This file says where values are when a block begins, and brings them there.

// edge adds what has to move on a way to a block from the running state.
func (a *allocator) edge(to *isel.Block, args []isel.VReg) {
	if a.start[to.ID] == nil {
		a.fix(to, args)
	}
	a.edges++
	a.queue = a.queue[:0]
	for i, p := range to.Params {
		a.mark[p] = a.edges
		if l := a.out.Params[p]; l != None {
			a.moveTo(l, args[i])
		}
	}
	start := a.start[to.ID]
	for c := range start {
		for _, r := range a.regs[c] {
			if v := start[c][r]; v != 0 && a.mark[v] != a.edges {
				a.mark[v] = a.edges
				a.notePassing(to, v)
				a.moveTo(r, v)
			}
		}
	}
	for i, w := range a.lead[to.ID] {
		for ; w != 0; w &= w - 1 {
			if v := isel.VReg(i<<6 + bits.TrailingZeros64(w)); a.mark[v] != a.edges {
				a.home(v)
			}
		}
	}
	a.order()
}

// notePassing notes a value that a loop's end loads back for the loop to begin with, and that is used only behind it.
func (a *allocator) notePassing(head *isel.Block, v isel.VReg) {
	if end := a.loop[head.ID]; end == 0 || a.where[v].IsReg() || a.pos < a.first[head.ID] || a.isConst(v) || slices.Contains(head.Params, v) ||
		a.usedBetween(v, a.first[head.ID], end) {
		return
	}
	if a.idle == nil {
		a.idle = map[passing]bool{}
	}
	a.idle[passing{head.ID, v}] = true
}

func (a *allocator) moveTo(to Loc, v isel.VReg) {
	if from := a.placeOf(v); from != to {
		a.queue = append(a.queue, Move{v, to, from})
	}
}

// fix says where values are when a block begins, by the first edge that leads there: in the registers that they have,
// and parameters in those of their arguments, or in what is free, or in place of what is used later.
func (a *allocator) fix(to *isel.Block, args []isel.VReg) {
	s := &state{}
	lead, end := a.lead[to.ID], a.loop[to.ID]
	for c := range a.state {
		for r, v := range a.state[c] {
			keep := v != 0 && lead.has(v) && !a.inMemory[passing{to.ID, v}]
			if v != 0 && a.isConst(v) {
				keep = a.preds[to.ID] == 1 || end != 0 && a.nextUse(v, a.first[to.ID]) < end
			}
			if keep {
				s[c][r] = v
			}
		}
	}
	a.start[to.ID] = s
	if len(args) == 0 {
		return
	}
	order := make([]int, 0, len(args))
	for i, p := range to.Params {
		if a.wants[p] {
			order = append(order, i)
		}
	}
	from := a.first[to.ID]
	slices.SortStableFunc(order, func(i, j int) int {
		return a.nextUse(to.Params[i], from) - a.nextUse(to.Params[j], from)
	})
	for _, i := range order {
		a.fixParam(s, to, to.Params[i], args[i])
	}
}

// fixParam gives a parameter a place.
func (a *allocator) fixParam(s *state, to *isel.Block, p, arg isel.VReg) {
	c := a.f.ClassOf(p)
	best := None
	if r := a.where[arg]; r.IsReg() && s[c][r] == 0 {
		best = r
	}
	from := a.first[to.ID]
	far := a.nextUse(p, from)
	for _, r := range a.regs[c] {
		if best != None {
			break
		}
		if s[c][r] == 0 && a.state[c][r] == 0 {
			best = r
		}
	}
	for _, r := range a.regs[c] {
		if v := s[c][r]; best == None && v == 0 {
			best = r
		}
	}
	if best == None {
		for _, r := range a.regs[c] {
			if v := s[c][r]; !slices.Contains(to.Params, v) && a.nextUse(v, from) > far {
				best, far = r, a.nextUse(v, from)
			}
		}
	}
	if best == None {
		a.out.Params[p] = a.home(p)
		return
	}
	s[c][best], a.out.Params[p] = p, best
}

// order adds the moves of the queue, which are to be made at once, in an order in which none overwrites what another
// needs.
func (a *allocator) order() {
	for len(a.queue) > 0 {
		ready := slices.IndexFunc(a.queue, func(m Move) bool { return !a.needed(m) })
		if ready < 0 { // a cycle
			broken := a.queue[0]
			a.out.moves = append(a.out.moves, Move{broken.Value, Scratch, broken.From})
			for i := range a.queue {
				if m := &a.queue[i]; a.same(m.Value, m.From, broken.Value, broken.From) {
					m.From = Scratch
				}
			}
			continue
		}
		a.out.moves = append(a.out.moves, a.queue[ready])
		a.queue = slices.Delete(a.queue, ready, ready+1)
	}
}

// needed tells whether another move of the queue needs what one overwrites.
func (a *allocator) needed(m Move) bool {
	for i := range a.queue {
		if n := &a.queue[i]; *n != m && a.same(n.Value, n.From, m.Value, m.To) {
			return true
		}
	}
	return false
}

// same tells whether two locations of values are one.
func (a *allocator) same(v isel.VReg, l Loc, w isel.VReg, k Loc) bool {
	return l == k && l != Pool && (!l.IsReg() || a.f.ClassOf(v) == a.f.ClassOf(w))
}
