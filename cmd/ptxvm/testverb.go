package main

// This file is the test verb: txtar cases in parallel, and what they print.

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ptxvm.invalid/ptxvm/internal/cli"
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
		Run:   func(cmd *cli.Command, args []string) error { return testCases(cmd.Context(), s, &f, args) },
	}
	cmd.Flags().String(&f.filter, "filter", "", "", "only cases whose file name matches `RE`, a regular expression")
	cmd.Flags().Bool(&f.verbose, "verbose", "v", "print cases that pass, too")
	cmd.Flags().Int(&f.jobs, "jobs", "j", runtime.NumCPU(), "run `N` cases at a time")
	cmd.Flags().Bool(&f.update, "update", "", "write what cmp finds into the case")
	cmd.Flags().String(&f.format, "format", "", "text", "print as `text|json|junit`")
	return cmd
}

// caseResult is one case; the JSON names are part of the contract.
type caseResult struct {
	File    string `json:"file"`
	OK      bool   `json:"ok"`
	Message string `json:"message"` // what failed; empty if ok
	Line    int    `json:"line"`    // of the case; 0 if ok, or if it is about no line
	Ns      int64  `json:"elapsed_ns"`
}

func testCases(ctx context.Context, s streams, f *testFlags, args []string) error {
	filter, err := regexp.Compile(f.filter)
	if err != nil {
		return usageError{fmt.Errorf("--filter: %w", err)}
	}
	if f.jobs < 1 || !slices.Contains([]string{"text", "json", "junit"}, f.format) {
		return usageError{fmt.Errorf("want -j of at least 1 and --format text, json or junit")}
	}
	files, err := caseFiles(args, filter)
	if err != nil {
		return usageError{err}
	}
	self, err := os.Executable()
	if err != nil {
		return usageError{err}
	}
	results := runCases(ctx, &caseRunner{self: self, update: f.update}, files, f.jobs)
	if err := ctx.Err(); err != nil {
		fmt.Fprintln(s.err, "interrupted")
		return exitError{exitInterrupted}
	}
	if err := writeCases(s, f, results); err != nil {
		return usageError{err}
	}
	if slices.ContainsFunc(results, func(r caseResult) bool { return !r.OK }) {
		return exitError{exitInvalid}
	}
	return nil
}

// caseFiles lists the files, and the .txtar files below the directories. None is a mistake: a test
// that runs nothing must not pass.
func caseFiles(args []string, filter *regexp.Regexp) (files []string, err error) {
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (path == arg || filepath.Ext(path) == ".txtar") && filter.MatchString(path) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no case: want .txtar files, or directories with some, that --filter lets through")
	}
	return files, nil
}

// runCases runs them, in the order of files.
func runCases(ctx context.Context, r *caseRunner, files []string, jobs int) []caseResult {
	results := make([]caseResult, len(files))
	var wg sync.WaitGroup
	slots := make(chan struct{}, jobs)
	for i, file := range files {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			start := time.Now()
			err := r.run(ctx, file)
			results[i] = caseResult{File: file, OK: err == nil, Ns: time.Since(start).Nanoseconds()}
			if err != nil {
				results[i].Message, results[i].Line = err.Error(), lineOf(err)
			}
		})
	}
	wg.Wait()
	return results
}

// lineOf is the line that a case failed at, 0 if it is not about one.
func lineOf(err error) int {
	var at *caseError
	if errors.As(err, &at) {
		return at.line
	}
	return 0
}

// place is the file and line of a failure.
func (r *caseResult) place() string {
	if r.Line == 0 {
		return r.File
	}
	return fmt.Sprintf("%s:%d", r.File, r.Line)
}

func writeCases(s streams, f *testFlags, results []caseResult) error {
	switch f.format {
	case "json":
		return writeJSON(s.out, struct {
			Schema int          `json:"schema"`
			Cases  []caseResult `json:"cases"`
		}{1, results})
	case "junit":
		return writeJUnit(s, results)
	}
	failed := 0
	for _, r := range results {
		word := "ok  "
		if !r.OK {
			word, failed = "FAIL", failed+1
		}
		if r.OK && !f.verbose {
			continue
		}
		text := fmt.Sprintf("%s %s (%v)", word, r.place(), time.Duration(r.Ns).Round(time.Millisecond))
		if !r.OK {
			text += "\n  " + strings.ReplaceAll(strings.TrimSpace(r.Message), "\n", "\n  ")
		}
		if _, err := fmt.Fprintln(s.out, escapeLines(text)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(s.out, "%d of %d cases pass\n", len(results)-failed, len(results))
	return err
}

// junitSuite is the XML that build servers read.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Time    float64       `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Text string `xml:",chardata"`
}

func writeJUnit(s streams, results []caseResult) error {
	suite := junitSuite{Name: "ptxvm", Tests: len(results)}
	for _, r := range results {
		c := junitCase{Name: r.File, Time: time.Duration(r.Ns).Seconds()}
		if !r.OK {
			suite.Failures++
			c.Failure = &junitFailure{r.place() + ": " + r.Message}
		}
		suite.Cases = append(suite.Cases, c)
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	enc := xml.NewEncoder(&out)
	enc.Indent("", "  ")
	if err := enc.Encode(suite); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := s.out.Write(out.Bytes())
	return err
}
