// Package kernels is a table of small kernels of all kinds, as a CUDA author writes them, with inputs and launches: what
// compiled code is measured on beside the kernels that it was tuned on. NAME/NAME.cu is the source, NAME.ptx what
// the compiler makes of it (regenerate.sh), NAME.c the same arithmetic in C, for bench/native/main.c, NAME.cl the kernel in OpenCL C,
// for bench/opencl/host.c.
package kernels

import (
	"fmt"
	"hash/fnv"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// Kernel is one module with its launches.
type Kernel struct {
	Name  string // of the folder and the files
	Kind  string // what it stands for: "stencil"
	Small int    // the size that tests run
	Large int    // the size that takes milliseconds
	Make  func(size int) *corpus.Run
}

// All lists every kernel, by kind.
func All() (list []Kernel) {
	for _, kind := range kinds {
		for _, k := range kind.kernels {
			k.Kind = kind.name
			list = append(list, k)
		}
	}
	return list
}

// Tuned reports whether the compiler may be tuned on the kernel; of the other half neither code nor profiles are read.
// The name decides, not a person.
func (k Kernel) Tuned() bool {
	h := fnv.New32a()
	h.Write([]byte(k.Name))
	sum := h.Sum32()
	return (sum^sum>>16)&1 == 0
}

// PTX, Reference and OpenCL are the paths of the module, of its reference in C, and of the same kernel in OpenCL C, which some of the tuned
// half have; inside the repository.
func (k Kernel) PTX() string       { return k.file("ptx") }
func (k Kernel) Reference() string { return k.file("c") }
func (k Kernel) OpenCL() string    { return k.file("cl") }

func (k Kernel) file(kind string) string {
	return fmt.Sprintf("bench/kernels/%s/%s.%s", k.Name, k.Name, kind)
}
