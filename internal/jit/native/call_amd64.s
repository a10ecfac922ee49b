#include "textflag.h"

// func enter(entry, context uintptr)
//
// Signals arrive on their own stack, so the code may run on this one as long as it takes no more
// of it than a call of its own: of the 800 bytes that functions without a stack check may have, eight.
// A jump, not a call: the code's RET returns to the Go caller.
TEXT ·enter(SB), NOSPLIT, $0-16
	MOVQ context+8(FP), DI
	MOVQ entry+0(FP), AX
	JMP  AX
