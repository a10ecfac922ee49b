package mutants

// The list of mutants that no test can kill.

import (
	"bufio"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed equivalent.txt
var equivalentText string

// Equivalents returns the listed mutants by key, with the reason of each. An entry is a
// mutant's key, then lines indented that say why it is equivalent.
func Equivalents() (map[string]string, error) { return parseEquivalents(equivalentText) }

func parseEquivalents(text string) (map[string]string, error) {
	out := map[string]string{}
	key := ""
	s := bufio.NewScanner(strings.NewReader(text))
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		words := strings.TrimSpace(line)
		switch {
		case words == "" || words[0] == '#':
		case line[0] != ' ' && line[0] != '\t':
			if _, twice := out[words]; twice {
				return nil, fmt.Errorf("line %d: listed twice: %s", n, words)
			}
			key = words
			out[key] = ""
		case key == "":
			return nil, fmt.Errorf("line %d: a reason without a mutant", n)
		default:
			out[key] = strings.TrimSpace(out[key] + " " + words)
		}
	}
	for key, reason := range out {
		if reason == "" {
			return nil, fmt.Errorf("no reason given for %s", key)
		}
	}
	return out, s.Err()
}
