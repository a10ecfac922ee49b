package check

// This file says in which order the formatter prints modifiers.

import "ptxvm.invalid/ptxvm/internal/syntax"

// ModifierOrder returns the modifiers of an instruction in the order in which its form has them; a word that
// is repeated stands beside its reference. They stay as they are where the instruction has no form, or has a
// modifier that its form has not.
func (in *Info) ModifierOrder(s *syntax.Instruction) []syntax.TokenID {
	sel := in.Sel(s)
	if sel == nil || len(s.Mods) < 2 {
		return s.Mods
	}
	words := FormOrder(sel)
	wanted := map[string]int{}
	for _, w := range words {
		wanted[w]++
	}
	written := map[string][]syntax.TokenID{}
	for _, t := range s.Mods {
		w := in.File.Text(t)
		if wanted[w] == 0 {
			return s.Mods
		}
		written[w] = append(written[w], t)
	}
	order := make([]syntax.TokenID, 0, len(s.Mods))
	for _, w := range words {
		n := max(0, len(written[w])-wanted[w]+1) // all that are more than the form has, with the first
		order = append(order, written[w][:n]...)
		written[w] = written[w][n:]
		wanted[w]--
	}
	return order
}
