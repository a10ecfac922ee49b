package machine

// This file holds faults: what stops a launch, with all that a report needs.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// AccessKind says what an access does to memory.
type AccessKind = uop.AccessKind

// The kinds of access.
const (
	Load   = uop.AccessLoad
	Store  = uop.AccessStore
	Atomic = uop.AccessAtomic
)

// Space is the state space that an instruction names (5.1).
type Space = uop.Space

// The spaces.
const (
	Generic   = uop.SpaceGeneric
	Global    = uop.SpaceGlobal
	Const     = uop.SpaceConst
	Param     = uop.SpaceParam // kernel parameters
	Shared    = uop.SpaceShared
	Local     = uop.SpaceLocal
	Tensor    = uop.SpaceTensor    // tensor memory of a CTA
	Registers = uop.SpaceRegisters // of a frame
)

// Fault says what stopped a launch and where. A handler fills what describes the failure;
// Warp.Fault adds where it happened.
type Fault struct {
	Kind   faults.Kind
	Lanes  uint32 // lanes that failed; the first is reported
	Addr   uint64 // memory faults: as the lane computed it
	Size   uint32 // bytes of the access
	Align  uint32 // bytes it must be a multiple of
	Access AccessKind
	Space  Space
	Value  uint64 // the offending operand; shared memory: the first offset that exists
	Want   uint64 // what it should be; shared memory: the end of the offsets that exist
	Text   string // assertion message, or what Value is

	Kernel  string
	Func    *FuncInfo
	Inst    *Inst // nil if it was an exit that completed a barrier
	PC      int32
	Calls   []CallFrame // innermost first, without Func itself
	CTA     [3]uint32
	Thread  [3]uint32
	Near    *NearAllocation // memory faults
	CTARank uint64          // linear index of the CTA
}

// CallFrame is one caller of a fault.
type CallFrame struct {
	Func *FuncInfo
	PC   int32 // of the call
}

// NearAllocation is the allocation closest to a faulting address.
type NearAllocation struct {
	Start, Size uint64
	Label       string
	Distance    uint64 // bytes between the access and the allocation
	Before      bool   // the address lies before it
	Freed       bool
	Made, Ended *Place // by which instructions; nil: by the host
}

func (f *Fault) Error() string {
	return fmt.Sprintf("P%d: kernel %s, CTA (%d,%d,%d), thread (%d,%d,%d), %s+%d, address %#x",
		f.Kind, f.Kernel, f.CTA[0], f.CTA[1], f.CTA[2], f.Thread[0], f.Thread[1], f.Thread[2], f.Func.Name, f.PC, f.Addr)
}

// Fault reports that an instruction failed; it must have had no effect in any lane. The first
// fault of a launch stops it.
func (w *Warp) Fault(in *Inst, f *Fault) State {
	w.locate(in, f)
	if w.drops(f) {
		return Faulted
	}
	w.cta.grid.Fail(f)
	return Faulted
}

// locate says where lanes of the running fragment fault.
func (w *Warp) locate(in *Inst, f *Fault) {
	pc := w.frag.pc
	if in != nil {
		pc = w.PC(in)
	}
	at := w.frag.frame.at(pc)
	f.Kernel, f.Func, f.Inst, f.PC, f.Calls = w.cta.grid.Entry.Func.Name, at.Func, in, at.PC, at.Calls
	f.CTA, f.CTARank = w.cta.id, w.cta.rank
	f.Thread = w.cta.grid.Thread(w.index, first(f.Lanes))
}

// drops hands a fault to who wants all of them (Launch.OnFault), and tells whether the launch goes on without its lanes. Faults of no
// instruction, and what other lanes would only meet again, stop it.
func (w *Warp) drops(f *Fault) bool {
	g := w.cta.grid
	if g.OnFault == nil || f.Inst == nil || f.Kind == faults.OutputLimit || f.Kind == faults.OutOfMemory {
		return false
	}
	w.dropped = f.Lanes
	g.OnFault(f)
	return true
}

// drop ends the lanes of a fragment that have faulted at a pc. Who waits for them is looked at again.
func (w *Warp) drop(f *Fragment, pc int32) State {
	lanes := w.dropped & f.mask
	w.dropped = 0
	if lanes == 0 {
		return Faulted
	}
	for i := range w.bars {
		w.bars[i].Lanes &^= lanes
	}
	w.cta.cut = true
	return w.exitLanes(f, lanes, pc)
}
