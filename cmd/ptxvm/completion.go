package main

// This file is what shells complete beside verbs, flags and files: `ptxvm completion bash|zsh|fish|powershell`
// prints the script for a shell.

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ptxvm.invalid/ptxvm"
)

// addCompletion adds the verb, which without a shell that it knows is a mistake, not a question.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "completion" })
	verb := root.Commands()[i]
	verb.Args = cobra.ArbitraryArgs
	verb.RunE = func(_ *cobra.Command, args []string) error {
		return usageError{fmt.Errorf("completion: have %q, want one shell: bash, fish, powershell or zsh", strings.Join(args, " "))}
	}
}

// flagWords are the values of flags that take one of a few words.
var flagWords = map[string][]string{
	"engine": {"auto", "interp", "jit"}, "judge": {"ptxas", "manual"}, "async": {"eager", "lazy", "random"}, "sanitize": {"init"},
	"color": {"auto", "always", "never"}, "show": {"tmem"},
}

// completeFlags lets shells complete the flags of run and bench.
func completeFlags(cmd *cobra.Command) {
	for name, words := range flagWords {
		mustComplete(cmd, name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	mustComplete(cmd, "kernel", completeKernel)
}

func mustComplete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic("BUG: " + err.Error())
	}
}

// completeKernel lists the kernels of the files that stand on the command line already.
func completeKernel(_ *cobra.Command, files []string, typed string) (names []string, _ cobra.ShellCompDirective) {
	for _, file := range files {
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
	return names, cobra.ShellCompDirectiveNoFileComp
}
