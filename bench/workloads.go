package main

// This file lists the kernels that are measured against C and OpenCL.

import "ptxvm.invalid/ptxvm/internal/testkit/corpus"

// workload is a kernel with its reference bench/native/NAME.c.
type workload struct {
	name      string
	make      func(corpus.Target) *corpus.Run
	fast      bool                            // approximate functions: C is compiled with -ffast-math, too
	lanes     []int                           // C is compiled for each of these LANES, native/lanes.h; none: it has one form
	ptx       string                          // the module; empty: testdata/cuda/NAME.sm_90.ptx
	reference string                          // the reference; empty: bench/native/NAME.c
	goal      [2]float64                      // of C, with AVX-512 and with AVX2; 0: none
	twelve    bool                            // one of the twelve kernels that have a goal together
	large     func(corpus.Target) *corpus.Run // for two cores; nil: make is large enough
	bound     bool                            // by computing: two cores are to be nearly twice as fast
}

// least is what each of the twelve kernels is to reach, in both widths; mean is for their geometric mean.
const least, mean = 0.5, 0.7

// workloads are loops in registers, the five loops of micro.go, then the twelve kernels.
var workloads = append(micro, []workload{
	{name: "fmaloop", make: func(t corpus.Target) *corpus.Run { return corpus.FmaLoop(t, 32, 256, 200) }, bound: true},
	{name: "aluloop", make: func(corpus.Target) *corpus.Run { return corpus.AluLoop(32, 256, 100) }, bound: true},
	{name: "saxpy", make: func(t corpus.Target) *corpus.Run { return corpus.Saxpy(t, 1<<16) }, large: func(t corpus.Target) *corpus.Run { return corpus.Saxpy(t, 1<<21) }},
	{name: "collatz", make: func(corpus.Target) *corpus.Run { return corpus.Collatz(1, 1<<15) }, bound: true},
	{name: "matmul", make: func(t corpus.Target) *corpus.Run { return corpus.Matmul(t, 256, 256, 256) }, twelve: true, bound: true},
	{name: "reduce", make: func(corpus.Target) *corpus.Run { return corpus.ReduceInt(64, 1<<20) }, large: func(corpus.Target) *corpus.Run { return corpus.ReduceInt(256, 1<<22) }, twelve: true},
	{name: "scan", make: func(corpus.Target) *corpus.Run { return corpus.Scan(1 << 18) }, large: func(corpus.Target) *corpus.Run { return corpus.Scan(1 << 20) }, twelve: true},
	{name: "histogram", make: func(corpus.Target) *corpus.Run { return corpus.Histogram(64, 1<<20) }, large: func(corpus.Target) *corpus.Run { return corpus.Histogram(256, 1<<22) }, twelve: true},
	{name: "transpose", make: func(corpus.Target) *corpus.Run { return corpus.Transpose(512, 512) }, large: func(corpus.Target) *corpus.Run { return corpus.Transpose(2048, 1024) }, twelve: true},
	{name: "nbody", make: func(t corpus.Target) *corpus.Run { return corpus.NBody(t, 1024) }, twelve: true, bound: true},
	{name: "blackscholes", make: func(corpus.Target) *corpus.Run { return corpus.BlackScholes(1 << 15) }, large: func(corpus.Target) *corpus.Run { return corpus.BlackScholes(1 << 17) }, fast: true, twelve: true, bound: true},
	{name: "mandelbrot", make: func(t corpus.Target) *corpus.Run { return corpus.Mandelbrot(t, 256, 192, 500) }, twelve: true, bound: true},
	{name: "sha256", make: func(corpus.Target) *corpus.Run { return corpus.SHA256(4096) }, twelve: true, bound: true},
	{name: "stencil", make: func(t corpus.Target) *corpus.Run { return corpus.Stencil(t, 512, 512) }, large: func(t corpus.Target) *corpus.Run { return corpus.Stencil(t, 1024, 1024) }, twelve: true},
	{name: "spmv", make: func(t corpus.Target) *corpus.Run { return corpus.SpmvRow(t, 4096) }, large: func(t corpus.Target) *corpus.Run { return corpus.SpmvRow(t, 16384) }, twelve: true},
	{name: "radixsort", make: func(corpus.Target) *corpus.Run { return corpus.RadixSort(1 << 15) }, large: func(corpus.Target) *corpus.Run { return corpus.RadixSort(1 << 17) }, twelve: true},
}...)
