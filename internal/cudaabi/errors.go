package cudaabi

// This file reads the error codes of CUDA from the tables of the libraries, and says which of them a fault is.

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"ptxvm.invalid/ptxvm/diag"
)

//go:embed front/error.c
var runtimeTable string

//go:embed front/cu_error.c
var driverTable string

// Error is an error code of CUDA: both libraries share the numbers, but for a few that only one has.
type Error struct {
	Code            int32
	Runtime, Driver string // names, "" in a library that has none for it
	Text            string
}

// row is a code in the tables of the C sources.
var row = regexp.MustCompile(`(?m)^\t\{(\d+), "(\w+)", "([^"]*)"\},$`)

// Errors lists the codes in their order.
var Errors = sync.OnceValue(func() (list []Error) {
	at := map[string]int{}
	for _, r := range row.FindAllStringSubmatch(runtimeTable, -1) {
		at[r[1]] = len(list)
		list = append(list, newError(r, Error{Runtime: r[2]}))
	}
	for _, r := range row.FindAllStringSubmatch(driverTable, -1) {
		if i, both := at[r[1]]; both {
			list[i].Driver = r[2]
		} else {
			list = append(list, newError(r, Error{Driver: r[2]}))
		}
	}
	slices.SortFunc(list, func(a, b Error) int { return int(a.Code - b.Code) })
	return list
})

func newError(r []string, e Error) Error {
	code, err := strconv.ParseInt(r[1], 10, 32)
	if err != nil {
		panic("BUG: a code of the tables is no number: " + err.Error())
	}
	e.Code, e.Text = int32(code), r[3]
	return e
}

// launchFailure is what a fault is that has no code of its own.
const launchFailure = 719

// faultCodes is what faults in a kernel are for CUDA.
var faultCodes = map[diag.Code]int32{
	diag.OutOfMemory:        2,
	diag.BadLaunch:          9,
	diag.OutOfBounds:        700,
	diag.NullAccess:         700,
	diag.WrongWindow:        700,
	diag.ReadOnlyAccess:     700,
	diag.NoSuchCTA:          700,
	diag.OtherCTA:           700,
	diag.ExitedCTA:          700,
	diag.SurfaceBounds:      700,
	diag.NoSurface:          700,
	diag.TimeLimit:          702,
	diag.StepLimit:          702,
	diag.Deadlock:           702,
	diag.AssertFailed:       710,
	diag.StackOverflow:      714,
	diag.IllegalInstruction: 715,
	diag.Misaligned:         716,
	diag.SurfaceAlignment:   716,
	diag.BadIndirectCall:    718,
}

// FaultCode is the code that CUDA has for a fault of a kernel.
func FaultCode(c diag.Code) int32 {
	if code, ok := faultCodes[c]; ok {
		return code
	}
	return launchFailure
}
