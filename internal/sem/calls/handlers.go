// Package calls says what calls do, and what the functions are that the runtime provides.
package calls

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Wing is the lines of this package, and what executes its operations.
func Wing() sem.Wing {
	return sem.Wing{
		Lines: callLines(),
		Handlers: map[uop.Op]machine.Handler{
			uop.CallDirect:   callDirect,
			uop.CallIndirect: callIndirect,
			uop.CallRuntime:  callNative,
		},
	}
}
