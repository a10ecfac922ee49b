package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file finds where a warp's counts are kept as it began with them, for exits that leave it at its start: in front of
// the first thing that is counted on a way to such an exit. Hot code most often has none, since it counts at its end.

// starts says where that is.
type starts struct {
	always bool   // where warps begin: ways on which nothing was counted so far meet those on which something was
	keep   []bool // by block: in front of the first count
	behind []bool // by block: it begins behind one, on each way
}

// findStarts finds where counts are to be kept.
func findStarts(f *ssa.Func) starts {
	s := starts{keep: make([]bool, len(f.Blocks)), behind: make([]bool, len(f.Blocks))}
	before, leads := make([]bool, len(f.Blocks)), make([]bool, len(f.Blocks))
	before[0] = true
	for changed := true; changed; {
		changed = false
		set := func(list []bool, b *ssa.Block, is bool) {
			if is && !list[b.ID] {
				list[b.ID], changed = true, true
			}
		}
		for _, b := range f.Blocks {
			first, begins := firstCount(b)
			for _, e := range b.Out {
				set(s.behind, e.To, !begins && (s.behind[b.ID] || first < len(b.Effects)))
				set(before, e.To, begins || before[b.ID] && first == len(b.Effects))
				set(leads, b, !begins && leads[e.To.ID])
			}
			set(leads, b, restartsFrom(f, b, 0))
		}
	}
	for _, b := range f.Blocks {
		first, begins := firstCount(b)
		leaves := slices.ContainsFunc(b.Out, func(e *ssa.Edge) bool { return !begins && leads[e.To.ID] })
		switch {
		case !before[b.ID]:
		case s.behind[b.ID]:
			s.always = s.always || leaves || restartsFrom(f, b, 0)
		case first < len(b.Effects):
			s.keep[b.ID] = leaves || restartsFrom(f, b, first)
		}
	}
	return s
}

// counts tells whether an effect counts.
func counts(e *ssa.Effect) bool {
	return e.Kind == ssa.Steps || e.Kind == ssa.Lanes || e.Kind == ssa.Helper
}

// firstCount is the first effect of a block that counts, and whether a warp begins behind the block.
func firstCount(b *ssa.Block) (first int, begins bool) {
	first = len(b.Effects)
	for i, e := range b.Effects {
		if counts(e) {
			first = min(first, i)
		}
		begins = begins || protocol[e.Kind] != nil
	}
	return first, begins
}

// restartsFrom tells whether a block leaves warps at their start, from an effect on.
func restartsFrom(f *ssa.Func, b *ssa.Block, from int) bool {
	for _, e := range b.Effects[from:] {
		if e.State != 0 && f.States[e.State].Restart {
			return true
		}
	}
	return false
}

// count notes that an effect counts, and keeps the counts in front of it where that is to be.
func (s *selector) count(e *ssa.Effect) {
	if !counts(e) || s.begun {
		return
	}
	if s.begun = true; s.starts.keep[s.ssa.ID] && !s.starts.always {
		s.perform("keep counts", (*code).keepCounts, nil)
	}
}

// keepCounts keeps the counts with which the running warp began.
func (c *code) keepCounts() {
	c.MR(x86.MOV, x86.S64, c.frameAt(fSteps0), rSteps)
	c.MR(x86.MOV, x86.S64, c.frameAt(fOps0), rOps)
}
