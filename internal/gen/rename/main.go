// Rename gives the module another path: it rewrites go.mod, every import of ours and the commands of the
// documentation that name the path. .ci/rename-module calls it in the root of a clone:
//
//	go run ./internal/gen/rename example.org/ptxvm
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rename PATH   (in the root of the module)")
		os.Exit(2)
	}
	files, err := exec.Command("git", "ls-files", "-z").Output()
	if err == nil {
		err = Rename(".", os.Args[1], strings.FieldsFunc(string(files), func(r rune) bool { return r == 0 }))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}

// Rename gives the module in dir the path to. Files are those to look at, relative to dir, go.mod among them:
// imports change in Go files, the path as a word in Markdown. Every file is read and rewritten in memory
// before the first one is written, so an error changes nothing.
func Rename(dir, to string, files []string) error {
	if err := module.CheckImportPath(to); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	from := modfile.ModulePath(mod)
	if from == "" {
		return fmt.Errorf("go.mod names no module")
	}
	changed := map[string][]byte{}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		after, err := rewrite(name, text, from, to)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !bytes.Equal(after, text) {
			changed[name] = after
		}
	}
	return write(dir, changed)
}

// rewrite returns the text of one file under the new path.
func rewrite(name string, text []byte, from, to string) ([]byte, error) {
	switch {
	case name == "go.mod":
		return renameModule(text, to)
	case filepath.Ext(name) == ".go" && !strings.Contains(name, "testdata/"):
		return renameImports(text, from, to)
	case filepath.Ext(name) == ".md":
		return renameInPage(text, from, to), nil
	}
	return text, nil
}

func renameModule(text []byte, to string) ([]byte, error) {
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	if err := f.AddModuleStmt(to); err != nil {
		return nil, err
	}
	return f.Format()
}

// renameImports replaces the path in import declarations alone; strings and comments of that text stay.
// Imports are sorted again, since the new path may sort elsewhere.
func renameImports(text []byte, from, to string) ([]byte, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	done := 0
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		after, ours := under(path, from, to)
		if !ours {
			continue
		}
		at := set.Position(spec.Path.Pos()).Offset
		out.Write(text[done:at])
		out.WriteString(strconv.Quote(after))
		done = at + len(spec.Path.Value)
	}
	if done == 0 {
		return text, nil
	}
	out.Write(text[done:])
	return format.Source(out.Bytes())
}

// under returns path as it is called under the new module path, and whether it lies in the module.
func under(path, from, to string) (string, bool) {
	if path == from {
		return to, true
	}
	rest, ours := strings.CutPrefix(path, from+"/")
	return to + "/" + rest, ours
}

// renameInPage replaces the path in a page. A path without a dot is also a plain word, so there only quoted
// imports and arguments of go mod are replaced.
func renameInPage(text []byte, from, to string) []byte {
	if strings.Contains(from, ".") {
		return bytes.ReplaceAll(text, []byte(from), []byte(to))
	}
	for _, pattern := range []string{`"%s"`, `"%s/`, `-require=%s@`, `-replace=%s=`} {
		text = bytes.ReplaceAll(text, fmt.Appendf(nil, pattern, from), fmt.Appendf(nil, pattern, to))
	}
	return text
}

func write(dir string, changed map[string][]byte) error {
	for name, text := range changed {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, text, info.Mode()); err != nil {
			return err
		}
	}
	return nil
}
