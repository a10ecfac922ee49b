package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// inside marks declarations of internal/vm that are not forwarded.
const inside = "//face:inside"

// room is internal/vm as it is read.
type room struct {
	fset    *token.FileSet
	path    string // of the package
	pkg     *doc.Package
	imports map[string]string // the name of a package in the sources → the path
}

// read parses the sources in the module's folder.
func read(root string) (*room, error) {
	module, err := modulePath(root)
	if err != nil {
		return nil, err
	}
	r := &room{fset: token.NewFileSet(), path: module + "/internal/vm", imports: map[string]string{}}
	names, err := filepath.Glob(filepath.Join(root, "internal", "vm", "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(r.fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if method := slices.IndexFunc(f.Decls, isInsideMethod); method >= 0 {
			at := r.fset.Position(f.Decls[method].Pos())
			return nil, fmt.Errorf("%v: a method is as public as its type: make a function of it", at)
		}
		f.Decls = slices.DeleteFunc(f.Decls, isInside)
		for _, spec := range f.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			r.imports[path[strings.LastIndexByte(path, '/')+1:]] = path
		}
		files = append(files, f)
	}
	r.pkg, err = doc.NewFromFiles(r.fset, files, r.path)
	return r, err
}

// modulePath reads go.mod.
func modulePath(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module "), nil
}

// isInsideMethod reports whether a declaration is marked and a method.
func isInsideMethod(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Recv != nil && isInside(d)
}

// isInside reports whether a declaration is marked.
func isInside(d ast.Decl) bool {
	var comment *ast.CommentGroup
	switch d := d.(type) {
	case *ast.FuncDecl:
		comment = d.Doc
	case *ast.GenDecl:
		comment = d.Doc
	}
	return comment != nil && slices.ContainsFunc(comment.List, func(c *ast.Comment) bool { return c.Text == inside })
}

// item is one declaration of the face.
type item struct {
	at   token.Position // of the original
	text string
}

// items lists the declarations in the order of the sources.
func (r *room) items() (list []item, err error) {
	w := &writer{room: r}
	add := func(n ast.Node, text string) {
		list = append(list, item{r.fset.Position(n.Pos()), text})
	}
	values := func(values []*doc.Value, typ string) {
		for _, v := range values {
			add(v.Decl, w.values(v, typ))
		}
	}
	functions := func(functions []*doc.Func) {
		for _, f := range functions {
			add(f.Decl, w.function(f))
		}
	}
	values(r.pkg.Consts, "")
	values(r.pkg.Vars, "")
	functions(r.pkg.Funcs)
	for _, t := range r.pkg.Types {
		add(t.Decl.Specs[0], w.typ(t))
		values(t.Consts, t.Name)
		values(t.Vars, t.Name)
		functions(t.Funcs)
	}
	slices.SortStableFunc(list, func(a, b item) int {
		return cmp.Or(strings.Compare(a.at.Filename, b.at.Filename), cmp.Compare(a.at.Offset, b.at.Offset))
	})
	return list, w.err
}
