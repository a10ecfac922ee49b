package main

// This file is the explain verb.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/isainfo"
)

// maxExplained is how many words a statement may have that is not quoted.
const maxExplained = 64

// newExplain builds the explain verb: an error code, an instruction, a directive or a special register, with examples.
func newExplain(s streams) *cli.Command {
	return &cli.Command{
		Use:   "explain CODE|NAME|STATEMENT",
		Short: "Explain an error code such as P3004, an instruction such as cvt, a statement or part of one, directive, special register, modifier, target, or word such as warp; what __syncthreads or \"CUDA error 700\" is in PTX",
		Args:  takes(1, maxExplained),
		Run: func(_ *cli.Command, args []string) error {
			text, err := isainfo.Explain(strings.Join(args, " "))
			if err != nil {
				return usageError{err}
			}
			_, err = fmt.Fprint(s.out, text)
			return err
		},
	}
}
