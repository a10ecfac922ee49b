package machine

// This file declares the decoded instruction, the unit that the fragment loop runs.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// State is what a handler tells the fragment loop to do next. A handler never
// blocks a goroutine: whatever has to wait is described in the warp and returned.
type State uint8

// The states a handler returns.
const (
	Next    State = iota // go on with the following instruction
	Jump                 // the handler has set the fragment's pc (uniform branch)
	Diverge              // fragments have changed; the scheduler chooses who runs
	Wait                 // the fragment waits; executed again when it is woken
	Again                // the fragment gives way and goes on behind this instruction later
	Exited               // every lane of the fragment has left
	Faulted              // the grid holds the fault; nothing of this instruction took effect
)

// Handler executes one decoded instruction for the lanes in w.Mask.
type Handler func(w *Warp, in *Inst) State

// Inst is one decoded instruction, one cache line. Operand offsets are bytes
// from the register block of the current frame: a row of 32 uint32 or 32 uint64,
// a predicate mask (uint32) or a scalar slot (8 bytes), as the handler expects.
// Immediates are rows too (constant rows, written once when a block is made), so
// no handler looks at operand kinds.
//
// Branches have the target pc in Imm and the reconvergence pc, or NoReconv, in D.
type Inst struct {
	Full  Handler // every lane of the frame executes; ALU handlers may write all 32 lanes
	Part  Handler // some lanes execute; rows are blended
	Inner Handler // the comparison behind Full, or what Ext.High comes behind
	Imm   uint64  // address displacement, immediate of the form, or branch target pc
	Ext   *Ext    // what does not fit: vectors, tables of targets, call signatures
	D     uint32  // destination
	A     uint32  // sources in the form's written order
	B     uint32
	C     uint32
	Guard uint32 // offset of the guard predicate; NoGuard without one; bit 0 set when negated
	Flags Flags
	Op    uop.Op // what the instruction is; wrappers around its handlers leave it
}

// Flags are facts about one instruction.
type Flags uint16

// The flags.
const (
	// WritesScalar marks an instruction of the converged variant that writes a scalar slot.
	WritesScalar Flags = 1 << iota
	// QuietLoop marks a branch whose back edge closes a loop without atomic, volatile, relaxed
	// or acquire access, sleep, barrier or call: it waits for no other lane, so its fragments give
	// way to their siblings much later.
	QuietLoop
	// BlockStart marks the first instruction of a basic block.
	BlockStart
	// TellsSkips marks an instruction of traced or stepped code: it shows that its guard holds in no lane.
	TellsSkips
	// FollowsGuard marks an instruction whose guard Launch.Values looks at, too.
	FollowsGuard
	// Proving marks an instruction in a loop that may wait whose handler tells a Proof what it changes; ProvingWhole one
	// that does so only where all lanes of the warp execute it.
	Proving
	ProvingWhole
	// Watched marks an instruction whose handler looks for misuse: compiled code leaves it to that.
	Watched
	// Marked marks an instruction at which launches with Moments stop.
	Marked
)

// NoGuard marks an instruction without @p.
const NoGuard = ^uint32(0)

// Ext holds what few instructions need: it is shared, never written after decode.
type Ext struct {
	Sel  *isa.Sel // the chosen form, for handlers that read attributes at decode only and for faults
	Dst  []uint32 // offsets of a vector's or pair's destinations; NoGuard for the sink `_`
	Src  []uint32 // offsets of further sources, vectors flattened
	To   []int32  // branch targets (pc)
	Call *CallSite
	// Spread is what a scalar instruction whose results are also read as rows does first.
	Spread *Spread
	// High is what a result of up to 64 bits in registers of 128 does last.
	High *High
	Data uop.Payload // what the operation is about; its type follows from Inst.Op
}

// High extends results to the upper halves of 128-bit registers.
type High struct {
	Lows   []uint32 // rows of the lower halves
	Signed bool
}

// Spread makes a scalar instruction write the rows of its results, too.
type Spread struct {
	Inner Handler
	To    []regs.Scalar
}
