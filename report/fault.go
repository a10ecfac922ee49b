package report

// This file holds faults, and what lies next to a faulting address.

import (
	"fmt"
	"math/bits"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/kernelname"
)

// Fault says what stopped a kernel: kind, place in the source, thread, and for memory
// faults the access and the allocation next to it. The instruction had no effect in any
// lane. A fault is not sticky: the device goes on.
type Fault struct {
	Code    diag.Code // P7001 and up; `ptxvm explain` has more
	ID      string    // the same for the same instruction, wherever its line has moved
	Msg     string    // what happened, in words
	Kernel  string
	Func    string // the function that faulted: the kernel or one that it called
	CTA     Index3
	Thread  Index3
	Lanes   uint32 // lanes of the warp that faulted; Thread is the first of them
	Times   int    // that the instruction has faulted, of a launch that goes on (DeviceConfig.KeepGoing); else 0
	Address uint64 // memory faults
	Size    int    // bytes of the access; 0 if the fault is about no memory
	Near    *Allocation
	PTX     Location   // the instruction
	Source  []Location // where it comes from by .loc, innermost first: of the instruction, else of the nearest call that has a line
	Calls   []Location // the calls that led here, innermost first
	Text    string     // the instruction as written
	Space   string     // of a memory fault: global, shared, …, as the instruction names it
	Fix     string     // what to do, empty if nothing in particular
	Moment  *uint64    // how many warp instructions the launch had executed before, in the debugger's order: `debug --at`; nil: not known
	Passed  bool       // it has been let pass (DeviceConfig.PageBounds): no fault, and the launch went on
}

// Allocation is what lies next to a faulting address.
type Allocation struct {
	Start, Size uint64
	Label       string    // name of a module variable, malloc for a block of a kernel's heap; empty for buffers
	Param       string    // the first kernel parameter that holds Start; empty if none does
	Distance    uint64    // bytes between the access and the allocation
	Before      bool      // the address lies before its start
	Inside      bool      // the access begins inside and reaches over the end
	Holds       bool      // the address lies inside
	ReadOnly    bool      // the access lies inside and is a write
	Freed       bool      // it has ended, and nothing has taken its place
	Made, Ended *Involved // the malloc and the free, of a block of a kernel's heap; else nil
}

// Error is one line: code, what, where.
func (f *Fault) Error() string {
	place := headOr(f.Source, f.PTX)
	word := "fault"
	if f.Passed {
		word = "warning"
	}
	return fmt.Sprintf("%v: %s %v: %s (kernel %s, CTA %s, thread %s)", place, word, f.Code, diag.Escape(f.Msg), readable(f.Kernel), f.CTA, f.Thread)
}

// Detail is the whole report on several lines.
func (f *Fault) Detail() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", f.Error())
	fmt.Fprintf(&b, "  ptx:    %v  %s\n", f.PTX, diag.Escape(f.Text))
	for i, l := range f.Source {
		word := "source:"
		if i > 0 {
			word = "inlined"
		}
		fmt.Fprintf(&b, "  %s %v%s\n", word, l, inFunction(l.Function))
	}
	for i, l := range f.Calls {
		switch hidden := len(f.Calls) - callsShown; {
		case hidden > 1 && i == callsShown/2:
			fmt.Fprintf(&b, "  … %d more calls\n", hidden)
		case hidden <= 1 || i < callsShown/2 || i >= callsShown/2+hidden:
			fmt.Fprintf(&b, "  called from %v%s\n", l, inFunction(l.Function))
		}
	}
	switch {
	case f.Near == nil:
	case f.Near.Distance > farAway:
		b.WriteString("  near:   no allocation within 1 GiB\n")
	default:
		fmt.Fprintf(&b, "  near:   %v\n", f.Near)
		f.Near.Made.print(&b, "malloc: ")
		f.Near.Ended.print(&b, "free:   ")
	}
	if n := bits.OnesCount32(f.Lanes); n > 1 {
		fmt.Fprintf(&b, "  lanes:  %d of the warp fault here (mask %08x); the first is shown\n", n, f.Lanes)
	}
	if f.Times > 1 {
		fmt.Fprintf(&b, "  times:  %d; the first is shown\n", f.Times)
	}
	switch {
	case f.Passed && f.Near == nil:
		b.WriteString("  passed: the launch went on, as on hardware: shared memory is handed out in units of 128 bytes and more, and the access stays in the last one\n")
	case f.Passed:
		b.WriteString("  passed: the launch went on, as on hardware: the access stays in the 2 MiB page in which the allocation ends\n")
	}
	if f.Moment != nil {
		fmt.Fprintf(&b, "  moment: %s\n", at(*f.Moment))
	}
	if f.Fix != "" {
		fmt.Fprintf(&b, "  fix:    %s\n", f.Fix)
	}
	fmt.Fprintf(&b, "  help:   ptxvm explain %v", f.Code)
	return b.String()
}

// farAway is the distance from which on the nearest allocation explains nothing.
const farAway = 1 << 30

// String says where the access lies relative to the allocation.
func (a *Allocation) String() string {
	return fmt.Sprintf("%s %s, %d bytes at %#x", a.relation(), a.what(), a.Size, a.Start)
}

func (a *Allocation) what() string {
	switch {
	case a.Made != nil:
		return "a block of malloc"
	case a.Label != "":
		return readable(a.Label)
	case a.Param != "":
		name := kernelname.Param(a.Param)
		if strings.HasPrefix(name, "#") {
			name = "parameter " + name
		}
		return "the buffer in " + diag.Escape(name)
	}
	return "an allocation"
}

func (a *Allocation) relation() string {
	switch {
	case a.Freed:
		return "inside freed memory:"
	case a.Holds:
		return "inside"
	case a.Before:
		return fmt.Sprintf("%d bytes before the start of", a.Distance)
	case a.ReadOnly:
		return "inside the read-only memory of"
	case a.Inside:
		return "reaches over the end of"
	}
	return fmt.Sprintf("%d bytes past the end of", a.Distance)
}

// FaultsError is what a launch returns that went on behind its faults: each lane that faulted has ended there.
type FaultsError struct {
	Kernel string
	Faults []*Fault // one for each instruction and kind, in the order of their first time
	More   int      // instructions beyond DeviceConfig.MaxReports
	Err    error    // what ended the launch then, such as a *DeadlockError; nil if it ran to its end
}

// Error is how many instructions have faulted, and the first.
func (e *FaultsError) Error() string {
	return fmt.Sprintf("%s of kernel %s, the first: %v", counted(len(e.Faults)+e.More, "fault", "faults"), readable(e.Kernel), e.Faults[0])
}

// Unwrap is the faults and Err.
func (e *FaultsError) Unwrap() (list []error) {
	for _, f := range e.Faults {
		list = append(list, f)
	}
	if e.Err != nil {
		list = append(list, e.Err)
	}
	return list
}

// Detail is all faults, on several lines each.
func (e *FaultsError) Detail() string {
	var b strings.Builder
	for _, f := range e.Faults {
		fmt.Fprintln(&b, f.Detail())
	}
	fmt.Fprintf(&b, "faults: %s of kernel %s, whose other lanes went on", counted(len(e.Faults), "fault", "faults"), readable(e.Kernel))
	if e.More > 0 {
		fmt.Fprintf(&b, "; %s not shown (DeviceConfig.MaxReports, --max-reports)", counted(e.More, "more is", "more are"))
	}
	return b.String()
}
