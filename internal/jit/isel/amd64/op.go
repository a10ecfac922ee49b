package amd64

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// form says how the bytes of an instruction follow from its places.
type form uint8

const (
	formRun     form = iota // by a function
	formV                   // vectors: op def, uses
	formVI                  // the same with an immediate
	formFMA                 // def = use 0 · use 1 + use 2
	formLoad                // op def, memory
	formLoadV               // op def, use 0, memory
	formLoadVI              // the same with an immediate
	formStore               // op memory, use 0
	formStoreI              // the same with an immediate
	formALU                 // numbers: def = use 0 op use 1, or an immediate
	formRR                  // op def, use 0
	formRRI                 // op def, use 0, immediate
	formRRR                 // op def, use 0, use 1
	formLoadR               // op def, memory
	formTied                // vectors: use 0, changed by op use 1, use 2, is def
	formK                   // masks: op def, uses
	formKI                  // the same with an immediate
	formKV                  // vectors into a mask: op def, use 0, use 1
	formKVI                 // the same with an immediate
	formLoadKVI             // op def, use 0, memory, immediate
	formJump                // to another block
	formCmp                 // compares numbers and jumps
)

// op is what an instruction does.
type op struct {
	code   x86.Op
	form   form
	size   uint8 // x86.Width of vectors, x86.Size of numbers
	cond   x86.Cond
	has    bool // an immediate in place of the last use
	masked bool // the last use is a write mask
	zero   bool // lanes that are off become zero; else they stay
	imm    int64
	mem    mem
	name   string
	areas  []touch // of the frame, in the order in which they are touched (areas.go)
	run    func(c *code)
}

// memKind is where an operand in memory is.
type memKind uint8

const (
	noMem   memKind = iota
	atHost          // global memory + use + disp
	atFrame         // the code's own
	atState         // the state of compiled code
)

// mem is an operand in memory. Registers are indices of uses.
type mem struct {
	kind   memKind
	use    int8 // -1: none
	disp   int64
	access int32 // 1 + which access it is of
}

func frameAt(off int) mem { return mem{kind: atFrame, use: -1, disp: int64(off)} }
func stateAt(off uintptr) mem {
	return mem{kind: atState, use: -1, disp: int64(off)}
}
