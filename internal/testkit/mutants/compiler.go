package mutants

// Mutants of the compiler's new pipeline. Most of what can be changed in a compiler makes its code worse, not wrong, and tests need not see
// it: so these are no sample, but a list of such as make wrong code.

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed compiler.txt
var compilerText string

// Compiler is the new pipeline, from the constructor of operations to registers. The tests that judge are the narrowest that launch kernels.
var Compiler = Room{
	Name: "compiler", Dir: "internal/jit/ssa",
	Wings: []string{"internal/jit/build", "internal/jit/opt", "internal/jit/isel/amd64", "internal/jit/regalloc"},
	Tests: []string{"internal/testkit/pipeline"},
	Runs:  []string{"^Test(Wraps|Found|Fuel|Leave|Operands|Rest|ForcedRandom)$", "^Test(Kernels|Random|Barriers)$"},
	Flags: []string{"-test.short", "-back=own"},
}

// Wrong are the mutants of a list of keys, a line each; lines that begin with # and empty ones are for the reader.
func Wrong(root, list string) (found []Mutant, err error) {
	all, err := Enumerate(root, &Compiler)
	if err != nil {
		return nil, err
	}
	byKey := map[string]*Mutant{}
	for i := range all {
		byKey[all[i].Key()] = &all[i]
	}
	for line := range strings.Lines(list) {
		key := strings.TrimSpace(line)
		if key == "" || key[0] == '#' {
			continue
		}
		m := byKey[key]
		if m == nil {
			return nil, fmt.Errorf("compiler.txt names a mutant that is not made any more: %s", key)
		}
		found = append(found, *m)
	}
	return found, nil
}
