package main

// This file writes a wrapper for each function that the C sources define: it is what the library exports, and it can tell of
// the call (PTXVM_TRACE, front/trace.c).

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Function is a function that the C sources define, with an error as its result.
type Function struct {
	Name   string
	Params []Param
}

// Param is a parameter.
type Param struct{ Type, Name string }

// begun is where a definition begins, up to the parenthesis of its parameters.
var begun = regexp.MustCompile(`(?m)^(?:PUBLIC error_t (\w+)\(|BOTH\((\w+), (_pt\w+), \(|SHARED(2?)\((\w+)\)\(|SHARED(2?)_BOTH\((\w+), (_pt\w+), \()`)

// What the preprocessor puts into parameters (graph.c, api.h).
const (
	addParams     = "(node_t *out, graph_t g, const node_t *after, size_t n"
	contextParams = ", void *context"
)

// Functions lists the functions that the C sources define, by name.
func Functions(dir string) (map[string]Function, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil {
		return nil, err
	}
	all := map[string]Function{}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "z") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text := strings.ReplaceAll(string(data), " ADD", addParams)
		for _, m := range begun.FindAllStringSubmatchIndex(text, -1) {
			group := func(i int) string {
				if m[2*i] < 0 {
					return ""
				}
				return text[m[2*i]:m[2*i+1]]
			}
			params := enclosed(text[m[1]:])
			switch {
			case group(5)+group(7) != "":
				add(all, "cuda"+group(5)+group(7), group(8), strings.ReplaceAll(params, " AND_CONTEXT", ""))
				add(all, "cu"+group(5)+group(7)+versionOf(group(4)+group(6)), group(8), strings.ReplaceAll(params, " AND_CONTEXT", contextParams))
			default:
				add(all, group(1)+group(2), group(3), params)
			}
		}
		for _, m := range fills.FindAllStringSubmatch(text, -1) {
			for form, params := range fillForms {
				name := fmt.Sprintf(form, m[1])
				add(all, name, double(name), params)
			}
		}
	}
	return all, nil
}

// fillForms are the functions of FILLS (cu_memory.c), with their parameters.
var fillForms = map[string]string{
	"cuMemset%s_v2": "address_t dst, unsigned v, size_t n", "cuMemset%sAsync": "address_t dst, unsigned v, size_t n, stream_t s",
	"cuMemsetD2%s_v2":   "address_t dst, size_t pitch, unsigned v, size_t w, size_t h",
	"cuMemsetD2%sAsync": "address_t dst, size_t pitch, unsigned v, size_t w, size_t h, stream_t s",
}

func versionOf(two string) string {
	if two == "" {
		return ""
	}
	return "_v2"
}

func add(all map[string]Function, name, suffix, params string) {
	all[name] = Function{name, parsed(params)}
	if suffix != "" {
		all[name+suffix] = Function{name + suffix, parsed(params)}
	}
}

// enclosed is what stands before the parenthesis that closes one that is open.
func enclosed(text string) string {
	depth := 1
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return text[:i]
		}
	}
	return text
}

var (
	pointerToFunction = regexp.MustCompile(`\(\*(\w+)\)`)
	lastWord          = regexp.MustCompile(`(\w+)(?:\[\d*\])?$`)
)

// parsed reads a list of parameters.
func parsed(text string) (list []Param) {
	depth, from := 0, 0
	text += ","
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			if p := strings.TrimSpace(text[from:i]); p != "void" && p != "" {
				list = append(list, param(p))
			}
			from = i + 1
		}
	}
	return list
}

func param(text string) Param {
	if m := pointerToFunction.FindStringSubmatch(text); m != nil {
		return Param{"const void *", m[1]}
	}
	m := lastWord.FindStringSubmatchIndex(text)
	typ := strings.TrimSpace(text[:m[2]])
	if strings.HasSuffix(text, "]") {
		typ += " *"
	}
	return Param{typ, text[m[2]:m[3]]}
}

// kinds say how a type is passed and shown (front/trace.c); what is not here is 8 bytes.
var kinds = map[string]struct{ kind, as string }{
	"int": {"d", "int"}, "unsigned": {"d", "int"}, "int32_t": {"d", "int"}, "uint32_t": {"d", "int"}, "error_t": {"d", "int"},
	"size_t": {"n", "uint64_t"}, "float": {"f", "float"}, "dim3": {"v", "struct dim"}, "struct extent": {"e", "struct extent"},
	"struct pitched": {"P", "struct pitched"}, "const char *": {"s", "const char *"}, "function_t": {"k", "uint64_t"},
	"int *": {"D", "void *"}, "unsigned *": {"D", "void *"}, "int32_t *": {"D", "void *"}, "float *": {"F", "void *"},
	"void **": {"Q", "void *"}, "size_t *": {"Q", "void *"}, "uint64_t *": {"Q", "void *"}, "stream_t *": {"Q", "void *"}, "event_t *": {"Q", "void *"},
	"address_t *": {"Q", "void *"}, "module_t *": {"Q", "void *"}, "function_t *": {"Q", "void *"}, "graph_t *": {"Q", "void *"}, "node_t *": {"Q", "void *"},
	"exec_t *": {"Q", "void *"}, "struct pool **": {"Q", "void *"},
}

// inputs are names of parameters that point to what a call reads, though their types do not say so.
var inputs = []string{"args", "params", "more", "values", "extra", "options"}

func (p Param) kind() (kind, as string) {
	k, known := kinds[p.Type]
	switch {
	case p.Type == "const void *" && slices.Contains([]string{"func", "kernel"}, p.Name):
		return "K", "const void *"
	case known && !(strings.Contains(p.Type, "*") && slices.Contains(inputs, p.Name)):
		return k.kind, k.as
	case strings.Contains(p.Type, "*"):
		return "p", "const void *"
	}
	return "x", "uint64_t"
}

// wrapper is the line of a function that is exported by a name.
func (f Function) wrapper(b *bytes.Buffer, symbol string) {
	var shown, params, names []string
	for _, p := range f.Params {
		kind, as := p.kind()
		shown = append(shown, p.Name+":"+kind)
		params = append(params, strings.TrimSuffix(as+" ", "* ")+strings.Repeat("*", strings.Count(as, "*"))+p.Name)
		names = append(names, ", "+p.Name)
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	how := "TRACED(" + symbol
	if symbol != f.Name {
		how = "TRACED_AS(" + symbol + ", " + f.Name
	}
	fmt.Fprintf(b, "%s, %q, (%s)%s)\n", how, strings.Join(shown, " "), strings.Join(params, ", "), strings.Join(names, ""))
}

// wrappers writes those of the functions that are defined.
func wrappers(b *bytes.Buffer, list []Entry, all map[string]Function) {
	b.WriteString("\n")
	for _, e := range list {
		if f, ok := all[e.Body]; ok {
			f.wrapper(b, e.Symbol)
		}
	}
}

// renames is the header by which the C sources define their functions under other names.
func renames(all map[string]Function) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated by internal/gen/cudaabi. DO NOT EDIT.\n// What the sources define has other names: the wrappers of TRACED have the names that programs know.\n\n")
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "#define %s real_%s\n", name, name)
	}
	return b.Bytes()
}
