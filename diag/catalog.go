package diag

// This file reads the catalogue of codes: what each code means, with an example.

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed codes.txt
var codesText string

// Entry explains one code. The text form of an entry in codes.txt is
//
//	P1001 UnexpectedCharacter: unexpected character
//	When: one paragraph; indented lines continue it.
//	Spec: 4.1
//	Body:
//		lines of a kernel body that produce the code (or Module:, File:)
//	Fix: what to do about it.
type Entry struct {
	Code     Code
	Name     string // Go constant and stable name, CamelCase
	Title    string // what the message says, in general
	Severity Severity
	When     string // when it occurs
	Spec     string // section of the manual, "" if none
	Scope    Scope  // how much of a module Example is
	Example  string // PTX that produces the code
	Fix      string
}

// Scope says what has to stand around an example to make a module of it.
type Scope uint8

// The scopes of an example.
const (
	ScopeBody   Scope = iota // statements of a kernel
	ScopeModule              // module-level statements after the header
	ScopeFile                // everything
)

var scopeByKey = map[string]Scope{"Body": ScopeBody, "Module": ScopeModule, "File": ScopeFile}

const (
	exampleHeader = ".version 9.1\n.target sm_90a\n.address_size 64\n"
	exampleKernel = `.visible .global .align 8 .b32 gv[4];
.shared .align 16 .b8 sm[64];
.visible .entry example(.param .u64 in, .param .u32 n)
{
	.reg .pred %p<4>;
	.reg .b16 %h<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	.reg .f32 %f<4>;
	.reg .f64 %fd<4>;
`
)

// Module returns the example as a complete file. Body examples stand in a kernel with
// registers %p %h %r %rd %f %fd, a global gv, a shared sm and parameters in and n.
func (e *Entry) Module() string {
	switch e.Scope {
	case ScopeFile:
		return e.Example
	case ScopeModule:
		return exampleHeader + e.Example
	}
	return exampleHeader + exampleKernel + e.Example + "\tret;\n}\n"
}

var catalog = sync.OnceValue(func() []Entry {
	entries, err := parseCatalog(codesText)
	if err != nil {
		panic("BUG: codes.txt: " + err.Error())
	}
	return entries
})

// Catalog returns all entries in ascending order of code. The caller must not change them.
func Catalog() []Entry { return catalog() }

// Lookup finds the entry of a code.
func Lookup(c Code) (*Entry, bool) {
	all := catalog()
	i, ok := slices.BinarySearchFunc(all, c, func(e Entry, c Code) int { return int(e.Code) - int(c) })
	if !ok {
		return nil, false
	}
	return &all[i], true
}

// ParseCode reads a code as users write it: P3004, p3004 or 3004.
func ParseCode(s string) (Code, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(strings.ToUpper(s), "P"), 10, 16)
	if err != nil {
		return 0, false
	}
	_, ok := Lookup(Code(n))
	return Code(n), ok
}

// Named finds an entry by its name, for tests that must not depend on generated constants.
func Named(name string) (*Entry, bool) {
	all := catalog()
	i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

type catalogParser struct {
	entries []Entry
	field   *string // where continuation lines go; nil outside a field
}

func parseCatalog(text string) ([]Entry, error) {
	var p catalogParser
	for n, line := range strings.Split(text, "\n") {
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	slices.SortFunc(p.entries, func(a, b Entry) int { return int(a.Code) - int(b.Code) })
	for i := 1; i < len(p.entries); i++ {
		if p.entries[i].Code == p.entries[i-1].Code {
			return nil, fmt.Errorf("code %v stands twice", p.entries[i].Code)
		}
	}
	return p.entries, nil
}

func (p *catalogParser) line(line string) error {
	switch {
	case strings.HasPrefix(line, "#"):
		return nil
	case strings.TrimSpace(line) == "":
		p.field = nil // a blank line ends every field, examples too
		return nil
	case line[0] == '\t' || line[0] == ' ':
		return p.continuation(line)
	case line[0] == 'P':
		return p.header(line)
	}
	key, value, ok := strings.Cut(line, ":")
	if !ok || len(p.entries) == 0 {
		return fmt.Errorf("not a field: %q", line)
	}
	return p.key(&p.entries[len(p.entries)-1], key, strings.TrimSpace(value))
}

func (p *catalogParser) continuation(line string) error {
	if p.field == nil {
		return fmt.Errorf("a continuation of nothing: %q", line)
	}
	if e := &p.entries[len(p.entries)-1]; p.field == &e.Example {
		if e.Scope != ScopeBody {
			line = strings.TrimPrefix(line, "\t")
		}
		e.Example += line + "\n"
		return nil
	}
	*p.field += " " + strings.TrimSpace(line)
	return nil
}

func (p *catalogParser) header(line string) error {
	head, title, ok := strings.Cut(line, ": ")
	number, name, ok2 := strings.Cut(head, " ")
	n, err := strconv.ParseUint(number[1:], 10, 16)
	if !ok || !ok2 || err != nil {
		return fmt.Errorf("not a header: %q", line)
	}
	p.entries = append(p.entries, Entry{Code: Code(n), Name: name, Title: title})
	p.field = nil
	return nil
}

func (p *catalogParser) key(e *Entry, key, value string) error {
	p.field = nil
	switch key {
	case "When":
		e.When, p.field = value, &e.When
	case "Fix":
		e.Fix, p.field = value, &e.Fix
	case "Spec":
		e.Spec = value
	case "Severity":
		i := slices.Index([]string{"error", "warning", "note"}, value)
		if i < 0 {
			return fmt.Errorf("unknown severity %q", value)
		}
		e.Severity = Severity(i)
	default:
		scope, ok := scopeByKey[key]
		if !ok {
			return fmt.Errorf("unknown key %q", key)
		}
		e.Scope, p.field = scope, &e.Example
	}
	return nil
}
