package main

// This file is what shells complete beside verbs, flags and files: `ptxvm completion bash|zsh|fish|powershell`
// prints the script for a shell.

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
)

// addCompletion adds the verb, which without a shell that it knows is a mistake, not a question.
func addCompletion(root *cli.Command) {
	root.AddCompletion(func(have string, shells []string) error {
		return usageError{fmt.Errorf("completion: have %q, want one shell: %s", have, strings.Join(shells, ", "))}
	})
}

// flagWords are the values of flags that take one of a few words.
var flagWords = map[string][]string{
	"engine": {"auto", "interp", "jit", "cc"}, "judge": {"ptxas", "manual"}, "async": {"eager", "lazy", "random"}, "sanitize": {"all", "mem", "init", "init:loads", "race", "race:strict", "sync", "leak", "leak:unused", "async", "async:fences", "async:war", "nan", "nan:inf"},
	"color": {"auto", "always", "never"}, "schedule": {"long", "fair"}, "show": {"tmem"},
}

// completeFlags lets shells complete the flags of run and bench.
func completeFlags(cmd *cli.Command) {
	cmd.Complete = map[string]func([]string, string) []string{"kernel": completeKernel}
	for name, words := range flagWords {
		cmd.Complete[name] = func([]string, string) []string { return words }
	}
}

// completeKernel lists the kernels of the files that stand on the command line already.
func completeKernel(words []string, typed string) (names []string) {
	for _, file := range words {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		m, err := ptxvm.Compile(file, text, nil)
		if err != nil {
			continue
		}
		for _, k := range m.Kernels() {
			for _, name := range []string{k.Name, k.Base()} {
				if strings.HasPrefix(name, typed) && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
