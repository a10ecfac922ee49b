package directives

// This file puts all cases together.

import "ptxvm.invalid/ptxvm/internal/isa"

// All lists the cases of every directive and special register, and of declarations: all that
// are one part away from a usual one, and n that are further away.
func All(seed uint64, n int) []*Case {
	var cases []*Case
	for _, d := range isa.Directives() {
		cases = append(cases, OfDirectives(d)...)
	}
	for _, s := range isa.Specials() {
		cases = append(cases, OfSpecial(s)...)
	}
	return unique(append(cases, Declarations(seed, n)...))
}
