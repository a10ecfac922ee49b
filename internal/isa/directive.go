package isa

// This file reads data/directives.isa: directives, specifiers of declarations, and the
// strings of .pragma.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Directive is one entry of the data on directives.
type Directive struct {
	Name     string // as it is written; strings of .pragma with their quotes
	Section  string
	Manual   Version // of the section's number; 0: 9.1
	Doc      string
	About    string
	Form     string
	Places   []string // kernel, function, module and others; NOTATION.md lists them
	Args     Arity
	Order    int  // in the head of a function: behind those of lower order; 0: anywhere
	Kernels  bool // not in the bodies of device functions
	Since    Gate
	Until    Gate     // from which on it is gone; nil: it is still there
	Parts    []Part   // what came later than the rest
	Excludes []string // directives that cannot stand beside it
	Needs    []string // directives that have to
	Wants    []string // without one of these it has no effect
	Examples []string // module texts without their header
	Notes    []string // where ptxas and the manual differ
}

// Arity is what may stand behind a directive of a function's head.
type Arity struct {
	Least, Most int
	Strings     bool     // strings, not whole numbers
	Lo, Hi      uint64   // of the numbers
	Names       []string // strings in the place of numbers, in small letters
}

// Part is something about a directive that has a gate of its own.
type Part struct {
	Name         string
	Since, Until Gate
}

// Part returns a part, whose gate is closed if the data has no such part.
func (d *Directive) Part(name string) *Part {
	for i := range d.Parts {
		if d.Parts[i].Name == name {
			return &d.Parts[i]
		}
	}
	return &Part{}
}

// Available reports whether a module of this version and target may have the part.
func (p *Part) Available(v Version, t Target) bool {
	return p.Since.Passes(v, t) && !p.Until.Passes(v, t)
}

// Directives lists the data in its order.
func Directives() []*Directive {
	t := directives()
	all := make([]*Directive, len(t.list))
	for i := range t.list {
		all[i] = t.list[i].must()
	}
	return all
}

// LookupDirective returns the entry of a name, nil if there is none. A .pragma string may
// have arguments.
func LookupDirective(name string) *Directive {
	if l := directives().byName[name]; l != nil {
		return l.must()
	}
	return nil
}

// LookupPragma returns the entry of a string of .pragma, in its quotes; its first word decides.
func LookupPragma(text string) *Directive {
	words := strings.Fields(strings.Trim(text, `"`))
	if len(words) == 0 {
		return nil
	}
	return LookupDirective(`"` + words[0] + `"`)
}

// Open is the newest version, with a usual target, in which the directive is there.
func (d *Directive) Open() (Version, Target) { return newest(d.Since, d.Until) }

// Open is the newest version, with a usual target, that the gate lets pass.
func (g Gate) Open() (Version, Target) { return newest(g, nil) }

func newest(since, until Gate) (Version, Target) {
	for _, name := range []string{"sm_90", "sm_100a", "sm_12", "sm_20"} {
		t := MustTarget(name)
		for v := Latest; v > 0; v-- {
			if v.Known() && v >= TargetSince(t) && since.Passes(v, t) && !until.Passes(v, t) {
				return v, t
			}
		}
	}
	panic("BUG: " + since.String() + " never opens")
}

// IsPragma tells the strings of .pragma from directives.
func (d *Directive) IsPragma() bool { return d.Name[0] == '"' }

// In reports whether the directive may stand in a place.
func (d *Directive) In(place string) bool { return slices.Contains(d.Places, place) }

// directiveTable is the data. It is cut into entries when it is first asked for.
type directiveTable struct {
	list   []lazyDirective
	byName map[string]*lazyDirective
}

// lazyDirective is read when it is first asked for.
type lazyDirective struct {
	src  entryText
	once sync.Once
	d    *Directive
	err  error
}

func (l *lazyDirective) read() (*Directive, error) {
	l.once.Do(func() { l.d, l.err = readDirective(l.src) })
	return l.d, l.err
}

func (l *lazyDirective) must() *Directive {
	d, err := l.read()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return d
}

var directives = sync.OnceValue(func() *directiveTable {
	text, err := dataFS.ReadFile(directivesFile)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	t, err := cutDirectives(string(text))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
})

const directivesFile = "data/directives.isa"

// cutDirectives finds the entries and their names.
func cutDirectives(text string) (*directiveTable, error) {
	texts := splitEntries(directivesFile, text)
	t := &directiveTable{make([]lazyDirective, len(texts)), make(map[string]*lazyDirective, len(texts))}
	for i, src := range texts {
		l := &t.list[i]
		l.src = src
		head, _, _ := strings.Cut(src.text, "\n")
		var d Directive
		if err := d.clause(head); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", directivesFile, src.line, err)
		}
		if t.byName[d.Name] != nil {
			return nil, fmt.Errorf("%s:%d: %s is there twice", directivesFile, src.line, d.Name)
		}
		t.byName[d.Name] = l
	}
	return t, nil
}

// readDirectives reads all entries.
func readDirectives(text string) (*directiveTable, error) {
	t, err := cutDirectives(text)
	if err != nil {
		return nil, err
	}
	for i := range t.list {
		if _, err := t.list[i].read(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func readDirective(src entryText) (*Directive, error) {
	d := &Directive{}
	line := src.line - 1
	for s := range strings.Lines(src.text) {
		line++
		if err := d.clause(strings.TrimSpace(s)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", directivesFile, line, err)
		}
	}
	return d, nil
}

// clause reads one line.
func (d *Directive) clause(s string) (err error) {
	word, rest, _ := strings.Cut(s, " ")
	switch rest = strings.TrimSpace(rest); word {
	case "":
	case "#":
		if note, ok := strings.CutPrefix(rest, "manual: "); ok {
			d.Notes = append(d.Notes, note)
		}
	case "=":
		err = d.header(rest)
	case "about":
		d.About = rest
	case "form":
		d.Form = rest
	case "in":
		d.Places = strings.Fields(rest)
	case "args":
		d.Args, err = parseArity(strings.Fields(rest))
	case "order":
		d.Order, err = strconv.Atoi(rest)
	case "kernels":
		d.Kernels = true
	case "since":
		d.Since, err = thePrelude.parseGate(rest)
	case "until":
		d.Until, err = thePrelude.parseGate(rest)
	case "part":
		part, err := parsePart(rest)
		d.Parts = append(d.Parts, part)
		return err
	case "exclude":
		d.Excludes = strings.Fields(rest)
	case "need":
		d.Needs = strings.Fields(rest)
	case "want":
		d.Wants = strings.Split(rest, "|")
	case "example":
		d.Examples = append(d.Examples, strings.ReplaceAll(rest, `\n`, "\n"))
	default:
		err = fmt.Errorf("a directive has no clause %q", word)
	}
	return err
}

// parsePart reads "name gate [until gate]".
func parsePart(s string) (p Part, err error) {
	name, since, _ := strings.Cut(s, " ")
	since, until, ends := strings.Cut(since, " until ")
	p.Name = name
	if p.Since, err = thePrelude.parseGate(since); err == nil && ends {
		p.Until, err = thePrelude.parseGate(until)
	}
	return p, err
}

// header reads "[version:] section name  doc".
func (d *Directive) header(s string) error {
	words := strings.Fields(s)
	if len(words) > 0 && strings.HasSuffix(words[0], ":") {
		v, ok := scanVersion(strings.TrimSuffix(words[0], ":"))
		if !ok {
			return fmt.Errorf("%q is no version", words[0])
		}
		d.Manual, words = v, words[1:]
	}
	if len(words) < 3 {
		return fmt.Errorf("a header is: = section name  doc")
	}
	d.Section, d.Name, d.Doc = words[0], words[1], strings.Join(words[2:], " ")
	return nil
}

// parseArity reads "1", "1..3 positive", "1 in 0..10", "1.. string" or `1 in 0..10 or "a" "b c"`.
func parseArity(words []string) (a Arity, err error) {
	if len(words) == 0 {
		return a, fmt.Errorf("args: want how many")
	}
	a.Hi = math.MaxUint32
	if a.Least, a.Most, err = parseSpan(words[0]); err != nil {
		return a, err
	}
	for i, w := range words[1:] {
		switch {
		case w == "string":
			a.Strings = true
		case w == "positive":
			a.Lo = 1
		case w == "in" && i+2 < len(words):
			lo, hi, err := parseSpan(words[i+2])
			a.Lo, a.Hi = uint64(lo), uint64(hi)
			a.Names = quotedNames(words[i+3:])
			return a, err
		default:
			return a, fmt.Errorf("args: %q is neither string nor positive nor in", w)
		}
	}
	return a, nil
}

// quotedNames are what stands in quotes.
func quotedNames(words []string) (names []string) {
	for i, part := range strings.Split(strings.Join(words, " "), `"`) {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return names
}

// Named reports whether a string token is one of the names that may stand in the place of a number; letters of either case do.
func (a *Arity) Named(token string) bool {
	return slices.Contains(a.Names, strings.ToLower(strings.Trim(token, `"`)))
}

// parseSpan reads "1", "1..3" or "1..", which has no end.
func parseSpan(s string) (least, most int, err error) {
	first, last, more := strings.Cut(s, "..")
	if least, err = strconv.Atoi(first); err != nil || !more {
		return least, least, err
	}
	if last == "" {
		return least, math.MaxInt, nil
	}
	most, err = strconv.Atoi(last)
	return least, most, err
}
