package main

// This file is the ptxas verb: ptxas as compilers call it, for those that run it (Triton's TRITON_PTXAS_PATH). Instead of
// machine code it writes the PTX, in a container that ptxvm's CUDA driver loads.

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/ptxasline"
)

// ptxasRelease is the release whose verdicts check follows; compilers read it from --version.
const ptxasRelease = "13.5"

func newPtxas(s streams) *cli.Command {
	return &cli.Command{
		Use:     "ptxas [OPTION…] FILE",
		Short:   "Check a module as ptxas does, and write it for ptxvm's CUDA driver: a stand-in for TRITON_PTXAS_PATH",
		Example: "  ptxvm ptxas -lineinfo --gpu-name=sm_90 kernel.ptx -o kernel.cubin\n  ln -s \"$(command -v ptxvm)\" ptxas   # by this name, ptxvm is this verb",
		Raw:     true,
		Run:     func(verb *cli.Command, args []string) error { return assemble(s, verb, args) },
	}
}

// underOwnName puts the verb first where the program is called by its name.
func underOwnName(program string, args []string) []string {
	if strings.TrimSuffix(filepath.Base(program), ".exe") == "ptxas" {
		return append([]string{"ptxas"}, args...)
	}
	return args
}

func assemble(s streams, verb *cli.Command, args []string) error {
	a, err := ptxasline.Read(args)
	if err != nil {
		return usageError{fmt.Errorf("ptxas: %w", err)}
	}
	if a.Version {
		_, err := fmt.Fprintf(s.out, "ptxvm's stand-in for ptxas\nrelease %s, V%s.0\n", ptxasRelease, ptxasRelease)
		return err
	}
	if a.Help {
		if err := verb.Help(); err != nil {
			return wrapUsage(err)
		}
		_, err := io.WriteString(s.out, ptxasline.Help())
		return wrapUsage(err)
	}
	name, text, err := readSource(s, a.File)
	if err != nil {
		return err
	}
	diags, err := ptxvm.Check(name, text, &a.Config)
	if err != nil {
		return usageError{err}
	}
	if a.Quiet {
		diags = slices.DeleteFunc(diags, func(d ptxvm.Diagnostic) bool { return d.Severity == diag.Warning })
	}
	if err := writeCheck(s.err, &checkFlags{color: "never"}, cli.DiagnosticPtxas, name, diags); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exitError{exitInvalid}
	}
	return writeContainer(s.out, a.Output, text)
}

// writeContainer writes what ptxvm's driver takes for machine code.
func writeContainer(out io.Writer, file string, text []byte) error {
	data := cli.PackPTX(text)
	if file == launchlang.ToStdout {
		_, err := out.Write(data)
		return err
	}
	return wrapUsage(launchlang.WriteWhole(file, data))
}
