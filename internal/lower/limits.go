package lower

// This file bounds what linked modules take together of memory that is laid out before a launch (5.1);
// one module alone is judged by check, at its tokens.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
)

func (l *linker) limits() {
	constants := int64(0)
	for _, v := range l.out.Vars {
		if v.Space != ir.SpaceConst {
			continue
		}
		if constants = alignUp(constants, int64(v.Align)) + v.Size; constants > check.MaxConstBytes {
			l.tooMuch(v.Pos, l.unitOf[v], "up to %s the constants of the linked modules take %d bytes; they have at most %d", v.Name, constants, check.MaxConstBytes)
			break
		}
	}
	for _, f := range l.out.Funcs {
		shared := int64(0)
		for _, v := range f.Shared {
			if !v.Dynamic {
				shared = alignUp(shared, int64(v.Align)) + v.Size
			}
		}
		if shared > check.MaxSharedBytes {
			l.tooMuch(f.Pos, f.Unit, "%s takes %d bytes of static shared memory; a kernel has at most %d, more is dynamic (.extern .shared)", f.Name, shared, check.MaxSharedBytes)
		}
	}
}

func (l *linker) tooMuch(pos diag.Pos, unit int, format string, args ...any) {
	l.diags.Add(diag.Diagnostic{Code: diag.TooMuchMemory, Source: l.source(unit), Span: diag.Span{Start: pos, End: pos}, Msg: fmt.Sprintf(format, args...)})
}
