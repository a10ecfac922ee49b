package directives

// This file puts all cases together, and reads the differences that are known.

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strings"

	"ptxvm/internal/isa"
)

// All lists the cases of every directive and special register, and of declarations: all that
// are one part away from a usual one, and n that are further away.
func All(seed uint64, n int) []*Case {
	var cases []*Case
	for _, d := range isa.Directives() {
		cases = append(cases, OfDirectives(d)...)
	}
	for _, s := range isa.Specials() {
		cases = append(cases, OfSpecial(s)...)
	}
	return unique(append(cases, Declarations(seed, n)...))
}

// Difference is a kind of module on which the verdicts differ, and why.
type Difference struct {
	Module, Change *regexp.Regexp
	Accepts        bool // ptxas does
	Why            string
}

// differencesHead begins the table of docs/ptxas-differences.md that this package reads.
const differencesHead = "| module | change | ptxas | why |"

// Differences reads the table. Modules and changes are patterns in which * stands for any text.
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
		out = append(out, Difference{pattern(cells[0]), pattern(cells[1]), strings.TrimSpace(cells[2]) == "accepts", strings.TrimSpace(cells[3])})
	}
	if out == nil {
		return nil, errors.New("the table of differences is missing")
	}
	return out, lines.Err()
}

func pattern(cell string) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.Trim(strings.TrimSpace(cell), "`"))
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(text, `\*`, ".*") + "$")
}

// Explains tells whether a difference is of this kind.
func (d *Difference) Explains(c *Case) bool {
	return d.Accepts == (c.Ptxas == "") && d.Module.MatchString(c.Line()) && d.Change.MatchString(c.Change)
}
