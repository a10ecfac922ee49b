package launches_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// decodedRooms hold decoded code or read it.
var decodedRooms = []string{"uop", "machine", "sem", "sem/*", "observe", "decode", "jit"}

// TestIdentity: what a decoded instruction is, its operation says. No room finds out by the address of a function, the
// linker's name for it, or the dynamic type of a field that could be anything.
func TestIdentity(t *testing.T) {
	for _, room := range decodedRooms {
		files, err := filepath.Glob("internal/" + room + "/*.go")
		if err != nil || files == nil {
			t.Fatalf("internal/%s: no files (%v)", room, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			checkIdentity(t, fset, f)
		}
	}
}

// decodedTypes are the types of an instruction; so are all of package uop.
var decodedTypes = map[string]bool{"Inst": true, "Ext": true, "Spread": true, "High": true, "CallSite": true, "Move": true}

func checkIdentity(t *testing.T, fset *token.FileSet, f *ast.File) {
	for _, i := range f.Imports {
		if i.Path.Value == `"reflect"` {
			t.Errorf("%v: reflection in a room of decoded code", fset.Position(i.Pos()))
		}
	}
	room := f.Name.Name
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel.Name == "FuncForPC" {
				t.Errorf("%v: the name of a function says what an instruction is", fset.Position(n.Pos()))
			}
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok && (room == "uop" || room == "machine" && decodedTypes[n.Name.Name]) {
				checkFields(t, fset, n.Name.Name, s)
			}
		}
		return true
	})
}

// checkFields wants no field that may hold anything.
func checkFields(t *testing.T, fset *token.FileSet, name string, s *ast.StructType) {
	ast.Inspect(s, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		empty, isInterface := n.(*ast.InterfaceType)
		if ok && id.Name == "any" || isInterface && len(empty.Methods.List) == 0 {
			t.Errorf("%v: %s has a field that may hold anything", fset.Position(n.Pos()), name)
		}
		return true
	})
}
