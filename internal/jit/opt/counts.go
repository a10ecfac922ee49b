package opt

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This pass adds counts up: a block counts once for each mask, and what is the same for all ways through some blocks is counted by those of
// them that each way goes through once.
//
//	b1: steps 12; steps 6; if v1 b2 else b3      b1: if v1 b2 else b3
//	b2: steps 2; goto b4                     →   b2: steps 25; goto b4
//	b3: goto b4                                  b3: steps 23; goto b4
//	b4: steps 5; store …                         b4: store …
//
// It does not apply across what leaves with exact counts, goes on to another warp, begins a loop, or begins groups of other lanes.

// mostWays bounds how many blocks get counts of the one in which their ways meet.
const mostWays = 4

func counts(f *ssa.Func, known *analysis.Cache, _ *Knobs) bool {
	c := &counter{f: f, Dominators: known.Dominators()}
	for _, b := range c.Blocks {
		c.merge(b)
	}
	for _, b := range slices.Backward(c.Blocks) {
		c.pull(b)
	}
	for _, b := range c.Blocks {
		c.push(b)
	}
	return false
}

type counter struct {
	*ssa.Dominators
	f *ssa.Func
}

// isCount tells whether an effect counts.
func isCount(e *ssa.Effect) bool { return e.Kind == ssa.Steps || e.Kind == ssa.Lanes }

// exact tells whether all that has been executed in front of an effect is to be counted there. Where a warp that leaves begins again it
// gets the counts back that it began with.
func (c *counter) exact(e *ssa.Effect) bool {
	switch e.Kind {
	case ssa.Begin, ssa.EndWarp, ssa.EndCTA, ssa.Turn, ssa.Barrier, ssa.Helper:
		return true
	}
	return e.State != 0 && !c.f.States[e.State].Restart
}

// merge counts once for each mask up to an effect where counts are exact.
func (c *counter) merge(b *ssa.Block) {
	var list, since []*ssa.Effect
	for _, e := range b.Effects {
		switch {
		case isCount(e):
			since = count(since, e)
			continue
		case c.exact(e):
			list, since = append(list, since...), nil
		}
		list = append(list, e)
	}
	b.Effects = append(list, since...)
}

// count adds a count to a list that has one for each mask.
func count(list []*ssa.Effect, e *ssa.Effect) []*ssa.Effect {
	i := slices.IndexFunc(list, func(x *ssa.Effect) bool { return x.Kind == e.Kind && x.Mask == e.Mask })
	if i < 0 {
		sum := *e
		return append(list, &sum)
	}
	if list[i].N += e.N; list[i].N == 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// take removes the counts of all lanes from a list of effects.
func (c *counter) take(from []*ssa.Effect) (left, taken []*ssa.Effect) {
	for _, e := range from {
		if isCount(e) && c.forAll(e) {
			taken = append(taken, e)
		} else {
			left = append(left, e)
		}
	}
	return left, taken
}

// forAll tells whether a count is of all lanes.
func (c *counter) forAll(e *ssa.Effect) bool {
	k, known := c.f.Known(e.Mask)
	return known && k != 0
}

// pull brings what a block in which ways meet begins with to their ends.
func (c *counter) pull(b *ssa.Block) {
	ways := c.Preds[b.ID]
	if len(ways) < 2 || len(ways) > mostWays {
		return
	}
	for _, p := range ways {
		if len(p.Out) != 1 || p.Level != b.Level || p.Lanes != b.Lanes {
			return
		}
	}
	n := slices.IndexFunc(b.Effects, c.exact)
	if n < 0 {
		n = len(b.Effects)
	}
	left, list := c.take(b.Effects[:n])
	b.Effects = append(left, b.Effects[n:]...)
	for _, p := range ways {
		p.Effects = append(p.Effects, list...)
		c.merge(p)
	}
}

// push brings what a block counts behind its last exact count to those that only it leads to.
func (c *counter) push(b *ssa.Block) {
	for _, e := range b.Out {
		if len(c.Preds[e.To.ID]) != 1 || e.To.Level > b.Level || e.To.Lanes != b.Lanes {
			return
		}
	}
	n := len(b.Effects)
	for n > 0 && !c.exact(b.Effects[n-1]) {
		n--
	}
	left, list := c.take(b.Effects[n:])
	if len(b.Out) == 0 || len(list) == 0 {
		return
	}
	b.Effects = append(b.Effects[:n:n], left...)
	for _, e := range b.Out {
		e.To.Effects = slices.Concat(list, e.To.Effects)
		c.merge(e.To)
	}
}
