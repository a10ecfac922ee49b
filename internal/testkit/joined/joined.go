// Package joined makes large modules: the kernels of compiled modules one after the other, under names of their own.
package joined

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Files lists the modules of a root's testdata that compilers made for a target.
func Files(root, target string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(root, "testdata/cuda/*."+target+".ptx"))
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no modules for %s in %s", target, root)
	}
	return list, err
}

// Module is a module of at least so many lines: the functions and variables of files, again and again.
func Module(files []string, lines int) ([]byte, error) {
	var b strings.Builder
	b.WriteString(".version 9.3\n.target sm_90a\n.address_size 64\n\n")
	declared := map[string]bool{}
	for n, have := 0, 4; have < lines; n++ {
		src, err := os.ReadFile(files[n%len(files)])
		if err != nil {
			return nil, err
		}
		text := Renamed(src, fmt.Sprintf("_n%d", n), declared)
		have += strings.Count(text, "\n")
		b.WriteString(text)
	}
	return []byte(b.String()), nil
}

// Renamed are the functions and variables of a module, their names with an ending. What is .extern keeps its name, and is left out
// where it was declared before.
func Renamed(src []byte, ending string, declared map[string]bool) string {
	f := syntax.Parse("module", src)
	info, _ := check.Check(f, check.Options{})
	own := map[string]bool{}
	for _, o := range info.Objects {
		if o.Linkage != syntax.WordExtern && (o.Kind == check.Function || o.Func == nil) {
			own[o.Name] = true
		}
	}
	var b strings.Builder
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *syntax.Variables:
		case *syntax.Function:
			if f.Word(s.Linkage) == syntax.WordExtern {
				if declared[f.Text(s.Name)] {
					continue
				}
				declared[f.Text(s.Name)] = true
			}
		default:
			continue
		}
		r := s.Extent()
		for t := r.First; t <= r.Last; t++ {
			if f.Text(t) == ".loc" { // what it names stands in sections, which are left out
				for line := f.Line(t); f.Line(t+1) == line; t++ {
				}
				continue
			}
			b.WriteString(f.Text(t))
			if own[f.Text(t)] {
				b.WriteString(ending)
			}
			b.WriteString(f.Behind(t))
		}
		b.WriteString("\n\n")
	}
	return b.String()
}
