package regalloc

import (
	"fmt"
	"maps"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

// This file replays what the allocator has made, with the names of values in place of values.

// Check tells whether each use finds its value, on every way to it.
func Check(r *Result) error {
	c := &checker{r: r, at: make([]map[place]isel.VReg, len(r.Func.Blocks))}
	c.at[0] = map[place]isel.VReg{}
	for again := true; again; {
		again = false
		for _, b := range r.Func.Blocks {
			if c.at[b.ID] == nil {
				continue
			}
			changed, err := c.block(b)
			if err != nil {
				return fmt.Errorf("b%d: %w", b.ID, err)
			}
			again = again || changed
		}
	}
	return nil
}

// place is a location; registers of two classes are different ones.
type place struct {
	class isel.Class
	at    Loc
}

type checker struct {
	r  *Result
	at []map[place]isel.VReg // by block: what is where at its start, on all ways so far
}

func (c *checker) placeOf(v isel.VReg, l Loc) place {
	if l.IsReg() {
		return place{c.r.Func.ClassOf(v), l}
	}
	return place{0, l}
}

// block replays a block; changed tells whether less is known of one that it leads to.
func (c *checker) block(b *isel.Block) (changed bool, err error) {
	now := maps.Clone(c.at[b.ID])
	put := func(v isel.VReg, l Loc) {
		now[c.placeOf(v, l)] = v
		if h := c.r.Home[v]; h != None {
			now[c.placeOf(v, h)] = v
		}
	}
	for _, p := range b.Params {
		if l := c.r.Params[p]; l != None {
			put(p, l)
		}
	}
	if c.r.Begin != nil {
		if err := c.moves(now, c.r.Begin[b.ID]); err != nil {
			return false, err
		}
	}
	for i := range c.r.Blocks[b.ID] {
		less, err := c.step(&c.r.Blocks[b.ID][i], now, put)
		if err != nil {
			return false, fmt.Errorf("%d: %v: %w", i, c.r.Blocks[b.ID][i].Inst, err)
		}
		changed = changed || less
	}
	return changed, nil
}

// step replays an instruction.
func (c *checker) step(s *Step, now map[place]isel.VReg, put func(isel.VReg, Loc)) (less bool, err error) {
	moves, edge := c.r.Moves(s)
	if err := c.moves(now, moves); err != nil {
		return false, err
	}
	defs, uses, temps := c.r.Locs(s)
	for k, v := range s.Inst.Uses {
		if err := c.holds(now, v, uses[k]); err != nil {
			return false, err
		}
	}
	for k, t := range s.Inst.Temps {
		delete(now, c.placeOf(t, temps[k]))
	}
	if s.Inst.Early {
		for k, d := range s.Inst.Defs {
			delete(now, c.placeOf(d, defs[k]))
		}
	}
	if s.Inst.To != nil {
		if less, err = c.leads(maps.Clone(now), s.Inst, edge); err != nil {
			return false, err
		}
	}
	for k, d := range s.Inst.Defs {
		put(d, defs[k])
	}
	return less, nil
}

// holds tells whether a value is at a location.
func (c *checker) holds(now map[place]isel.VReg, v isel.VReg, l Loc) error {
	if _, ok := c.r.Func.Const(v); ok && l == Pool {
		return nil
	}
	if got := now[c.placeOf(v, l)]; got != v {
		return fmt.Errorf("v%d is wanted at %d, where v%d is", v, l, got)
	}
	return nil
}

func (c *checker) moves(now map[place]isel.VReg, moves []Move) error {
	for _, m := range moves {
		if err := c.holds(now, m.Value, m.From); err != nil {
			return err
		}
		now[c.placeOf(m.Value, m.To)] = m.Value
	}
	return nil
}

// leads replays an edge: parameters are where their arguments are, under their own names.
func (c *checker) leads(now map[place]isel.VReg, inst *isel.Inst, edge []Move) (less bool, err error) {
	if err := c.moves(now, edge); err != nil {
		return false, err
	}
	to := inst.To
	for i, p := range to.Params {
		l := c.r.Params[p]
		if l == None {
			continue
		}
		if err := c.holds(now, inst.Args[i], l); err != nil {
			return false, fmt.Errorf("parameter v%d: %w", p, err)
		}
	}
	old := c.at[to.ID]
	if old == nil {
		c.at[to.ID] = now
		return true, nil
	}
	for k, v := range old {
		if now[k] != v {
			delete(old, k)
			less = true
		}
	}
	return less, nil
}
