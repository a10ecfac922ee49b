package main

// This file is the test verb: txtar cases in parallel, and what they print.

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/testcase"
)

// testFlags are the options of the test verb.
type testFlags struct {
	filter, format  string
	verbose, update bool
	jobs            int
}

// newTest builds the test verb.
func newTest(s streams) *cli.Command {
	var f testFlags
	cmd := &cli.Command{
		Use:   "test FILE|DIR…",
		Short: "Run txtar test cases: commands, the output they must print, and their files",
		Args:  takes(1, -1),
		Run:   func(cmd *cli.Command, args []string) error { return testCases(cmd, s, &f, args) },
	}
	cmd.Flags().String(&f.filter, "filter", "", "", "only cases whose file name matches `RE`, a regular expression")
	cmd.Flags().Bool(&f.verbose, "verbose", "v", "print cases that pass, too")
	cmd.Flags().Int(&f.jobs, "jobs", "j", runtime.NumCPU(), "run `N` cases at a time")
	cmd.Flags().Bool(&f.update, "update", "", "write what cmp finds into the case")
	cmd.Flags().String(&f.format, "format", "", "text", "print as `text|json|junit`")
	return cmd
}

func testCases(cmd *cli.Command, s streams, f *testFlags, args []string) error {
	ctx := cmd.Context()
	filter, err := regexp.Compile(f.filter)
	if err != nil {
		return usageError{fmt.Errorf("--filter: %w", err)}
	}
	if f.jobs < 1 || !slices.Contains([]string{"text", "json", "junit"}, f.format) {
		return usageError{fmt.Errorf("want -j of at least 1 and --format text, json or junit")}
	}
	files, err := testcase.Files(args, filter)
	if err != nil {
		return usageError{err}
	}
	self, err := os.Executable()
	if err != nil {
		return usageError{err}
	}
	results := (&testcase.Runner{Command: self, Verbs: cmd.Siblings(), Update: f.update}).Run(ctx, files, f.jobs)
	if err := ctx.Err(); err != nil {
		fmt.Fprintln(s.err, "interrupted")
		return exitError{exitInterrupted}
	}
	if err := writeCases(s.out, f, results); err != nil {
		return usageError{err}
	}
	if slices.ContainsFunc(results, func(r testcase.Result) bool { return !r.OK }) {
		return exitError{exitInvalid}
	}
	return nil
}

// writeCases prints the results in the form that is asked for.
func writeCases(out io.Writer, f *testFlags, results []testcase.Result) error {
	switch f.format {
	case "json":
		return writeJSON(out, testcase.NewLog(results))
	case "junit":
		return testcase.WriteJUnit(out, results)
	}
	_, err := io.WriteString(out, escapeLines(testcase.Text(results, f.verbose)))
	return err
}
