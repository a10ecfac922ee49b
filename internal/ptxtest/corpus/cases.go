// This file is the table of cases.

package corpus

// Cases returns every case of the corpus, in the order of the table.
func Cases() []Case {
	both := []int{75, 90}
	triton := []int{80}
	return []Case{
		{"vecadd", "cuda/vecadd", both, same(VecAdd)},
		{"saxpy", "cuda/saxpy", both, same(Saxpy)},
		{"empty", "cuda/empty", both, same(Empty)},
		{"aluloop", "cuda/aluloop", both, func(int) *Run { return AluLoop(3, 128, 20) }},
		{"fmaloop", "cuda/fmaloop", both, func(int) *Run { return FmaLoop(3, 128, 20) }},
		{"collatz", "cuda/collatz", both, func(int) *Run { return Collatz(1000, 500) }},
		{"matmul", "cuda/matmul", both, func(int) *Run { return Matmul(40, 56, 24) }},
		{"transpose", "cuda/transpose", both, func(int) *Run { return Transpose(70, 45) }},
		{"reduce/s32", "cuda/reduce", both, same(ReduceInt)},
		{"reduce/f32", "cuda/reduce", both, same(ReduceFloat)},
		{"scan", "cuda/scan", both, func(int) *Run { return Scan(5000) }},
		{"histogram", "cuda/histogram", both, func(int) *Run { return Histogram(6, 3001) }},
		{"radixsort", "cuda/radixsort", both, func(int) *Run { return RadixSort(1000) }},
		{"nbody", "cuda/nbody", both, func(int) *Run { return NBody(100) }},
		{"blackscholes", "cuda/blackscholes", both, func(int) *Run { return BlackScholes(700) }},
		{"mandelbrot", "cuda/mandelbrot", both, func(int) *Run { return Mandelbrot(61, 37, 100) }},
		{"sha256", "cuda/sha256", both, func(int) *Run { return SHA256(100) }},
		{"stencil", "cuda/stencil", both, func(int) *Run { return Stencil(50, 35) }},
		{"spmv/row", "cuda/spmv", both, same(SpmvRow)},
		{"spmv/warp", "cuda/spmv", both, same(SpmvWarp)},
		{"life", "cuda/life", both, func(int) *Run { return Life(45, 30, 3) }},
		{"fir", "cuda/fir", both, func(int) *Run { return FIR(500) }},
		{"haxpy", "cuda/haxpy", both, same(HalfAxpy)},
		{"bfdot", "cuda/bfdot", both, BfloatDot},
		{"cg", "cuda/cg", both, func(int) *Run { return ConjugateGradient(150, 6) }},
		{"gridsync", "cuda/gridsync", both, func(int) *Run { return GridSync(16, 10) }},
		{"quicksort", "cuda/quicksort", both, func(int) *Run { return Quicksort(70, 50) }},
		{"fntable", "cuda/fntable", both, same(FunctionTable)},
		{"virtual", "cuda/virtual", both, same(Virtual)},
		{"printf/formats", "cuda/printf", both, same(PrintfFormats)},
		{"printf/hello", "cuda/printf", both, same(PrintfHello)},
		{"assert", "cuda/assert", both, same(Assert)},
		{"warplock", "cuda/warplock", both, func(int) *Run { return WarpLock(1, 10) }},
		{"warplock/grid", "cuda/warplock", both, func(int) *Run { return WarpLock(3, 4) }},
		{"linkedlist", "cuda/linkedlist", both, same(LinkedList)},
		{"triton/vecadd", "triton/vecadd", triton, same(TritonVecAdd)},
		{"triton/softmax", "triton/softmax", triton, same(TritonSoftmax)},
		{"triton/layernorm", "triton/layernorm", triton, same(TritonLayerNorm)},
	}
}

// same adapts a maker whose run is the same for every target.
func same(run func() *Run) func(int) *Run {
	return func(int) *Run { return run() }
}
