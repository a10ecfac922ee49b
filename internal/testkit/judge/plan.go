package judge

// This file plans the cases: for every entry legal statements that reach all of its forms, rows and
// modifiers in turn, statements with one change of each class in turn, and statements at each gate
// and one step below.

import (
	"hash/crc32"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
)

// legalShare is how many of the statements of an entry are legal, of eight. The rest has a change,
// which leaves one in four of them legal.
const legalShare = 3

// Plan draws the cases of the entries whose name has the prefix: perEntry of each, and its gates.
func Plan(seed uint64, targets []isa.Target, prefix string, perEntry int) (cases []*Case) {
	for _, e := range isa.Table().Entries() {
		if !strings.HasPrefix(e.Name, prefix) {
			continue
		}
		g := generate.New(seed^uint64(crc32.ChecksumIEEE([]byte(e.Name)))<<32, nil, targets)
		for _, s := range statements(g, e, perEntry) {
			cases = append(cases, newCase(s))
		}
		for _, s := range g.AtGates(e) {
			cases = append(cases, newCase(s))
		}
	}
	return cases
}

func newCase(s *generate.Statement) *Case {
	return &Case{Function: s.Function(), Entry: s.Entry, Class: s.Class, Gate: s.Gate, Change: s.Mutation}
}

// statements draws n statements of an entry.
func statements(g *generate.Generator, e *isa.Entry, n int) (list []*generate.Statement) {
	choices, next := spread(e.Choices(), n), 0
	for i := 0; len(list) < n; i++ {
		s := g.LegalOf(e, choices[i%len(choices)])
		if s == nil {
			s = g.Legal(e)
		}
		if i%8 >= legalShare {
			s, next = mutated(g, s, next)
		}
		list = append(list, s)
	}
	return list
}

// mutated makes the next kind of change that applies, and says which comes then.
func mutated(g *generate.Generator, s *generate.Statement, kind int) (*generate.Statement, int) {
	for {
		m := g.Mutate(s, kind%generate.Mutations)
		kind++
		if m != nil {
			return m, kind
		}
	}
}

// spread puts n of the choices, as far apart as they can be, before the others.
func spread(all []isa.Choice, n int) []isa.Choice {
	if n >= len(all) {
		return all
	}
	out := make([]isa.Choice, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}
