// Package amd64 makes AVX2 or AVX-512 code of placed functions.
//
//	select.go            values in demand: what each block computes, and in which order
//	numbers.go, lanes.go rules: one line for each operation that is one instruction, a function for each other
//	branch.go            fused conditions
//	effects.go, exits.go counts, fuel, warps and CTAs, and how the code leaves
//	wait.go              how warps wait at barriers, and go on
//	help.go              what the interpreter executes
//	load*.go, store*.go  accesses, by class; some*.go, pieces*.go those of any lanes that test themselves
//	op.go, encode.go     what instructions are, and their bytes
//	text.go, trace.go    instructions and code as text, and code that counts itself
//	frame.go, areas.go   what the code has on its stack
//	permute.go           lanes of a warp in another order
//	target.go            what the two sets of instructions have; *512.go and masks.go what AVX-512 does otherwise
//
// Nothing is computed before something wants it: an operation is selected part by part where its first user is, so a
// chain of operations goes through a vector at a time and has few registers alive; what another block wants is put
// at the end of the block that the operation was placed in. A load that was tested before is made where its part is
// wanted, at the latest in front of the next store.
package amd64
