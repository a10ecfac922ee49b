package main

// What the device's answers say about the assumptions.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/assume"
)

// decision counts, for one assumption, the cases that tell its positions apart, and those that each
// position, the default first, answers as the device does.
type decision struct {
	cases int
	has   []int
}

// who names the positions that have the device's answer.
func (s *surfaces) who(q *question, have result) string {
	var list []string
	for i, r := range q.others {
		if r == have {
			p := s.positions[i]
			list = append(list, fmt.Sprintf("%v %s=%s has it", p.assumption, assume.Table[p.assumption].Name, p.name))
		}
	}
	if list == nil {
		return "no position of an assumption has it"
	}
	return strings.Join(list, ", ")
}

// decide counts what an answer says about each assumption whose positions differ here.
func (s *surfaces) decide(q *question, have result) {
	for _, g := range surfaceAssumptions {
		answers, apart := []result{q.want}, false
		for i, p := range s.positions {
			if p.assumption == g {
				answers = append(answers, q.others[i])
				apart = apart || q.others[i] != q.want
			}
		}
		if !apart {
			continue
		}
		d := s.decided[g]
		d.cases++
		for i, r := range answers {
			if r == have {
				d.has[i]++
			}
		}
	}
}

// summary prints what the answers say about the assumptions.
func (s *surfaces) summary() {
	for _, g := range surfaceAssumptions {
		row, d := &assume.Table[g], s.decided[g]
		if d.cases == 0 {
			continue
		}
		var words []string
		for i, p := range row.Positions {
			words = append(words, fmt.Sprintf("%s %d", p.Name, d.has[i]))
		}
		line := fmt.Sprintf("%s %s: %d cases tell: %s", row.ID, row.Name, d.cases, strings.Join(words, ", "))
		fmt.Fprintln(s.out, line)
		fmt.Fprintln(s.table, "#", line)
	}
}
