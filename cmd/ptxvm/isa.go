package main

// This file is the isa verb: what PTX has, and which assumptions about hardware there are.

import (
	"errors"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/isainfo"
)

// isaFlags are the options of isa.
type isaFlags struct {
	format, target, diff string
	assumptions          bool
}

// newISA builds the isa verb: every form with its gates, section and status, directives and special registers.
func newISA(s streams) *cli.Command {
	var f isaFlags
	cmd := &cli.Command{
		Use:   "isa [NAME]",
		Short: "List instruction forms, directives and special registers: gates, section, status",
		Args:  takes(0, 1),
		Run:   func(_ *cli.Command, args []string) error { return f.list(s, strings.Join(args, "")) },
	}
	fl := cmd.Flags()
	fl.String(&f.format, "format", "", "table", "print as `table|json|md`")
	fl.String(&f.target, "target", "", "", "only what is available on this architecture, such as `sm_120a`")
	fl.String(&f.diff, "diff", "", "", "what changed in PTX between `VERSION` and the version that follows: --diff 9.1 9.4")
	fl.Bool(&f.assumptions, "assumptions", "", "list the assumptions about hardware instead, with the positions that --assume takes")
	return cmd
}

// list answers one of the questions about the ISA; arg is a name, or the second version.
func (f *isaFlags) list(s streams, arg string) error {
	switch {
	case f.assumptions && (f.diff != "" || f.target != ""):
		return usageError{errors.New("isa --assumptions goes with neither --diff nor --target")}
	case f.assumptions:
		return listAssumptions(s, arg, f.format)
	case f.diff != "" && arg == "":
		return usageError{fmt.Errorf("isa --diff wants two versions, as in --diff %s 9.4", f.diff)}
	case f.diff != "":
		return wrapUsage(isainfo.WriteChanges(s.out, f.diff, arg, f.target, f.format))
	case f.target != "":
		return wrapUsage(isainfo.WriteFor(s.out, arg, f.target, f.format))
	}
	return wrapUsage(isainfo.Write(s.out, arg, f.format))
}

// listAssumptions prints all assumptions.
func listAssumptions(s streams, name, format string) error {
	if name != "" {
		return usageError{fmt.Errorf("isa --assumptions lists all assumptions; it takes no NAME")}
	}
	return wrapUsage(isainfo.WriteAssumptions(s.out, format))
}
