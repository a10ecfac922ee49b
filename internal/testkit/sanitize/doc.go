// Package sanitize holds the sanitizers to kernels that come in pairs: one with a bug, and one without. Its tables are
// testdata/*.txt:
//
//	== NAME CHECK [grid=N] [block=N] [cluster=N] [sm=NN]
//	statements, which stand in a kernel with the parameters p (4 KiB of zeros), and the registers and variables of the prelude
//	- a line of the buggy kernel alone
//	+ a line of the corrected one alone
//	…; //@here       the buggy kernel's report is about this line,
//	…; //@other      and its other place is this
//	//= P8003 text   the report's code, if it is not P8002, and words of its message
//
// testdata/pairs.cu has kernels in CUDA C++, with the same comments; nvcc compiles it once for each version.
package sanitize
