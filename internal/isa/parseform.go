package isa

// This file reads form clauses: the modifiers and operands that may stand together.

import (
	"fmt"
	"slices"
	"strings"
)

// formPass reads the forms.
func (p *entryParser) formPass(s string) error {
	if !isForm(s) {
		return nil
	}
	opcode := strings.Join(p.e.Opcode, "")
	rest, ok := strings.CutPrefix(strings.TrimSuffix(s, ";"), opcode)
	if !ok {
		return fmt.Errorf("the form does not begin with the opcode %s", opcode)
	}
	mods, operands, _ := strings.Cut(rest, " ")
	f := formParser{p: p, alt: Alt{Text: s, why: p.why, families: new(families)}}
	if err := f.modifiers(mods); err != nil {
		return err
	}
	if err := f.operandList(strings.ReplaceAll(operands, " ", "")); err != nil {
		return err
	}
	p.e.Alts = append(p.e.Alts, f.alt)
	return nil
}

var keywords = []string{"opcode", "about", "table", "require", "exclude", "default", "unique", "first", "since", "until", "effect", "check", "order"}

// isForm tells a form from other clauses: it ends with a semicolon and begins with no keyword.
func isForm(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	return s[len(s)-1] == ';' && s[0] != ' ' && !slices.Contains(keywords, word)
}

type formParser struct {
	p     *entryParser
	alt   Alt
	group int // the optional group that is open, 0: none
}

// modifiers reads ".lit.class{.a}{.b.c}.class=.value".
func (f *formParser) modifiers(s string) error {
	for s != "" {
		switch s[0] {
		case '{', '}':
			if err := f.brace(s[0]); err != nil {
				return err
			}
			s = s[1:]
			continue
		case '.':
		default:
			return fmt.Errorf("unexpected %q among the modifiers", s)
		}
		name, rest := modifierName(s)
		value := ""
		if strings.HasPrefix(rest, "=.") {
			value, rest = modifierName(rest[1:])
		}
		if err := f.slot(name, value, false); err != nil {
			return err
		}
		s = rest
	}
	if f.group != 0 {
		return fmt.Errorf("a { is not closed")
	}
	f.soleSlots()
	return nil
}

func (f *formParser) brace(c byte) error {
	switch {
	case c == '{' && f.group == 0:
		f.p.groups++
		f.group = f.p.groups
	case c == '}' && f.group != 0:
		f.group = 0
	default:
		return fmt.Errorf("braces do not match")
	}
	return nil
}

// modifierName cuts ".name" off s.
func modifierName(s string) (name, rest string) {
	end := strings.IndexAny(s[1:], ".{}=")
	if end < 0 {
		return s, ""
	}
	return s[:end+1], s[end+1:]
}

func (f *formParser) slot(name, value string, suffix bool) error {
	s := slot{class: -1, opt: f.group != 0, group: f.group, suffix: suffix}
	if value != "" {
		if err := f.fixed(&s, name, value); err != nil {
			return err
		}
	} else if c, ok := f.p.classIndex(name); ok && !f.p.isShared(c) {
		s.class = c
		f.p.e.classes[c].inForm = true
	} else {
		s.mod = Mod(f.p.t.mods.intern(name))
		f.p.uses.add(s.mod)
	}
	f.alt.slots = append(f.alt.slots, s)
	return nil
}

// fixed fills a slot ".class=.value"; a class that is not defined gets the value.
func (f *formParser) fixed(s *slot, name, value string) error {
	c, ok := f.p.classIndex(name)
	if !ok || f.p.isShared(c) {
		if err := f.p.addClass(name, []string{value}); err != nil {
			return err
		}
		c, _ = f.p.classIndex(name)
	}
	m := Mod(f.p.t.mods.intern(value))
	f.p.uses.add(m)
	cl := &f.p.e.classes[c]
	if !cl.has(m) {
		f.p.addValue(cl, value, nil)
	}
	cl.inForm = true
	s.class, s.only = c, []Mod{m}
	return nil
}

// soleSlots makes a group of one modifier a plain option.
func (f *formParser) soleSlots() {
	count := map[int]int{}
	for i := range f.alt.slots {
		count[f.alt.slots[i].group]++
	}
	for i := range f.alt.slots {
		if s := &f.alt.slots[i]; count[s.group] == 1 {
			s.group = 0
		}
	}
}

// operandList reads "d{|p},[a{,b},c]{.unified}{,policy}" without spaces.
func (f *formParser) operandList(s string) error {
	f.group = 0
	depth := byte(0) // the bracket that is open
	for s != "" {
		c := s[0]
		switch {
		case c == ',' || c == '|' || c == ']' || c == ')':
			if c == ']' || c == ')' {
				depth = 0
			}
			if c == '|' {
				f.last().kind = '|'
			}
			s = s[1:]
		case c == '{':
			f.alt.groups++
			f.group = f.alt.groups
			s = s[1:]
		case c == '}':
			f.group = 0
			s = s[1:]
		case c == '[' || c == '(':
			depth = c
			f.alt.operands = append(f.alt.operands, operandForm{kind: c, group: f.group})
			s = s[1:]
		case c == '.':
			name, rest := modifierName(s)
			if err := f.slot(name, "", true); err != nil {
				return err
			}
			f.alt.slots[len(f.alt.slots)-1].group = 0
			s = rest
		default:
			end := strings.IndexAny(s, ",|[](){}.")
			if end < 0 {
				end = len(s)
			}
			f.operand(s[:end], depth)
			s = s[end:]
		}
	}
	return f.dropSuffixGroups()
}

func (f *formParser) last() *operandForm { return &f.alt.operands[len(f.alt.operands)-1] }

// operand adds a role: inside brackets or behind | to the last operand, else as a new one.
func (f *formParser) operand(name string, depth byte) {
	part := operandPart{role: f.p.role(name), group: f.group}
	if depth != 0 || len(f.alt.operands) > 0 && f.last().kind == '|' && len(f.last().parts) == 1 {
		o := f.last()
		if part.group == o.group {
			part.group = 0
		}
		o.parts = append(o.parts, part)
		return
	}
	f.alt.operands = append(f.alt.operands, operandForm{kind: ' ', group: f.group, parts: []operandPart{{role: part.role}}})
}

func (p *entryParser) role(name string) int {
	if i := slices.Index(p.roles, name); i >= 0 {
		return i
	}
	p.roles = append(p.roles, name)
	return len(p.roles) - 1
}

// dropSuffixGroups renumbers the optional groups: that of a suffix has no operand.
func (f *formParser) dropSuffixGroups() error {
	number := map[int]int{0: 0}
	renumber := func(g *int) {
		if _, ok := number[*g]; !ok {
			number[*g] = len(number)
		}
		*g = number[*g]
	}
	for i := range f.alt.operands {
		o := &f.alt.operands[i]
		renumber(&o.group)
		for j := range o.parts {
			renumber(&o.parts[j].group)
		}
	}
	f.alt.groups = len(number) - 1
	if f.alt.groups > 8 {
		return fmt.Errorf("more than eight optional groups of operands")
	}
	return nil
}
