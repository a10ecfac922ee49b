package capture

// This file says what is in a folder.

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Schema is the number of the form that Write gives folders and Open takes.
const Schema = 1

// Names of the files of a folder.
const (
	LaunchFile = "launch.txt"
	MemoryFile = "memory.json"
	BytesFile  = "memory.zst"
	ReportFile = "report.json"
)

// ErrTooLarge is wrapped by errors about a capture beyond the limit that was given.
var ErrTooLarge = errors.New("larger than the limit of a capture")

// Address is a device address; text has it as "0x700000000000", since not every reader of JSON keeps 64 bits of a number.
type Address uint64

// MarshalText implements encoding.TextMarshaler.
func (a Address) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%#x", uint64(a)), nil }

// UnmarshalText implements encoding.TextUnmarshaler; it takes what MarshalText writes.
func (a *Address) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 0, 64)
	if err == nil && string(text) != fmt.Sprintf("%#x", n) {
		err = strconv.ErrSyntax
	}
	if err != nil {
		return fmt.Errorf("%q is no address", text)
	}
	*a = Address(n)
	return nil
}

// Run is bytes of an allocation that are kept: Size bytes from Offset on. What no run holds is zero.
type Run struct {
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
}

// Allocation is a piece of device memory, at least one byte.
type Allocation struct {
	Address Address `json:"address"`
	Size    uint64  `json:"size"`
	Space   string  `json:"space"`           // Device …
	Owner   string  `json:"owner,omitempty"` // who made it: "cudaMalloc, main (x.cu:21)"
	Runs    []Run   `json:"runs,omitempty"`  // ascending and disjoint
}

// Spaces of allocations.
const (
	Device   = "device"
	Constant = "constant" // kernels do not write there
	Heap     = "heap"     // by a kernel's malloc
	Managed  = "managed"  // the program reaches it, too
)

// spaces are what the space of an allocation may be.
var spaces = []string{Device, Constant, Heap, Managed}

// Variable is a module variable.
type Variable struct {
	Name    string  `json:"name"`
	Address Address `json:"address"`
	Size    uint64  `json:"size"`
}

// Memory is memory.json. The bytes of all runs stand in memory.zst one behind the other, in the order of allocations.
type Memory struct {
	Schema      int          `json:"schema"`
	Base        Address      `json:"base"`        // of the device's memory: no allocation lies below
	Allocations []Allocation `json:"allocations"` // by ascending addresses, disjoint
	Variables   []Variable   `json:"variables"`   // each within an allocation
}

// Option is a line of launch.txt: "--kernel saxpy".
type Option struct{ Name, Value string }

// Folder is what Write writes.
type Folder struct {
	Modules [][]byte // texts of PTX
	Options []Option // behind the modules
	Memory  Memory   // runs and schema are Write's
	// Bytes are the bytes of an allocation, as many as its size. They are read while Write runs, and not kept.
	Bytes  func(i int) ([]byte, error)
	Report json.RawMessage // nil: nothing went wrong
}

// moduleFile is the name of module i of n.
func moduleFile(i, n int) string {
	if n == 1 {
		return "module.ptx"
	}
	return fmt.Sprintf("module-%d.ptx", i+1)
}
