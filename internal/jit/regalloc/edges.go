package regalloc

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

// This file says where values are when a block begins, and brings them there.

// edge is what has to move on a way to a block from the running state.
func (a *allocator) edge(to *isel.Block, args []isel.VReg) []Move {
	if a.start[to.ID] == nil {
		a.fix(to, args)
	}
	var moves []Move
	for i, p := range to.Params {
		if l := a.out.Params[p]; l != None {
			moves = a.moveTo(moves, l, args[i])
		}
	}
	start := a.start[to.ID]
	for c := range start {
		for r, v := range start[c] {
			if v != 0 && !slices.Contains(to.Params, v) {
				moves = a.moveTo(moves, Loc(r), v)
			}
		}
	}
	a.leading(to, func(v isel.VReg) {
		if start[a.f.ClassOf(v)] == ([32]isel.VReg{}) || !slices.Contains(start[a.f.ClassOf(v)][:], v) {
			a.homeOf(v)
		}
	})
	return a.ordered(moves)
}

// homeOf makes sure that a value is in memory where it has no register.
func (a *allocator) homeOf(v isel.VReg) {
	if !a.isConst(v) {
		a.home(v)
	}
}

func (a *allocator) moveTo(moves []Move, to Loc, v isel.VReg) []Move {
	if from := a.placeOf(v); from != to {
		moves = append(moves, Move{v, to, from})
	}
	return moves
}

// fix says where values are when a block begins, by the first edge that leads there: in the registers that they have,
// and parameters in those of their arguments, or in what is free, or in place of what is used later.
func (a *allocator) fix(to *isel.Block, args []isel.VReg) {
	s := &state{}
	live, end := a.live[to.ID], a.loop[to.ID]
	for c := range a.state {
		for r, v := range a.state[c] {
			keep := v != 0 && live.has(v)
			if v != 0 && a.isConst(v) {
				keep = a.preds[to.ID] == 1 || end != 0 && a.nextUse(v, a.first[to.ID]) < end
			}
			if keep {
				s[c][r] = v
			}
		}
	}
	a.start[to.ID] = s
	order := make([]int, 0, len(args))
	for i, p := range to.Params {
		if live.has(p) {
			order = append(order, i)
		}
	}
	from := a.first[to.ID]
	slices.SortStableFunc(order, func(i, j int) int {
		return a.nextUse(to.Params[i], from) - a.nextUse(to.Params[j],
			from)
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

// ordered puts moves that are to be made at once into an order in which none overwrites what another needs.
func (a *allocator) ordered(moves []Move) []Move {
	var out []Move
	for len(moves) > 0 {
		ready := slices.IndexFunc(moves, func(m Move) bool {
			return !slices.ContainsFunc(moves, func(n Move) bool { return n != m && a.same(n.Value, n.From, m.Value, m.To) })
		})
		if ready < 0 { // a cycle
			out = append(out, Move{moves[0].Value, Scratch, moves[0].From})
			broken := moves[0]
			for i := range moves {
				if a.same(moves[i].Value, moves[i].From, broken.Value, broken.From) {
					moves[i].From = Scratch
				}
			}
			continue
		}
		out = append(out, moves[ready])
		moves = slices.Delete(moves, ready, ready+1)
	}
	return out
}

// same tells whether two locations of values are one.
func (a *allocator) same(v isel.VReg, l Loc, w isel.VReg, k Loc) bool {
	return l == k && l != Pool && (!l.IsReg() || a.f.ClassOf(v) == a.f.ClassOf(w))
}
