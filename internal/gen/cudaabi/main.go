// Command cudaabi writes what follows from the list of CUDA's functions and from the C sources that define some of
// them: a stub for each other function, the version script of the library, and the table in docs/cuda-functions.md.
//
//	go run ./internal/gen/cudaabi                     writes them (go generate ./internal/cudaabi)
//	go run ./internal/gen/cudaabi -library FILE.so    prints how the list differs from an installed library
package main

import (
	"bytes"
	"debug/elf"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("cudaabi: ")
	library := flag.String("library", "", "an installed library to compare the list with")
	flag.Parse()
	if err := run(*library); err != nil {
		log.Fatal(err)
	}
}

func run(library string) error {
	root, err := root()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "internal", "cudaabi")
	var f abi
	if err := f.read(dir); err != nil {
		return err
	}
	if library != "" {
		names := f.runtime
		if filepath.Base(library) == "libcudart.so.12" {
			names = f.runtime12
		}
		return compare(symbols(names), library)
	}
	if err := f.readFront(filepath.Join(dir, "front")); err != nil {
		return err
	}
	why, err := readReasons(filepath.Join(dir, "reasons.txt"))
	if err != nil {
		return err
	}
	page, err := document(f.runtime, f.runtime12, f.driver, f.defined, why)
	if err != nil {
		return err
	}
	for path, data := range map[string][]byte{
		filepath.Join(dir, "front", "zcudart.c"):         runtimeSource(f.runtime, f.defined, f.all, why),
		filepath.Join(dir, "front", "zcudart12.c"):       runtimeSource(f.runtime12, f.defined, f.all, why),
		filepath.Join(dir, "front", "ztraced.h"):         renames(f.all),
		filepath.Join(dir, "front", "zcudart.map"):       script("libcudart.so.13", symbols(f.runtime)),
		filepath.Join(dir, "front", "zcudart12.map"):     script("libcudart.so.12", symbols(f.runtime12)),
		filepath.Join(dir, "front", "zcuda.c"):           driverSource(f.driver, f.defined, f.all, why),
		filepath.Join(dir, "front", "zcuda.map"):         script("", symbols(slices.Concat(f.driver, ours))),
		filepath.Join(root, "docs", "cuda-functions.md"): page,
	} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// abi is the functions of the libraries that are to be had.
type abi struct {
	runtime, runtime12, driver []Entry
	defined                    map[string]bool // in the front
	all                        map[string]Function
}

// read reads the lists of names.
func (f *abi) read(dir string) (err error) {
	if f.runtime, err = Names(filepath.Join(dir, "cudart.txt")); err != nil {
		return err
	}
	if f.runtime12, err = Names(filepath.Join(dir, "cudart12.txt")); err != nil {
		return err
	}
	f.driver, err = Entries(filepath.Join(dir, "cuda.txt"))
	return err
}

// readFront reads what the C sources define, and holds it to the lists.
func (f *abi) readFront(dir string) (err error) {
	if f.defined, err = Defined(dir); err != nil {
		return err
	}
	if f.all, err = Functions(dir); err != nil {
		return err
	}
	return sameNames(f.all, slices.Concat(f.driver, f.runtime, f.runtime12), f.defined)
}

// ours are functions of libcuda.so.1 that no CUDA has, for what calls it in full knowledge of ptxvm.
var ours = []Entry{{Symbol: "ptxvmHostView", Body: "ptxvmHostView"}, {Symbol: "ptxvmHostWrote", Body: "ptxvmHostWrote"}}

// root is the folder of go.mod.
func root() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above %s", dir)
		}
	}
	return "", err
}

// Names reads a list of functions, one a line, some with the function of ours that they are.
func Names(path string) (list []Entry, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) != 0 && f[0][0] != '#' {
			list = append(list, Entry{Symbol: f[0], Body: f[len(f)-1]})
		}
	}
	return list, nil
}

// A definition in the C sources: PUBLIC for one function, BOTH for it and its double.
var definition = regexp.MustCompile(`(?m)^PUBLIC [\w ]+[ *]+(__cuda\w+|cuda\w+|cu[A-Z]\w+)(?: ADD,|\()|^BOTH\((\w+), (_pt\w+),`)

// A definition for both libraries: SHARED for one function, SHARED_BOTH for it and its double; with 2, its name in
// libcuda ends in _v2.
var shared = regexp.MustCompile(`(?m)^SHARED(2?)(?:\((\w+)\)|_BOTH\((\w+), (_pt\w+),)`)

// A line FILLS(letters, …) stands for the functions that set memory to elements of that size.
var fills = regexp.MustCompile(`(?m)^FILLS\((\w+),`)

// Defined lists the functions that the C sources define.
func Defined(dir string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil {
		return nil, err
	}
	defined := map[string]bool{}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "z") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range definition.FindAllSubmatch(text, -1) {
			if len(m[1]) != 0 {
				defined[string(m[1])] = true
				continue
			}
			defined[string(m[2])], defined[string(m[2])+string(m[3])] = true, true
		}
		for _, m := range shared.FindAllSubmatch(text, -1) {
			for _, prefix := range []string{"cuda", "cu"} {
				name := prefix + string(m[2]) + string(m[3])
				if prefix == "cu" && len(m[1]) != 0 {
					name += "_v2"
				}
				defined[name] = true
				if len(m[4]) != 0 {
					defined[name+string(m[4])] = true
				}
			}
		}
		for _, m := range fills.FindAllSubmatch(text, -1) {
			for _, f := range []string{"cuMemset%s_v2", "cuMemset%sAsync", "cuMemsetD2%s_v2", "cuMemsetD2%sAsync"} {
				name := fmt.Sprintf(f, m[1])
				defined[name], defined[name+double(name)] = true, true
			}
		}
	}
	return defined, nil
}

// double is the suffix of a function's second form, whose default stream is the thread's own.
func double(name string) string {
	if strings.HasSuffix(name, "Async") {
		return "_ptsz"
	}
	return "_ptds"
}

func stubs(header string, list []Entry, defined map[string]bool, why []reason) *bytes.Buffer {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "// Code generated by internal/gen/cudaabi. DO NOT EDIT.\n// Functions without a body answer 801 and name themselves; those that have one can be traced.\n#define EXPORTS\n#include %q\n#include \"trace.h\"\n\n", header)
	b.WriteString("#define STUB(name) PUBLIC error_t name(void); PUBLIC error_t name(void) { static int said; return unsupported(#name, &said); }\n")
	b.WriteString("#define QUIET(name) PUBLIC error_t name(void); PUBLIC error_t name(void) { return NOT_SUPPORTED; }\n\n")
	for _, e := range list {
		switch {
		case defined[e.Body]:
		case isQuiet(e.Symbol, why):
			fmt.Fprintf(b, "QUIET(%s)\n", e.Symbol)
		default:
			fmt.Fprintf(b, "STUB(%s)\n", e.Symbol)
		}
	}
	return b
}

// runtimeSource is zcudart.c or zcudart12.c.
func runtimeSource(list []Entry, defined map[string]bool, all map[string]Function, why []reason) []byte {
	b := stubs("cudart.h", list, defined, why)
	wrappers(b, list, all)
	return b.Bytes()
}

// untraced are functions whose result is no error.
var untraced = regexp.MustCompile(`^__cuda(Register|Unregister|Init|Push)|^cudaGetError|^cudaCreateChannelDesc$`)

// sameNames says that every exported function that has a body is known with its parameters.
func sameNames(all map[string]Function, list []Entry, defined map[string]bool) error {
	for _, e := range list {
		name := e.Body
		if _, ok := all[name]; defined[name] && !ok && !untraced.MatchString(name) {
			return fmt.Errorf("%s is defined, but its parameters cannot be read", name)
		}
	}
	return nil
}

func script(node string, names []string) []byte {
	var b bytes.Buffer
	b.WriteString(strings.TrimLeft(node+" {\nglobal:\n", " "))
	for _, name := range names {
		fmt.Fprintf(&b, "\t%s;\n", name)
	}
	b.WriteString("local:\n\t*;\n};\n")
	return b.Bytes()
}

// compare prints what the list and a library do not have in common.
func compare(names []string, library string) error {
	f, err := elf.Open(library)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return err
	}
	var have []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			have = append(have, s.Name)
		}
	}
	slices.Sort(have)
	for _, name := range slices.Compact(have) {
		if !slices.Contains(names, name) {
			fmt.Println("only in the library:", name)
		}
	}
	for _, name := range names {
		if !slices.Contains(have, name) {
			fmt.Println("only in the list:", name)
		}
	}
	return nil
}
