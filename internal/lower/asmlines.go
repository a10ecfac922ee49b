package lower

// This file takes the lines of an inline assembly for its statement's. In front of each line of its text LLVM writes a .loc that counts
// on from the line of the statement, as if the source went on like the text there:
//
//	.loc 1 13 28
//	// begin inline asm
//	.loc 1 13 28
//	mov.u32 %r1, 0x0;
//	.loc 1 14 28
//	ld.global.b32 { %r1 }, [ %rd1 + 0 ];
//	// end inline asm
//
// A masked load of Triton has up to ten lines, and would be found in statements behind its own.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// asmLines is where a body stands in the text of an inline assembly.
type asmLines struct {
	inside bool
	id     ir.LocID // of the first .loc; 0: there was none
}

// enter looks for the comments that begin and end an inline assembly in front of a statement. Only a .loc begins one here.
func (a *asmLines) enter(file *syntax.File, s syntax.Stmt) {
	_, isLoc := s.(*syntax.Loc)
	if !a.inside && !isLoc {
		return
	}
	for t := s.Extent().First - 1; t >= 0; t-- {
		switch kind := file.Tokens[t].Kind(); {
		case kind == syntax.Space:
			continue
		case kind != syntax.Comment:
			return
		}
		switch text := file.Text(t); {
		case strings.Contains(text, "end inline asm"):
			a.inside = false
			return
		case strings.Contains(text, "begin inline asm"):
			*a = asmLines{inside: true}
			return
		}
	}
}

// sourceLine moves to the location that a .loc sets: within the text of an inline assembly that of the first one.
func (b *bodyLowerer) sourceLine(s *syntax.Loc) {
	if b.asm.inside && b.asm.id != 0 {
		return
	}
	b.loc = b.locs.id(s)
	if b.asm.inside {
		b.asm.id = b.loc
	}
}
