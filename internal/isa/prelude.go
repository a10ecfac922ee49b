package isa

// This file reads data/prelude.isa and data/special.isa: what stands before the entries.

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed data/*.isa
var dataFS embed.FS

// prelude holds the tables of prelude.isa.
type prelude struct {
	versions   [256]bool
	early      map[Version]Version // that were never published: what they were published as
	targets    map[Target]Version  // the version that brought each
	families   []family
	gates      map[string]Gate
	types      []typeInfo // types[0] is none
	typeByName map[string]Type
	pred       Type
	sets       []setText   // shared sets, for the entries
	repeat     [2][]string // by judge
	ignored    [2]ignoredMods
	specials   []SpecialInfo // specials[0] is none
	special    map[string]Special
}

// family is the family of an f target: its members in ascending order of their features.
type family struct{ arch []int }

// setText is ".name = { .a .b }" of the prelude.
type setText struct {
	name   string
	values []string
}

// thePrelude is read when the process starts, since types and targets are asked for
// everywhere without an error; the data's tests keep it readable.
var thePrelude = mustPrelude()

func mustPrelude() *prelude {
	p := &prelude{
		targets: map[Target]Version{}, gates: map[string]Gate{}, types: make([]typeInfo, 1, 64),
		typeByName: map[string]Type{}, specials: make([]SpecialInfo, 1, 96), special: map[string]Special{}, early: map[Version]Version{},
	}
	for _, file := range []string{"prelude.isa", "special.isa"} {
		if err := p.read(file); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	p.pred = p.typeByName[".pred"]
	return p
}

func (p *prelude) read(file string) error {
	text, err := dataFS.ReadFile("data/" + file)
	if err != nil {
		return err
	}
	table, line := "", 0
	for s := range strings.Lines(string(text)) {
		line++
		s = strings.TrimRight(stripComment(s), " \n")
		for j := range Judge(len(judgeNames)) {
			if j.named(s) {
				err = p.readJudgeSet(s, j)
				s = ""
			}
		}
		switch {
		case s == "":
		case strings.HasPrefix(s, "table "):
			table = strings.TrimSpace(s[len("table "):])
		case s[0] == '.':
			err = p.readSet(s)
		default:
			err = p.readRow(table, s)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, line, err)
		}
	}
	return nil
}

func stripComment(s string) string {
	if i := strings.IndexByte(s, '#'); i >= 0 {
		return s[:i]
	}
	return s
}

func (p *prelude) readSet(s string) error {
	name, values, ok := strings.Cut(s, " = { ")
	if !ok {
		return fmt.Errorf("a set is written .name = { .a .b }")
	}
	p.sets = append(p.sets, setText{name, strings.Fields(strings.TrimSuffix(values, "}"))})
	return nil
}

// ignoredMods are modifiers that mean nothing where no form has them: to all instructions, to those of
// some opcodes, and to the others.
type ignoredMods struct {
	all, others []string
	of          map[string][]string // by opcode
}

// readJudgeSet reads a set that one judge alone has: what may be repeated, what is ignored.
func (p *prelude) readJudgeSet(s string, j Judge) error {
	text, _ := j.clause(s)
	name, values, ok := strings.Cut(text, " = {")
	list := strings.Fields(strings.TrimSuffix(values, "}"))
	words := strings.Fields(name)
	switch {
	case ok && name == ".repeat":
		p.repeat[j] = list
	case ok && len(words) > 0 && words[0] == ".ignored":
		p.ignored[j].add(words[1:], list)
	default:
		return fmt.Errorf("a judge of the prelude has .repeat and .ignored")
	}
	return nil
}

// add adds what the named opcodes ignore: all if none is named, the rest for others.
func (i *ignoredMods) add(opcodes, list []string) {
	switch {
	case len(opcodes) == 0:
		i.all = list
	case opcodes[0] == "others":
		i.others = list
	default:
		if i.of == nil {
			i.of = map[string][]string{}
		}
		for _, op := range opcodes {
			i.of[op] = list
		}
	}
}

// by reports whether instructions of an opcode ignore a modifier.
func (i *ignoredMods) by(opcode, modifier string) bool {
	list, named := i.of[opcode]
	if !named {
		list = i.others
	}
	return slices.Contains(list, modifier) || slices.Contains(i.all, modifier)
}

// readRow reads " key… : value…" of a table.
func (p *prelude) readRow(table, s string) error {
	k, v, ok := strings.Cut(s, " : ")
	if !ok || s[0] != ' ' {
		return fmt.Errorf("a row is written \" key : value\"")
	}
	keys, values := strings.Fields(k), strings.Fields(v)
	switch table {
	case "version":
		return p.addVersions(keys[0], values)
	case "early":
		return p.addEarly(keys[0], values[0])
	case "target":
		return p.addTargets(keys, values[0])
	case "family":
		return p.addFamily(values)
	case "gate":
		g, err := p.parseGate(v)
		p.gates[keys[0]] = g
		return err
	case "type":
		return p.addTypes(keys, v)
	case "register", "wider", "loose":
		return p.addRegisters(table, keys, values)
	case "parsed":
		return p.addParsed(keys)
	case "special":
		return p.addSpecials(keys[0], v)
	}
	return fmt.Errorf("the prelude has no table %q", table)
}

// addParsed marks types whose declarations ptxas takes until they are used.
func (p *prelude) addParsed(names []string) error {
	for _, name := range names {
		t, ok := p.typeByName[name]
		if !ok {
			return fmt.Errorf("%s is no type", name)
		}
		p.types[t].parsed = true
	}
	return nil
}

func (p *prelude) addVersions(major string, minors []string) error {
	n, err := atois(append([]string{major}, minors...))
	if err != nil || len(n) != 3 {
		return fmt.Errorf("a row of versions is major, first and last minor number")
	}
	for minor := n[1]; minor <= n[2]; minor++ {
		p.versions[V(n[0], minor)] = true
	}
	return nil
}

// addEarly reads a version that was never published, and the one that ptxas takes it for.
func (p *prelude) addEarly(early, published string) error {
	e, okE := scanVersion(early)
	v, okP := scanVersion(published)
	if !okE || !okP || p.versions[e] || !p.versions[v] {
		return fmt.Errorf("a row of early versions is one that was not published, and one that was")
	}
	p.early[e] = v
	return nil
}

// published is the version itself, or what it was published as.
func (p *prelude) published(v Version) Version {
	if w, ok := p.early[v]; ok {
		return w
	}
	return v
}

func (p *prelude) latest() Version {
	v := len(p.versions) - 1
	for !p.versions[v] {
		v--
	}
	return Version(v)
}

func (p *prelude) addTargets(names []string, since string) error {
	v, ok := scanVersion(since)
	if !ok || !p.versions[v] {
		return fmt.Errorf("%q is no version", since)
	}
	for _, name := range names {
		t, ok := scanTarget(name)
		if !ok {
			return fmt.Errorf("%q is no target", name)
		}
		p.targets[t] = v
	}
	return nil
}

func (p *prelude) addFamily(members []string) error {
	n, err := atois(members)
	p.families = append(p.families, family{n})
	return err
}

// inFamily reports whether arch is the member named first or a later one of its family.
func (p *prelude) inFamily(arch, first int) bool {
	for _, f := range p.families {
		if i := slices.Index(f.arch, first); i >= 0 {
			return f.renamed() && slices.Contains(f.arch, arch) || slices.Contains(f.arch[i:], arch)
		}
	}
	return arch == first
}

// renamed reports whether the members are names of one architecture: not in ascending order.
func (f family) renamed() bool { return !slices.IsSorted(f.arch) }

func (p *prelude) addTypes(names []string, row string) error {
	row, since, gated := strings.Cut(row, " since ")
	values := strings.Fields(row)
	var gate Gate
	if gated {
		var err error
		if gate, err = p.parseGate(since); err != nil {
			return err
		}
	}
	bits, err := strconv.Atoi(values[0])
	kind := slices.Index(kindNames[:], values[1])
	if err != nil || kind < 0 || len(values) != 3 {
		return fmt.Errorf("a row of types is names, bits, kind, storage")
	}
	for _, name := range names {
		t := Type(len(p.types))
		p.typeByName[name] = t
		p.types = append(p.types, typeInfo{name: name, bits: bits, kind: Kind(kind), since: gate})
		storage, ok := p.typeByName[values[2]]
		if !ok {
			return fmt.Errorf("%s is not a type above", values[2])
		}
		p.types[t].storage = storage
		p.types[t].registers = 1 << storage
	}
	return nil
}

func (p *prelude) addRegisters(table string, names, registers []string) error {
	mask := uint64(0)
	for _, r := range registers {
		t, ok := p.typeByName[r]
		if !ok {
			return fmt.Errorf("%s is no type", r)
		}
		mask |= 1 << t
	}
	for _, name := range names {
		t, ok := p.typeByName[name]
		if !ok {
			return fmt.Errorf("%s is no type", name)
		}
		switch table {
		case "wider":
			p.types[t].wider = mask
		case "loose":
			p.types[t].loose = mask
		default:
			p.types[t].registers = mask
		}
	}
	return nil
}

func atois(words []string) ([]int, error) {
	out := make([]int, len(words))
	for i, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}
