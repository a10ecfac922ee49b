package sem

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/uop"
)

// reached are the methods of a warp that handlers of a class may call, each class those before it too.
var reached = map[uop.Reach][]string{
	uop.ReachRows: {"R32", "R64", "S32", "S64", "P"},
	uop.ReachMemory: {
		"Access", "AccessUniform", "Widen", "Addresses", "Fault", "Params", "LocalBase", "ParamBase", "LocalRow", "ParamRow",
		"CountSums", "OwnsLocal", "Stack", "StackLimit", "Arena", "GlobalAt", "Launch", "Image", "Texture", "HandleKind",
		"Rest", "Block", "Place", "Observing", "Observe",
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

// TestReach: a handler and all that it calls in this package ask the warp for no more than the class of
// its operation says.
func TestReach(t *testing.T) {
	source, table := handlerSource(t)
	if len(table) < 100 {
		t.Fatalf("only %d operations are found in handlers.go", len(table))
	}
	for name, handlers := range table {
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
			source.follow(source.scope.Lookup(h), map[types.Object]bool{}, asks)
			for m := range asks {
				if !slices.Contains(may, m) {
					t.Errorf("uop.%s reaches more than its class %d says: %s asks the warp for %s", name, op.Reach(), h, m)
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

// source is the package with what its names mean.
type source struct {
	info  types.Info
	funcs map[types.Object]*ast.FuncDecl
	scope *types.Scope
}

// handlerSource type-checks the package: its functions, and the handlers of the operations in handlers.go.
func handlerSource(t *testing.T) (*source, map[string][]string) {
	s, table := &source{funcs: map[types.Object]*ast.FuncDecl{}}, map[string][]string{}
	s.info.Uses, s.info.Defs = map[*ast.Ident]types.Object{}, map[*ast.Ident]types.Object{}
	fset, files := token.NewFileSet(), []*ast.File(nil)
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if files = append(files, f); name == "handlers.go" {
			ast.Inspect(f, func(n ast.Node) bool { addHandlers(table, n); return true })
		}
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check("sem", fset, files, &s.info)
	if err != nil {
		t.Fatal(err)
	}
	s.scope = pkg.Scope()
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				s.funcs[s.info.Defs[d.Name]] = d
			}
		}
	}
	return s, table
}

// addHandlers takes a line of the table: uop.X: {full: f, …}.
func addHandlers(table map[string][]string, n ast.Node) {
	kv, ok := n.(*ast.KeyValueExpr)
	if !ok {
		return
	}
	key, ok := kv.Key.(*ast.SelectorExpr)
	line, isLine := kv.Value.(*ast.CompositeLit)
	if !ok || !isLine {
		return
	}
	for _, e := range line.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if id, ok := e.(*ast.Ident); ok {
			table[key.Sel.Name] = append(table[key.Sel.Name], id.Name)
		}
	}
}

// follow collects what a function, and all of the package that it names, asks a warp for.
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
