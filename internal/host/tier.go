package host

// This file decides when code is compiled, and when compiled code is replaced by better.

import "ptxvm.invalid/ptxvm/internal/machine"

// Compiler installs machine code (machine.Code.SetNative). It asks now and then whether the launch that waits for it has been
// stopped; then it installs nothing.
type Compiler func(c *machine.Code, stopped func() bool)

// Tiers says when which compiler makes the code of a launch. None: code is interpreted.
type Tiers struct {
	Compile      Compiler // installs machine code; nil: code is interpreted
	CompileAfter uint32   // times that a worker interprets as many steps as code has instructions before it calls Compile
	Better       Compiler // replaces code that is Native.Quick; may be nil
	BetterAfter  uint32   // CompileAfter for Better, of which compiled steps count less
	CompileParts Compiler // completes code that is Native.Whole; may be nil
	PartsAfter   uint32   // times that a worker misses code for some lanes before it calls CompileParts
}

// compileSteps is what compiling costs beside what each instruction does, in instructions.
const compileSteps = 60

// Warm counts steps of code.
func (wk *worker) Warm(c *machine.Code, steps uint64) { wk.of(c).heat += steps }

// Heat counts steps of code that is not compiled, or for which there is better; when they are CompileAfter times its
// instructions, or BetterAfter times, it is compiled.
func (wk *worker) Heat(c *machine.Code, steps uint64) {
	r, g := wk.of(c), wk.grid
	r.heat += steps
	after, compile := g.CompileAfter, g.Compile
	if c.Native() != nil {
		after, compile = g.BetterAfter, g.Better
	}
	if compile == nil || r.heat <= uint64(after)*uint64(len(c.Insts)+compileSteps) {
		return
	}
	r.heat = 0
	compile(c, g.Stopped)
}

// MissedParts counts how often code for some lanes was missing; behind PartsAfter it is compiled.
func (wk *worker) MissedParts(c *machine.Code) {
	r, g := wk.of(c), wk.grid
	if r.parted++; r.parted > g.PartsAfter && g.CompileParts != nil {
		r.parted = 0
		g.CompileParts(c, g.Stopped)
	}
}
