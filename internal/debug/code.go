package debug

// This file knows the code that is debugged: which instruction stands on which line of the PTX and of the source, and what a location
// in text means.

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/report"
)

// Place is an instruction: the same in all runs.
type Place struct {
	Func string
	PC   int32
}

// Code is the code of the program. It does not change from run to run.
type Code struct {
	module *ir.Module
	kernel *ir.Func
}

// Location says where an instruction stands.
type Location struct {
	Place
	PTX    report.Location
	Source []report.Location // by .loc, innermost first
	Text   string            // the instruction, on one line
}

// Locate finds an instruction; false if there is none.
func (c *Code) Locate(at Place) (Location, bool) {
	f := c.module.Func(at.Func)
	if f == nil || at.PC < 0 || int(at.PC) >= len(f.Insts) {
		return Location{Place: at}, false
	}
	l := Location{Place: at}
	if l.PTX, l.Source, l.Text = findings.At(c.module, f, at.PC); len(l.Source) > 0 && l.Source[0].Line == 0 {
		l.Source = nil // what the compiler has added
	}
	return l, true
}

// Line is the line that a step goes by: that of the source, where .loc gives one, else that of the PTX.
func (l *Location) Line() report.Location {
	if len(l.Source) > 0 {
		return l.Source[0]
	}
	return l.PTX
}

// SameLine reports whether two instructions stand on one line of one function.
func SameLine(a, b *Location) bool {
	x, y := a.Line(), b.Line()
	return a.Func == b.Func && x.File == y.File && x.Line == y.Line && len(a.Source) > 0 == (len(b.Source) > 0)
}

// hasSource reports whether a function has .loc directives.
func (c *Code) hasSource(f string) bool {
	fn := c.module.Func(f)
	return fn != nil && slices.ContainsFunc(fn.Insts, func(in ir.Inst) bool { return in.Loc != 0 })
}

// PTXLine is a line of the module's text, without what ends it.
func (c *Code) PTXLine(file string, line int) (string, bool) {
	for _, s := range c.module.Sources {
		if s.Name == file && line >= 1 && line <= s.Lines() {
			return string(s.Line(line)), true
		}
	}
	return "", false
}

// functions are those with a body.
func (c *Code) functions() (list []*ir.Func) {
	for _, f := range c.module.Funcs {
		if f.Defined {
			list = append(list, f)
		}
	}
	return list
}

// Find reads a location as break takes it: FILE:LINE, LINE (in the file of at), a function, a label, or *PC in the function of at.
func (c *Code) Find(text string, at Place) ([]Place, error) {
	text = strings.TrimSpace(text)
	if pc, ok := strings.CutPrefix(text, "*"); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(pc), 0, 32)
		place := Place{at.Func, int32(n)}
		if _, there := c.Locate(place); err != nil || !there {
			return nil, fmt.Errorf("No instruction %s in %s: want a number from disassemble.", text, at.Func)
		}
		return []Place{place}, nil
	}
	file, line, ranged := cutLast(text, ":")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	switch {
	case ranged && err == nil:
		return c.atLine(file, n)
	case !ranged:
		if n, err := strconv.Atoi(text); err == nil {
			l, _ := c.Locate(at)
			return c.atLine(l.Line().File, n)
		}
	}
	if places := c.named(text, at.Func); places != nil {
		return places, nil
	}
	var names []string
	for _, f := range c.functions() {
		names = append(names, f.Name, kernelname.Demangle(f.Name))
	}
	return nil, fmt.Errorf("Function \"%s\" not defined.%s", text, Similar(text, names))
}

// cutLast divides a text at the last separator.
func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// named finds a function by its symbol, or by its name in C++; or a label, of the function that is looked at first.
func (c *Code) named(name, in string) (places []Place) {
	for _, f := range c.functions() {
		demangled := kernelname.Demangle(f.Name)
		base, _, _ := strings.Cut(demangled, "(")
		if f.Name == name || demangled == name || strings.TrimPrefix(base, "void ") == name {
			places = append(places, Place{f.Name, 0})
		}
	}
	if places != nil {
		return places
	}
	for _, f := range c.functions() {
		for i := range f.Blocks {
			if b := &f.Blocks[i]; b.Label == name && (places == nil || f.Name == in) {
				places = []Place{{f.Name, b.First}}
			}
		}
	}
	return places
}

// atLine finds the instructions with which a line begins, or the next one that has some.
func (c *Code) atLine(file string, line int) ([]Place, error) {
	best, known := 0, false
	var places []Place
	for _, f := range c.functions() {
		before := report.Location{}
		for pc := range f.Insts {
			l, _ := c.Locate(Place{f.Name, int32(pc)})
			here := c.inFile(&l, file)
			known = known || here.Line > 0
			switch begins := here.Line > 0 && (here.Line != before.Line || here.File != before.File); {
			case !begins || here.Line < line || best > 0 && here.Line > best:
			case best == 0 || here.Line < best:
				best, places = here.Line, []Place{l.Place}
			default:
				places = append(places, l.Place)
			}
			before = here
		}
	}
	switch {
	case !known:
		return nil, fmt.Errorf("No source file named %s.%s", file, Similar(file, c.Files()))
	case best == 0:
		return nil, fmt.Errorf("No line %d in file \"%s\".", line, file)
	}
	return places, nil
}

// inFile is where an instruction stands in a file: in the PTX, or in the source; the zero Location if nowhere.
func (c *Code) inFile(l *Location, file string) report.Location {
	if sameFile(l.PTX.File, file) {
		return l.PTX
	}
	for _, s := range l.Source {
		if sameFile(s.File, file) {
			return s
		}
	}
	return report.Location{}
}

// sameFile reports whether a file is meant by a name: its whole path, or the end of it.
func sameFile(name, meant string) bool {
	name, meant = strings.ReplaceAll(name, `\`, "/"), strings.ReplaceAll(meant, `\`, "/")
	return name == meant || strings.HasSuffix(name, "/"+meant) || path.Base(name) == meant
}

// Files lists the base names of the files that locations may name.
func (c *Code) Files() (list []string) {
	for _, s := range c.module.Sources {
		list = append(list, path.Base(s.Name))
	}
	for _, f := range c.module.Files {
		list = append(list, path.Base(f))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Functions lists the names of functions that have a body, kernels first.
func (c *Code) Functions() (list []string) {
	for _, f := range c.functions() {
		list = append(list, f.Name)
	}
	return list
}

// Len is how many instructions a function has.
func (c *Code) Len(f string) int32 {
	if fn := c.module.Func(f); fn != nil {
		return int32(len(fn.Insts))
	}
	return 0
}

// Label is the label of the block that begins at an instruction, "" if it has none.
func (c *Code) Label(at Place) string {
	if f := c.module.Func(at.Func); f != nil {
		for i := range f.Blocks {
			if f.Blocks[i].First == at.PC {
				return f.Blocks[i].Label
			}
		}
	}
	return ""
}

// Name is the function as C++ writes it.
func (l *Location) Name() string { return kernelname.Demangle(l.Func) }
