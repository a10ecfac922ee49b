package generate

// This file draws statements for every gate of an entry: in the first module that it lets pass,
// and one step below, in version and in target.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Step is the modules that a gate is asked in: one of the targets.
type Step struct {
	Version isa.Version
	Targets []isa.Target
	Below   Class // what is one step below the gate: AtVersion or OnTarget; "" at the gate
}

// Steps lists the modules for an alternative of a gate and one of its targets (any if it names
// none): at it, with the version before, and with the nearest target that does not satisfy it.
// What no module can be is left out: a version before all targets of the gate, a target below the first.
func Steps(l *isa.GateLine, a isa.GateAlt, named isa.Target) (list []Step) {
	if named.IsZero() {
		list = append(list, Step{Version: a.Version, Targets: known(a.Version)})
	} else {
		list = append(list, Step{Version: max(a.Version, isa.TargetSince(named)), Targets: []isa.Target{named}})
	}
	before := isa.PreviousVersion(a.Version)
	passes := func(t isa.Target) bool { return !a.Holds(t) || l.Gate.Passes(before, t) }
	if targets := slices.DeleteFunc(known(before), passes); len(targets) > 0 {
		list = append(list, Step{before, targets, AtVersion})
	}
	targets := isa.Targets()
	for _, t := range slices.Backward(targets[:max(0, slices.Index(targets, named))]) {
		if v := max(a.Version, isa.TargetSince(t)); !l.Gate.Passes(v, t) {
			return append(list, Step{v, []isa.Target{t}, OnTarget})
		}
	}
	return list
}

// known lists the targets that a version knows.
func known(v isa.Version) []isa.Target {
	return slices.DeleteFunc(isa.Targets(), func(t isa.Target) bool { return isa.TargetSince(t) > v })
}

// AtGates draws statements for each step of each gate of an entry.
func (g *Generator) AtGates(e *isa.Entry) (list []*Statement) {
	lines := e.GateLines()
	pool := g.pool(e)
	for i := range lines {
		l := &lines[i]
		under := g.under(e, l, pool)
		for _, a := range l.Gate {
			targets := a.Targets
			if len(targets) == 0 {
				targets = []isa.Target{{}}
			}
			for _, named := range targets {
				for _, step := range Steps(l, a, named) {
					if s := g.atStep(under, l, step); s != nil {
						s.Gate = i + 1
						list = append(list, s)
					}
				}
			}
		}
	}
	return list
}

// pool draws a sample of an entry for each form, row and modifier.
func (g *Generator) pool(e *isa.Entry) (pool []*isa.Sample) {
	for _, c := range e.Choices() {
		for range choiceDraws {
			if s := e.Sample(g.r, c); s != nil {
				pool = append(pool, s)
				break
			}
		}
	}
	return pool
}

// underGate is the number of samples that a gate is asked about at least, if drawing finds so many.
const underGate = 4

// under picks the samples that stand under a gate, and draws more where they are rare: the choice
// that leads there may need many draws.
func (g *Generator) under(e *isa.Entry, l *isa.GateLine, pool []*isa.Sample) (list []*isa.Sample) {
	for _, s := range pool {
		if s.Under(l) {
			list = append(list, s)
		}
	}
	choices := e.Choices()
	for tries := 0; len(list) < underGate && tries < drawLimit; tries++ {
		if s := e.Sample(g.r, choices[tries%len(choices)]); s != nil && s.Under(l) {
			list = append(list, s)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, c := range choices {
		for range drawLimit {
			if s := e.Sample(g.r, c); s != nil {
				if s.Under(l) {
					return []*isa.Sample{s}
				}
				break
			}
		}
	}
	return nil
}

// stepTries bounds how often operands are drawn for the samples under a gate: rarely, as where two
// selectors must be one number of 4 each, dozens of draws are of no use. They come in rounds.
const (
	stepTries = 50 * stepRound
	stepRound = 20
)

// atStep writes the sample that has the fewest other gates closed in the step's module. Registers
// that the module cannot declare come last in a round: some types came with the instructions that take them.
func (g *Generator) atStep(under []*isa.Sample, l *isa.GateLine, step Step) *Statement {
	for try := range stepTries {
		if s := g.nearest(under, l, step, try%stepRound < stepRound/2); s != nil {
			s.Class, s.Mutation = step.Below, atGate[step.Below]
			return s
		}
	}
	return nil
}

func (g *Generator) nearest(under []*isa.Sample, l *isa.GateLine, step Step, declared bool) (best *Statement) {
	least := 1 << 30
	for _, i := range g.r.Perm(len(under)) {
		n, t := g.openest(under[i], l, step)
		if n >= least {
			continue
		}
		v, written := step.Version, t
		if !declared {
			v, written = isa.Latest, isa.MustTarget("sm_100")
		}
		s := g.statementIn(under[i], v, written)
		if s == nil {
			continue
		}
		if s.Version, s.Target = step.Version, t; s.declared() == declared && asked(s, step.Below != "" && !l.Until) {
			best, least = s, n
		}
	}
	return best
}

// openest draws, of the targets of a step, one of those for which the fewest gates but l are closed.
func (g *Generator) openest(s *isa.Sample, l *isa.GateLine, step Step) (least int, best isa.Target) {
	least = 1 << 30
	for _, k := range g.r.Perm(len(step.Targets)) {
		if n := closed(s, l, step.Version, step.Targets[k]); n < least {
			least, best = n, step.Targets[k]
		}
	}
	return least, best
}

var atGate = map[Class]string{"": "", AtVersion: "one version below a gate", OnTarget: "one target below a gate"}

// closed counts the gates but l that a module does not pass.
func closed(s *isa.Sample, l *isa.GateLine, v isa.Version, t isa.Target) (n int) {
	for _, g := range s.Since {
		if &g[0] != &l.Gate[0] && !g.Passes(v, t) {
			n++
		}
	}
	for _, g := range s.Until {
		if &g[0] != &l.Gate[0] && g.Passes(v, t) {
			n++
		}
	}
	return n
}

// asked reports whether gates alone reject the statement, if anything does; below a gate something must.
func asked(s *Statement, below bool) bool {
	_, fails := isa.Table().Match(s.Query())
	for i := range fails {
		if k := fails[i].Kind; k != isa.GateClosed && k != isa.GatePast {
			return false
		}
	}
	return !below || len(fails) > 0
}
