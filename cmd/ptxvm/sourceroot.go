package main

// This file shows the line of CUDA behind a report. The files are those that .file names in the PTX, which
// is not trusted: they are opened below --source-root and nowhere else. Without that, files that are sources by their
// names are, below the folders of the modules and the working directory.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
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

// sourceEndings are those of files that are shown unasked: a module must not make a report quote whatever lies about.
var sourceEndings = []string{".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".py", ".jl", ".rs", ".go", ".f90", ".mojo"}

// roots lists the folders below which a file may be opened.
func (f *sourceFlag) roots(name string) []*os.Root {
	if f.dir != nil {
		return []*os.Root{f.dir}
	}
	if !slices.Contains(sourceEndings, strings.ToLower(path.Ext(name))) {
		return nil
	}
	return f.dirs
}

// Bounds of what is read and shown.
const (
	maxSourceBytes = 64 << 20
	maxShownLine   = 200
)

// show prints the source lines of places, each once; those that are not below the root are left out.
func (f *sourceFlag) show(w io.Writer, places ...ptxvm.Location) {
	seen := map[ptxvm.Location]bool{}
	for _, at := range places {
		at.Function = ""
		if text, ok := f.line(at); ok && !seen[at] {
			seen[at] = true
			// A write error on standard error cannot be reported anywhere.
			_, _ = io.WriteString(w, excerpt(at, text))
		}
	}
}

// line reads a line of a file.
func (f *sourceFlag) line(at ptxvm.Location) (text string, ok bool) {
	file := f.open(at.File)
	if file == nil || at.Line < 1 {
		return "", false
	}
	defer file.Close()
	lines := bufio.NewReader(io.LimitReader(file, maxSourceBytes))
	for n := 1; ; n++ {
		text, err := lines.ReadString('\n')
		if n == at.Line && (err == nil || text != "") {
			return strings.TrimRight(text, "\r\n"), true
		}
		if err != nil {
			return "", false
		}
	}
}

// open opens a file below the first root that has it.
func (f *sourceFlag) open(name string) *os.File {
	for _, root := range f.roots(name) {
		if file := openBelow(root, name); file != nil {
			return file
		}
	}
	return nil
}

// openBelow opens the file that has the longest end of a path below the root: compilers write the paths of
// the machine that they ran on. nil if none has.
func openBelow(root *os.Root, name string) *os.File {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	for name != "" {
		name = name[1:]
		// A pipe would wait for ever.
		if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() {
			if file, err := root.Open(name); err == nil {
				return file
			}
		}
		_, rest, more := strings.Cut(name, "/")
		if !more {
			return nil
		}
		name = "/" + rest
	}
	return nil
}

// excerpt is a line behind its place, and a mark at the column if there is one.
func excerpt(at ptxvm.Location, text string) string {
	number := "  " + shortPlace(at)
	shown := func(s string) string { return diag.Escape(strings.ReplaceAll(s, "\t", "    ")) }
	out := fmt.Sprintf("%s | %s\n", number, cut(shown(text)))
	if at.Col > 0 && at.Col <= len(text) {
		if before := len([]rune(shown(text[:at.Col-1]))); before < maxShownLine {
			out += fmt.Sprintf("%*s | %*s^\n", len(number), "", before, "")
		}
	}
	return out
}

// cut shortens a line that no terminal shows.
func cut(text string) string {
	runes := []rune(text)
	if len(runes) <= maxShownLine {
		return text
	}
	return string(runes[:maxShownLine]) + "…"
}
