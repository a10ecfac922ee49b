// Package cc is a back end of the compiler's new pipeline, and the engine cc, that prints a placed function as C and has the installed gcc or clang compile it. It says
// what the passes in front of it are worth before there is a register allocator, and is a second opinion on what they mean.
//
// The result is one function without imports and without relocations, which is brought into executable memory and called on a stack
// of its own. Its protocol is that of compiled code (machine/native.go), for batches of whole warps alone.
package cc
