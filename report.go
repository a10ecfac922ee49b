package ptxvm

// This file holds what sanitizers have found, in terms of the source.

import (
	"fmt"
	"math/bits"
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
	Times    int       // that the same two instructions did this
	Check    string    // that found it, as ParseSanitize names it
	Kind     string    // what of it: RAW, WAR, WAW, scope, outside, …
	ID       string    // the same for the same instructions, wherever their lines have moved
	Fix      string    // what would mend it
	Missing  string    // what between the two places would order them, in a few words; empty where order is not what is missing
	Object   string    // the variable, buffer or block that is touched, or from which a pointer was made; empty if none is known
	Extent   *Extent   // the memory that both places touch, or that is left; nil if it is about none
	// Instances are other instances of one template, functions or kernels by symbol, in which the same lines did the same.
	// They count in Times.
	Instances []string
	Replay    string // a command line that shows the same again; tools that know one fill it in
}

// Extent is a piece of memory or of registers.
type Extent struct {
	Space     string // global, shared, local, tensor, registers
	Rank      int    // of the CTA in its cluster, of shared and tensor memory
	From, To  uint64 // bytes [From, To): addresses, offsets in the CTA's shared memory, or columns of tensor memory
	Row, Last int    // lanes [Row, Last) of tensor memory
}

// Involved is one of the places of a report.
type Involved struct {
	CTA    Index3
	Thread Index3 // the first
	Lanes  uint32 // of the warp
	PTX    Location
	Source []Location // as in Fault
	Calls  []Location
	Text   string // the instruction as written
	Role   string // read, write, written, freed, …
	Order  string // of an access: weak, relaxed, acquire, release, acq_rel, sc; empty of what is no access
	Scope  string // cta, cluster, gpu, sys; empty where Order is weak
	Proxy  string // by which the access is made: generic, async
}

// Error is one line: where, code, what. The end of a CTA has no line of its own.
func (r *Report) Error() string {
	at := &r.Here
	if at.PTX.File == "" && r.Other != nil {
		at = r.Other
	}
	word := ""
	if r.Severity != diag.Error {
		word = r.Severity.String() + " "
	}
	return fmt.Sprintf("%v: %s%v: %s (kernel %s, CTA %s, thread %s)", at.line(), word, r.Code, diag.Escape(r.Msg), readable(r.Kernel),
		at.CTA, at.Thread)
}

// line is the innermost place.
func (v *Involved) line() Location {
	if len(v.Source) > 0 {
		return v.Source[0]
	}
	return v.PTX
}

// Detail is the whole report on several lines.
func (r *Report) Detail() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", r.Error())
	r.Here.print(&b, reportLabel(r.Here.Role))
	if r.Other != nil {
		r.Other.print(&b, reportLabel(r.Other.Role))
	}
	if r.Times > 1 {
		fmt.Fprintf(&b, "  times:   %d; the first is shown\n", r.Times)
	}
	for _, name := range r.Instances {
		fmt.Fprintf(&b, "  also in: %s\n", diag.Escape(instanceName(name)))
	}
	fmt.Fprintf(&b, "  fix:     %s\n  help:    ptxvm explain %v", r.Fix, r.Code)
	return b.String()
}

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

// print writes the place behind a label, and what else there is to say of it below; nothing if it is not known.
func (v *Involved) print(b *strings.Builder, label string) {
	if v == nil || v.PTX.File == "" {
		return
	}
	indent := strings.Repeat(" ", 2+len(label))
	fmt.Fprintf(b, "  %s%v  %s\n", label, v.PTX, diag.Escape(v.Text))
	fmt.Fprintf(b, indent+"by CTA %s, thread %s", v.CTA, v.Thread)
	if n := bits.OnesCount32(v.Lanes); n > 1 {
		fmt.Fprintf(b, " and %d more of its warp (mask %08x)", n-1, v.Lanes)
	}
	b.WriteByte('\n')
	for _, l := range v.Source {
		fmt.Fprintf(b, indent+"from %v%s\n", l, inFunction(l.Function))
	}
	for _, l := range v.Calls {
		fmt.Fprintf(b, indent+"called from %v%s\n", l, inFunction(l.Function))
	}
}
