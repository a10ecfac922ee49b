package mutants

// Many mutants in one program: building the tests takes longer than running them until one
// fails. Each mutated function stands beside the original under another name, and in its
// place is one that calls what the environment names.

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
)

// pickVariable is the variable of the environment: a mutant's number on the sheet; 0 is none.
const pickVariable = "PTXVM_MUTANT"

// pickText is the file that every mutated package gets.
const pickText = `package %s

import (
	"os"
	"strconv"
)

var zmutant, _ = strconv.Atoi(os.Getenv("` + pickVariable + `"))

// zpick is the first of the values, or the one of the mutant that the environment names.
func zpick[T any](mutants []int, values ...T) T {
	for i, m := range mutants {
		if m == zmutant {
			return values[i+1]
		}
	}
	return values[0]
}
`

// sheet is one program's mutants.
type sheet struct {
	files map[string][]byte // by name from the module root
	on    map[int]*Mutant   // by number, from 1
	alone []*Mutant         // those that need a program of their own
}

// newSheet combines mutants of one room; sources are its files.
func newSheet(sources []*source, ms []*Mutant) *sheet {
	s := &sheet{files: map[string][]byte{}, on: map[int]*Mutant{}}
	for _, src := range sources {
		p := page{source: src}
		for i, m := range ms {
			if m.File != src.name {
				continue
			}
			if p.place(i+1, m) {
				s.on[i+1] = m
			} else {
				s.alone = append(s.alone, m)
			}
		}
		if len(p.groups) > 0 {
			s.files[src.name] = p.text()
			s.files[path.Join(path.Dir(src.name), "zmutant.go")] = fmt.Appendf(nil, pickText, src.tree.Name.Name)
		}
	}
	return s
}

// page is one file with its mutants, grouped by what they change.
type page struct {
	*source
	groups []*group
}

// group is the mutants of one function, or of the value of one variable.
type group struct {
	fn      *ast.FuncDecl
	value   *ast.ValueSpec
	numbers []int
	ms      []*Mutant
}

// place puts a mutant on the page; false if it changes anything but the body of a function
// or the value of a variable.
func (p *page) place(number int, m *Mutant) bool {
	for _, d := range p.tree.Decls {
		if m.start < p.offset(d.Pos()) || m.start >= p.offset(d.End()) {
			continue
		}
		g := p.groupOf(d, m)
		if g == nil {
			return false
		}
		g.numbers, g.ms = append(g.numbers, number), append(g.ms, m)
		return true
	}
	return false
}

func (p *page) groupOf(d ast.Decl, m *Mutant) *group {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.Name != "init" {
			return p.group(d, nil)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if ok && d.Tok.String() == "var" && len(v.Names) == 1 && m.start >= p.offset(v.Pos()) && m.start < p.offset(v.End()) {
				return p.group(nil, v)
			}
		}
	}
	return nil
}

// group finds the group of a declaration, or opens it.
func (p *page) group(fn *ast.FuncDecl, v *ast.ValueSpec) *group {
	for _, g := range p.groups {
		if g.fn == fn && g.value == v {
			return g
		}
	}
	g := &group{fn: fn, value: v}
	p.groups = append(p.groups, g)
	return g
}

// text is the file with all its mutants. Groups are in no order: edits are applied from the
// last one to the first.
func (p *page) text() []byte {
	var behind strings.Builder
	edits := map[int]*Mutant{} // by start
	for _, g := range p.groups {
		if g.fn != nil {
			at := p.offset(g.fn.Name.End())
			edits[at] = &Mutant{start: at, end: at, repl: "__0"}
			behind.WriteString(p.functions(g))
		} else {
			start, end := p.offset(g.value.Values[0].Pos()), p.offset(g.value.Values[0].End())
			edits[start] = &Mutant{start: start, end: end, repl: p.values(g, start, end)}
		}
	}
	out := p.source.text
	for at := len(out); at >= 0; at-- {
		if e := edits[at]; e != nil {
			out = e.apply(out)
		}
	}
	return append(out, behind.String()...)
}

// values is a call that picks the value of a variable.
func (p *page) values(g *group, start, end int) string {
	var b strings.Builder
	b.WriteString("zpick")
	if g.value.Type != nil {
		b.WriteString("[" + p.slice(g.value.Type) + "]")
	}
	numbers := strings.ReplaceAll(strings.Trim(fmt.Sprint(g.numbers), "[]"), " ", ", ")
	fmt.Fprintf(&b, "([]int{%s}, %s", numbers, p.source.text[start:end])
	for i, m := range g.ms {
		mutated := m.apply(p.source.text)
		fmt.Fprintf(&b, ",\n//line mutant%d.go:1\n%s", g.numbers[i], mutated[start:end+len(mutated)-len(p.source.text)])
	}
	b.WriteString(",\n//line behind.go:1\n)")
	return b.String()
}

// functions is the mutated copies of a function, and the one that calls them.
func (p *page) functions(g *group) string {
	var b strings.Builder
	from, name, end := p.offset(g.fn.Pos()), p.offset(g.fn.Name.End()), p.offset(g.fn.End())
	for i, m := range g.ms {
		mutated := m.apply(p.source.text)
		fmt.Fprintf(&b, "\n//line mutant%d.go:1\n%s__%d%s\n", g.numbers[i], mutated[from:name], g.numbers[i],
			mutated[name:end+len(mutated)-len(p.source.text)])
	}
	receiver, callee := p.receiver(g.fn)
	params, arguments := p.parameters(g.fn.Type.Params)
	fmt.Fprintf(&b, "\n//line behind.go:1\nfunc %s%s%s(%s)", receiver, g.fn.Name.Name, p.typeParameters(g.fn.Type), params)
	call := func(number int) string { return fmt.Sprintf("%s%s__%d(%s)", callee, g.fn.Name.Name, number, arguments) }
	give := "%s; return"
	if r := g.fn.Type.Results; r != nil {
		b.WriteString(" (" + strings.Join(fieldTypes(p.source, r), ", ") + ")")
		give = "return %s"
	}
	b.WriteString(" {\n\tswitch zmutant {\n")
	for _, n := range g.numbers {
		fmt.Fprintf(&b, "\tcase %d:\n\t\t"+give+"\n", n, call(n))
	}
	fmt.Fprintf(&b, "\t}\n\t"+give+"\n}\n", call(0))
	return b.String()
}

// receiver is "(c *T) " and "c.", both empty for a function.
func (p *page) receiver(fn *ast.FuncDecl) (declared, callee string) {
	if fn.Recv == nil {
		return "", ""
	}
	return "(zr " + p.slice(fn.Recv.List[0].Type) + ") ", "zr."
}

func (p *page) typeParameters(t *ast.FuncType) string {
	if t.TypeParams == nil {
		return ""
	}
	return p.slice(t.TypeParams)
}

// parameters are declared under names of their own, and handed on.
func (p *page) parameters(l *ast.FieldList) (declared, handed string) {
	var names, decls []string
	for i, t := range fieldTypes(p.source, l) {
		name := fmt.Sprintf("z%d", i)
		decls = append(decls, name+" "+t)
		if strings.HasPrefix(t, "...") {
			name += "..."
		}
		names = append(names, name)
	}
	return strings.Join(decls, ", "), strings.Join(names, ", ")
}
