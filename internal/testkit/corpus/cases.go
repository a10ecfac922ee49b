// This file is the table of cases.

package corpus

// Cases returns every case of the corpus, in the order of the table.
func Cases() []Case {
	both := []int{75, 90}
	triton := []int{80}
	return []Case{
		{"vecadd", "cuda/vecadd", both, same(VecAdd)},
		{"saxpy", "cuda/saxpy", both, func(t Target) *Run { return Saxpy(t, 1000) }},
		{"empty", "cuda/empty", both, same(Empty)},
		{"aluloop", "cuda/aluloop", both, func(Target) *Run { return AluLoop(3, 128, 20) }},
		{"fmaloop", "cuda/fmaloop", both, func(t Target) *Run { return FmaLoop(t, 3, 128, 20) }},
		{"collatz", "cuda/collatz", both, func(Target) *Run { return Collatz(1000, 500) }},
		{"matmul", "cuda/matmul", both, func(t Target) *Run { return Matmul(t, 40, 56, 24) }},
		{"transpose", "cuda/transpose", both, func(Target) *Run { return Transpose(70, 45) }},
		{"reduce/s32", "cuda/reduce", both, func(Target) *Run { return ReduceInt(6, 5000) }},
		{"reduce/f32", "cuda/reduce", both, same(ReduceFloat)},
		{"scan", "cuda/scan", both, func(Target) *Run { return Scan(5000) }},
		{"dsmem/hist", "cuda/dsmem", []int{90}, func(Target) *Run { return ClusterHistogram(8, 4, 3001, 77) }},
		{"dsmem/hist16", "cuda/dsmem", []int{90}, func(Target) *Run { return ClusterHistogram(16, 16, 2000, 500) }},
		{"dsmem/ring", "cuda/dsmem", []int{90}, func(Target) *Run { return ClusterRing(8) }},
		{"histogram", "cuda/histogram", both, func(Target) *Run { return Histogram(6, 3001) }},
		{"radixsort", "cuda/radixsort", both, func(Target) *Run { return RadixSort(1000) }},
		{"nbody", "cuda/nbody", both, func(t Target) *Run { return NBody(t, 100) }},
		{"blackscholes", "cuda/blackscholes", both, func(Target) *Run { return BlackScholes(700) }},
		{"mandelbrot", "cuda/mandelbrot", both, func(t Target) *Run { return Mandelbrot(t, 61, 37, 100) }},
		{"sha256", "cuda/sha256", both, func(Target) *Run { return SHA256(100) }},
		{"stencil", "cuda/stencil", both, func(t Target) *Run { return Stencil(t, 50, 35) }},
		{"spmv/row", "cuda/spmv", both, func(t Target) *Run { return SpmvRow(t, 150) }},
		{"spmv/warp", "cuda/spmv", both, func(t Target) *Run { return SpmvWarp(t, 150) }},
		{"life", "cuda/life", both, func(Target) *Run { return Life(45, 30, 3) }},
		{"fir", "cuda/fir", both, func(Target) *Run { return FIR(500) }},
		{"haxpy", "cuda/haxpy", both, same(HalfAxpy)},
		{"bfdot", "cuda/bfdot", both, BfloatDot},
		{"cg", "cuda/cg", both, func(t Target) *Run { return ConjugateGradient(t, 150, 6) }},
		{"gridsync", "cuda/gridsync", both, func(Target) *Run { return GridSync(16, 10) }},
		{"quicksort", "cuda/quicksort", both, func(Target) *Run { return Quicksort(70, 50) }},
		{"fntable", "cuda/fntable", both, same(FunctionTable)},
		{"virtual", "cuda/virtual", both, same(Virtual)},
		{"printf/formats", "cuda/printf", both, same(PrintfFormats)},
		{"printf/hello", "cuda/printf", both, same(PrintfHello)},
		{"assert", "cuda/assert", both, same(Assert)},
		{"warplock", "cuda/warplock", both, func(Target) *Run { return WarpLock(1, 10) }},
		{"warplock/grid", "cuda/warplock", both, func(Target) *Run { return WarpLock(3, 4) }},
		{"linkedlist", "cuda/linkedlist", both, same(LinkedList)},
		{"wmma/half", "cuda/wmmagemm", both, func(Target) *Run { return WmmaHalf(48, 64, 80) }},
		{"wmma/wide", "cuda/wmmagemm", both, func(Target) *Run { return WmmaTile("wmmaWide", 8, 32, 24, 64, 48) }},
		{"wmma/tall", "cuda/wmmagemm", both, func(Target) *Run { return WmmaTile("wmmaTall", 32, 8, 64, 24, 48) }},
		{"wmma/bytes", "cuda/wmmagemm", both, func(Target) *Run { return WmmaBytes(32, 48, 64) }},
		{"pipegemm", "cuda/pipegemm", []int{90}, func(Target) *Run { return PipeGemm(128, 64, 160) }},
		{"sparsegemm", "cuda/sparsegemm", []int{90}, func(Target) *Run { return SparseGemm(128, 64, 160) }},
		{"bytegemm", "cuda/bytegemm", []int{90}, func(Target) *Run { return ByteGemm(128, 128, 384) }},
		{"tmagemm", "cuda/tmagemm", []int{90}, func(Target) *Run { return TMAGemm(200, 56, 352) }},
		{"tcgemm/half/1", "cuda/tcgemm", []int{100}, func(Target) *Run { return TensorGemm("half", 1, 200, 72, 232) }},
		{"tcgemm/half/2", "cuda/tcgemm", []int{100}, func(Target) *Run { return TensorGemm("half", 2, 200, 72, 232) }},
		{"tcgemm/byte/1", "cuda/tcgemm", []int{100}, func(Target) *Run { return TensorGemm("byte", 1, 200, 72, 464) }},
		{"tcgemm/byte/2", "cuda/tcgemm", []int{100}, func(Target) *Run { return TensorGemm("byte", 2, 200, 72, 464) }},
		{"tcgemm/mx8/1", "cuda/tcgemm", []int{100}, func(Target) *Run { return TensorGemm("mx8", 1, 200, 72, 464) }},
		{"tcgemm/mx8/2", "cuda/tcgemm", []int{100}, func(Target) *Run { return TensorGemm("mx8", 2, 200, 72, 464) }},
		{"tcgemm/nv4/1", "cuda/tcgemm", []int{100}, func(Target) *Run { return TensorGemm("nv4", 1, 200, 72, 928) }},
		{"tcgemm/nv4/2", "cuda/tcgemm", []int{100}, func(Target) *Run { return TensorGemm("nv4", 2, 200, 72, 928) }},
		{"triton/vecadd", "triton/vecadd", triton, same(TritonVecAdd)},
		{"triton/softmax", "triton/softmax", triton, same(TritonSoftmax)},
		{"triton/layernorm", "triton/layernorm", tensorCores, same(TritonLayerNorm)},
		{"triton/rmsnorm", "triton/rmsnorm", tensorCores, same(TritonRMSNorm)},
		{"triton/matmul", "triton/matmul", tensorCores, TritonMatmul},
		{"triton/attention", "triton/attention", tensorCores, TritonAttention},
		{"triton/attentionback", "triton/attentionback", tensorCores, TritonAttentionBack},
		{"triton/persistent", "triton/persistent", tensorCores, TritonPersistent},
		{"triton/product/bf16", "triton/product_bf16", tensorCores, func(t Target) *Run { return TritonProduct(t, "bf16") }},
		{"triton/product/tf32", "triton/product_tf32", tensorCores, func(t Target) *Run { return TritonProduct(t, "tf32") }},
		{"triton/product/e4m3", "triton/product_e4m3", tensorCores[1:], func(t Target) *Run { return TritonProduct(t, "e4m3") }},
		{"triton/product/s8", "triton/product_s8", tensorCores, func(t Target) *Run { return TritonProduct(t, "s8") }},
	}
}

// same adapts a maker whose run is the same for every target.
func same(run func() *Run) func(Target) *Run {
	return func(Target) *Run { return run() }
}
