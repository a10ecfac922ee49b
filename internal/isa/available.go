package isa

// This file answers what is there in a version and on a target: entries, and choices of their
// modifiers that have gates of their own.

import "math/rand/v2"

// Available tells whether some statement of the entry may stand in a module of this version
// and target: all gates without a condition pass, and some choice of modifiers passes the rest.
func (e *Entry) Available(v Version, t Target) bool {
	conditional := false
	for i := range e.gates {
		g := &e.gates[i]
		if g.gate.Passes(v, t) != g.until {
			continue
		}
		if g.when == nil {
			return false
		}
		conditional = true
	}
	for i := range e.tables {
		for j := range e.tables[i].rows {
			conditional = conditional || e.tables[i].rows[j].gate != nil
		}
	}
	return !conditional || e.anyPasses(v, t)
}

// samplesPerChoice bounds the draws for a choice: most pass or fail with their first.
const samplesPerChoice = 8

// anyPasses looks for a legal statement among samples of every form, row and modifier.
func (e *Entry) anyPasses(v Version, t Target) bool {
	r := rand.New(rand.NewPCG(uint64(e.ID), 0))
	for _, c := range e.Choices() {
		for range samplesPerChoice {
			if s := e.Sample(r, c); s != nil && s.passes(v, t) {
				return true
			}
		}
	}
	return false
}

// passes tells whether a module of this version and target may have the statement.
func (s *Sample) passes(v Version, t Target) bool {
	for _, g := range s.Since {
		if !g.Passes(v, t) {
			return false
		}
	}
	for _, g := range s.Until {
		if g.Passes(v, t) {
			return false
		}
	}
	return true
}
