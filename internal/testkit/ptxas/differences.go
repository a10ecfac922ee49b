package ptxas

// This file reads the differences that are known: tables of docs/ptxas-differences.md.

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Difference is a kind of question on which the verdicts differ, and why.
type Difference struct {
	What, Change *regexp.Regexp
	Accepts      bool // ptxas does
	Why          string
}

// Differences reads a table of a document: what it is about ("statement"), change, verdict of ptxas,
// reason. The first two are patterns in which * stands for any text of one line.
func Differences(path, what string) ([]Difference, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Difference
	head, inside := fmt.Sprintf("| %s | change | ptxas | why |", what), false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if !inside || !strings.HasPrefix(line, "|") {
			inside = line == head
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if len(cells) < 4 || strings.HasPrefix(line, "|---") {
			continue
		}
		out = append(out, Difference{
			What: pattern(cells[0]), Change: pattern(cells[1]),
			Accepts: strings.TrimSpace(cells[2]) == "accepts", Why: strings.TrimSpace(cells[3]),
		})
	}
	if out == nil {
		return nil, fmt.Errorf("%s: the table of differences of a %s is missing", path, what)
	}
	return out, nil
}

func pattern(cell string) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.Trim(strings.TrimSpace(cell), "`"))
	return regexp.MustCompile("^" + strings.ReplaceAll(text, `\*`, ".*") + "$")
}

// Explain returns the difference that a question is of, by its text, what has been changed in it
// and the verdict of ptxas; nil if it is of none.
func Explain(known []Difference, what, change string, accepts bool) *Difference {
	for i := range known {
		d := &known[i]
		if d.Accepts == accepts && d.What.MatchString(what) && d.Change.MatchString(change) {
			return d
		}
	}
	return nil
}
