// This file has the kernels that speak: printf and assert.

package corpus

import (
	"fmt"
	"strings"
)

// formatted is what C's printf makes of the lines of formats in printf.cu.
const formatted = `plain % and ok
[-42] [   42] [42   ] [00042] [+42]
[3000000000] [beef] [BEEF] [0xbeef] [10]
[-1234567890123456789] [12345678901234567890] [-9876543210]
[1.500000] [2.25] [   3.142] [1.234568e+04] [1e-05]
[text] [   right] [left    ] [cu]
[     7] [-1] [-2] [ 3]
[1.234568E+04] [1E-05] [0x1.8p+0] [ 2.250e+00] [3.14159   ]
`

// PrintfFormats writes one line a kind of conversion, from one thread.
func PrintfFormats() *Run {
	x := input("x", []float32{1.5, 2.25, 3.14159274, 12345.678, 1e-5})
	return &Run{
		Buffers:  []*Buffer{x},
		Launches: []Launch{{Kernel: "formats", Grid: line(1), Block: line(1), Args: args(x)}},
		Stdout:   formatted,
	}
}

// PrintfHello writes a line a thread from the thirtieth of each CTA on: CTAs, warps, lanes ascending.
func PrintfHello() *Run {
	const ctas, threads, from = 2, 40, 30
	var out strings.Builder
	for cta := range ctas {
		for thread := from; thread < threads; thread++ {
			fmt.Fprintf(&out, "block %d thread %d of %d\n", cta, thread, threads)
		}
	}
	return &Run{
		Launches: []Launch{{Kernel: "hello", Grid: line(ctas), Block: line(threads), Args: args(int32(from))}},
		Stdout:   out.String(),
	}
}

// Assert fails its assertion in the sixth thread of the second CTA.
func Assert() *Run {
	const n = 64
	x := list(n, func(i int) int32 { return int32(i-37) * int32(i-37) })
	bx, out := input("x", x), output("out", x)
	return &Run{
		Buffers:  []*Buffer{bx, out},
		Launches: []Launch{{Kernel: "checkPositive", Grid: line(2), Block: line(32), Args: args(bx, out, int32(n))}},
		Fault:    &Fault{Text: "x[i] > 0", File: "assert.cu", Line: 6, CTA: [3]int{1, 0, 0}, Thread: [3]int{5, 0, 0}},
	}
}
