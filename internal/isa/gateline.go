package isa

// This file lists the gates of an entry, for callers that ask about each of them.

// GateLine is one gate of an entry: a since or until clause, or a row of a table that has one.
type GateLine struct {
	Gate  Gate
	Until bool
}

// GateLines lists the gates of an entry: its clauses, then its rows.
func (e *Entry) GateLines() (list []GateLine) {
	for i := range e.gates {
		list = append(list, GateLine{e.gates[i].gate, e.gates[i].until})
	}
	e.eachGatedRow(func(_ string, gate Gate) { list = append(list, GateLine{gate, false}) })
	return list
}

// Under reports whether a reading stands under a gate of its entry, not counting what only the
// kinds of its operands decide.
func (s *Sample) Under(l *GateLine) bool {
	list := s.Since
	if l.Until {
		list = s.Until
	}
	for _, g := range list {
		if &g[0] == &l.Gate[0] {
			return true
		}
	}
	return false
}

// Holds reports whether a target satisfies one of those that the alternative names, if it names any.
func (a *GateAlt) Holds(t Target) bool { return a.passesTarget(t) }

// PreviousVersion returns the version before v, 0 if v is the first.
func PreviousVersion(v Version) Version {
	for v--; v > 0 && !v.Known(); v-- {
	}
	return v
}
