package check

// This file looks for one change of the modifiers that makes a rejected statement legal.
// What it offers has been matched, so a fix never leads to the next error.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// repairs are the changes that work, by kind. Positions index the tokens of the statement.
type repairs struct {
	drop    []int      // without this modifier
	insert  []string   // with this one more,
	last    bool       // … behind all others; else behind the opcode
	replace [][]string // per position: spellings that would do there
	swap    [2]int     // these two exchanged; zero if none
	move    [2]int     // the first one in front of the second; zero if none
	loose   bool       // the operands do not fit yet
}

// maxRepairs bounds the statements that are searched, since a search matches hundreds.
const maxRepairs = 50

// repair searches for changes: first those that the operands agree with, then those that
// make some form of the modifiers. It is nil if enough was searched, or if the statement is far from all forms: a
// search tries each modifier in the place of each other.
func (c *checker) repair() *repairs {
	if c.repaired++; c.repaired > maxRepairs || len(c.tokens) > isa.MaxModifiers {
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
	return r.drop == nil && r.insert == nil && r.swap[1] == 0 && r.move[1] == 0 &&
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
	if r.swap[1] == 0 {
		r.move = searchMove(c.tokens, legal)
	}
	if slices.ContainsFunc(c.tokens[1:], func(m string) bool { return !slices.Contains(candidates, m) }) {
		return r // one word more makes no other word one of this instruction, though ptxas may ignore it
	}
	c.searchInsertions(r, candidates, 1, legal)
	if r.insert == nil {
		r.last = true
		c.searchInsertions(r, candidates, len(c.tokens), legal)
	}
	return r
}

// searchMove tries each word further in front, no further than needed: what names the operation stands behind the
// opcode and some types keep their order, though that of others is free.
func searchMove(tokens []string, legal func(tokens []string) bool) [2]int {
	for from := 2; from < len(tokens); from++ {
		for to := from - 1; to > 0; to-- {
			rest := slices.Delete(slices.Clone(tokens), from, from+1)
			if legal(slices.Insert(rest, to, tokens[from])) {
				return [2]int{from, to}
			}
		}
	}
	return [2]int{}
}

// searchInsertions tries one word more at a place: order is free, but for words behind the
// opcode that name the operation.
func (c *checker) searchInsertions(r *repairs, candidates []string, at int, legal func(tokens []string) bool) {
	for _, m := range candidates {
		if legal(slices.Insert(slices.Clone(c.tokens), at, m)) {
			r.insert = append(r.insert, m)
		}
	}
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

// areTypes reports whether an exchange means something: the order of other words is free.
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

// matches reports whether the current operands are legal with other tokens.
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
	if r.none() && m.Operand >= 0 {
		what := c.file.RangeText(c.operandRange(s, m))
		d.Msg = fmt.Sprintf("%s cannot stand there in %s", what, opcode)
		if m.Role != "" {
			d.Code, d.Msg = diag.OperandCount, fmt.Sprintf("%s is one operand too many: %s takes no %s", what, opcode, m.Role)
		}
		return
	}
	if m.Kind == isa.GatePast {
		if len(r.insert) > 0 {
			d.Span = c.at(s.Opcode)
			d.Msg = fmt.Sprintf("%s without %s is gone since %s", strings.Join(c.tokens, ""), oneOf(r.insert), c.gateText(m))
			d.Fixes = c.insertions(s, r)
		}
		return
	}
	at := func(i int) diag.Span { return c.at(s.Mods[i-1]) }
	switch {
	case r.swap[1] > 0:
		c.exchange(d, s, r.swap[0], r.swap[1])
	case r.move[1] > 0:
		c.moved(d, s, r.move[0], r.move[1], !r.loose)
	case len(r.insert) > 0:
		d.Code, d.Msg = insertionCode(r.insert), opcode+" needs "+oneOf(r.insert)
		c.citeWith(d, r)
		if m.Operand < 0 {
			d.Span = c.at(s.Opcode)
		} else {
			d.Msg = fmt.Sprintf("%s is one operand too many for %s without %s", c.file.RangeText(c.operandRange(s, m)), opcode, oneOf(r.insert))
		}
		d.Fixes = c.insertions(s, r)
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

// exchange blames the order of two types. It is advice: which of the two is read and which is written is what the statement says,
// and its registers may be wrong as well.
func (c *checker) exchange(d *diag.Diagnostic, s *syntax.Instruction, i, j int) {
	first, second := c.at(s.Mods[i-1]), c.at(s.Mods[j-1])
	d.Code, d.Span = diag.TypeOrder, first
	d.Msg = "the types of " + strings.Join(c.tokens, "") + " are in the wrong order"
	d.Fixes = []diag.Fix{{Label: "exchange " + c.tokens[i] + " and " + c.tokens[j],
		Edits: []diag.Edit{{Span: first, New: c.tokens[j]}, {Span: second, New: c.tokens[i]}}}}
}

// exchanged sharpens a finding about an operand's type: the statement has two types, and
// with the one in the place of the other all operands fit.
func (c *checker) exchanged(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) {
	if m.Kind != isa.OperandType && m.Kind != isa.OperandWidth {
		return
	}
	for i := 1; i < len(c.tokens); i++ {
		for j := i + 1; j < len(c.tokens); j++ {
			if areTypes(c.tokens[i], c.tokens[j]) && c.matches(replaced(replaced(c.tokens, i, c.tokens[j]), j, c.tokens[i])) {
				c.exchange(d, s, i, j)
				return
			}
		}
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

// citeWith cites the form that a statement has with one modifier more: without it another one may have come closer.
func (c *checker) citeWith(d *diag.Diagnostic, r *repairs) {
	at := 1
	if r.last {
		at = len(c.tokens)
	}
	forms := c.isa.Forms(slices.Insert(slices.Clone(c.tokens), at, r.insert[0]), c.query.Suffix)
	if e := forms.Entry(); e != nil {
		d.Form, d.Spec = forms.Text(), section(e)
	}
}

// insertions offers each modifier where it would do.
func (c *checker) insertions(s *syntax.Instruction, r *repairs) []diag.Fix {
	at := c.at(s.Opcode)
	if n := len(s.Mods); r.last && n > 0 {
		at = c.at(s.Mods[n-1])
	}
	at.Start = at.End
	var fixes []diag.Fix
	if len(r.insert) > maxFixes {
		return nil
	}
	for _, m := range r.insert {
		f := diag.Fix{Label: "add " + m, Mechanical: !r.loose && usual(m, r.insert), Edits: []diag.Edit{{Span: at, New: m}}}
		if len(r.insert) > 1 {
			f.Of = r.insert
		}
		fixes = append(fixes, f)
	}
	return fixes
}

// usual reports whether a missing modifier goes without saying: it is the only one, or the one
// that defaults has for all that would do.
func usual(m string, all []string) bool {
	among := func(group []string) bool {
		return m == group[0] && !slices.ContainsFunc(all, func(other string) bool { return !slices.Contains(group, other) })
	}
	return len(all) == 1 || among(defaults.rounding) || among(defaults.outside)
}

// A message lists some alternatives, and only a few are offered as edits.
const (
	maxOffers = 6
	maxFixes  = 4
)

// moved blames a word that stands too far back.
func (c *checker) moved(d *diag.Diagnostic, s *syntax.Instruction, from, to int, mechanical bool) {
	at, word := c.at(s.Mods[from-1]), c.tokens[from]
	d.Code, d.Span = diag.TypeOrder, at
	d.Msg = word + " stands in front of " + c.tokens[to]
	if to == 1 {
		d.Msg = word + " stands right behind " + c.tokens[0] + ": " + c.tokens[0] + word
	}
	place := c.at(s.Mods[to-1]).Start
	now := slices.Insert(slices.Delete(slices.Clone(c.tokens), from, from+1), to, word)
	d.Fixes = []diag.Fix{{Label: "move " + word, Mechanical: mechanical && keeps(c.tokens, now),
		Edits: []diag.Edit{{Span: diag.Span{Start: place, End: place}, New: word}, {Span: at}}}}
}

// dropped blames one modifier. Beside another of its group it is one too many.
func (c *checker) dropped(d *diag.Diagnostic, i int, at diag.Span) {
	without := slices.Delete(slices.Clone(c.tokens), i, i+1)
	rest := strings.Join(without, "")
	d.Span = at
	if d.Code != diag.RepeatedModifier {
		d.Msg = c.tokens[i] + " is not allowed with " + rest
	}
	if d.Code == diag.MissingModifier || d.Code == diag.NoSuchCombination {
		d.Code = diag.NotAllowedWith
	}
	again := slices.Index(c.tokens, c.tokens[i]) < i
	if space, ok := isa.LookupSpace(c.tokens[i]); ok && space == isa.ConstSpace {
		d.Fixes = []diag.Fix{{Label: readOnlyConstants}}
		return
	}
	d.Fixes = []diag.Fix{{Label: "remove " + c.tokens[i], Mechanical: again && keeps(c.tokens, without), Edits: []diag.Edit{{Span: at}}}}
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
		if d.Code == diag.RepeatedModifier || d.Code == diag.MissingModifier {
			d.Code = diag.NotAllowedWith
		}
		same := bitType(c.tokens[i])
		if slices.Contains(words, same) && !r.loose {
			words = []string{same} // the other types say more about the bits than the statement does
		}
		if len(words) > maxFixes {
			return
		}
		for _, m := range words {
			d.Fixes = append(d.Fixes, diag.Fix{Label: "write " + m, Mechanical: m == same && !r.loose && keeps(c.tokens, replaced(c.tokens, i, m)),
				Edits: []diag.Edit{{Span: at(i), New: m}}})
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
