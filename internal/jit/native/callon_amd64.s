//go:build linux || darwin || freebsd

#include "textflag.h"

// func enterOn(entry, context, argument, stack uintptr)
//
// The code is C: it keeps RBX, RBP and R12 to R15, and may use the stack that it is given.
TEXT ·enterOn(SB), NOSPLIT, $0-32
	MOVQ entry+0(FP), AX
	MOVQ context+8(FP), DI
	MOVQ argument+16(FP), SI
	MOVQ stack+24(FP), BX
	MOVQ SP, R12
	MOVQ BX, SP
	ANDQ $~15, SP
	CALL AX
	MOVQ R12, SP
	VZEROUPPER
	RET
