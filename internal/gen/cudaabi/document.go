package main

// This file writes docs/cuda-functions.md: which functions the libraries have, and why others answer 801.

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// reason is why functions whose names match are not there.
type reason struct {
	names *regexp.Regexp
	text  string
	quiet bool // they do not name themselves
}

// readReasons reads lines of a pattern, a tab and a text, and perhaps "quiet".
func readReasons(path string) (list []reason, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, why, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("%s: want a pattern, a tab and a reason: %s", path, line)
		}
		names, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		why, rest, quiet := strings.Cut(why, "\t")
		if quiet && rest != "quiet" {
			return nil, fmt.Errorf("%s: want quiet, not %s", path, rest)
		}
		list = append(list, reason{names, why, quiet})
	}
	return list, nil
}

// isQuiet reports whether a function without a body answers without a word.
func isQuiet(name string, why []reason) bool {
	i := slices.IndexFunc(why, func(r reason) bool { return r.names.MatchString(name) })
	return i >= 0 && why[i].quiet
}

// oldInterface is the reason of functions that only programs of long ago call: those of today get a later version of the name.
const oldInterface = "The driver API as it was before a later version of the same functions (`_v2`, `_v3`), which are there: headers since CUDA 3.2 name those."

// document writes the page.
func document(runtime, runtime12, driver []Entry, defined map[string]bool, why []reason) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# CUDA functions\n\nWhat the libraries of ptxvm do. A function that is not there answers 801 (`cudaErrorNotSupported`, `CUDA_ERROR_NOT_SUPPORTED`) and prints its\nname at the first call. Doubles for per-thread default streams (`_ptsz`, `_ptds`) go with their functions. Written by `go generate ./internal/cudaabi`.\n")
	for _, lib := range []struct {
		name, api string
		list      []Entry
	}{{"libcudart.so.13", "Runtime API", runtime}, {"libcudart.so.12", "Runtime API for programs of CUDA 12", own(runtime12, runtime)}, {"libcuda.so.1", "driver API", driver}} {
		if err := library(&b, lib.name, lib.api, lib.list, defined, why); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// own are the functions of a list that differ from those of another.
func own(list, other []Entry) (out []Entry) {
	for _, e := range list {
		if !slices.Contains(other, e) {
			out = append(out, e)
		}
	}
	return out
}

// library says what a library does.
func library(b *bytes.Buffer, name, api string, list []Entry, defined map[string]bool, why []reason) error {
	done, stubs := split(list, defined)
	fmt.Fprintf(b, "\n## %s\n\n", name)
	if name == "libcudart.so.12" {
		fmt.Fprintf(b, "The %s, where it differs from that of CUDA 13: ", api)
	} else {
		fmt.Fprintf(b, "The %s: ", api)
	}
	fmt.Fprintf(b, "%d functions are there, %d answer 801.\n\n### Supported\n\n%s\n\n### Not there: 801\n", len(done), len(stubs), strings.Join(done, ", "))
	grouped, err := byReason(stubs, done, why)
	if err != nil {
		return err
	}
	for _, g := range grouped {
		fmt.Fprintf(b, "\n%s %s\n", g.text, strings.Join(g.names, ", "))
	}
	return nil
}

// group is functions with one reason.
type group struct {
	text  string
	names []string
}

// byReason sorts functions by their reasons, in the order of those.
func byReason(stubs, done []string, why []reason) (list []group, err error) {
	groups := make([]group, len(why)+1)
	for i := range why {
		groups[i].text = why[i].text
	}
	groups[len(why)].text = oldInterface
	for _, name := range stubs {
		i := slices.IndexFunc(why, func(r reason) bool { return r.names.MatchString(strings.Trim(name, "`")) })
		if i < 0 && !replaced(name, done) {
			return nil, fmt.Errorf("%s answers 801 without a reason (internal/cudaabi/reasons.txt)", name)
		}
		if i < 0 {
			i = len(why)
		}
		groups[i].names = append(groups[i].names, name)
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.names) == 0 }), nil
}

// replaced reports whether a later version of a function is there.
func replaced(name string, done []string) bool {
	name = strings.TrimSuffix(name, "`")
	return slices.ContainsFunc([]string{"_v2`", "_v3`", "_v4`"}, func(version string) bool { return slices.Contains(done, name+version) })
}

// split parts the functions that are there from those that are not, without doubles.
func split(list []Entry, defined map[string]bool) (done, stubs []string) {
	names := symbols(list)
	for _, e := range list {
		if base, _, double := strings.Cut(e.Symbol, "_pt"); double && slices.Contains(names, base) {
			continue
		}
		if defined[e.Body] {
			done = append(done, "`"+e.Symbol+"`")
		} else {
			stubs = append(stubs, "`"+e.Symbol+"`")
		}
	}
	return done, stubs
}
