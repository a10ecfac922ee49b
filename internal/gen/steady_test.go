package main

import (
	"slices"
	"strings"
	"testing"
)

// TestAddedFunction: a function that is added adds generated lines and changes none, wherever its name is sorted in.
func TestAddedFunction(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	funcs, err := laneFunctions(root)
	if err != nil {
		t.Fatal(err)
	}
	list, err := structural(root)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]func([]laneFunc) ([]byte, error){
		"zops.go":   func(f []laneFunc) ([]byte, error) { return operationsOf(list, f) },
		"zlanes.go": func(f []laneFunc) ([]byte, error) { return stampAll("m", f) },
	}
	for _, at := range []int{0, len(funcs) / 2, len(funcs)} {
		added := funcs[at%len(funcs)]
		added.name = strings.Repeat("Long", 20) + added.name // longer than any other: nothing is aligned anew
		for file, text := range texts {
			before, err := text(funcs)
			after, err2 := text(slices.Insert(slices.Clone(funcs), at, added))
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if lost := firstLost(string(before), string(after)); lost != "" || len(before) == len(after) {
				t.Errorf("%s, added at %d: %q is another line", file, at, lost)
			}
		}
	}
}

// firstLost returns the first line of before that after lacks in the same order, "" if it has them all.
func firstLost(before, after string) string {
	rest := strings.Split(after, "\n")
	for line := range strings.SplitSeq(before, "\n") {
		i := slices.Index(rest, line)
		if i < 0 {
			return line
		}
		rest = rest[i+1:]
	}
	return ""
}
