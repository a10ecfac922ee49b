// Package quote shows the lines of source behind a report, each with a mark at its column. The files are those that
// .file names in PTX, which is not trusted: they are opened below given folders, and, unless the user has named the
// folder, only where their names are those of sources.
package quote

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
)

// Sources is where files are looked for.
type Sources struct {
	Dirs  []*os.Root // in this order; a file is the one that has the longest end of the path that .file names
	Any   bool       // the user has named the folder: files may have any name
	Exact bool       // a path that begins with / is tried as it stands, before Dirs
}

// endings are those of files that are shown unasked: a module must not make a report quote whatever lies about.
var endings = []string{".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".py", ".jl", ".rs", ".go", ".f90", ".mojo"}

// Bounds of what is read and shown.
const (
	maxBytes = 64 << 20
	maxShown = 200
)

// Write prints the lines of places, each once; those whose files are not found are left out.
func (s *Sources) Write(w io.Writer, places ...ptxvm.Location) {
	seen := map[ptxvm.Location]bool{}
	for _, at := range places {
		at.Function = ""
		if text, ok := s.Line(at); ok && !seen[at] {
			seen[at] = true
			// A write error on standard error cannot be reported anywhere.
			_, _ = io.WriteString(w, excerpt(at, text))
		}
	}
}

// Line reads a line of a file; false if that is not found, or has no such line.
func (s *Sources) Line(at ptxvm.Location) (text string, ok bool) {
	file := s.open(at.File)
	if file == nil || at.Line < 1 {
		return "", false
	}
	defer file.Close()
	lines := bufio.NewReader(io.LimitReader(file, maxBytes))
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

// Path is where a file of the source is; false if it is not found.
func (s *Sources) Path(name string) (string, bool) {
	file := s.open(name)
	if file == nil {
		return "", false
	}
	path := file.Name()
	return path, file.Close() == nil
}

// open opens a file at its own path or below the first folder that has it.
func (s *Sources) open(name string) *os.File {
	if !s.Any && !slices.Contains(endings, strings.ToLower(path.Ext(name))) {
		return nil
	}
	if s.Exact && path.IsAbs(name) {
		// A pipe would wait for ever.
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			if file, err := os.Open(name); err == nil {
				return file
			}
		}
	}
	for _, root := range s.Dirs {
		if file := below(root, name); file != nil {
			return file
		}
	}
	return nil
}

// below opens the file that has the longest end of a path below the root: compilers write the paths of
// the machine that they ran on. nil if none has.
func below(root *os.Root, name string) *os.File {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	for name != "" {
		name = name[1:]
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

// Place is the file without its folders, and the line.
func Place(l ptxvm.Location) string {
	return fmt.Sprintf("%s:%d", diag.Escape(l.File[strings.LastIndexAny(l.File, `/\`)+1:]), l.Line)
}

// excerpt is a line behind its place, and a mark at the column if there is one.
func excerpt(at ptxvm.Location, text string) string {
	number := "  " + Place(at)
	shown := func(s string) string { return diag.Escape(strings.ReplaceAll(s, "\t", "    ")) }
	out := fmt.Sprintf("%s | %s\n", number, cut(shown(text)))
	if at.Col > 0 && at.Col <= len(text) {
		if before := len([]rune(shown(text[:at.Col-1]))); before < maxShown {
			out += fmt.Sprintf("%*s | %*s^\n", len(number), "", before, "")
		}
	}
	return out
}

// cut shortens a line that no terminal shows.
func cut(text string) string {
	runes := []rune(text)
	if len(runes) <= maxShown {
		return text
	}
	return string(runes[:maxShown]) + "…"
}
