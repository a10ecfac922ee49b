package isa

// This file answers what is there in a version and on a target: entries, and choices of their
// modifiers that have gates of their own.

import (
	"math/rand/v2"
	"strings"
)

// Available reports whether some statement of the entry may stand in a module of this version
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

// samplesPerChoice bounds the samples of a choice: most pass or fail with their first.
// drawsForChoice bounds the draws for them: most draws of some forms break a rule.
const (
	samplesPerChoice = 8
	drawsForChoice   = 200
)

// anyPasses looks for a legal statement among samples of every form, row and modifier.
func (e *Entry) anyPasses(v Version, t Target) bool {
	r := rand.New(rand.NewPCG(uint64(e.ID), 0))
	for _, c := range e.Choices() {
		samples := 0
		for draws := 0; draws < drawsForChoice && samples < samplesPerChoice; draws++ {
			p, _ := e.draw(r, c)
			if p == nil {
				continue
			}
			if p.passes(v, t) {
				return true
			}
			samples++
		}
	}
	return false
}

// passes reports whether a module of this version and target may have the statement with some operands.
func (p *plan) passes(v Version, t Target) bool {
	for _, g := range p.rowGates {
		if !g.Passes(v, t) {
			return false
		}
	}
	for _, g := range p.gates {
		if g.gate.Passes(v, t) == g.until && evalOr(g.when, &p.env, yes) == yes {
			return false
		}
	}
	return true
}

// availableIn reports whether some target may use the entry in a version.
func (e *Entry) availableIn(v Version) bool {
	for _, t := range Targets() {
		if TargetSince(t) <= v && e.Available(v, t) {
			return true
		}
	}
	return false
}

// Closed lists, in words, what of an available entry a module of this version and target may
// not have.
func (e *Entry) Closed(v Version, t Target) []string {
	var out []string
	for i := range e.gates {
		if g := &e.gates[i]; g.when != nil && g.gate.Passes(v, t) == g.until {
			out = append(out, g.words())
		}
	}
	e.eachGatedRow(func(cells string, g Gate) {
		if !g.Passes(v, t) {
			out = append(out, cells+": since "+g.words())
		}
	})
	return out
}

// eachGatedRow visits the rows of tables that have a gate.
func (e *Entry) eachGatedRow(visit func(cells string, g Gate)) {
	for i := range e.tables {
		for j := range e.tables[i].rows {
			if r := &e.tables[i].rows[j]; r.gate != nil {
				visit(e.cellsText(r), r.gate)
			}
		}
	}
}

// cellsText names the values of a row: those that are a class by the class.
func (e *Entry) cellsText(r *row) string {
	var out []string
	for _, cell := range r.cells {
		var values []string
		for _, ref := range cell {
			switch {
			case ref.none:
			case ref.class >= 0:
				values = append(values, e.table.classes.name(e.classes[ref.class].id))
			default:
				values = append(values, e.table.mods.name(ref.mod))
			}
		}
		if values != nil {
			out = append(out, strings.Join(values, "|"))
		}
	}
	return strings.Join(out, " ")
}

// Changed says what a version adds or takes away.
type Changed uint8

// The kinds of changes.
const (
	Unchanged Changed = iota
	New               // was not there
	More              // on more targets, or with more modifiers
	Gone
)

func (c Changed) String() string { return [...]string{"unchanged", "new", "more", "gone"}[c] }

// Changes tells what became of an entry after one version and up to another, and in words
// which gates opened or closed. t restricts it to a target; the zero Target is any.
func (e *Entry) Changes(from, to Version, t Target) (kind Changed, what []string) {
	closes := false
	for i := range e.gates {
		if g := &e.gates[i]; g.gate.changes(from, to, t) != nil {
			closes = closes || g.until
			part := *g
			part.gate = g.gate.changes(from, to, t)
			what = append(what, part.words())
		}
	}
	e.eachGatedRow(func(cells string, g Gate) {
		if opened := g.changes(from, to, t); opened != nil {
			what = append(what, cells+": since "+opened.words())
		}
	})
	if what == nil {
		return Unchanged, nil
	}
	before, after := e.availableIn(from), e.availableIn(to)
	if !t.IsZero() {
		before, after = e.Available(from, t), e.Available(to, t)
	}
	switch {
	case !before && !after:
		return Unchanged, nil
	case !before:
		return New, what
	case !after || closes && len(what) == 1:
		return Gone, what
	}
	return More, what
}

// changes returns the alternatives of a gate that come after one version and up to another.
func (g Gate) changes(from, to Version, t Target) (out Gate) {
	for i := range g {
		if v := g[i].Version; v > from && v <= to && (t.IsZero() || g[i].passesTarget(t)) {
			out = append(out, g[i])
		}
	}
	return out
}

// Opened tells in words since when a gate is open, if that is after one version and up to
// another; "" if not.
func (g Gate) Opened(from, to Version, t Target) string {
	if opened := g.changes(from, to, t); opened != nil {
		return "since " + opened.words()
	}
	return ""
}
