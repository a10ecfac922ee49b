// Face writes the public package, which forwards to internal/vm: types are aliases, functions call. Since go doc shows neither the
// fields nor the methods of a type behind an alias, they stand in the alias's own comment.
//
//	go run ./internal/gen/face          writes what changed, removes files whose original has gone
//	go run ./internal/gen/face -check   names what is out of date, exit 1
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	check := flag.Bool("check", false, "write nothing; name the files that are out of date")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "face:", err)
		os.Exit(1)
	}
}

// run makes the files in the module's folder, which is the working folder.
func run(check bool) error {
	made, err := pages(".")
	if err != nil {
		return err
	}
	stale, err := stale(".", made)
	if err != nil || len(stale) == 0 {
		return err
	}
	if check {
		return fmt.Errorf("out of date: %q; run go generate .", stale)
	}
	for _, name := range stale {
		if text, ok := made[name]; !ok {
			err = os.Remove(name)
		} else {
			err = os.WriteFile(name, text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stale lists the files in a folder that are not what was made, those among them that should not be.
func stale(dir string, made map[string][]byte) (names []string, err error) {
	there, err := filepath.Glob(filepath.Join(dir, "z*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range there {
		if _, ok := made[filepath.Base(path)]; !ok {
			names = append(names, filepath.Base(path))
		}
	}
	for name, text := range made {
		have, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if !bytes.Equal(have, text) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
