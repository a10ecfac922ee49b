// Package litmus reads tests of the memory model, wraps them into a kernel and judges what it has seen.
package litmus

import (
	"fmt"
	"strconv"
	"strings"
)

// Test is one litmus test.
type Test struct {
	Name  string
	Hot   bool     // every round uses the same variables
	CTAs  []string // the statements of each
	Rules []Rule
}

// Rule is a condition on one round, and what it is for.
type Rule struct {
	Verb  string // never, always or count
	Text  string
	terms []term
}

// term compares two operands of a round.
type term struct {
	a, b operand
	op   byte // = > <
}

// operand is a constant or something that a round has left.
type operand struct {
	kind  byte // 'r' register, 'x' and 'y' variables, '#' constant
	cta   int
	reg   int
	value uint32
}

// Round is what one round has left.
type Round struct {
	Reg  [][2]uint32 // r0 and r1 by CTA
	X, Y uint32
}

// Parse reads tests in the format that testdata/tests.txt describes.
func Parse(text string) ([]*Test, error) {
	var tests []*Test
	n := 0
	for line := range strings.Lines(text) {
		n++
		if err := parseLine(&tests, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return tests, nil
}

func parseLine(tests *[]*Test, line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 || fields[0][0] == '#' {
		return nil
	}
	if fields[0] == "test" {
		if len(fields) != 3 || fields[2] != "fresh" && fields[2] != "hot" {
			return fmt.Errorf("want test NAME fresh|hot")
		}
		*tests = append(*tests, &Test{Name: fields[1], Hot: fields[2] == "hot"})
		return nil
	}
	if len(*tests) == 0 {
		return fmt.Errorf("nothing comes before the first test")
	}
	return (*tests)[len(*tests)-1].parse(fields, line)
}

func (t *Test) parse(fields []string, line string) error {
	switch word := fields[0]; {
	case word == "CTA":
		t.CTAs = append(t.CTAs, "")
	case word == "never" || word == "always" || word == "count":
		r, err := parseRule(word, fields[1:])
		if err != nil {
			return err
		}
		t.Rules = append(t.Rules, r)
	case len(t.CTAs) > 0 && line[0] == '\t':
		t.CTAs[len(t.CTAs)-1] += line
	default:
		return fmt.Errorf("unknown word %q", word)
	}
	return nil
}

func parseRule(verb string, words []string) (Rule, error) {
	r := Rule{Verb: verb, Text: strings.Join(words, " ")}
	for _, word := range words {
		i := strings.IndexAny(word, "=<>")
		if i < 0 {
			return r, fmt.Errorf("%q compares nothing", word)
		}
		a, err := parseOperand(word[:i])
		if err != nil {
			return r, err
		}
		b, err := parseOperand(word[i+1:])
		if err != nil {
			return r, err
		}
		r.terms = append(r.terms, term{a, b, word[i]})
	}
	return r, nil
}

func parseOperand(word string) (operand, error) {
	if word == "x" || word == "y" {
		return operand{kind: word[0]}, nil
	}
	if cta, reg, ok := strings.Cut(word, ":r"); ok {
		c, err := strconv.Atoi(cta)
		if err == nil && (reg == "0" || reg == "1") {
			return operand{kind: 'r', cta: c, reg: int(reg[0] - '0')}, nil
		}
	}
	v, err := strconv.ParseUint(word, 0, 32)
	if err != nil {
		return operand{}, fmt.Errorf("%q is no operand", word)
	}
	return operand{kind: '#', value: uint32(v)}, nil
}

// Holds reports whether all terms of the rule hold in a round.
func (r *Rule) Holds(round *Round) bool {
	for _, t := range r.terms {
		if !t.holds(round) {
			return false
		}
	}
	return true
}

func (t term) holds(r *Round) bool {
	a, b := t.a.in(r), t.b.in(r)
	switch t.op {
	case '<':
		return a < b
	case '>':
		return a > b
	}
	return a == b
}

func (o operand) in(r *Round) uint32 {
	switch o.kind {
	case 'r':
		return r.Reg[o.cta][o.reg]
	case 'x':
		return r.X
	case 'y':
		return r.Y
	}
	return o.value
}

// Kernel is the test's PTX: the frame with a branch to the statements of each CTA.
func (t *Test) Kernel(frame string) string {
	var b strings.Builder
	for i := range t.CTAs[1:] {
		fmt.Fprintf(&b, "\tsetp.eq.u32 %%s2, %%t2, %d;\n\t@%%s2 bra CTA%d;\n", i+1, i+1)
	}
	for i, body := range t.CTAs {
		fmt.Fprintf(&b, "CTA%d:\n%s\tbra RECORD;\n", i, body)
	}
	return strings.Replace(frame, "\t// BODY\n", b.String(), 1)
}
