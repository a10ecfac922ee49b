package isa

// This file reads one entry of the notation (facts: isa-notation §1).

import (
	"fmt"
	"slices"
	"strings"
)

// entryText is an entry before it is parsed.
type entryText struct {
	file string
	line int // of its header
	text string
}

// splitEntries cuts a data file at its headers; what stands before the first is comment.
func splitEntries(file, text string) []entryText {
	var out []entryText
	start, startLine, line, offset := -1, 0, 0, 0
	for s := range strings.Lines(text) {
		line++
		if strings.HasPrefix(s, "= ") {
			if start >= 0 {
				out = append(out, entryText{file, startLine, text[start:offset]})
			}
			start, startLine = offset, line
		}
		offset += len(s)
	}
	if start >= 0 {
		out = append(out, entryText{file, startLine, text[start:]})
	}
	return out
}

// entryParser holds what is known while an entry is read.
type entryParser struct {
	t       *ISA
	judge   Judge
	e       *Entry
	at      int // line in the file
	clauses []clause
	roles   []string
	symbols map[string]int
	classes []string // names of the entry's classes
	uses    modSet   // modifiers of this entry
	groups  int      // optional groups of modifiers
	why     string   // of the clause being read
}

// modSet is a set of modifiers, a bit for each.
type modSet []uint64

func (s *modSet) add(m Mod) {
	for int(m)/64 >= len(*s) {
		*s = append(*s, make([]uint64, int(m)/64+1-len(*s))...)
	}
	(*s)[m/64] |= 1 << (m % 64)
}

func (s modSet) has(m Mod) bool { return int(m)/64 < len(s) && s[m/64]>>(m%64)&1 != 0 }

// clause is one line of an entry.
type clause struct {
	line int
	text string
	why  string // it is one judge's, and why
}

// parseEntry reads an entry as a judge does. Errors name file and line.
func (t *ISA) parseEntry(src entryText, j Judge) (*Entry, error) {
	p := &entryParser{
		t: t, judge: j, e: &Entry{File: src.file, Line: src.line, table: t, source: src.text}, at: src.line,
	}
	if err := p.parse(src); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", src.file, p.at, err)
	}
	return p.e, nil
}

func (p *entryParser) parse(src entryText) error {
	line := src.line - 1
	p.clauses = make([]clause, 0, strings.Count(src.text, "\n"))
	for s := range strings.Lines(src.text) {
		line++
		if note, ok := strings.CutPrefix(s, "# manual: "); ok {
			p.e.Notes = append(p.e.Notes, strings.TrimSpace(note))
		}
		text, comment, _ := strings.Cut(s, "#")
		if text = strings.TrimRight(text, " \n"); text == "" {
			continue
		}
		own, ok := p.judge.clause(text)
		why := ""
		if own != text {
			why = p.e.addWhy(comment)
		}
		if ok {
			p.clauses = append(p.clauses, clause{line, own, why})
		}
	}
	if err := p.header(p.clauses[0].text); err != nil {
		return err
	}
	p.clauses = p.clauses[1:]
	p.addShared()
	// What later clauses refer to comes first: classes, then forms, then tables.
	for _, pass := range []func(string) error{p.classPass, p.formPass, p.tablePass, p.rulePass} {
		for _, c := range p.clauses {
			p.at, p.why = c.line, c.why
			if err := pass(c.text); err != nil {
				return err
			}
		}
	}
	return p.finish()
}

// header reads "= [version:] section id doc".
func (p *entryParser) header(s string) error {
	words := strings.Fields(s[2:])
	if len(words) > 0 && strings.HasSuffix(words[0], ":") {
		v, ok := scanVersion(strings.TrimSuffix(words[0], ":"))
		if !ok {
			return fmt.Errorf("%q is no version", words[0])
		}
		p.e.Manual, words = v, words[1:]
	}
	if len(words) < 3 {
		return fmt.Errorf("a header is: = section id doc")
	}
	p.e.Section, p.e.Name = words[0], words[1]
	p.e.Doc = strings.Join(words[2:], " ")
	p.e.ID = ID(p.t.ids.intern(p.e.Name))
	p.e.Opcode = glued(p.e.Name)
	return nil
}

// glued splits an opcode into the tokens that stay together: mbarrier .try_wait.
func glued(opcode string) []string {
	parts := strings.Split(opcode, ".")
	for i := 1; i < len(parts); i++ {
		parts[i] = "." + parts[i]
	}
	return parts
}

// classPass reads opcode and class clauses.
func (p *entryParser) classPass(s string) error {
	switch word, rest, _ := strings.Cut(s, " "); {
	case word == "opcode":
		p.e.Opcode = glued(strings.TrimSpace(rest))
	case word == "about":
		p.e.About = strings.TrimSpace(rest)
	case s[0] == '.':
		return p.classClause(s)
	}
	return nil
}

// classClause reads ".a = .b = { values }".
func (p *entryParser) classClause(s string) error {
	open := strings.IndexByte(s, '{')
	if open < 0 || s[len(s)-1] != '}' {
		return fmt.Errorf("a class is written .name = { .a .b }")
	}
	head, more := strings.CutSuffix(strings.TrimSpace(s[:open]), "+=")
	names := strings.Fields(strings.ReplaceAll(head, "=", " "))
	values, err := splitValues(s[open+1 : len(s)-1])
	if err != nil {
		return err
	}
	for _, name := range names {
		if name[0] != '.' {
			return fmt.Errorf("%q is no name of a class", name)
		}
		if more {
			if err := p.extendClass(name, values); err != nil {
				return err
			}
			continue
		}
		if err := p.addClass(name, values); err != nil {
			return err
		}
	}
	return nil
}

// extendClass reads ".a += { values }": more values of a class above.
func (p *entryParser) extendClass(name string, values []string) error {
	i, ok := p.classIndex(name)
	if !ok || p.isShared(i) {
		return fmt.Errorf("there is no class %s above", name)
	}
	c := &p.e.classes[i]
	for _, v := range values {
		if err := p.expandValue(c, v, nil); err != nil {
			return err
		}
	}
	c.own = len(c.values)
	return nil
}

func (p *entryParser) addClass(name string, values []string) error {
	if i, ok := p.classIndex(name); ok && !p.isShared(i) {
		return fmt.Errorf("class %s is defined twice", name)
	}
	c := class{id: Class(p.t.classes.intern(name))}
	for _, v := range values {
		if v == "none" {
			c.none = true
			continue
		}
		if err := p.expandValue(&c, v, nil); err != nil {
			return err
		}
	}
	c.own = len(c.values)
	p.classes = append(p.classes, name)
	p.e.classes = append(p.e.classes, c)
	return nil
}

// addShared makes the prelude's sets known; an entry may define the same name anew.
func (p *entryParser) addShared() {
	p.t.sharedOnce.Do(func() {
		for _, set := range thePrelude.sets {
			c := class{id: Class(p.t.classes.intern(set.name))}
			for _, v := range set.values {
				c.values = append(c.values, Mod(p.t.mods.intern(v)))
			}
			p.t.shared = append(p.t.shared, c)
		}
	})
	for i := range thePrelude.sets {
		p.classes = append(p.classes, thePrelude.sets[i].name)
	}
	p.e.classes = append(p.e.classes, p.t.shared...)
}

func (p *entryParser) isShared(class int) bool { return class < len(thePrelude.sets) }

// classIndex returns the class of a name; an entry's own hides a shared one.
func (p *entryParser) classIndex(name string) (int, bool) {
	for i := len(p.classes) - 1; i >= 0; i-- {
		if p.classes[i] == name {
			return i, true
		}
	}
	return 0, false
}

// splitValues splits at spaces outside of braces and angle brackets.
func splitValues(s string) ([]string, error) {
	var out []string
	depth, start := 0, -1
	for i := range len(s) {
		switch c := s[i]; {
		case c == '{' || c == '<':
			depth++
		case c == '}' || c == '>':
			depth--
		case c == ' ' && depth == 0:
			if start >= 0 {
				out, start = append(out, s[start:i]), -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("brackets do not match in %q", s)
	}
	if start >= 0 {
		out = append(out, s[start:])
	}
	return out, nil
}

// expandValue adds what a value stands for: .param{::entry ::func}, .m64n<N 8..256/8>k16.
func (p *entryParser) expandValue(c *class, v string, bound []binding) error {
	if v[0] != '.' {
		return fmt.Errorf("%q is no modifier", v)
	}
	if open := strings.IndexByte(v, '{'); open >= 0 {
		p.addValue(c, v[:open], bound)
		for _, tail := range strings.Fields(v[open+1 : len(v)-1]) {
			p.addValue(c, v[:open]+tail, bound)
		}
		return nil
	}
	open, end := strings.IndexByte(v, '<'), strings.IndexByte(v, '>')
	if open < 0 {
		p.addValue(c, v, bound)
		return nil
	}
	name, list, _ := strings.Cut(v[open+1:end], " ")
	numbers, err := numberList(list)
	if err != nil {
		return err
	}
	capture := p.capture(name)
	for _, n := range numbers {
		text := fmt.Sprintf("%s%d%s", v[:open], n, v[end+1:])
		if err := p.expandValue(c, text, append(slices.Clip(bound), binding{capture, n})); err != nil {
			return err
		}
	}
	return nil
}

func (p *entryParser) addValue(c *class, spelling string, bound []binding) {
	m := Mod(p.t.mods.intern(spelling))
	p.uses.add(m)
	c.values = append(c.values, m)
	if p.why != "" {
		if c.whys == nil {
			c.whys = map[Mod]string{}
		}
		c.whys[m] = p.why
	}
	if bound != nil && c.binds == nil {
		c.binds = make([][]binding, len(c.values)-1)
	}
	if c.binds != nil {
		c.binds = append(c.binds, bound)
	}
}

// capture returns the index of a capture or column.
func (p *entryParser) capture(name string) int {
	if i := slices.Index(p.e.captures, name); i >= 0 {
		return i
	}
	p.e.captures = append(p.e.captures, name)
	return len(p.e.captures) - 1
}

// numberList reads "4 8 16" or "8..256/8".
func numberList(s string) ([]int, error) {
	span, step, stepped := strings.Cut(s, "/")
	first, last, ranged := strings.Cut(span, "..")
	if !ranged {
		return atois(strings.Fields(s))
	}
	if !stepped {
		step = "1"
	}
	n, err := atois([]string{first, last, step})
	if err != nil || n[2] <= 0 {
		return nil, fmt.Errorf("%q is no range of numbers", s)
	}
	var out []int
	for i := n[0]; i <= n[1]; i += n[2] {
		out = append(out, i)
	}
	return out, nil
}

// finish checks what must hold for the entry as a whole.
func (p *entryParser) finish() error {
	p.at = p.e.Line
	if len(p.e.Alts) == 0 {
		return fmt.Errorf("%s has no form", p.e.Name)
	}
	if len(p.roles) > 64 {
		return fmt.Errorf("%s has more than 64 operands", p.e.Name)
	}
	for i, name := range p.roles {
		p.e.roles = append(p.e.roles, Role(p.t.roles.intern(name)))
		described := func(l operandLine) bool { return slices.Contains(l.roles, i) }
		if !slices.ContainsFunc(p.e.lines, described) {
			return fmt.Errorf("no line says what operand %s may be", name)
		}
	}
	return nil
}
