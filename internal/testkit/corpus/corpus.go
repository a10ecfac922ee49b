// Package corpus is the table of whole kernels that compilers made, with inputs and independently
// computed results: data and plain Go, which knows nothing of the machine that runs them.
//
// Results are exact wherever the kernel's arithmetic is: the references use the fused operations that
// stand in the PTX, and they add in the order of the schedule contract with one worker (CTAs, warps and
// lanes ascending, atomics lane by lane). Only approximate functions carry a tolerance, with its reason.
package corpus

import (
	"fmt"
	"slices"
)

// Case is one kernel or chain of kernels of one committed module.
type Case struct {
	Name   string            // unique, "reduce/f32"
	Module string            // the PTX below testdata without ".sm_NN.ptx", "cuda/reduce"
	Archs  []int             // the targets the module is committed for, 75 and 90 or 80
	Make   func(Target) *Run // builds fresh inputs and results
}

// Target is what a module was compiled for, as far as results depend on it.
type Target struct {
	Arch  int  // 75 for sm_75
	Debug bool // nvcc -G: no product is fused with a sum
}

// Path returns the case's PTX file for one target, below testdata and with slashes.
func (c Case) Path(arch int) string {
	return fmt.Sprintf("%s.sm_%d.ptx", c.Module, arch)
}

// specific are the modules with instructions that only the very architecture has, sm_90a or sm_100a.
var specific = []string{"cuda/tmagemm", "cuda/bytegemm", "cuda/tcgemm"}

// GPU is what nvcc compiles the module for, of one of its targets.
func (c Case) GPU(arch int) string {
	if slices.Contains(specific, c.Module) {
		return fmt.Sprintf("sm_%da", arch)
	}
	return fmt.Sprintf("sm_%d", arch)
}

// Run is what one execution of a case needs, and what it must give.
// Each run wants a freshly loaded module: some kernels keep state in module variables.
type Run struct {
	Buffers  []*Buffer
	Launches []Launch // one after the other on the same buffers
	Stdout   string   // what device printf writes, with one worker
	Fault    *Fault   // the last launch ends in this fault; buffers are not compared then
	Unfenced bool     // the compiler leaves out fences of tensor memory, which mode lazy reports
}

// Launch is one kernel launch.
type Launch struct {
	Kernel      string // the symbol, or a piece of it that no other kernel of the module has
	Grid, Block [3]int // CTAs, threads
	Cluster     [3]int // CTAs; zero: what the kernel requires
	Shared      int    // bytes of dynamic shared memory
	Args        []Arg  // one a parameter, in order
}

// Arg is one kernel argument: the address of a buffer, or a scalar by value.
type Arg struct {
	Buffer *Buffer // nil for a scalar
	Elem   Elem    // the scalar's type; U64 for an address
	Scalar []byte  // the scalar's bytes, little-endian
	Size   int     // bytes of a struct that begins with the address or scalar and is zero after it; 0: no struct
	Tiles  *Tiles  // the argument is a tensor map of the buffer, by value
}

// Tiles describes a buffer as a tensor whose tiles are copied; the first dimension is contiguous.
type Tiles struct {
	Type      string   // of elements, "u8"; "": "f16"
	Dims, Box []uint32 // elements
	Swizzle   int      // bytes of a row of the tile in shared memory, 128; 0: none
}

// Fault is the device fault that a case must end in.
type Fault struct {
	Text        string // stands in the report
	File        string // source position by .loc
	Line        int
	CTA, Thread [3]int
}

// line returns a one-dimensional extent.
func line(n int) [3]int { return [3]int{n, 1, 1} }

// blocks returns how many CTAs of size threads cover n items.
func blocks(n, threads int) int { return (n + threads - 1) / threads }
