package main

// This file holds the verb that runs pytest under exec.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/execprog"
)

func newPytest(s streams) *cli.Command {
	f := execFlags{values: map[string]*string{}}
	cmd := &cli.Command{
		Use:     "pytest [-- ARGUMENT…]",
		Short:   "Run Python's tests of GPU kernels, as exec python -m pytest",
		Example: "  ptxvm pytest -- tests/ -k softmax\n  ptxvm pytest --sanitize all -- tests/ -n 2 --ptxvm-reports=warn",
		Leading: true,
		Args:    takes(0, -1),
		Run: func(_ *cli.Command, args []string) error {
			if err := f.check(); err != nil {
				return usageError{err}
			}
			python, err := interpreter()
			if err != nil {
				return execError(s.err, err)
			}
			return execError(s.err, f.exec(s.err, append([]string{python, "-m", "pytest"}, args...)))
		},
	}
	f.add(cmd)
	return cmd
}

// interpreter is Python's: of the environment that this command is installed in, of the active one, or the first on the PATH.
func interpreter() (string, error) {
	var bins []string
	if self, err := os.Executable(); err == nil {
		bins = append(bins, filepath.Dir(self))
	}
	if active := os.Getenv("VIRTUAL_ENV"); active != "" {
		bins = append(bins, filepath.Join(active, "bin"))
	}
	for _, dir := range bins {
		if python := filepath.Join(dir, "python"); execprog.IsFile(python) {
			return python, nil
		}
	}
	for _, name := range []string{"python", "python3"} {
		if python, err := exec.LookPath(name); err == nil {
			return python, nil
		}
	}
	return "", fmt.Errorf("there is no python: not beside this command, not in $VIRTUAL_ENV, not on the PATH")
}
