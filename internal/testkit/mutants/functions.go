package mutants

// What is known of the functions that a room can name: their signatures and neighbours.

import (
	"go/ast"
	"slices"
	"strings"
)

// function is a package-level function.
type function struct {
	name    string // as the room writes it: Add32, num.Add32
	params  []string
	results string
	file    *source
}

// signature is equal for functions that can stand for each other.
func (f *function) signature() string { return strings.Join(f.params, ",") + ":" + f.results }

// unary reports whether the function maps a value to another of the same type.
func (f *function) unary() bool { return len(f.params) == 1 && f.params[0] == f.results }

// functions are in declaration order.
type functions struct {
	list   []*function
	byName map[string]*function
}

// add records the functions of a package; prefix is how the room qualifies them.
func (k *functions) add(prefix string, files []*source) {
	if k.byName == nil {
		k.byName = map[string]*function{}
	}
	for _, s := range files {
		for _, d := range s.tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Type.TypeParams != nil || prefix != "" && !fn.Name.IsExported() {
				continue
			}
			f := &function{
				name: prefix + fn.Name.Name, file: s,
				params: fieldTypes(s, fn.Type.Params), results: strings.Join(fieldTypes(s, fn.Type.Results), ","),
			}
			k.list, k.byName[f.name] = append(k.list, f), f
		}
	}
}

// addOperations records the functions that files name as operations: uop.AddF32 is num.AddF32, or the
// room's own addF32.
func (k *functions) addOperations(files []*source) {
	const uop = "uop."
	for _, s := range files {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			name, ok := strings.CutPrefix(reference(n), uop)
			if !ok || k.byName[uop+name] != nil {
				return true
			}
			of := k.byName[strings.ToLower(name[:1])+name[1:]]
			if of == nil {
				of = k.byName["num."+name]
			}
			if of != nil {
				f := *of
				f.name = uop + name
				k.list, k.byName[f.name] = append(k.list, &f), &f
			}
			return true
		})
	}
}

// fieldTypes returns the type of each parameter, in source form.
func fieldTypes(s *source, l *ast.FieldList) (out []string) {
	if l == nil {
		return nil
	}
	for _, f := range l.List {
		for range max(1, len(f.Names)) {
			out = append(out, s.slice(f.Type))
		}
	}
	return out
}

// neighbour returns the function declared next to f in its file, cyclically, that has the
// same signature and is not the one excluded; nil if there is none.
func (k *functions) neighbour(f *function, exclude string) *function {
	at := slices.Index(k.list, f)
	for i := range len(k.list) - 1 {
		g := k.list[(at+1+i)%len(k.list)]
		if g.file == f.file && g.name != exclude && g.signature() == f.signature() {
			return g
		}
	}
	return nil
}
