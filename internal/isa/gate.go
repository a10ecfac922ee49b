package isa

// This file reads and evaluates gates: from which version and on which targets something is
// there.

import (
	"fmt"
	"strings"
)

// Gate is a list of alternatives; one that passes is enough.
type Gate []GateAlt

// GateAlt is a version and, if any, targets: one of them is enough.
type GateAlt struct {
	Version Version // 0: any
	Targets []Target
}

// Passes reports whether a module of this version and target may use what is gated.
func (g Gate) Passes(v Version, t Target) bool {
	for i := range g {
		if g[i].passes(v, t) {
			return true
		}
	}
	return false
}

func (a *GateAlt) passes(v Version, t Target) bool {
	return v >= a.Version && a.passesTarget(t)
}

func (a *GateAlt) passesTarget(t Target) bool {
	if len(a.Targets) == 0 {
		return true
	}
	for _, g := range a.Targets {
		if t.Satisfies(g) {
			return true
		}
	}
	return false
}

// Nearest returns the alternative that needs the least change of a module: one whose target
// passes, else the first.
func (g Gate) Nearest(t Target) GateAlt {
	for i := range g {
		if g[i].passesTarget(t) {
			return g[i]
		}
	}
	return g[0]
}

func (g Gate) String() string {
	parts := make([]string, len(g))
	for i := range g {
		parts[i] = g[i].String()
	}
	return strings.Join(parts, ", ")
}

func (a GateAlt) String() string {
	var b strings.Builder
	if a.Version != 0 {
		b.WriteString(a.Version.String())
	}
	for _, t := range a.Targets {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.String())
	}
	return b.String()
}

// parseGate reads "8.6 sm_100a sm_101a, 8.8 sm_100f" and the named gates of the prelude.
func (p *prelude) parseGate(text string) (Gate, error) {
	var g Gate
	for alt := range strings.SplitSeq(text, ",") {
		more, err := p.parseGateAlt(strings.Fields(alt))
		if err != nil {
			return nil, err
		}
		g = append(g, more...)
	}
	return g, nil
}

func (p *prelude) parseGateAlt(words []string) (Gate, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("a gate lacks its version and targets")
	}
	var alt GateAlt
	if v, ok := scanVersion(words[0]); ok {
		if !p.versions[v] {
			return nil, fmt.Errorf("there is no version %s", words[0])
		}
		alt.Version, words = v, words[1:]
	}
	if len(words) == 1 {
		if named, ok := p.gates[words[0]]; ok {
			return named.at(alt.Version), nil
		}
	}
	for _, w := range words {
		t, ok := scanTarget(w)
		if _, known := p.targets[t]; !ok || !known {
			return nil, fmt.Errorf("%q is no version, target or named gate", w)
		}
		alt.Targets = append(alt.Targets, t)
	}
	return Gate{alt}, nil
}

// at returns a named gate with another version; 0 keeps the name's own.
func (g Gate) at(v Version) Gate {
	if v == 0 {
		return g
	}
	out := make(Gate, len(g))
	for i := range g {
		out[i] = GateAlt{v, g[i].Targets}
	}
	return out
}

// scanVersion reads "8.6" without asking whether it exists.
func scanVersion(s string) (Version, bool) {
	if len(s) != 3 || s[1] != '.' || !isDigit(s[0]) || !isDigit(s[2]) {
		return 0, false
	}
	return V(int(s[0]-'0'), int(s[2]-'0')), true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Gates lists an entry's since and until clauses as the data has them.
func (e *Entry) Gates() []string {
	var out []string
	for _, g := range e.gates {
		out = append(out, g.text)
	}
	return out
}
