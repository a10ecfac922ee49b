// Package platforms checks the types of this module's packages and tests for other platforms than the one it runs on.
// It reads what `go list` names there and makes no code, so a platform takes a twentieth of what building it takes.
package platforms

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is what `go list -json` says of a package. Those that it imports come before it.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string // spelled in the source → ImportPath, where they differ
	Module     *struct{ Main bool }
}

// ours reports whether the package is of this module, so that bodies of functions are checked, too.
func (p *listed) ours() bool { return p.Module != nil && p.Module.Main }

// Check returns what a compiler for the platform, such as "windows/arm64", would say of the packages that the pattern names in dir,
// and of their tests: all errors joined.
func Check(dir, platform, pattern string) error {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("%q is no platform; want GOOS/GOARCH", platform)
	}
	packages, err := list(dir, goos, goarch, pattern)
	if err != nil {
		return err
	}
	c := checker{files: token.NewFileSet(), goarch: goarch, done: map[string]*types.Package{"unsafe": types.Unsafe}}
	for _, p := range packages {
		c.check(p)
	}
	return errors.Join(c.errs...)
}

func list(dir, goos, goarch, pattern string) ([]*listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", pattern)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, said.Bytes())
	}
	var packages []*listed
	for decoder := json.NewDecoder(&out); ; {
		p := new(listed)
		switch err := decoder.Decode(p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.ImportPath != "unsafe" && !strings.HasSuffix(p.ImportPath, ".test") { // not the generated main packages of tests
			packages = append(packages, p)
		}
	}
}

// checker checks packages in the order of their imports.
type checker struct {
	files  *token.FileSet
	goarch string
	done   map[string]*types.Package
	errs   []error
}

func (c *checker) check(p *listed) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			c.errs = append(c.errs, err)
			return
		}
		files = append(files, f)
	}
	conf := types.Config{
		Importer:         importing{c, p.ImportMap},
		Sizes:            types.SizesFor("gc", c.goarch),
		IgnoreFuncBodies: !p.ours(),
		Error:            func(err error) { c.errs = append(c.errs, err) },
	}
	// The first error is returned, too, and Error has had it.
	c.done[p.ImportPath], _ = conf.Check(p.ImportPath, c.files, files, nil)
}

// importing finds what a package imports among those that have been checked.
type importing struct {
	*checker
	named map[string]string
}

func (i importing) Import(path string) (*types.Package, error) {
	if full, ok := i.named[path]; ok {
		path = full
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}
