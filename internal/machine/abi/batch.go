package abi

// Batch is what the machine and compiled code tell each other about a batch. Sets of warps
// have bit i for warp i.
type Batch struct {
	Warps  uintptr // *[32]Warp
	Warp   uintptr // the running warp's; 0: compiled code runs one warp alone
	Budget uint64  // Steps at which compiled code returns
	Rest   uint64  // Steps at which no other CTA begins
	Began  uint64  // Steps when the running CTA began, if Done is not 0

	Current uint32 // the running warp; none: the batch has ended between two warps
	Alive   uint32 // have a living lane
	Waiting uint32 // wait at Barrier
	Later   uint32 // are to run in this pass

	Barrier   int32
	Passed    int32  // passes of the CTA, the running one included
	PassLimit int32  // the batch ends behind this pass
	Moved     uint32 // not 0: in this pass a warp has done more than poll

	CTAs  uint32 // that may be begun behind the running one
	Done  uint32 // that have ended
	All   uint32 // warps of a CTA
	Turn  int32  // fuel of a warp that begins
	Slice int32  // PassLimit of a CTA that begins
	_     uint32

	Place [5]uint64 // ctaid.x, y, z, smid; always 0
	Grid  [2]uint64 // extents in x and y
	SMs   uint64
	_     [4]uint64 // what follows is 64-byte aligned
}

// Warp is a warp of a batch between two turns.
type Warp struct {
	Regs  uintptr // register block
	At    uintptr // where it goes on: Start, or of Warps, Resumes or Wholes the one of PC, or Out
	PC    int32
	Fuel  int32
	Mask  uint32 // living lanes
	Lanes uint32 // when it begins
}

// BeginAt is for a warp that is to begin. It is field by field: what is put together elsewhere and copied here at once
// waits until the processor has written all of it.
func (r *Warp) BeginAt(start, regs uintptr, lanes uint32, fuel int32) {
	r.Regs, r.At, r.PC, r.Fuel, r.Mask, r.Lanes = regs, start, 0, fuel, lanes, lanes
}
