package machine

// This file holds faults: what stops a launch, with all that a report needs.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/uop"
)

// FaultKind is the number of a fault in the catalogue of diagnostics.
type FaultKind uint16

// The faults.
const (
	OutOfBounds         FaultKind = 7001 // address in no allocation, or only partly in one
	Misaligned          FaultKind = 7002 // address not a multiple of the access size
	NullAccess          FaultKind = 7003 // address in the first page
	WrongWindow         FaultKind = 7004 // address of a window that the instruction's space does not have
	Trap                FaultKind = 7005
	AssertFailed        FaultKind = 7006 // __assertfail; Text has the message
	StackOverflow       FaultKind = 7007 // frames, depot and alloca exceed the limit
	BarrierDivergence   FaultKind = 7011 // .aligned barrier in divergent code below sm_70
	IllegalInstruction  FaultKind = 7012 // run-time operand outside its range; Value, Text
	OutOfMemory         FaultKind = 7013
	BadBarrier          FaultKind = 7014 // number or thread count invalid, or counts differ (Want)
	ReadOnlyAccess      FaultKind = 7016 // write to constant or parameter memory
	BadIndirectCall     FaultKind = 7017 // call of something that is no function
	OutputLimit         FaultKind = 7018
	NoSuchCTA           FaultKind = 7019 // shared address with a rank (Value) that the cluster of Want CTAs does not have
	OtherCTA            FaultKind = 7020 // .shared::cta address of another CTA: rank Value, own rank Want
	ExitedCTA           FaultKind = 7021 // shared memory of a CTA (rank Value) whose threads have all exited
	ClusterMisuse       FaultKind = 7022 // barrier.cluster: Text says what
	BadMbarrier         FaultKind = 7023 // Addr is the object's shared address, Text says what is wrong
	NotMulticast        FaultKind = 7024 // a multimem address in no multicast range
	BadHandle           FaultKind = 7025 // of the fabric: Text says what
	SurfaceBounds       FaultKind = 7030 // 9.7.11: a point outside; Text has all of it, as with the next three
	SurfaceAlignment    FaultKind = 7031
	NoSurface           FaultKind = 7032 // a handle that names nothing
	WrongSurface        FaultKind = 7033 // geometry or format are not what the instruction wants
	NoTexture           FaultKind = 7034 // the same two of textures and samplers
	WrongTexture        FaultKind = 7035
	BadTensorAllocation FaultKind = 7040 // tcgen05.alloc, dealloc: Text says what
	BadTensorAccess     FaultKind = 7041 // address in tensor memory: Text says what
	BadDescriptor       FaultKind = 7042 // of a matrix in shared memory: Text says which field
	PartialWarp         FaultKind = 7043 // an .aligned instruction without some lanes: Text says which
	BadFree             FaultKind = 7050 // free of Addr, which Text describes
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

// Defect is a panic in a handler, in what compiled code calls or in the compiler: a mistake of ours, not of the
// kernel's. The launch ends with it, the process and the device go on.
type Defect struct {
	What  string // the panic's value
	Stack string // of the goroutine that panicked
}

func (d *Defect) Error() string { return "a defect in ptxvm, not in your PTX: " + d.What }

// Fault says what stopped a launch and where. A handler fills what describes the failure;
// Warp.Fault adds where it happened.
type Fault struct {
	Kind   FaultKind
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
