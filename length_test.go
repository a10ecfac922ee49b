package ptxvm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// longest is how many lines a function may have.
const longest = 60

// tables are functions that are nothing but rows of data.
var tables = []string{"floatLines", "intLines", "halfLines", "comparisons", "Cases"}

// TestFunctionLength holds functions to a length that is read at once, but for tables of data, tests, and what of the compiler is
// to be replaced.
func TestFunctionLength(t *testing.T) {
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == filepath.Join("internal", "jit"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || slices.Contains(tables, fn.Name.Name) {
				continue
			}
			if lines := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; lines > longest {
				t.Errorf("%v: %s has %d lines: want at most %d", set.Position(fn.Pos()), fn.Name.Name, lines, longest)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
