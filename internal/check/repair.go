package check

// This file looks for one change of the modifiers that makes a rejected statement legal.
// What it offers has been matched, so a fix never leads to the next error.

import (
	"slices"
	"strings"

	"ptxvm/internal/diag"
	"ptxvm/internal/isa"
	"ptxvm/internal/syntax"
)

// repairs are the changes that work, by kind. Positions index the tokens of the statement.
type repairs struct {
	drop    []int      // without this modifier
	insert  []string   // with this one more
	replace [][]string // per position: spellings that would do there
	swap    [2]int     // these two exchanged; zero if none
	loose   bool       // the operands do not fit yet
}

// maxRepairs bounds the statements that are searched, since a search matches hundreds.
const maxRepairs = 50

// repair searches for changes: first those that the operands agree with, then those that
// make some form of the modifiers. It is nil if enough was searched.
func (c *checker) repair() *repairs {
	if c.repaired++; c.repaired > maxRepairs {
		return nil
	}
	r := c.search(c.matches)
	if r.none() && c.isa.Forms(c.tokens, c.query.Suffix).Entry() == nil {
		r = c.search(func(tokens []string) bool { return c.isa.Forms(tokens, c.query.Suffix).Entry() != nil })
		r.loose = true
	}
	return r
}

func (r *repairs) none() bool {
	return r.drop == nil && r.insert == nil && r.swap[1] == 0 &&
		!slices.ContainsFunc(r.replace, func(list []string) bool { return list != nil })
}

func (c *checker) search(legal func(tokens []string) bool) *repairs {
	r := &repairs{replace: make([][]string, len(c.tokens))}
	candidates := c.isa.Candidates(c.tokens[0])
	for i := 1; i < len(c.tokens); i++ {
		if legal(slices.Delete(slices.Clone(c.tokens), i, i+1)) {
			r.drop = append(r.drop, i)
		}
		for _, m := range candidates {
			if m != c.tokens[i] && legal(replaced(c.tokens, i, m)) {
				r.replace[i] = append(r.replace[i], m)
			}
		}
		byLikeness(r.replace[i], c.tokens[i])
		for j := i + 1; j < len(c.tokens); j++ {
			if areTypes(c.tokens[i], c.tokens[j]) && legal(replaced(replaced(c.tokens, i, c.tokens[j]), j, c.tokens[i])) {
				r.swap = [2]int{i, j}
			}
		}
	}
	for _, m := range candidates {
		// Behind the opcode a word may name the operation; else order is free.
		if legal(slices.Insert(slices.Clone(c.tokens), 1, m)) {
			r.insert = append(r.insert, m)
		}
	}
	return r
}

// byLikeness puts those first that end like the word they replace: .s32 for .u32.
func byLikeness(words []string, old string) {
	slices.SortStableFunc(words, func(a, b string) int { return commonEnd(b, old) - commonEnd(a, old) })
}

func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// areTypes tells whether an exchange means something: the order of other words is free.
func areTypes(a, b string) bool {
	_, first := isa.LookupType(a)
	_, second := isa.LookupType(b)
	return first && second && a != b
}

func replaced(tokens []string, i int, m string) []string {
	out := slices.Clone(tokens)
	out[i] = m
	return out
}

// matches tells whether the current operands are legal with other tokens.
func (c *checker) matches(tokens []string) bool {
	q := c.query
	q.Tokens = tokens
	return c.isa.Forms(tokens, q.Suffix).Fits(&q)
}

// repairModifiers sharpens a finding about modifiers by what would make them legal.
func (c *checker) repairModifiers(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) {
	r := c.repair()
	if r == nil {
		return
	}
	opcode := strings.Join(c.tokens, "")
	if m.Kind == isa.GatePast {
		if len(r.insert) > 0 {
			d.Msg += "; add " + oneOf(r.insert)
			d.Fixes = c.insertions(s, r.insert)
		}
		return
	}
	at := func(i int) diag.Span { return c.at(s.Mods[i-1]) }
	switch {
	case r.swap[1] > 0:
		i, j := r.swap[0], r.swap[1]
		d.Code, d.Span = diag.TypeOrder, at(i)
		d.Msg = "the types of " + opcode + " are in the wrong order"
		d.Fixes = []diag.Fix{{Label: "exchange " + c.tokens[i] + " and " + c.tokens[j],
			Edits: []diag.Edit{{Span: at(i), New: c.tokens[j]}, {Span: at(j), New: c.tokens[i]}}}}
	case len(r.insert) > 0:
		d.Code, d.Span = insertionCode(r.insert), c.at(s.Opcode)
		d.Msg = opcode + " needs " + oneOf(r.insert)
		d.Fixes = c.insertions(s, r.insert)
	case len(r.drop) > 0:
		i := r.drop[len(r.drop)-1]
		if m.Token > 0 && slices.Contains(r.drop, m.Token) {
			i = m.Token
		}
		c.dropped(d, i, at(i))
	default:
		c.replacements(d, r, at)
	}
}

// memoryScopes are the values of .scope (8.5).
var memoryScopes = []string{".cta", ".cluster", ".gpu", ".sys"}

func insertionCode(mods []string) diag.Code {
	if slices.ContainsFunc(mods, func(m string) bool { return !slices.Contains(memoryScopes, m) }) {
		return diag.MissingModifier
	}
	return diag.ScopeRequired
}

// insertions offers each modifier behind the opcode.
func (c *checker) insertions(s *syntax.Instruction, mods []string) []diag.Fix {
	at := c.at(s.Opcode)
	at.Start = at.End
	var fixes []diag.Fix
	if len(mods) > maxFixes {
		return nil
	}
	for _, m := range mods {
		fixes = append(fixes, diag.Fix{Label: "add " + m, Edits: []diag.Edit{{Span: at, New: m}}})
	}
	return fixes
}

// A message lists some alternatives, and only a few are offered as edits.
const (
	maxOffers = 6
	maxFixes  = 3
)

// dropped blames one modifier. Beside another of its group it is one too many.
func (c *checker) dropped(d *diag.Diagnostic, i int, at diag.Span) {
	rest := strings.Join(slices.Delete(slices.Clone(c.tokens), i, i+1), "")
	d.Span = at
	if d.Code != diag.RepeatedModifier {
		d.Msg = c.tokens[i] + " is not allowed with " + rest
	}
	if d.Code == diag.MissingModifier || d.Code == diag.NoSuchCombination {
		d.Code = diag.NotAllowedWith
	}
	d.Fixes = []diag.Fix{{Label: "remove " + c.tokens[i], Edits: []diag.Edit{{Span: at}}}}
}

// replacements offers other values, at the last position that has any: types stand last.
func (c *checker) replacements(d *diag.Diagnostic, r *repairs, at func(int) diag.Span) {
	for i := len(r.replace) - 1; i > 0; i-- {
		if len(r.replace[i]) == 0 {
			continue
		}
		words := r.replace[i]
		if near := isa.Nearest(c.tokens[i], words); near != "" && d.Code == diag.UnknownModifier {
			words = []string{near}
		}
		d.Span = at(i)
		d.Msg = c.tokens[i] + " is not allowed in " + strings.Join(c.tokens, "") + "; want " + oneOf(words)
		d.Fixes = nil
		if d.Code == diag.RepeatedModifier {
			d.Code = diag.NotAllowedWith
		}
		if len(words) > maxFixes {
			return
		}
		for _, m := range words {
			d.Fixes = append(d.Fixes, diag.Fix{Label: "write " + m, Edits: []diag.Edit{{Span: at(i), New: m}}})
		}
		return
	}
}

// oneOf lists alternatives in words.
func oneOf(words []string) string {
	more := ""
	if len(words) > maxOffers {
		words, more = words[:maxOffers], " or another"
	}
	if len(words) == 1 {
		return words[0]
	}
	if more != "" {
		return strings.Join(words, ", ") + more
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
