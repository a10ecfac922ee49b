package sem

// Calls.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// CallsWing is the lines of this package, and what executes its operations.
func CallsWing() Wing {
	return Wing{
		Lines: callLines(),
		Handlers: map[uop.Op]machine.Handler{
			uop.CallDirect:   callDirect,
			uop.CallIndirect: callIndirect,
			uop.CallRuntime:  callNative,
		},
	}
}
