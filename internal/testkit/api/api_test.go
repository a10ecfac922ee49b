// Package api holds the public packages to what users may rely on: types that can be imported, and the API as it is written down.
package api

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

var update = flag.Bool("update", false, "write the API down as it is")

// public are the packages of the API, by what stands behind the module's path.
var public = []string{"", "/diag", "/isainfo", "/ptxfmt", "/ptxtest", "/report"}

// module is what the module is called.
var module = strings.TrimSuffix(reflect.TypeFor[ptxvm.Module]().PkgPath(), "/internal/vm")

// TestPublic: every package outside internal is public, an example, a command, a measurement, or the pages.
func TestPublic(t *testing.T) {
	known := map[string]bool{}
	for _, p := range public {
		known[module+p] = true
	}
	for _, path := range strings.Fields(run(t, "go", "list", module+"/...")) {
		room := strings.TrimPrefix(path, module)
		first, _, _ := strings.Cut(strings.TrimPrefix(room, "/"), "/")
		own := first == "internal" || first == "cmd" || first == "examples" || first == "bench" || first == "docs"
		if !own && !known[path] {
			t.Errorf("%s can be imported and is no public package", path)
		}
	}
}

// TestReachable: what a user can name, call or get from the API has a type that the user can name, too: by its package, or by an
// alias in a public one.
func TestReachable(t *testing.T) {
	imp := exported(t)
	var packages []*types.Package
	for _, p := range public {
		pkg, err := imp.Import(module + p)
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, pkg)
	}
	named := aliased(packages)
	for _, pkg := range packages {
		for _, bad := range unreachable(pkg, named) {
			t.Error(bad)
		}
	}
}

// aliased are the types that packages have an exported alias of.
func aliased(packages []*types.Package) map[*types.TypeName]bool {
	named := map[*types.TypeName]bool{}
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || !obj.Exported() || !obj.IsAlias() {
				continue
			}
			if t, ok := types.Unalias(obj.Type()).(*types.Named); ok {
				named[t.Obj()] = true
			}
		}
	}
	return named
}

// TestAliased: a type of internal may be reached where a public package has an alias of it, and no other.
func TestAliased(t *testing.T) {
	inside, public := types.NewPackage(module+"/internal/secret", "secret"), types.NewPackage(module, "ptxvm")
	named := func(name string, typ types.Type) *types.Named {
		return types.NewNamed(types.NewTypeName(token.NoPos, inside, name, nil), typ, nil)
	}
	hidden := named("Hidden", types.NewStruct(nil, nil))
	shown := named("Shown", types.NewStruct([]*types.Var{types.NewField(token.NoPos, inside, "F", hidden, false)}, nil))
	alias := types.NewTypeName(token.NoPos, public, "Shown", nil)
	types.NewAlias(alias, shown)
	public.Scope().Insert(alias)
	bad := unreachable(public, aliased([]*types.Package{public}))
	if len(bad) != 1 || !strings.HasSuffix(bad[0], "secret.Hidden") {
		t.Errorf("got %q, want the field's type alone", bad)
	}
	if bad := unreachable(public, nil); len(bad) != 2 {
		t.Errorf("without aliases: %q, want both types", bad)
	}
}

// TestReachableFinds: each way in which a type can be reached is walked.
func TestReachableFinds(t *testing.T) {
	inside := types.NewPackage(module+"/internal/secret", "secret")
	secret := types.NewNamed(types.NewTypeName(token.NoPos, inside, "T", nil), types.NewStruct(nil, nil), nil)
	field := func(exported bool, typ types.Type) types.Type {
		name := map[bool]string{true: "F", false: "f"}[exported]
		return types.NewStruct([]*types.Var{types.NewField(token.NoPos, inside, name, typ, false)}, nil)
	}
	signature := func(result types.Type) *types.Signature {
		return types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewVar(token.NoPos, inside, "", result)), false)
	}
	for name, c := range map[string]struct {
		typ  types.Type
		want int
	}{
		"itself": {secret, 1}, "pointer": {types.NewPointer(secret), 1}, "slice": {types.NewSlice(secret), 1}, "array": {types.NewArray(secret, 2), 1},
		"map": {types.NewMap(types.Typ[types.Int], secret), 1}, "channel": {types.NewChan(types.SendOnly, secret), 1}, "function": {signature(secret), 1},
		"field": {field(true, secret), 1}, "hidden field": {field(false, secret), 0}, "nothing": {types.Typ[types.Int], 0},
		"interface": {types.NewInterfaceType([]*types.Func{types.NewFunc(token.NoPos, inside, "M", signature(secret))}, nil), 1},
	} {
		w := walk{where: name, seen: map[types.Type]bool{}}
		if w.typ(c.typ); len(w.bad) != c.want {
			t.Errorf("%s: %q, want %d", name, w.bad, c.want)
		}
	}
}

// exported imports packages from what the compiler has written of them.
func exported(t *testing.T) types.Importer {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, p := range public {
		args = append(args, module+p)
	}
	files := map[string]string{}
	for line := range strings.Lines(run(t, "go", args...)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = "../../..", &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.Bytes())
	}
	return string(out)
}

// unreachable lists what a package exports and a user cannot import; named are types that a public package has an alias of.
func unreachable(pkg *types.Package, named map[*types.TypeName]bool) (bad []string) {
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			w := walk{where: pkg.Path() + "." + name, known: named, seen: map[types.Type]bool{}}
			w.typ(obj.Type())
			bad = append(bad, w.bad...)
		}
	}
	return bad
}

// walk follows types as far as a user can see.
type walk struct {
	where string
	known map[*types.TypeName]bool // types of internal that a user has a name for
	seen  map[types.Type]bool
	bad   []string
}

func (w *walk) typ(typ types.Type) {
	if typ == nil || w.seen[typ] {
		return
	}
	w.seen[typ] = true
	switch t := typ.(type) {
	case *types.Alias: // another name, of what must have one itself
		w.typ(t.Rhs())
	case *types.Named:
		w.named(t)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				w.typ(f.Type())
			}
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				w.typ(v.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			w.typ(m.Type())
		}
	case *types.Map:
		w.typ(t.Key())
		w.typ(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.typ(t.Elem())
	case *types.TypeParam:
		w.typ(t.Constraint())
	}
}

// named looks at a type's name, and inside if it is one of ours.
func (w *walk) named(t *types.Named) {
	w.name(t.Obj())
	if pkg := t.Obj().Pkg(); pkg == nil || pkg.Path() != module && !strings.HasPrefix(pkg.Path(), module+"/") {
		return
	}
	w.typ(t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			w.typ(m.Type())
		}
	}
}

func (w *walk) name(obj *types.TypeName) {
	if pkg := obj.Pkg(); pkg != nil && !w.known[obj] && (strings.Contains(pkg.Path()+"/", "/internal/") || !obj.Exported()) {
		w.bad = append(w.bad, w.where+" reaches "+pkg.Path()+"."+obj.Name())
	}
}

// codes are the lines of diag's codes, which have a catalogue of their own.
var codes = regexp.MustCompile(`(?m)^\t\w+ +Code = \d+ //.*\n`)

// TestDoc: the API is what testdata says, so that a change of it is seen in review. -update writes it down.
func TestDoc(t *testing.T) {
	for _, p := range public {
		file := filepath.Join("testdata", filepath.Base("ptxvm"+p)+".txt")
		have := codes.ReplaceAllString(strings.ReplaceAll(run(t, "go", "doc", "-all", module+p), module, "ptxvm"), "")
		if *update {
			if err := os.WriteFile(file, []byte(have), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil || have != string(want) {
			t.Errorf("the API of ptxvm%s is not what %s says (%v); go test ./internal/testkit/api -update writes it%s", p, file, err, firstChange(have, string(want)))
		}
	}
}

// firstChange is the first line that differs.
func firstChange(have, want string) string {
	lines := strings.Split(want, "\n")
	for i, line := range strings.Split(have, "\n") {
		if i >= len(lines) || lines[i] != line {
			return "\nhas: " + line
		}
	}
	return "\nlines are missing"
}

// TestDocumented: every exported type, function, method and constant group of the public packages has a comment.
func TestDocumented(t *testing.T) {
	for _, p := range public {
		fset := token.NewFileSet()
		var files []*ast.File
		names := strings.Fields(run(t, "go", "list", "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}} {{end}}`, module+p))
		for _, name := range names {
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		d, err := doc.NewFromFiles(fset, files, module+p)
		if err != nil {
			t.Fatal(err)
		}
		if d.Doc == "" {
			t.Errorf("package %s has no comment", module+p)
		}
		for _, name := range undocumented(d) {
			t.Errorf("ptxvm%s: %s has no comment", p, name)
		}
	}
}

// undocumented lists the names without a comment. A group of constants or variables needs one comment.
func undocumented(d *doc.Package) (bad []string) {
	functions := func(prefix string, list []*doc.Func) {
		for _, f := range list {
			if f.Doc == "" {
				bad = append(bad, prefix+f.Name)
			}
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			if v.Doc == "" && !slices.ContainsFunc(v.Decl.Specs, func(s ast.Spec) bool { return s.(*ast.ValueSpec).Doc != nil }) {
				bad = append(bad, v.Names[0])
			}
		}
	}
	functions("", d.Funcs)
	values(d.Consts)
	values(d.Vars)
	for _, typ := range d.Types {
		if typ.Doc == "" {
			bad = append(bad, typ.Name)
		}
		functions("", typ.Funcs)
		functions(typ.Name+".", typ.Methods)
		values(typ.Consts)
		values(typ.Vars)
	}
	return bad
}
