// Package jit compiles the converged variant of decoded functions to machine code. What is described below is the compiler of devices. The
// new pipeline, which is to replace it, is in packages of its own: build makes ssa of decoded code, opt changes and places it, cc prints C, and
// isel/amd64 with regalloc makes machine code (docs/explanation/compiler.md shows one kernel in each of these stages). Here are
//
//	pipeline.go          the way in, for engines: which kernels are taken, and what stays of them
//	own_unsafe.go        their machine code; stages.go: what `ptxvm dump` prints of them; count_unsafe.go: code that counts itself
//
// The compiler of devices:
//
//	twins*.go            lane functions as vector operations, one table a chapter of the manual
//	vector.go            those operations, and programs of them: no word of any machine
//	region.go            a function as segments; which rows and values stay in registers
//	scratch.go accesses.go
//	                     the memory of a compilation; who reads and writes each register
//	resident.go live.go  which rows and values stay in registers for good; what is live
//	compile.go effort.go Compile: entries, both versions of every segment, cold code; what it may cost, what is done where registers run out
//	help.go              instructions without machine code, which handlers of the interpreter execute
//	control.go branch.go masks, lanes that wait, exits: the order of the fragment loop
//	table.go             branches by a table of targets
//	lanes.go ops_shift.go rows and predicates that are constants; lanes moved by a distance
//	batch.go             from warp to warp, over barriers, and from CTA to CTA
//	memory.go gather.go loads and stores; local.go: of local memory
//	scatter256.go        stores of lanes anywhere by AVX2
//	ops_*.go             functions across lanes, atomic operations
//	amd64*.go            vector programs on AVX2 and AVX-512
//	quick*.go            the quick tier: templates that are copied and patched
//	proof.go             what shows that each operand in memory may be touched: without it a compilation fails
//	listing.go           machine code beside the PTX
//	options.go           which processors
//
// Rows are the variables. A 32-bit row is 32 lanes in two (AVX-512) or four (AVX2) registers or in
// its home in the register block; predicates and scalar slots always are at home. Code returns for
// every instruction that it does not know, with everything before it done, for good or for its handler, and can be entered at
// block starts and behind such instructions.
//
// Code for full warps looks at no mask. Where lanes part it goes over to the second version of
// each segment, which writes under a mask and comes back as soon as 32 lanes are together again.
package jit
