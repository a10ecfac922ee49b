// Package report holds what ptxvm says of a kernel that went wrong, in terms of its source: the fault that ended it, who waits
// for whom in a deadlock, where warps were when a limit ended a launch, and what sanitizers have found. Launches return these
// as errors; the package ptxvm has the names of those that programs ask for. It also reads suppressions, and folds the reports
// of several launches.
package report

// This file holds places: in the source, in the grid, and the two together.

import (
	"fmt"
	"math/bits"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/kernelname"
)

// Location is a place in a source: a line of the PTX, or one that .loc names.
type Location struct {
	File     string `json:"file"`
	Line     int    `json:"line"`     // from 1
	Col      int    `json:"col"`      // from 1, in bytes; 0: not known
	Function string `json:"function"` // the PTX function, or the source function that .loc says was inlined; may be empty
}

// String prints the place as compilers do: file:line:col, without the column where none is known.
func (l Location) String() string {
	text := fmt.Sprintf("%s:%d", diag.Escape(l.File), l.Line)
	if l.Col > 0 {
		text += fmt.Sprintf(":%d", l.Col)
	}
	return text
}

// Index3 is the place of a CTA in its grid (%ctaid) or of a thread in its block (%tid): it counts from 0, and a
// component that is left out is 0.
type Index3 struct{ X, Y, Z uint32 }

// Array is the place as JSON has it: X, Y, Z.
func (i Index3) Array() [3]uint32 { return [3]uint32{i.X, i.Y, i.Z} }

// String prints the place: (0,0,1).
func (i Index3) String() string { return fmt.Sprintf("(%d,%d,%d)", i.X, i.Y, i.Z) }

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

// line is the place that heads the report.
func (v *Involved) line() Location { return headOr(v.Source, v.PTX) }

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

// callsShown is how many calls of a deep recursion a report shows: the innermost and the outermost half.
const callsShown = 8

// inFunction names the function of a place, if .loc does.
func inFunction(name string) string {
	if name == "" {
		return ""
	}
	return " in " + readable(name)
}

// readable is a symbol as people write it, for reports; a name that is hidden in a symbol may hold anything.
func readable(symbol string) string { return diag.Escape(kernelname.Demangle(symbol)) }

// counted writes a number with its noun.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
