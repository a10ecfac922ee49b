package main

// This file is the example verb: small kernels that come with the command.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/examples"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// newExample builds the example verb.
func newExample(s streams) *cli.Command {
	var dir string
	cmd := &cli.Command{
		Use:   "example [NAME]",
		Short: "List the built-in examples; run one, or write its files with -o DIR",
		Args:  takes(0, 1),
		Run: func(cmd *cli.Command, args []string) error {
			names := exampleNames()
			switch {
			case len(args) == 0 && dir == "":
				return wrapUsage(listExamples(s))
			case len(args) == 0:
				return wrapUsage(writeExamples(s, names, dir))
			case !slices.Contains(names, args[0]):
				return usageError{fmt.Errorf("there is no example %q; there are %s", args[0], strings.Join(names, ", "))}
			case dir != "":
				return wrapUsage(writeExamples(s, args, dir))
			}
			return runExample(cmd.Context(), s, args[0])
		},
	}
	cmd.Flags().String(&dir, "output", "o", "", "write source, PTX, options and case to this directory instead")
	return cmd
}

func exampleNames() (names []string) {
	entries, err := examples.FS.ReadDir(".")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// exampleFiles lists the files of an example: its source, then the others.
func exampleFiles(name string) (files []string) {
	entries, err := examples.FS.ReadDir(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, e := range entries {
		files = append(files, e.Name())
	}
	return slices.SortedStableFunc(slices.Values(files), func(a, b string) int { return sourceFirst(a) - sourceFirst(b) })
}

func sourceFirst(file string) int {
	if slices.Contains([]string{".cu", ".c", ".py"}, filepath.Ext(file)) {
		return 0
	}
	return 1
}

func exampleFile(name, file string) []byte {
	data, err := fs.ReadFile(examples.FS, name+"/"+file)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return data
}

// listExamples prints names with the first line of each source, a comment that says what it is.
func listExamples(s streams) error {
	for _, name := range exampleNames() {
		line, _, _ := strings.Cut(string(exampleFile(name, exampleFiles(name)[0])), "\n")
		if _, err := fmt.Fprintf(s.out, "%-12s %s\n", name, strings.TrimLeft(line, `/" `)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(s.out, "\nptxvm example NAME runs one; ptxvm example NAME -o DIR writes its files")
	return err
}

// runExample runs an example as `ptxvm run @NAME.txt` does, in a directory that has its files.
func runExample(ctx context.Context, s streams, name string) (err error) {
	back, err := os.Getwd()
	if err != nil {
		return wrapUsage(err)
	}
	dir, err := os.MkdirTemp("", "ptxvm-example-")
	if err != nil {
		return wrapUsage(err)
	}
	defer func() { err = errors.Join(err, wrapUsage(os.Chdir(back)), wrapUsage(os.RemoveAll(dir))) }()
	if err := errors.Join(writeExample(name, dir), os.Chdir(dir)); err != nil {
		return wrapUsage(err)
	}
	var f runFlags
	f.bind(&cli.Command{Use: "run"})
	list := []*runFlags{&f}
	options := name + ".txt"
	files, err := optionsFile{name: options, dir: "."}.scan(bytes.NewReader(exampleFile(name, options)), &list, nil)
	if err != nil {
		return usageError{err}
	}
	_, end := runReported(ctx, s, &runSet{flags: &f, launches: list, files: files}, map[string]bool{})
	return end
}

// writeExamples writes files, and says how to run them.
func writeExamples(s streams, names []string, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range names {
		if err := writeExample(name, dir); err != nil {
			return err
		}
		there := ""
		if filepath.Clean(dir) != "." {
			there = "cd " + launchlang.ShellWord(dir) + " && "
		}
		if _, err := fmt.Fprintf(s.out, "%sptxvm run @%s.txt\n", there, name); err != nil {
			return err
		}
	}
	return nil
}

// writeExample writes the files of an example, none of which may exist yet.
func writeExample(name, dir string) error {
	for _, base := range exampleFiles(name) {
		file := filepath.Join(dir, base)
		switch _, err := os.Lstat(file); {
		case err == nil:
			return fmt.Errorf("%s exists already; nothing is overwritten", file)
		case !errors.Is(err, os.ErrNotExist):
			return err
		}
		if err := launchlang.WriteWhole(file, exampleFile(name, base)); err != nil {
			return err
		}
	}
	return nil
}
