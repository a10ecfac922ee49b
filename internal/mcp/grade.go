package mcp

// This file is the tool grade, which is Python's.

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Python is the program that stands for the interpreter that has the package ptxvm.
const Python = "python"

func gradeLine(c *call, a gradeArguments) (*commandLine, error) {
	candidate, err := c.candidate(a)
	if err != nil {
		return nil, err
	}
	reference, err := filepath.Abs(a.Reference)
	if err != nil {
		return nil, err
	}
	if done, err := c.server.Run(c.ctx, Python, []string{"-c", "import ptxvm.grading"}, c.server.Output); err != nil || done.Exit != 0 {
		why := lastLine(done.Err)
		if err != nil {
			why = err.Error()
		}
		return nil, fmt.Errorf("grade is Python's, and there is none here with the package ptxvm and numpy (%s): pip install the wheel of ptxvm and numpy into the environment of this command, or into that of $VIRTUAL_ENV", why)
	}
	args := appendFlags([]string{"-m", "ptxvm", "grade", candidate, reference}, "entry", a.Entry, "sanitize", a.Sanitize, "arch", a.Arch)
	if a.Trials != 0 {
		args = appendFlags(args, "trials", strconv.Itoa(a.Trials))
	}
	if a.Seed != 0 {
		args = appendFlags(args, "seed", strconv.FormatUint(a.Seed, 10))
	}
	if a.Tolerance != 0 {
		args = appendFlags(args, "tol", strconv.FormatFloat(a.Tolerance, 'g', -1, 64))
	}
	for _, name := range a.Forbid {
		args = appendFlags(args, "forbid", name)
	}
	limit := []string{fmt.Sprintf("--timeout=%g", c.server.Timeout.Seconds()/2)} // the rest is for what Python imports
	return &commandLine{program: Python, args: args, limits: limit, read: readVerdict}, nil
}

// candidate is the path of what is graded.
func (c *call) candidate(a gradeArguments) (string, error) {
	switch {
	case (a.Candidate == "") == (a.Text == ""):
		return "", errors.New("give the candidate by its path, or as text with its kind")
	case a.Candidate != "":
		return filepath.Abs(a.Candidate)
	case a.Kind != "py" && a.Kind != "cu" && a.Kind != "ptx":
		return "", fmt.Errorf("kind is py, cu or ptx, not %q", a.Kind)
	}
	return c.write(a.Text, a.Kind)
}

// verdict is what grade's line of JSON says to people.
type verdict struct {
	Verdict string `json:"verdict"`
	Trial   *int   `json:"trial"`
	Message string `json:"message"`
	Reports []struct {
		Message string `json:"message"`
	} `json:"reports"`
	Sandbox struct {
		Missing []string `json:"missing"`
	} `json:"sandbox"`
}

// readVerdict gives a verdict as text, and whole.
func readVerdict(done Done) (string, any) {
	var v verdict
	if json.Unmarshal(done.Out, &v) != nil {
		return string(done.Out) + string(done.Err), nil
	}
	var b strings.Builder
	b.WriteString(v.Verdict)
	if v.Trial != nil {
		fmt.Fprintf(&b, " (trial %d)", *v.Trial)
	}
	if v.Message != "" {
		b.WriteString(": " + v.Message)
	}
	for _, r := range v.Reports {
		if r.Message != v.Message {
			b.WriteString("\n" + r.Message)
		}
	}
	if len(v.Sandbox.Missing) > 0 {
		b.WriteString("\nit ran without these layers of the sandbox: " + strings.Join(v.Sandbox.Missing, "; "))
	}
	return b.String(), json.RawMessage(done.Out)
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
