package main

// This file says where reports look for the lines that they quote: below --source-root and nowhere else; without that,
// below the folders of the modules and the working directory, for files that are sources by their names.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/quote"
)

// sourceFlag is --source-root DIR.
type sourceFlag struct {
	name string
	dir  *os.Root   // --source-root; nil without it
	dirs []*os.Root // where sources are looked for without it
}

func (f *sourceFlag) String() string { return f.name }
func (f *sourceFlag) Type() string   { return "DIR" }

func (f *sourceFlag) Set(name string) (err error) {
	f.name = name
	f.dir, err = os.OpenRoot(name)
	switch info, missing := os.Stat(name); {
	case err == nil:
		return nil
	case missing != nil:
		return fmt.Errorf("there is no directory %s", name)
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", name)
	}
	return err
}

// near names the modules, beside which sources are looked for without --source-root.
func (f *sourceFlag) near(files []string) {
	if f.dir != nil {
		return
	}
	names := []string{}
	for _, file := range files {
		if file != "-" {
			names = append(names, filepath.Dir(file))
		}
	}
	seen := map[string]bool{}
	for _, name := range append(names, ".") {
		if root, err := os.OpenRoot(name); err == nil && !seen[name] { // what cannot be opened has no lines to show
			seen[name] = true
			f.dirs = append(f.dirs, root)
		}
	}
}

// show prints the source lines of places, each once; those whose files are not found are left out.
func (f *sourceFlag) show(w io.Writer, places ...ptxvm.Location) {
	sources := f.sources()
	sources.Write(w, places...)
}

// line reads the line of a place; false if its file is not found.
func (f *sourceFlag) line(at ptxvm.Location) (string, bool) {
	sources := f.sources()
	return sources.Line(at)
}

// sources is where files are looked for.
func (f *sourceFlag) sources() quote.Sources {
	if f.dir != nil {
		return quote.Sources{Dirs: []*os.Root{f.dir}, Any: true}
	}
	return quote.Sources{Dirs: f.dirs}
}
