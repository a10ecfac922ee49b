// Package assume holds the assumptions about hardware: questions that neither the manual nor a
// known measurement answers. Each is one row of Table with its possible answers, of which the
// first is taken unless the user asks for another (--assume U3=low).
//
// A semantics line that depends on an assumption says so (sem's assumption(…) and assuming(…)), so which
// forms an assumption concerns, and which assumptions a launch used, is derived and never written down.
package assume

import (
	"fmt"
	"slices"
	"strings"
)

// Row is one assumption.
type Row struct {
	ID        string     // "U3": stable, numbers are never used again
	Name      string     // "b4x16-container": the same for those who prefer words
	Section   string     // of the manual, where the question arises
	About     string     // the question
	Positions []Position // the answers; position 0 is the default
	Chance    int        // that position 0 is right, in percent; 0: not known
}

// Position is one answer.
type Position struct {
	Name  string // on the command line
	Means string
}

// String is the assumption as --assume takes it: the identifier.
func (g Assumption) String() string { return Table[g].ID }

// capacity bounds Table, so that a Set stays small.
const capacity = 96

// Set is one position for each assumption. It is comparable, and its zero value takes every default.
type Set struct{ at [capacity]uint8 }

// At returns the position of an assumption.
func (s Set) At(g Assumption) int { return int(s.at[g]) }

// With returns the set with another position for one assumption. It panics if there is no such
// position: that is a mistake in the program, since user input goes through Parse.
func (s Set) With(g Assumption, position int) Set {
	_ = Table[g].Positions[position]
	s.at[g] = uint8(position)
	return s
}

// Describe writes one assumption with the position that the set gives it: "U3 b4x16-container=low".
func (s Set) Describe(g Assumption) string {
	row := &Table[g]
	return fmt.Sprintf("%s %s=%s", row.ID, row.Name, row.Positions[s.At(g)].Name)
}

// String writes the positions that are not defaults as Parse reads them.
func (s Set) String() string {
	var words []string
	for i := range Table {
		if p := s.At(Assumption(i)); p != 0 {
			words = append(words, Table[i].ID+"="+Table[i].Positions[p].Name)
		}
	}
	return strings.Join(words, ",")
}

// Parse reads "U3=low,sfu-tables=nearest": assumptions by identifier or name, each with the name of
// a position. Letter case of identifiers does not matter; naming an assumption twice is an error.
func Parse(text string) (Set, error) {
	var s Set
	seen := map[Assumption]bool{}
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		g, position, err := parseOne(strings.TrimSpace(word))
		if err != nil {
			return Set{}, err
		}
		if seen[g] {
			return Set{}, fmt.Errorf("%s (%s) is given twice", g, Table[g].Name)
		}
		seen[g] = true
		s = s.With(g, position)
	}
	return s, nil
}

func parseOne(word string) (g Assumption, position int, err error) {
	key, value, ok := strings.Cut(word, "=")
	g, known := Find(key)
	switch {
	case !known:
		return 0, 0, fmt.Errorf("no assumption is called %q; there are %s", key, strings.Join(ids(), ", "))
	case !ok:
		return 0, 0, fmt.Errorf("%q has no position: want %s=%s", word, key, Table[g].choices())
	}
	position = slices.IndexFunc(Table[g].Positions, func(p Position) bool { return p.Name == value })
	if position < 0 {
		return 0, 0, fmt.Errorf("%s (%s) has no position %q: want %s", g, Table[g].Name, value, Table[g].choices())
	}
	return g, position, nil
}

// Find looks an assumption up by identifier or name.
func Find(key string) (Assumption, bool) {
	for i := range Table {
		if strings.EqualFold(Table[i].ID, key) || Table[i].Name == key {
			return Assumption(i), true
		}
	}
	return 0, false
}

// choices lists the positions: "mid|low".
func (r *Row) choices() string {
	var names []string
	for _, p := range r.Positions {
		names = append(names, p.Name)
	}
	return strings.Join(names, "|")
}

func ids() (list []string) {
	for i := range Table {
		list = append(list, Table[i].ID)
	}
	return list
}
