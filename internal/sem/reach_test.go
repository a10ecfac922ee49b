package sem_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// reached are the methods of a warp that handlers of a class may call, each class those before it too.
var reached = map[uop.Reach][]string{
	uop.ReachRows: {"R32", "R64", "S32", "S64", "P"},
	uop.ReachMemory: {
		"Access", "AccessUniform", "Widen", "Addresses", "Fault", "Params", "LocalBase", "ParamBase", "LocalRow", "ParamRow",
		"CountSums", "OwnsLocal", "Stack", "StackLimit", "Arena", "GlobalAt", "Launch", "Images",
		"Rest", "Block", "Place", "PlaceOf", "FrameKey", "Observing", "Observe",
	},
	uop.ReachWarp: {"Gather", "Collective", "Watchful", "ShuffleMisuse"},
	uop.ReachAsync: {
		"AsyncMode", "Issue", "OpsEndAtOnce", "OneAllocation", "CommitGroup", "WaitGroups", "WaitPipe", "Keep", "Rows", "Index", "ClusterSize", "SharedMemory", "Tensor", "PeerTensor",
		"MbarrierAt", "Resumed", "Suspend", "WatchInit", "WatchMbarrier", "WatchParity", "WatchToken", "Leaks", "Asked", "FencedProducts", "UnfencedProduct", "ProductRows", "Collect", "GroupProduct",
		"Hold", "Submit", "WaitReads",
	},
	uop.ReachClock: {"Special"},
	uop.ReachWhole: {"Barrier", "ClusterBarrier", "TensorAllocate", "TensorRelinquish", "Sleep", "ChangeRegisters"},
	uop.ReachCalls: {"Call"},
}

// TestReach: a handler and all that it calls in this package and its wings ask the warp for no more than the class of
// its operation says.
func TestReach(t *testing.T) {
	source := handlerSource(t)
	if len(source.handlers) < 100 {
		t.Fatalf("only %d operations are found in handlers.go and those of the wings", len(source.handlers))
	}
	for name, handlers := range source.handlers {
		op := opNamed(t, name)
		for _, h := range handlers {
			may := slices.Concat(reached[uop.ReachRows], reached[uop.ReachMemory])
			switch op.Reach() {
			case uop.ReachAll:
				continue
			case uop.ReachRows:
				may = reached[uop.ReachRows]
			case uop.ReachWarp:
				may = append(may, reached[uop.ReachWarp]...)
			case uop.ReachAsync:
				may = slices.Concat(may, reached[uop.ReachWarp], reached[uop.ReachAsync])
			case uop.ReachClock:
				may = append(may, reached[uop.ReachClock]...)
			case uop.ReachWhole:
				may = slices.Concat(may, reached[uop.ReachWarp], reached[uop.ReachAsync], reached[uop.ReachWhole])
			case uop.ReachCalls:
				may = slices.Concat(reached[uop.ReachRows], reached[uop.ReachCalls])
			}
			asks := map[string]bool{}
			source.follow(h, map[types.Object]bool{}, asks)
			for m := range asks {
				if !slices.Contains(may, m) {
					t.Errorf("uop.%s reaches more than its class %d says: %s asks the warp for %s", name, op.Reach(), h.Name(), m)
				}
			}
		}
	}
}

func opNamed(t *testing.T, name string) uop.Op {
	for op := range uop.NumOps {
		if op.String() == name {
			return op
		}
	}
	t.Fatalf("no operation is called %s", name)
	return uop.None
}

// source is this package and its wings, with what their names mean.
type source struct {
	info     types.Info
	funcs    map[types.Object]*ast.FuncDecl
	handlers map[string][]types.Object // by operation
	checked  map[string]*types.Package
	other    types.ImporterFrom
}

// Import implements types.Importer.
func (s *source) Import(path string) (*types.Package, error) { return s.ImportFrom(path, ".", 0) }

// ImportFrom implements types.ImporterFrom: a wing means the functions of this package that have been read, not those of a copy.
func (s *source) ImportFrom(path, dir string, mode types.ImportMode) (*types.Package, error) {
	if p := s.checked[path]; p != nil {
		return p, nil
	}
	return s.other.ImportFrom(path, dir, mode)
}

// handlerSource type-checks this package and its wings: their functions, and the handlers of their operations.
func handlerSource(t *testing.T) *source {
	s := &source{funcs: map[types.Object]*ast.FuncDecl{}, handlers: map[string][]types.Object{}, checked: map[string]*types.Package{}}
	s.info.Uses, s.info.Defs = map[*ast.Ident]types.Object{}, map[*ast.Ident]types.Object{}
	fset := token.NewFileSet()
	s.other = importer.ForCompiler(fset, "source", nil).(types.ImporterFrom)
	wings, err := filepath.Glob("*/handlers.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"handlers.go"}, wings...) {
		if err := s.read(fset, filepath.Dir(name)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// read type-checks the package in a folder.
func (s *source) read(fset *token.FileSet, dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	path := reflect.TypeFor[sem.Line]().PkgPath()
	if dir != "." {
		path += "/" + dir
	}
	config := types.Config{Importer: s}
	if s.checked[path], err = config.Check(path, fset, files, &s.info); err != nil {
		return err
	}
	for i, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				s.funcs[s.info.Defs[d.Name]] = d
			}
		}
		if base := filepath.Base(fset.Position(files[i].Pos()).Filename); base == "handlers.go" {
			ast.Inspect(f, s.addHandlers)
		}
	}
	return nil
}

// addHandlers takes a line of a table: uop.X: {full: f, …} of this package, uop.X: f of a wing.
func (s *source) addHandlers(n ast.Node) bool {
	kv, ok := n.(*ast.KeyValueExpr)
	if !ok {
		return true
	}
	key, ok := kv.Key.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	list := []ast.Expr{kv.Value}
	if line, ok := kv.Value.(*ast.CompositeLit); ok {
		list = line.Elts
	}
	for _, e := range list {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if id, ok := e.(*ast.Ident); ok {
			s.handlers[key.Sel.Name] = append(s.handlers[key.Sel.Name], s.info.Uses[id])
		}
	}
	return true
}

// follow collects what a function, and all of these packages that it names, asks a warp for.
func (s *source) follow(f types.Object, seen map[types.Object]bool, asks map[string]bool) {
	d := s.funcs[f]
	if seen[f] || d == nil {
		return
	}
	seen[f] = true
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		used, ok := s.info.Uses[id].(*types.Func)
		if !ok {
			return true
		}
		if recv := used.Signature().Recv(); recv != nil && strings.HasSuffix(recv.Type().String(), "machine.Warp") {
			asks[used.Name()] = true
		}
		s.follow(used.Origin(), seen, asks)
		return true
	})
}
