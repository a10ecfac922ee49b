package mutants

// The rooms that are mutated, and the parts of their source that count.

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Room is a package whose tests are tested.
type Room struct {
	Name  string
	Dir   string   // slash-separated, from the module root
	Uses  []string // packages whose functions the room's tables and calls name
	Wings []string // more directories of the room
	Tests []string // packages whose tests guard the room, the quickest to fail first
	Runs  []string // patterns of the tests that judge, in turn; without any all do, short and quick ones first
	Flags []string // of these
	Share int      // its part of a sample, in proportion to the other rooms' shares
}

// Rooms are those of DESIGN §11.
var Rooms = []Room{
	{Name: "num", Dir: "internal/num", Tests: []string{"internal/num"}, Share: 7},
	{
		Name: "sem", Dir: "internal/sem", Uses: []string{"internal/num"},
		Tests: []string{"internal/sem", "internal/testkit/vec"}, Share: 1,
	},
	{
		Name: "sem/matrix", Dir: "internal/sem/matrix", Uses: []string{"internal/num", "internal/sem"},
		Tests: []string{"internal/sem/matrix", "internal/testkit/vec"}, Share: 1,
	},
	{
		Name: "sem/async", Dir: "internal/sem/async", Uses: []string{"internal/num", "internal/sem"},
		Tests: []string{"internal/testkit/async", "internal/testkit/vec"}, Share: 1,
	},
	{
		Name: "sem/image", Dir: "internal/sem/image", Uses: []string{"internal/num", "internal/sem"},
		Tests: []string{"internal/testkit/vec"}, Share: 1,
	},
	{Name: "tensor", Dir: "internal/tensor", Tests: []string{"internal/tensor"}, Share: 1},
	{Name: "tex", Dir: "internal/tex", Tests: []string{"internal/tex"}, Share: 1},
}

// source is one parsed file.
type source struct {
	name string // from the module root
	text []byte
	fset *token.FileSet
	tree *ast.File
}

// offset returns the byte offset of a position.
func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// slice returns the source text of a node.
func (s *source) slice(n ast.Node) string {
	return string(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

// parseDir parses the hand-written, non-test files of a package that this platform builds,
// by name. Generated files have the prefix z.
func parseDir(root, dir string) ([]*source, error) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	var out []*source
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name[0] == 'z' {
			continue
		}
		s, err := parseFile(root, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, s)
		}
	}
	return out, nil
}

// parseFile parses one file; nil if this platform does not build it.
func parseFile(root, name string) (*source, error) {
	full := filepath.Join(root, filepath.FromSlash(name))
	if match, err := build.Default.MatchFile(filepath.Dir(full), filepath.Base(full)); err != nil || !match {
		return nil, err
	}
	text, err := os.ReadFile(full)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, text: text, fset: token.NewFileSet()}
	s.tree, err = parser.ParseFile(s.fset, full, text, parser.SkipObjectResolution)
	return s, err
}

// Enumerate lists every mutant of a room, files by name and mutants in source order, its wings last.
func Enumerate(root string, r *Room) (out []Mutant, err error) {
	for _, dir := range slices.Concat([]string{r.Dir}, r.Wings) {
		found, err := enumerateDir(root, dir, r.Uses)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	number(out)
	return out, nil
}

func enumerateDir(root, dir string, uses []string) (out []Mutant, err error) {
	files, err := parseDir(root, dir)
	if err != nil {
		return nil, err
	}
	known := functions{}
	known.add("", files)
	for _, dir := range uses {
		used, err := parseDir(root, dir)
		if err != nil {
			return nil, err
		}
		known.add(path.Base(dir)+".", used)
	}
	known.addOperations(files)
	for _, s := range files {
		found := mutate(s, known)
		slices.SortStableFunc(found, bySource)
		out = append(out, found...)
	}
	return out, nil
}

// flags are those of a run of the tests that judge.
func (r *Room) flags(pattern string) []string {
	return append(slices.Clone(r.Flags), "-test.run="+pattern)
}
