package machine

// This file declares what decode hands to the machine: functions as arrays of decoded
// instructions with the facts that the schedule needs.

import (
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine/passing"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
)

// Code is one function decoded for one launch shape. It is never written after decode, but for
// its machine code, and shared by all cores and launches.
//
// The register block of a frame, in bytes:
//
//	[0, RegBytes)           registers and scalar slots: zero when a frame starts
//	[RegBytes, FrameBytes)  constant rows and special registers: filled by the machine
type Code struct {
	Func  *FuncInfo
	Insts []Inst // converged variant; nil if the function always runs split
	Split []Inst // split variant: same length, same pcs, same rows, no scalar slots

	GuardShadow uint32          // of code whose values are followed: from a predicate to its poison
	Unwritten   []regs.Shadowed // of code whose values are followed: registers that a frame may read before it writes them

	RegBytes   uint32
	Slots      uint32 // where the scalar slots begin, in RegBytes
	SlotsEnd   uint32
	FrameBytes uint32 // a multiple of 64
	Consts     []regs.ConstRow
	Specials   []specials.Ref
	Scalars    []regs.Scalar

	Passed passing.Side // of a function whose address is called: where it wants its parameters, and has its results

	ParamBytes uint32 // .param area at the bottom of the frame's local memory
	LocalBytes uint32 // local depot above it, to the end of its last variable
	// LocalRoom is how many bytes of each lane lie behind the register block: the local memory of a kernel's
	// frame, in whole chunks; 0 where there is none, or a stack. Compiled code reaches it there. RoomUsed is how many of
	// these a warp may have written: of a kernel that calls, frames of functions lie behind its own.
	LocalRoom, RoomUsed uint32

	// Withdraws tells of a kernel that it may ask for clusters that have not begun: they must be there for it to take.
	Withdraws bool

	// Registers is how many of them each thread of a kernel has when it begins, in whole pieces of hardware; 0: setmaxnreg has no
	// effect in it.
	Registers uint32

	// StartsAsync tells that the program may start asynchronous operations. Compiled code holds rows in registers and reads
	// memory ahead, so it is for mode Eager alone, in which nothing is done later.
	StartsAsync bool

	// Interpreted tells that compiled code would miss what the launch wants to know.
	Interpreted bool

	// Whence says of each instruction of a kernel with functions in place of their calls where it is in its own function;
	// nil: the code is that of Func alone.
	Whence []Whence

	native  atomic.Pointer[installed]
	batches atomic.Pointer[installed]  // what batches run in place of native; nil: that
	scalars atomic.Pointer[regs.Index] // of Scalars, if they have been looked for
}

// Whence is an instruction as reports name it.
type Whence struct {
	Func  *FuncInfo
	PC    int32
	Calls []CallFrame // innermost first, without Func itself
}

// At is the instruction at a pc.
func (c *Code) At(pc int32) Whence {
	if int(pc) < len(c.Whence) {
		return c.Whence[pc]
	}
	return Whence{Func: c.Func, PC: pc}
}

// OnlySplit returns a copy of the code, for tests, that always runs split.
func (c *Code) OnlySplit() *Code {
	return &Code{
		Func: c.Func, Split: c.Split, RegBytes: c.RegBytes, FrameBytes: c.FrameBytes,
		Consts: c.Consts, Specials: c.Specials, Scalars: c.Scalars, ParamBytes: c.ParamBytes, LocalBytes: c.LocalBytes,
		Withdraws: c.Withdraws, StartsAsync: c.StartsAsync,
	}
}

// FuncInfo is what faults and reports say about a function.
type FuncInfo struct {
	Name   string
	Entry  bool
	Addr   uint64 // address in the code window; 0 if it is never taken
	Origin Origin // what the code was decoded from, for reports and compilers; nil in tests of hand-made code
}

// Origin is what code was decoded from. Package decode makes it and reads it (decode.FuncOf, decode.ClassesOf); the machine passes
// it on, and asks it what it needs for reports alone.
type Origin interface {
	Function() string
	// Rejoins tells whether lanes that go round the instruction at a pc come to the same code as those that execute it before
	// they end.
	Rejoins(pc int32) bool
}

// NoReconv is the reconvergence pc (Inst.D) of a branch whose arms never meet in its function.
const NoReconv = ^uint32(0)

// CallSite is what a call instruction carries in Inst.Ext.Call.
type CallSite struct {
	Callee *Code          // nil: indirect, Inst.A is the row of function addresses
	Args   []passing.Move // of a direct call
	Rets   []passing.Move // likewise
	Open   *passing.Side  // the caller's side of an indirect one
	// Converged: the callee may start in its converged variant if all lanes of a converged
	// frame make the call. Decode grants it where its classes for the callee's parameters hold.
	Converged bool
}
