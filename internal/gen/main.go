// Gen writes the project's generated Go files. It is run by go generate from any folder of
// the module:
//
//	go run ./internal/gen          writes what changed
//	go run ./internal/gen -check   names what is out of date, exit 1
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// output is one generated file and what makes it; root is the module's folder.
type output struct {
	path string
	make func(root string) ([]byte, error)
}

// outputs are made in this order: later ones may need packages that earlier ones complete.
var outputs = []output{
	{"internal/isa/zisa.go", func(string) ([]byte, error) { return isaConstants() }},
	{"internal/uop/zops.go", operations},
	{"internal/sem/zlanes.go", lanes},
	{"internal/num/zfunctions_test.go", numFunctions},
	{"internal/jit/x86/zforms.go", x86Forms},
	{"internal/isa/data/examples.txt", examples},
}

func main() {
	check := flag.Bool("check", false, "write nothing; name the files that are out of date")
	flag.Parse()
	root, err := moduleRoot()
	if err == nil {
		err = run(root, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// moduleRoot finds the folder of go.mod at or above the working folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod at or above the working folder")
		}
		dir = up
	}
	return "", err
}

// run makes every output; one that fails does not keep the others from being written.
func run(root string, check bool) error {
	var failed error
	for _, o := range outputs {
		if err := o.update(root, check); err != nil {
			failed = fmt.Errorf("%s: %w", o.path, err)
			fmt.Fprintln(os.Stderr, "gen:", failed)
		}
	}
	return failed
}

func (o *output) update(root string, check bool) error {
	text, err := o.make(root)
	if err != nil {
		return err
	}
	path := filepath.Join(root, filepath.FromSlash(o.path))
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case check:
		return fmt.Errorf("out of date; run go generate ./internal/isa")
	}
	return os.WriteFile(path, text, 0o644)
}
