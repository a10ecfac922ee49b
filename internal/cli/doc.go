// Package cli is what the command ptxvm does beside compiling and running: it finds PTX in files of other kinds, prints the
// stages of a compilation, and says what this build is. Programs that use ptxvm as a library need none of it.
package cli

import (
	"ptxvm.invalid/ptxvm/internal/fatbin"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// Nearest returns the name that a word most likely is a slip of the pen for, "" if none is near: names of
// files, flags and kernels in messages. Case does not count.
func Nearest(word string, names []string) string { return isa.NearestFold(word, names) }

// PackPTX is fatbin.Pack: PTX as ptxvm's driver takes it in place of machine code.
func PackPTX(text []byte) []byte { return fatbin.Pack(text) }

// ExtractPTX is fatbin.ExtractPTX: the modules in a file that holds PTX among other things.
func ExtractPTX(data []byte, arch string) (modules []fatbin.Embedded, ok bool, err error) {
	return fatbin.ExtractPTX(data, arch)
}
