package native

import "fmt"

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// Processor names the model of the processor and what it can do: code that is tuned for one is not for another.
func Processor() string {
	_, b, c, d := cpuid(0, 0)
	model, _, can, has := cpuid(1, 0)
	_, more, most, rest := cpuid(7, 0)
	return fmt.Sprintf("%08x%08x%08x %08x %08x %08x %08x %08x %08x", b, d, c, model, can, has, more, most, rest)
}
