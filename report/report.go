package report

// This file holds what sanitizers have found, in terms of the source.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// Report says what a kernel did that its results must not depend on, with both places.
type Report struct {
	Code     diag.Code     // P8001 and up; `ptxvm explain` has more
	Severity diag.Severity // a note is no error: it changes no exit code, and Stats.Notes has it
	Msg      string        // what happened, in words
	Kernel   string
	Here     Involved  // the access; of OpenAtExit, as far as it is known
	Other    *Involved // what it conflicts with: the operation, store or allocation; nil if nothing
	Times    int       // that the same two lines did this
	Pairs    int       // of instructions of these lines that did it: the first is shown
	Between  string    // of races, how far the threads are from each other at most: warp, cta, gpu, launches; else empty
	Check    string    // that found it, as ParseSanitize names it
	Kind     string    // what of it: RAW, WAR, WAW, scope, outside, …
	ID       string    // the same for the same object and two lines, in either order, wherever they have moved
	Fix      string    // what would mend it
	Missing  string    // what between the two places would order them, in a few words; empty where order is not what is missing
	Object   string    // the variable, buffer or block that is touched, or from which a pointer was made; empty if none is known
	Extent   *Extent   // the memory that both places touch, or that is left; nil if it is about none
	// Instances are other instances of one template, functions or kernels by symbol, in which the same lines did the same.
	// They count in Times.
	Instances []string
	Replay    string // a command line that shows the same again; tools that know one fill it in
	// Moment is how many warp instructions the launch had executed before, in the debugger's order: `debug --at`; nil: not known.
	Moment *uint64

	pairs map[[2]Location]bool // of instructions that Pairs counts; nil before Fold
}

// Extent is a piece of memory or of registers.
type Extent struct {
	Space     string // global, shared, local, tensor, registers
	Rank      int    // of the CTA in its cluster, of shared and tensor memory
	From, To  uint64 // bytes [From, To): addresses, offsets in the CTA's shared memory, or columns of tensor memory
	Row, Last int    // lanes [Row, Last) of tensor memory
}

// Error is one line: where, code, what. The end of a CTA has no line of its own, and memory that nothing touches no place at all.
func (r *Report) Error() string {
	at := &r.Here
	if at.PTX.File == "" && r.Other != nil {
		at = r.Other
	}
	word := ""
	if r.Severity != diag.Error {
		word = r.Severity.String() + " "
	}
	if at.PTX.File == "" && len(at.Source) == 0 {
		return fmt.Sprintf("%s%v: %s", word, r.Code, diag.Escape(r.Msg))
	}
	return fmt.Sprintf("%v: %s%v: %s (kernel %s, CTA %s, thread %s)", at.line(), word, r.Code, diag.Escape(r.Msg), readable(r.Kernel),
		at.CTA, at.Thread)
}

// Detail is the whole report on several lines.
func (r *Report) Detail() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", r.Error())
	r.Here.print(&b, reportLabel(r.Here.Role))
	if r.Other != nil {
		r.Other.print(&b, reportLabel(r.Other.Role))
	}
	switch {
	case r.Pairs > 1:
		fmt.Fprintf(&b, "  times:   %d, of %d pairs of instructions at these lines; the first is shown\n", r.Times, r.Pairs)
	case r.Times > 1:
		fmt.Fprintf(&b, "  times:   %d; the first is shown\n", r.Times)
	}
	for _, name := range r.Instances {
		fmt.Fprintf(&b, "  also in: %s\n", diag.Escape(instanceName(name)))
	}
	if r.Moment != nil {
		fmt.Fprintf(&b, "  moment:  %s\n", at(*r.Moment))
	}
	fmt.Fprintf(&b, "  fix:     %s\n  help:    ptxvm explain %v", r.Fix, r.Code)
	return b.String()
}

// at says how the debugger goes to a moment.
func at(moment uint64) string { return fmt.Sprintf("%d (ptxvm debug … --at %d)", moment, moment) }

// instanceName is the functions of an instance as people write them.
func instanceName(symbols string) string {
	names := strings.Split(symbols, " ")
	for i := range names {
		names[i] = readable(names[i])
	}
	return strings.Join(names, ", ")
}

// reportLabel is a role in the column of a report's labels.
func reportLabel(role string) string { return fmt.Sprintf("%-9s", role+":") }

// SanitizerError is what a launch returns that sanitizers have reported about. The kernel has run
// to its end, and its results are there, unless Err says otherwise.
type SanitizerError struct {
	Kernel  string
	Reports []*Report // one for each kind and pair of lines: causes first (Fold), else in the order of their first time
	More    int       // pairs of lines or of instructions beyond DeviceConfig.MaxReports
	Err     error     // what the launch would have returned without sanitizers, such as a *Fault
}

// Error is how many reports there are, and the first.
func (e *SanitizerError) Error() string {
	return fmt.Sprintf("%s about kernel %s, the first: %v", counted(len(e.Reports)+e.More, "sanitizer report", "sanitizer reports"), readable(e.Kernel), e.Reports[0])
}

// Unwrap is Err.
func (e *SanitizerError) Unwrap() error { return e.Err }

// Detail is all reports, on several lines each.
func (e *SanitizerError) Detail() string {
	var b strings.Builder
	for _, r := range e.Reports {
		b.WriteString(r.Detail())
		b.WriteByte('\n')
	}
	b.WriteString(e.Summary())
	return b.String()
}

// Summary is how many reports there are, on one line.
func (e *SanitizerError) Summary() string {
	text := fmt.Sprintf("sanitizer: %s about kernel %s", counted(len(e.Reports), "report", "reports"), readable(e.Kernel))
	if e.More > 0 {
		text += fmt.Sprintf("; %s not shown (DeviceConfig.MaxReports, --max-reports)", counted(e.More, "more pair of places is", "more pairs of places are"))
	}
	return text
}
