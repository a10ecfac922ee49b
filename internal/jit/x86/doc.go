// Package x86 assembles amd64 machine code: general registers, AVX2 and AVX-512.
//
// The forms of instructions are data: data/*.x86, written as data/NOTATION.md says, from which
// internal/gen makes zforms.go. A form says in one line what is encoded, what is printed and
// what is tested; no instruction has code of its own.
//
//	reg.go               names: registers, widths, sizes, conditions
//	mem.go               memory operands
//	form.go, feature.go  what a form is, which CPU features it needs
//	asm.go, pool.go      the assembler: code, labels, constants behind the code
//	vector.go, mask.go, general.go
//	                     one method for each sequence of operand kinds: VVM is vector, vector, memory
//	emit.go              from operands to the form and its encoding
//	legacy.go, vex.go, evex.go, modrm.go
//	                     bytes
//	text.go, explain.go  listings, errors
//
// A method's operands stand in the order of the manual, destination first:
//
//	a := x86.New(nil)
//	a.VVM(x86.VPADDD, x86.W512, 1, 3, x86.At(x86.RBX, 64))
//	a.Masked(x86.K2).VVM(x86.VPADDD, x86.W512, 1, 3, x86.At(x86.RBX, 64).Bcast())
//	a.Round(x86.RU).VVV(x86.VADDPS, x86.W512, 1, 2, 3)
//	a.RI(x86.SUB, x86.S64, x86.RAX, 1)
//	a.Jcc(x86.NE, loop)
//	code, err := a.Finish()
//
// The VEX encoding is taken where it can say the instruction, the EVEX encoding elsewhere: for
// registers 16 to 31, 512 bits, write masks, embedded broadcasts and roundings.
//
// The first mistake (an instruction that no form can say, an unbound label) is kept, and
// [Asm.Finish] returns it; nothing panics. The package runs nothing and asks no CPU anything.
package x86
