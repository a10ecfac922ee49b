// Package words holds comments, identifiers and pages to the words that everybody knows: those of words.txt do not return.
package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

const top = "../../.."

// banned is a line of words.txt.
type banned struct {
	pages, code bool
	finds       *regexp.Regexp
	say         string
}

// left are the files that may have such words: the compiler of package jit itself has a vocabulary of its own, or they are records.
var left = []string{"internal/jit/native/", "internal/jit/products/", "internal/jit/x86/", "internal/testkit/words/", "CHANGELOG.md", "docs/full-runs.md", "docs/full-runs/", "LICENSE", "NOTICE"}

// folders without sources of ours, or with what others have written.
var skipped = map[string]bool{".git": true, ".cuda": true, "testdata": true, "shared": true, "node_modules": true}

func TestWords(t *testing.T) {
	list := read(t)
	pages, sources := 0, 0
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash(top)+string(filepath.Separator)))
		if d.IsDir() {
			if skipped[d.Name()] {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.ToSlash(filepath.Dir(name)) == "internal/jit" {
			return nil
		}
		for _, l := range left {
			if strings.HasPrefix(name, l) {
				return nil
			}
		}
		switch {
		case strings.HasSuffix(name, ".md"):
			pages++
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(text), "\n") {
				if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
					continue // code
				}
				for _, hit := range hits(list, line, true) {
					t.Errorf("%s:%d: %s", name, i+1, hit)
				}
			}
		case strings.HasSuffix(name, ".go") && !strings.HasPrefix(filepath.Base(name), "z"):
			sources++
			source(t, list, path, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 30 || sources < 500 {
		t.Errorf("read %d pages and %d sources, which is too few", pages, sources)
	}
}

// source looks at the comments and identifiers of a file; strings are what users see or what tests expect.
func source(t *testing.T, list []banned, path, name string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	report := func(at token.Pos, text string) {
		for _, hit := range hits(list, text, false) {
			t.Errorf("%s:%d: %s", name, fset.Position(at).Line, hit)
		}
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			report(c.Pos(), c.Text)
		}
	}
	seen := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !seen[id.Name] {
			seen[id.Name] = true
			report(id.Pos(), split(id.Name))
		}
		return true
	})
}

// split writes an identifier as words: slowTwin is "slow Twin".
func split(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) || r == '_' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quoted is what stands between backquotes on a page: names, among them those of JSON, which are a contract.
var quoted = regexp.MustCompile("`[^`]*`")

func hits(list []banned, text string, page bool) (out []string) {
	low := strings.ToLower(text)
	if page {
		low = quoted.ReplaceAllString(low, "``")
	}
	for i := range list {
		b := &list[i]
		if page && !b.pages || !page && !b.code {
			continue
		}
		if word := b.finds.FindString(low); word != "" {
			out = append(out, "“"+word+"”: say "+b.say)
		}
	}
	return out
}

func read(t *testing.T) (list []banned) {
	t.Helper()
	text, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.Split(line, "\t")
		if len(part) != 3 {
			t.Fatalf("words.txt:%d: want three parts with tabs between them", i+1)
		}
		re, err := regexp.Compile(part[1])
		if err != nil {
			t.Fatalf("words.txt:%d: %v", i+1, err)
		}
		list = append(list, banned{part[0] != "go", part[0] != "pages", re, part[2]})
	}
	return list
}

// TestWordsFinds: a word is found as a word, in a part of an identifier too, and where it is looked for.
func TestWordsFinds(t *testing.T) {
	list := read(t)
	for text, want := range map[string]bool{
		"// a best Guess": true, split("slowTwin"): true, "between twinned": false, "nobody": true, "room for two": false, "foundings": false,
	} {
		if found := len(hits(list, text, false)) > 0; found != want {
			t.Errorf("%q in code: %v", text, found)
		}
	}
	for text, want := range map[string]bool{"two rooms": true, "`guesses` is a field": false, "Turns a line around.": true, "a mushroom": false} {
		if found := len(hits(list, text, true)) > 0; found != want {
			t.Errorf("%q on a page: %v", text, found)
		}
	}
}
