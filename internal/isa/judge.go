package isa

// This file holds the judges. The data is one text; a clause that one judge alone has begins
// with its name (NOTATION.md). Each judge has a table of its own, with the same numbers for
// ids, modifiers, classes and roles.

import (
	"fmt"
	"slices"
	"strings"
)

// Judge says whose verdict the data gives.
type Judge uint8

// The judges.
const (
	Ptxas  Judge = iota // ptxas 13.5: what it accepts and rejects
	Manual              // the text, tables and examples of the manual
)

var judgeNames = []string{Ptxas: "ptxas", Manual: "manual"}

func (j Judge) String() string { return judgeNames[j] }

// ParseJudge knows ptxas and manual.
func ParseJudge(name string) (Judge, error) {
	i := slices.Index(judgeNames, name)
	if i < 0 {
		return 0, fmt.Errorf("%q is no judge: want %s", name, strings.Join(judgeNames, " or "))
	}
	return Judge(i), nil
}

// Other is the judge to compare with.
func (j Judge) Other() Judge { return Manual - j }

// clause returns a line of the data as this judge reads it: without the name of a judge in front;
// ok is false if the line is the other judge's.
func (j Judge) clause(line string) (text string, ok bool) {
	for other, name := range judgeNames {
		if rest, found := strings.CutPrefix(line, name+": "); found {
			return rest, Judge(other) == j
		}
	}
	return line, true
}

// named reports whether a line belongs to one judge alone.
func (j Judge) named(line string) bool { return strings.HasPrefix(line, judgeNames[j]+": ") }

// addWhy keeps the comment behind a clause that one judge alone has, and returns it.
func (e *Entry) addWhy(comment string) string {
	comment = strings.TrimSpace(comment)
	if comment != "" && !slices.Contains(e.whys, comment) {
		e.whys = append(e.whys, comment)
	}
	return comment
}

// Why says in words why the judge that accepts a statement differs from the other one, whose
// finding m is; "" if the data does not say.
func (s *Sel) Why(m *Mismatch) string {
	e := s.Entry
	switch {
	case m.Kind == WrongOrder || m.Kind == RepeatedModifier: // rules for all entries
		return ""
	case m.Why != "":
		return m.Why
	}
	if why := e.Alts[s.Alt].why; why != "" {
		return why
	}
	for i := range e.classes {
		if why := e.classes[i].whys[s.chosen[i]]; why != "" {
			return why
		}
	}
	if len(e.whys) == 1 {
		return e.whys[0]
	}
	return ""
}

// Of returns the instruction set as a judge reads the data. Table is Of(Ptxas).
func Of(j Judge) *ISA {
	if j == Manual {
		return manualTable()
	}
	return Table()
}
