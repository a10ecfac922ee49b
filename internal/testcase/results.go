package testcase

// This file runs many cases, and writes what came of them.

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// Result is what came of one case; the JSON names are part of the contract.
type Result struct {
	File    string `json:"file"`
	OK      bool   `json:"ok"`
	Message string `json:"message"` // what failed; empty if ok
	Line    int    `json:"line"`    // of the case; 0 if ok, or if it is about no line
	Ns      int64  `json:"elapsed_ns"`
}

// Files lists the files, and the .txtar files below the directories. None is a mistake: a test
// that runs nothing must not pass.
func Files(args []string, filter *regexp.Regexp) (files []string, err error) {
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (path == arg || filepath.Ext(path) == ".txtar") && filter.MatchString(path) {
				files = append(files, path)
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			_, err = launchlang.OpenFile(arg) // which says what is near
		}
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no case: want .txtar files, or directories with some, that --filter lets through")
	}
	return files, nil
}

// Run runs cases, as many at a time as there are jobs; the results are in the order of files.
func (r *Runner) Run(ctx context.Context, files []string, jobs int) []Result {
	results := make([]Result, len(files))
	var wg sync.WaitGroup
	slots := make(chan struct{}, jobs)
	for i, file := range files {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			start := time.Now()
			err := r.One(ctx, file)
			results[i] = Result{File: file, OK: err == nil, Ns: time.Since(start).Nanoseconds()}
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
	var at *lineError
	if errors.As(err, &at) {
		return at.line
	}
	return 0
}

// place is the file and line of a failure.
func (r *Result) place() string {
	if r.Line == 0 {
		return r.File
	}
	return fmt.Sprintf("%s:%d", r.File, r.Line)
}

// Log is the results as JSON has them; the names are part of the contract.
type Log struct {
	Schema int      `json:"schema"`
	Cases  []Result `json:"cases"`
}

// NewLog returns the log of results.
func NewLog(results []Result) Log { return Log{Schema: 1, Cases: results} }

// Text is the results for people: a line for each case that fails, for all of them if verbose, what failed below it, and
// how many have passed.
func Text(results []Result, verbose bool) string {
	var b strings.Builder
	failed := 0
	for _, r := range results {
		took := time.Duration(r.Ns).Round(time.Millisecond)
		switch {
		case !r.OK:
			failed++
			fmt.Fprintf(&b, "FAIL %s (%v)\n  %s\n", r.place(), took, strings.ReplaceAll(strings.TrimSpace(r.Message), "\n", "\n  "))
		case verbose:
			fmt.Fprintf(&b, "ok   %s (%v)\n", r.place(), took)
		}
	}
	fmt.Fprintf(&b, "%d of %d cases pass\n", len(results)-failed, len(results))
	return b.String()
}

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

// WriteJUnit writes the results as the XML that build servers read: a test suite with a test for each case.
func WriteJUnit(w io.Writer, results []Result) error {
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
	_, err := w.Write(out.Bytes())
	return err
}
