package isa

// This file holds the examples: a module for each entry that shows it, made by internal/gen.

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed data/examples.txt
var examplesText string

var examples = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, text := range strings.Split(examplesText, "\n= ")[1:] {
		name, module, _ := strings.Cut(text, "\n")
		all[name] = strings.TrimRight(module, "\n") + "\n"
	}
	return all
})

// Example is a valid module that has a statement of the entry; "" if none is known.
func (e *Entry) Example() string { return examples()[e.Name] }
