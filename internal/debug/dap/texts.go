package dap

// This file knows the files of the program: PTX, which the client may have on disk or not, and its source; and gives instructions
// addresses.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// texts are the files.
type texts struct {
	code      *debug.Code
	ptx       []ptxFile
	sources   map[string]string // where files of the source are, by their names in .file; empty: nowhere
	functions []string          // in the order of their addresses
}

// ptxFile is a module's text. Its number, from 1, is the client's reference.
type ptxFile struct {
	debug.Text
	path string // empty: it is not on disk as it was compiled
}

func (t *texts) make(code *debug.Code, find func(name string) (string, bool)) {
	*t = texts{code: code, sources: map[string]string{}, functions: code.Functions()}
	for _, text := range code.Texts() {
		t.ptx = append(t.ptx, ptxFile{text, onDisk(&text)})
	}
	for _, name := range code.SourceFiles() {
		t.sources[name] = ""
		if find == nil {
			continue
		}
		if path, ok := find(name); ok {
			t.sources[name] = absolute(path)
		}
	}
}

// onDisk is where a text is a file; empty if there is none that is equal.
func onDisk(t *debug.Text) string {
	info, err := os.Stat(t.Name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(t.Text)) {
		return ""
	}
	if data, err := os.ReadFile(t.Name); err != nil || !bytes.Equal(data, t.Text) {
		return ""
	}
	return absolute(t.Name)
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// baseName is a file without its folders.
func baseName(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// number is the reference of PTX; 0: the file is none.
func (t *texts) number(file string) int {
	return 1 + slices.IndexFunc(t.ptx, func(f ptxFile) bool { return f.Name == file })
}

// source is what the client knows a file as. One of the source that is not found has a name alone.
func (t *texts) source(file string) *godap.Source {
	source := &godap.Source{Name: baseName(file)}
	n := t.number(file)
	switch {
	case n == 0:
		source.Path = t.sources[file]
	case t.ptx[n-1].path != "":
		source.Path = t.ptx[n-1].path
	default:
		source.SourceReference, source.Origin = n, "PTX as it was compiled"
	}
	return source
}

// module is the number of a file's module.
func (t *texts) module(file string) any {
	if n := t.number(file); n > 0 {
		return n
	}
	return nil
}

// fileOf is the name that the program has for a file of the client.
func (s *server) fileOf(source *godap.Source) (string, error) {
	t := &s.texts
	if n := source.SourceReference; n > 0 {
		if n > len(t.ptx) {
			return "", fmt.Errorf("no source %d", n)
		}
		return t.ptx[n-1].Name, nil
	}
	if source.Path == "" && source.Name == "" {
		return "", errors.New("the source has neither a path nor a name")
	}
	for _, f := range t.ptx {
		if f.Name == source.Path || sameFile(f.path, source.Path) {
			return f.Name, nil
		}
	}
	for _, name := range t.code.SourceFiles() {
		if name == source.Path || sameFile(t.sources[name], source.Path) {
			return name, nil
		}
	}
	name := baseName(source.Path)
	if name == "" {
		name = source.Name
	}
	return name, nil
}

// sameFile reports whether two paths name one file; no path names none.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Addresses of instructions: the number of the function, from 1, above those of its instructions.
const functionShift = 32

// address is that of an instruction.
func (t *texts) address(at debug.Place) string {
	return fmt.Sprintf("%#x", t.addressOf(at))
}

func (t *texts) addressOf(at debug.Place) int64 {
	return int64(1+slices.Index(t.functions, at.Func))<<functionShift + int64(at.PC)
}

// instruction is the one at an address; false: there is none.
func (t *texts) instruction(reference string, offset int) (debug.Place, bool) {
	addr, err := strconv.ParseInt(reference, 0, 64)
	if err != nil || addr < 0 || offset < -1<<functionShift || offset > 1<<functionShift {
		return debug.Place{}, false
	}
	return t.placeAt(addr + int64(offset))
}

func (t *texts) placeAt(addr int64) (debug.Place, bool) {
	f := addr >> functionShift
	if f < 1 || f > int64(len(t.functions)) {
		return debug.Place{}, false
	}
	at := debug.Place{Func: t.functions[f-1], PC: int32(addr)}
	return at, addr-f<<functionShift < int64(t.code.Len(at.Func))
}

func (s *server) sourceText(q *godap.SourceRequest) (godap.ResponseMessage, error) {
	n := q.Arguments.SourceReference
	if q.Arguments.Source != nil && q.Arguments.Source.SourceReference != 0 {
		n = q.Arguments.Source.SourceReference
	}
	if n < 1 || n > len(s.texts.ptx) {
		return nil, fmt.Errorf("no source %d: want a sourceReference", n)
	}
	return &godap.SourceResponse{Body: godap.SourceResponseBody{Content: string(s.texts.ptx[n-1].Text.Text)}}, nil
}

func (s *server) loadedSources(*godap.LoadedSourcesRequest) (godap.ResponseMessage, error) {
	list := []godap.Source{}
	for _, f := range s.texts.ptx {
		list = append(list, *s.texts.source(f.Name))
	}
	for _, name := range s.texts.code.SourceFiles() {
		if source := s.texts.source(name); source.Path != "" {
			list = append(list, *source)
		}
	}
	return &godap.LoadedSourcesResponse{Body: godap.LoadedSourcesResponseBody{Sources: list}}, nil
}

func (s *server) modules(q *godap.ModulesRequest) (godap.ResponseMessage, error) {
	list := []godap.Module{}
	for i, f := range s.texts.ptx {
		list = append(list, godap.Module{Id: i + 1, Name: baseName(f.Name), Path: f.path, IsUserCode: true})
	}
	total := len(list)
	list = list[min(max(q.Arguments.StartModule, 0), total):]
	if n := q.Arguments.ModuleCount; n > 0 {
		list = list[:min(n, len(list))]
	}
	return &godap.ModulesResponse{Body: godap.ModulesResponseBody{Modules: list, TotalModules: total}}, nil
}

// line is a line as the client counts them, counted from 1; clientLine and clientColumn go back.
func (s *server) line(n int) int { return n + from1(s.client.LinesStartAt1) }

func (s *server) clientLine(n int) int { return n - from1(s.client.LinesStartAt1) }

func (s *server) clientColumn(n int) int { return n - from1(s.client.ColumnsStartAt1) }

// from1 is what numbers lack that do not start at 1.
func from1(starts bool) int {
	if starts {
		return 0
	}
	return 1
}
