package judge

// This file reads the differences that are known: rows of docs/ptxas-differences.md.

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strings"
)

// Difference is a kind of statement on which the verdicts differ, and why.
type Difference struct {
	Statement, Change *regexp.Regexp
	Accepts           bool // ptxas does
	Why               string
}

// differencesHead begins the table whose rows are statement, change, verdict of ptxas, reason.
const differencesHead = "| statement | change | ptxas | why |"

// Differences reads the table. Statements and changes are patterns in which * stands for any text.
func Differences(r io.Reader) ([]Difference, error) {
	var out []Difference
	inside := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if !inside || !strings.HasPrefix(line, "|") {
			inside = line == differencesHead
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if len(cells) < 4 || strings.HasPrefix(line, "|---") {
			continue
		}
		out = append(out, Difference{
			Statement: pattern(cells[0]), Change: pattern(cells[1]),
			Accepts: strings.TrimSpace(cells[2]) == "accepts", Why: strings.TrimSpace(cells[3]),
		})
	}
	if out == nil {
		return nil, errors.New("the table of differences is missing")
	}
	return out, lines.Err()
}

func pattern(cell string) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.Trim(strings.TrimSpace(cell), "`"))
	return regexp.MustCompile("^" + strings.ReplaceAll(text, `\*`, ".*") + "$")
}

// Explains tells whether a difference is of this kind.
func (d *Difference) Explains(c *Case) bool {
	return d.Accepts == (c.Ptxas == "") && d.Statement.MatchString(c.Text) && d.Change.MatchString(c.Change)
}
