package main

// This file stamps the lane loops: for every operation that a semantics table names as
// lane(uop.AddF32), three handlers with the function num.AddF32 inlined. A loop that gets it as a
// value is four times slower, so the named call stands in each loop; the table of loops keeps the
// value, from which the tests make the reference implementation.

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// laneFunc is one scalar function: its shape is its signature.
type laneFunc struct {
	name    string // AddSatS32
	expr    string // num.AddSatS32
	params  []int  // bits of each operand
	results []int  // bits of each result; 1 for bool
	stamped bool   // it has loops
}

// carries reports whether the last operand and the last result are the carry flag.
func (f *laneFunc) carries() bool { return len(f.results) == 2 }

// sources returns the operands that are rows.
func (f *laneFunc) sources() []int {
	if f.carries() {
		return f.params[:len(f.params)-1]
	}
	return f.params
}

// lanes returns the text of internal/sem/zlanes.go. root is the module's directory.
func lanes(root string) ([]byte, error) {
	funcs, err := laneFunctions(root)
	if err != nil {
		return nil, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	return stampAll(modfile.ModulePath(mod), funcs)
}

// laneFunctions lists the scalar functions that package sem names as operations, by name.
func laneFunctions(root string) ([]laneFunc, error) {
	var rooms [3][]*ast.File
	for i, name := range []string{"num", "sem", "uop"} {
		var err error
		if rooms[i], err = parseDir(filepath.Join(root, "internal", name)); err != nil {
			return nil, err
		}
	}
	wings, err := filepath.Glob(filepath.Join(root, "internal", "sem", "*", "*.go"))
	if err != nil {
		return nil, err
	}
	named, err := parseFiles(wings) // wings name functions and have none
	if err != nil {
		return nil, err
	}
	list, err := structural(root)
	if err != nil {
		return nil, err
	}
	other := declared(rooms[2])
	for _, o := range list {
		other[o.name] = true
	}
	other[firstLane], other[numOps] = true, true
	return laneFuncs(append(named, rooms[1]...), other, signatures(rooms[0]), signatures(rooms[1]))
}

// parseDir reads the hand-written Go files of a package.
func parseDir(dir string) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	files, err := parseFiles(names)
	if err == nil && files == nil {
		err = fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	return files, err
}

// parseFiles reads those of the files that are hand-written and no tests.
func parseFiles(names []string) ([]*ast.File, error) {
	var files []*ast.File
	fset := token.NewFileSet()
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasPrefix(base, "z") || strings.HasSuffix(base, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func signatures(files []*ast.File) map[string]*ast.FuncType {
	sigs := map[string]*ast.FuncType{}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil {
				sigs[d.Name.Name] = d.Type
			}
		}
	}
	return sigs
}

// laneFuncs collects the names uop.X in files, each once, by name: but for what package uop declares
// itself, each is the scalar function x of package sem, if there is one, or X of package num. Those in
// lane(uop.X) get loops.
func laneFuncs(files []*ast.File, other map[string]bool, num, sem map[string]*ast.FuncType) ([]laneFunc, error) {
	seen := map[string]*laneFunc{}
	var firstErr error
	take := func(e ast.Expr, stamped bool) {
		x, ok := e.(*ast.SelectorExpr)
		if !ok || !isIdent(x.X, "uop") || other[x.Sel.Name] {
			return
		}
		f := seen[x.Sel.Name]
		if f == nil {
			var err error
			if f, err = newLaneFunc(x.Sel.Name, num, sem); err != nil && firstErr == nil {
				firstErr = err
			}
			seen[x.Sel.Name] = f
		}
		f.stamped = f.stamped || stamped
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if len(n.Args) == 1 && isIdent(n.Fun, "lane") {
					take(n.Args[0], true)
				}
			case *ast.SelectorExpr:
				take(n, false)
			}
			return true
		})
	}
	funcs := make([]laneFunc, 0, len(seen))
	for _, f := range seen {
		funcs = append(funcs, *f)
	}
	slices.SortFunc(funcs, func(a, b laneFunc) int { return strings.Compare(a.name, b.name) })
	return funcs, firstErr
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func newLaneFunc(name string, num, sem map[string]*ast.FuncType) (*laneFunc, error) {
	f, own := &laneFunc{name: name, expr: "num." + name}, strings.ToLower(name[:1])+name[1:]
	sig := num[name]
	if sem[own] != nil {
		f.expr, sig = own, sem[own]
	}
	if sig == nil {
		return f, fmt.Errorf("uop.%s: package sem has no function %s, package num no %s", name, own, name)
	}
	f.params, f.results = widths(sig.Params), widths(sig.Results)
	if !f.stampable() {
		return f, fmt.Errorf("uop.%s: the signature of %s fits no shape", name, f.expr)
	}
	return f, nil
}

// widths returns the bits of each field, 0 for a type that no row holds.
func widths(list *ast.FieldList) (bits []int) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		w := 0
		switch {
		case isIdent(field.Type, "uint32"):
			w = 32
		case isIdent(field.Type, "uint64"):
			w = 64
		case isIdent(field.Type, "bool"):
			w = 1
		}
		for range max(len(field.Names), 1) {
			bits = append(bits, w)
		}
	}
	return bits
}

func (f *laneFunc) stampable() bool {
	for _, w := range f.params {
		if w != 32 && w != 64 {
			return false
		}
	}
	n := len(f.sources())
	ok := len(f.results) > 0 && f.results[0] != 0 && n >= 1 && n <= 4
	if f.carries() {
		return ok && f.results[0] != 1 && f.results[1] == 32 && f.params[n] == 32 && n <= 3
	}
	return ok && len(f.results) == 1
}

const lanesHeader = `// Code generated by internal/gen from the semantics tables. DO NOT EDIT.

package sem

import (
	"math/bits"

	"%[1]s/internal/machine"
	"%[1]s/internal/num"
	"%[1]s/internal/uop"
)

`

func stampAll(module string, funcs []laneFunc) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, lanesHeader, module)
	// Only what stands before the first has its key: so a new function changes no line.
	b.WriteString("// stamps has every scalar function with its loops, in the order of their operations.\n")
	b.WriteString("var stamps = [uop.NumOps]stamp{\nuop.FirstLane - 1: {},\n\n")
	for _, f := range funcs {
		fmt.Fprintf(&b, "{fn: %s", f.expr)
		if f.stamped {
			fmt.Fprintf(&b, ", handlers: handlers{full%[1]s, part%[1]s, scalar%[1]s}", f.name)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	for i := range funcs {
		if funcs[i].stamped {
			funcs[i].stamp(&b)
		}
	}
	return format.Source(b.Bytes())
}

// unroll is how many lanes one turn of a full loop does: four is 1.7 times as fast as
// one, eight no faster (32-bit add: 15, 26 and 15 ns a warp).
const unroll = 4

func (f *laneFunc) stamp(b *bytes.Buffer) {
	f.handler(b, "full", func() { f.fullLoop(b) })
	f.handler(b, "part", func() { f.partLoop(b) })
	f.scalar(b)
}

// handler writes a row handler around its loop.
func (f *laneFunc) handler(b *bytes.Buffer, kind string, loop func()) {
	fmt.Fprintf(b, "\nfunc %s%s(w *machine.Warp, in *machine.Inst) machine.State {\n", kind, f.name)
	names, values := []string{}, []string{}
	if !f.compares() {
		names, values = append(names, "d"), append(values, fmt.Sprintf("w.R%d(in.D)", f.results[0]))
	}
	for i, w := range f.sources() {
		names, values = append(names, operands[i].name), append(values, fmt.Sprintf("w.R%d(%s)", w, operands[i].offset))
	}
	fmt.Fprintf(b, "%s := %s\n", strings.Join(names, ", "), strings.Join(values, ", "))
	loop()
	b.WriteString("return machine.Next\n}\n")
}

// operands are the sources in written order: the name in a loop and the field of the
// decoded instruction with its offset. A fourth one is in the immediate; so are the
// carry flags, which no function with four sources has.
var operands = [4]struct{ name, offset string }{
	{"a", "in.A"}, {"b", "in.B"}, {"c", "in.C"}, {"e", "uint32(in.Imm)"},
}

func (f *laneFunc) compares() bool { return f.results[0] == 1 }

// args returns the call's arguments for lane index i.
func (f *laneFunc) args(i string) string {
	var list []string
	for k := range f.sources() {
		list = append(list, operands[k].name+"["+i+"]")
	}
	return strings.Join(list, ", ")
}

func (f *laneFunc) fullLoop(b *bytes.Buffer) {
	switch {
	case f.carries():
		fmt.Fprintf(b, "in1, out := *w.P(uint32(in.Imm)), w.P(uint32(in.Imm>>32))\nvar carry uint32\n")
		fmt.Fprintf(b, "for i := range d {\nv, k := %s(%s, in1>>i&1)\nd[i] = v\ncarry |= k << i\n}\n*out = carry\n", f.expr, f.args("i"))
	case f.compares():
		fmt.Fprintf(b, "var m uint32\nfor i := %d; i >= 0; i -= %d {\n", 32-unroll, unroll)
		for k := unroll - 1; k >= 0; k-- {
			fmt.Fprintf(b, "m = m<<1 + Bit(%s(%s))\n", f.expr, f.args(laneIndex(k)))
		}
		b.WriteString("}\n*w.P(in.D) = m\n")
	default:
		fmt.Fprintf(b, "for i := 0; i < 32; i += %d {\n", unroll)
		for k := range unroll {
			at := laneIndex(k)
			fmt.Fprintf(b, "d[%s] = %s(%s)\n", at, f.expr, f.args(at))
		}
		b.WriteString("}\n")
	}
}

func laneIndex(k int) string {
	if k == 0 {
		return "i"
	}
	return fmt.Sprintf("i+%d", k)
}

// partLoop visits the active lanes only, most shapes through part1 to part3 of lane.go.
func (f *laneFunc) partLoop(b *bytes.Buffer) {
	each := "for m := w.Mask; m != 0; m &= m - 1 {\ni := bits.TrailingZeros32(m) & 31\n"
	switch {
	case f.carries():
		fmt.Fprintf(b, "in1, out := *w.P(uint32(in.Imm)), w.P(uint32(in.Imm>>32))\nvar carry uint32\n")
		fmt.Fprintf(b, "%sv, k := %s(%s, in1>>i&1)\nd[i] = v\ncarry |= k << i\n}\n", each, f.expr, f.args("i"))
		b.WriteString("*out = *out&^w.Mask | carry\n")
	case f.compares():
		fmt.Fprintf(b, "var r uint32\n%sr |= Bit(%s(%s)) << i\n}\n", each, f.expr, f.args("i"))
		b.WriteString("p := w.P(in.D)\n*p = *p&^w.Mask | r\n")
	case len(f.params) > 3:
		fmt.Fprintf(b, "%sd[i] = %s(%s)\n}\n", each, f.expr, f.args("i"))
	default:
		fmt.Fprintf(b, "part%d(w.Mask, d, %s, %s)\n", len(f.params), strings.Join(f.rows(), ", "), f.expr)
	}
}

// rows names the source rows.
func (f *laneFunc) rows() (names []string) {
	for k := range f.sources() {
		names = append(names, operands[k].name)
	}
	return names
}

// scalar writes the handler that executes once, on scalar slots.
func (f *laneFunc) scalar(b *bytes.Buffer) {
	var list []string
	for i, w := range f.sources() {
		list = append(list, fmt.Sprintf("*w.S%d(%s)", w, operands[i].offset))
	}
	args := strings.Join(list, ", ")
	fmt.Fprintf(b, "\nfunc scalar%s(w *machine.Warp, in *machine.Inst) machine.State {\n", f.name)
	switch {
	case f.carries():
		fmt.Fprintf(b, "d, k := %s(%s, Bit(*w.P(uint32(in.Imm))&w.Mask != 0))\n", f.expr, args)
		fmt.Fprintf(b, "*w.S%d(in.D), *w.P(uint32(in.Imm>>32)) = d, -k\n", f.results[0])
	case f.compares():
		fmt.Fprintf(b, "*w.P(in.D) = -Bit(%s(%s))\n", f.expr, args)
	default:
		fmt.Fprintf(b, "*w.S%d(in.D) = %s(%s)\n", f.results[0], f.expr, args)
	}
	b.WriteString("return machine.Next\n}\n")
}
