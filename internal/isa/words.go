package isa

// This file puts the clauses of an entry into words, for explain.

import (
	"fmt"
	"strings"
)

// Words are the clauses of an entry in words, a list for each question.
type Words struct {
	Modifiers []Described // the values of classes, and of which tables allow what
	Operands  []Described // what each may be
	Rules     []string    // what goes together and what does not
	Gates     []string    // since when and where
}

// Described is a name, or several, and what is said of it.
type Described struct{ Name, What string }

// wording puts one entry into words.
type wording struct {
	Words
	e          *Entry
	table, row int // the row that comes next
	columns    []string
}

// Words describes the entry as its judge reads it.
func (e *Entry) Words() Words {
	w := wording{e: e, table: -1}
	for s := range strings.Lines(e.source) {
		text, _, _ := strings.Cut(s, "#")
		if text, ok := e.table.judge.clause(strings.TrimRight(text, " \n")); ok && text != "" {
			w.clause(text)
		}
	}
	for i := range e.gates {
		w.Gates = append(w.Gates, e.gates[i].words())
	}
	return w.Words
}

// clause adds one clause; forms, header, about and gates are told elsewhere.
func (w *wording) clause(text string) {
	key, rest, _ := strings.Cut(text, " ")
	if strings.HasPrefix(text, "table") {
		w.head(text)
		return
	}
	switch key {
	case "=", "about", "opcode", "since", "until", "effect", "check":
	case "require":
		w.rule("", " needs ", rest)
	case "exclude":
		w.rule("never ", " never with ", rest)
	case "default":
		w.Rules = append(w.Rules, "without a word of it, "+strings.NewReplacer("=", " is ", " ", ", ").Replace(rest))
	case "unique":
		w.Rules = append(w.Rules, "all instructions of a function have the same "+strings.TrimSuffix(rest, " in function"))
	case "first":
		w.Rules = append(w.Rules, strings.ReplaceAll(rest, " ", ", ")+": before all other modifiers, in this order")
	case "order":
		w.Rules = append(w.Rules, "modifiers may stand in any order")
	case "":
		w.tableRow(strings.TrimSpace(rest))
	default:
		w.definition(text)
	}
}

// rule turns "X if Y" round: "with Y: X"; "X and Y" of an exclusion stays.
func (w *wording) rule(alone, between, rest string) {
	if x, y, ok := strings.Cut(rest, " iff "); ok {
		w.Rules = append(w.Rules, fmt.Sprintf("%s if and only if %s", conditionWords(x), conditionWords(y)))
		return
	}
	if x, y, ok := strings.Cut(rest, " if "); ok {
		w.Rules = append(w.Rules, conditionWords(y)+between+conditionWords(x))
		return
	}
	if alone == "" {
		alone = "needs "
	}
	w.Rules = append(w.Rules, alone+conditionWords(rest))
}

// head begins a table: the classes whose values go together, and its columns.
func (w *wording) head(text string) {
	head, columns, _ := strings.Cut(text, "=")
	_, keys, _ := strings.Cut(head, "[")
	w.table, w.row, w.columns = w.table+1, 0, strings.Fields(columns)
	w.Modifiers = append(w.Modifiers, Described{"only together", strings.TrimRight(keys, "] ")})
}

// tableRow tells which values go together, what the columns are there, and since when.
func (w *wording) tableRow(text string) {
	cells, values, _ := strings.Cut(text, ":")
	what := strings.Join(strings.Fields(cells), " ")
	values, _, _ = strings.Cut(values, "since")
	for i, v := range strings.Fields(values) {
		if i < len(w.columns) {
			what += fmt.Sprintf("  %s=%s", w.columns[i], v)
		}
	}
	if w.table < len(w.e.tables) && w.row < len(w.e.tables[w.table].rows) {
		if gate := w.e.tables[w.table].rows[w.row].gate; gate != nil {
			what += "  since " + gate.words()
		}
	}
	w.row++
	w.Modifiers = append(w.Modifiers, Described{"", what})
}

// definition is a class or an operand.
func (w *wording) definition(text string) {
	if name, values, ok := strings.Cut(text, "= {"); ok && text[0] == '.' {
		name = strings.TrimSpace(strings.TrimSuffix(name, "+"))
		w.Modifiers = append(w.Modifiers, Described{name, strings.TrimSpace(strings.TrimSuffix(values, "}"))})
		return
	}
	if names, what, ok := strings.Cut(text, " : "); ok {
		w.Operands = append(w.Operands, Described{names, operandWords(what)})
	}
}

// spokenSorts names the sorts of operands (NOTATION.md).
var spokenSorts = map[string]string{
	"reg": "register", "imm": "constant", "pred": "predicate", "!pred": "predicate or its negation", "_": "_",
	"samplerref": "sampler", "surfref": "surface", "texref": "texture", "special": "special register", "addr": "address",
	"vec": "vector of", "wider": "(or a wider register)", "loose": "(floats also in integer registers)", "exact": "(exactly this type)", "braced": "(or one in braces)", "bare": "(no sum of a name and a number)", "mixed": "(constants beside registers)", "short": "(32 bits do)", "full": "(at least 32 bits)", "sreg": "(or a special register)", "anyreg": "(any register)", "cut": "(its low 32 bits)", "written": "(or _)", "whole": "(all its components)", "strict": "(no special registers)", "single": "(constants as 0f and 8 digits)", "sums": "(or a special register and a number)",
	"in": "in", "of": "in", "minus": "(or its negative)", "align": "aligned to", "select": "(or a part of it: select", "mask": "(under a mask: up to",
}

// operandWords reads "reg|imm .type if .x" aloud.
func operandWords(text string) string {
	text, condition, conditional := strings.Cut(text, " if ")
	var out []string
	open := false
	for _, word := range strings.Fields(text) {
		var parts []string
		for part := range strings.SplitSeq(word, "|") {
			if known, ok := spokenSorts[part]; ok {
				part = known
			}
			parts = append(parts, part)
		}
		word = strings.Join(parts, " or ")
		if strings.Trim(word, " ") == "or" || word == " or " {
			word = "or"
		}
		if open {
			word, open = word+")", false
		}
		open = strings.Count(word, "(") > strings.Count(word, ")")
		out = append(out, word)
	}
	if conditional {
		out = append(out, "with", conditionWords(condition))
	}
	return strings.Join(out, " ")
}

// conditionWords reads ".a|.b and .c=none" aloud.
func conditionWords(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		name, ok := strings.CutSuffix(word, "=none")
		if ok {
			word = "no " + name
		}
		if word == "not" { // of a modifier, or of several in parentheses
			word = "no"
		}
		words[i] = strings.ReplaceAll(word, "|", " or ")
	}
	return strings.Join(words, " ")
}

// words says when and where a gate is open, and for which modifiers.
func (g *gateLine) words() string {
	if _, condition, ok := strings.Cut(g.text, " if "); ok {
		return conditionWords(condition) + ": " + g.since()
	}
	return g.since()
}

// since is words without the modifiers.
func (g *gateLine) since() string {
	if g.until {
		return "gone since " + g.gate.words()
	}
	return "since " + g.gate.words()
}

func (g Gate) words() string {
	var alternatives []string
	for i := range g {
		alternatives = append(alternatives, g[i].words())
	}
	return strings.Join(alternatives, ", or ")
}

func (a *GateAlt) words() string {
	var out []string
	if a.Version != 0 {
		out = append(out, "PTX "+a.Version.String())
	}
	var targets []string
	for _, t := range a.Targets {
		targets = append(targets, t.words())
	}
	if targets != nil {
		out = append(out, "on "+strings.Join(targets, " or "))
	}
	return strings.Join(out, " ")
}

// words says on which architectures code may use what is gated for t (11.1.2).
func (t Target) words() string {
	switch t.Suffix {
	case 'a':
		return t.String() + " alone"
	case 'f':
		return "the family " + t.String()
	}
	return t.String() + " and later"
}
