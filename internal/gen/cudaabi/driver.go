package main

// This file reads the list of the driver API's functions, and writes the C source that holds its stubs and the table
// by which cuGetProcAddress finds functions.

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Entry is a function of a library. What follows Body is of libcuda.so.1 alone.
type Entry struct {
	Symbol  string
	Body    string // the function of ours that it is
	Name    string // for cuGetProcAddress
	Version int    // of CUDA that brought it, such as 12050
	Thread  bool   // its default stream is the calling thread's own
}

// Entries reads a list of functions: symbol, name, version, and "thread".
func Entries(path string) (list []Entry, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) < 3 {
			return nil, fmt.Errorf("%s: want symbol, name and version: %s", path, line)
		}
		version, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, line, err)
		}
		list = append(list, Entry{Symbol: f[0], Body: f[0], Name: f[1], Version: version, Thread: len(f) == 4 && f[3] == "thread"})
	}
	return list, nil
}

func symbols(list []Entry) (names []string) {
	for _, e := range list {
		names = append(names, e.Symbol)
	}
	return names
}

func driverSource(list []Entry, defined map[string]bool, all map[string]Function, why []reason) []byte {
	b := stubs("cu.h", list, defined, why)
	wrappers(b, slices.Concat(list, ours), all)
	b.WriteString("\nstruct entry { const char *name; int version, thread; void *function; };\nextern const struct entry entries[];\nextern const int entry_count;\n\nconst struct entry entries[] = {\n")
	for _, e := range list {
		thread := 0
		if e.Thread {
			thread = 1
		}
		fmt.Fprintf(b, "\t{%q, %d, %d, (void *)%s},\n", e.Name, e.Version, thread, e.Symbol)
	}
	b.WriteString("};\nconst int entry_count = sizeof entries / sizeof *entries;\n")
	return b.Bytes()
}
