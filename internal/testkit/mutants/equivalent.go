package mutants

// The list of mutants that no test can kill.

import (
	"bufio"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed equivalent.txt
var equivalentText string

// Equivalent is one entry of the list: a mutant's key, or a pattern of keys, and why those
// mutants change nothing.
type Equivalent struct {
	Key, Reason string
	match       *regexp.Regexp
}

// Pattern reports whether the entry stands for several mutants, of which some may be killed.
func (e *Equivalent) Pattern() bool { return e.Key[0] == '~' }

// Matches reports whether the entry is about m.
func (e *Equivalent) Matches(m *Mutant) bool {
	if e.match == nil {
		return e.Key == m.Key()
	}
	return e.match.MatchString(m.Key())
}

// compile prepares a pattern: a key behind ~ in which * stands for any text. (A plain key may
// have a * of its own, for a product.)
func (e *Equivalent) compile() {
	if e.Pattern() {
		text := regexp.QuoteMeta(strings.TrimSpace(e.Key[1:]))
		e.match = regexp.MustCompile("^" + strings.ReplaceAll(text, `\*`, ".*") + "$")
	}
}

// EquivalentList is the list in its order.
type EquivalentList []*Equivalent

// Find returns the entry about m, nil if there is none.
func (l EquivalentList) Find(m *Mutant) *Equivalent {
	for _, e := range l {
		if e.Matches(m) {
			return e
		}
	}
	return nil
}

// Equivalents returns the list of equivalent.txt: lines that begin with a key, and below one
// or more of them indented lines that give the reason.
func Equivalents() (EquivalentList, error) { return parseEquivalents(equivalentText) }

func parseEquivalents(text string) (list EquivalentList, err error) {
	seen, reason := map[string]bool{}, map[int]string{} // reason by the number of entries above it
	s := bufio.NewScanner(strings.NewReader(text))
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		words := strings.TrimSpace(line)
		switch {
		case words == "" || words[0] == '#':
		case line[0] != ' ' && line[0] != '\t':
			if seen[words] {
				return nil, fmt.Errorf("line %d: listed twice: %s", n, words)
			}
			seen[words] = true
			list = append(list, &Equivalent{Key: words})
		case len(list) == 0:
			return nil, fmt.Errorf("line %d: a reason without a mutant", n)
		default:
			reason[len(list)] = strings.TrimSpace(reason[len(list)] + " " + words)
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		if e.Reason = reason[i+1]; e.Reason == "" && i+1 < len(list) {
			e.Reason = list[i+1].Reason
		}
		if e.Reason == "" {
			return nil, fmt.Errorf("no reason given for %s", e.Key)
		}
		e.compile()
	}
	return list, s.Err()
}
