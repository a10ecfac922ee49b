package ptxvm

// This file holds the errors that callers tell apart; faults and deadlocks are in fault.go.

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrClosed is returned for a Device, Program or Buffer that has been closed, unloaded or freed.
	ErrClosed = errors.New("ptxvm: use of a closed device, program or buffer")
	// ErrStepLimit is returned when a launch has executed DeviceConfig.MaxSteps warp instructions.
	ErrStepLimit = errors.New("step limit reached")
	// ErrOutOfMemory is returned when DeviceConfig.Memory does not suffice.
	ErrOutOfMemory = errors.New("out of device memory")
)

// DefectError says that a launch has come upon a mistake in ptxvm, which would have been a panic; the module is not to blame.
// The device goes on, what the kernel was to write is not known.
type DefectError struct {
	What  string // first line of a report
	Stack string // of the goroutine in which it was noticed
}

func (e *DefectError) Error() string { return "ptxvm: a defect in ptxvm, not in your PTX: " + e.What }

// ArgError says that the arguments or the shape of a launch do not fit the kernel.
type ArgError struct {
	Kernel    string
	Index     int    // argument number from 0; -1 where the error is about no single argument
	Msg       string // want and have, in words
	Signature string // the kernel's parameters as declared
}

// Error has the kernel in it.
func (e *ArgError) Error() string {
	if e.Kernel == "" || strings.Contains(e.Msg, e.Kernel) {
		return "ptxvm: " + e.Msg
	}
	return "ptxvm: " + e.Kernel + ": " + e.Msg
}

// UnsupportedError lists the forms of a module that are valid PTX but are not
// executed yet. Nothing of the kernel has run.
type UnsupportedError struct {
	Kernel string
	Forms  []UnsupportedForm
}

// UnsupportedForm is one instruction form that has no semantics yet.
type UnsupportedForm struct {
	Name    string // the form's id, such as wgmma.mma_async
	Text    string // one spelling that the module uses
	Section string // section of the PTX ISA manual
	Reason  string // which part of it is missing
	Count   int    // instructions of this form in the code that the kernel reaches
	Line    int    // source line of the first
}

func (e *UnsupportedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s needs %d form(s) that ptxvm does not execute yet:", e.Kernel, len(e.Forms))
	for _, f := range e.Forms {
		fmt.Fprintf(&b, "\n  %s (PTX ISA %s): %s; %d times, first at line %d", f.Text, f.Section, f.Reason, f.Count, f.Line)
	}
	return b.String()
}
