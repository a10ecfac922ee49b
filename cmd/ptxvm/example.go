package main

// This file is the example verb: small kernels that come with the command.

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// examples holds NAME.cu, the PTX that nvcc makes of it, and NAME.txt, the options that run it.
//
//go:embed examples/*.cu examples/*.ptx examples/*.txt
var examples embed.FS

// exampleExts are the files of an example.
var exampleExts = []string{".cu", ".ptx", ".txt"}

// newExample builds the example verb.
func newExample(s streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "example [NAME]",
		Short: "List small kernels that come along; run one, or write its files with -o DIR",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && dir == "":
				return wrapUsage(listExamples(s))
			case len(args) == 0:
				return wrapUsage(writeExamples(s, exampleNames(), dir))
			case !slices.Contains(exampleNames(), args[0]):
				return usageError{fmt.Errorf("there is no example %q; there are %s", args[0], strings.Join(exampleNames(), ", "))}
			case dir != "":
				return wrapUsage(writeExamples(s, args, dir))
			}
			return runExample(cmd.Context(), s, args[0])
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write source, PTX and options to this directory instead")
	return cmd
}

func exampleNames() (names []string) {
	entries, err := examples.ReadDir("examples")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".cu"); ok {
			names = append(names, name)
		}
	}
	return names
}

func exampleFile(name string) []byte {
	data, err := examples.ReadFile("examples/" + name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return data
}

// listExamples prints names with the first line of each source, a comment that says what it is.
func listExamples(s streams) error {
	for _, name := range exampleNames() {
		line, _, _ := strings.Cut(string(exampleFile(name+".cu")), "\n")
		if _, err := fmt.Fprintf(s.out, "%-12s %s\n", name, strings.TrimPrefix(line, "// ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(s.out, "\nptxvm example NAME runs one; ptxvm example NAME -o DIR writes its files")
	return err
}

// runExample runs an example as `ptxvm run @NAME.txt` does.
func runExample(ctx context.Context, s streams, name string) error {
	var f runFlags
	f.bind(&cobra.Command{Use: "run"})
	list := []*runFlags{&f}
	if _, err := scanOptions(name+".txt", bytes.NewReader(exampleFile(name+".txt")), &list, nil); err != nil {
		return usageError{err}
	}
	s.in, s.name = bytes.NewReader(exampleFile(name+".ptx")), name+".ptx"
	return runReported(ctx, s, list, []string{"-"})
}

// writeExamples writes files that do not exist yet, and says how to run them.
func writeExamples(s streams, names []string, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range names {
		for _, ext := range exampleExts {
			file := filepath.Join(dir, name+ext)
			if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("%s exists already (%v); nothing is overwritten", file, err)
			}
			if err := writeWhole(file, exampleFile(name+ext)); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(s.out, "cd %s && ptxvm run @%s.txt\n", shellWord(dir), name); err != nil {
			return err
		}
	}
	return nil
}
