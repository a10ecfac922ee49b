package amd64

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// Registers that the code has for one thing all the time.
const (
	rState  = x86.RDI // the state of compiled code
	rGlobal = x86.R14 // where global memory begins in the host
	rSteps  = x86.R15 // instructions of warps
	rOps    = x86.R13 // and of lanes
)

// general are the registers that numbers may have.
var general = []x86.Reg{x86.RAX, x86.RCX, x86.RDX, x86.RSI, x86.R8, x86.R9, x86.R10, x86.R11, x86.RBX, x86.RBP, x86.R12}

// saved are those that the caller wants back.
var saved = []x86.Reg{x86.RBX, x86.RBP, x86.R12, x86.R13, x86.R14, x86.R15}

// The frame: what the code keeps of the batch, then areas for lanes one by one (areas.go), then bounds, limits, and slots.
const (
	fLater = 4 * iota // warps that are to run; of the code's own CTAs only where none runs
	fBegun            // and that were when the code was entered, or the CTA began
	fAlive
	fAll
	fMoved
	fEnd // the number of warps of a CTA that the code itself has begun; 0: the machine has
	fCTAs
	fWarp
	fRuns // whether a warp runs
	fFuel
	fFuel0 // what it began with
	fLooped
	fPoll
	fBehind // how the code goes on behind a handler: abi.ByBack, abi.ByLeave
	fWarps  // 8 bytes each from here on
	_       //
	fAt     // where warps wait: the description of the one that fWarp is the number of
	_       //
	fBudget //
	_
	fRest
	_
	fSteps0
	_
	fOps0
	_
	fStack // the caller's
	_
	fDiv0 // of divisions
	_
	fDiv1
	_
	fDiv2
	_
	fDiv3
	_
	fVars
)

const (
	fCycle  = (fVars + 63) &^ 63 // where a cycle of moves is broken
	fTerms  = fCycle + 64        // areas from here on (areas.go): two operands of a division
	fIndex  = fTerms + 128       // indices of the lanes of a vector
	fLanes  = fIndex + 64        // an address for each lane
	fValues = fLanes + 256       // values of up to four elements of each lane

	fOffsets = fValues + 4*256 // pieces (pieces.go): where lane 0 would be of what each lane is in,
	fFirst   = fOffsets + 256  // and of the pieces,
	fSecond  = fFirst + 8      //
	fLeast   = fSecond + 8     // the least lane that is on, and the largest,
	fMost    = fLeast + 8      //
	fOfFirst = fMost + 8       // and the lanes of each piece as bits
	fOfOther = fOfFirst + 4    //
	fBounds  = fFirst + 64
)

var state abi.State

func batch(off uintptr) uintptr { return unsafe.Offsetof(state.Batch) + off }

// Fields of the state and of what it points to.
var (
	sGlobal      = unsafe.Offsetof(state.GlobalHost)
	sShared      = unsafe.Offsetof(state.Shared)
	sParams      = unsafe.Offsetof(state.Params)
	sSharedBytes = unsafe.Offsetof(state.SharedBytes)
	sBounds      = unsafe.Offsetof(state.Bounds)
	sMask        = unsafe.Offsetof(state.Mask)
	sSteps       = unsafe.Offsetof(state.Steps)
	sOps         = unsafe.Offsetof(state.Ops)
	sExited      = unsafe.Offsetof(state.Exited)
	sLooped      = unsafe.Offsetof(state.Looped)
	sPlaced      = unsafe.Offsetof(state.N)
	sPoll        = unsafe.Offsetof(state.PollFuel)
	sPlaces      = unsafe.Offsetof(state.Places)
	sMissed      = unsafe.Offsetof(state.Missed)
	sForced      = unsafe.Offsetof(state.Save)
	sWarps       = batch(unsafe.Offsetof(state.Batch.Warps))
	sWarp        = batch(unsafe.Offsetof(state.Batch.Warp))
	sBudget      = batch(unsafe.Offsetof(state.Batch.Budget))
	sRest        = batch(unsafe.Offsetof(state.Batch.Rest))
	sBegan       = batch(unsafe.Offsetof(state.Batch.Began))
	sCurrent     = batch(unsafe.Offsetof(state.Batch.Current))
	sAlive       = batch(unsafe.Offsetof(state.Batch.Alive))
	sWaiting     = batch(unsafe.Offsetof(state.Batch.Waiting))
	sBarrier     = batch(unsafe.Offsetof(state.Batch.Barrier))
	sLater       = batch(unsafe.Offsetof(state.Batch.Later))
	sPassed      = batch(unsafe.Offsetof(state.Batch.Passed))
	sLimit       = batch(unsafe.Offsetof(state.Batch.PassLimit))
	sMoved       = batch(unsafe.Offsetof(state.Batch.Moved))
	sCTAs        = batch(unsafe.Offsetof(state.Batch.CTAs))
	sDone        = batch(unsafe.Offsetof(state.Batch.Done))
	sAll         = batch(unsafe.Offsetof(state.Batch.All))
	sTurn        = batch(unsafe.Offsetof(state.Batch.Turn))
	sSlice       = batch(unsafe.Offsetof(state.Batch.Slice))
	sPlace       = batch(unsafe.Offsetof(state.Batch.Place))
	sSMID        = sPlace + 24
	sGrid        = batch(unsafe.Offsetof(state.Batch.Grid))
	sSMs         = batch(unsafe.Offsetof(state.Batch.SMs))
	wRegs        = unsafe.Offsetof(abi.Warp{}.Regs)
	wAt          = unsafe.Offsetof(abi.Warp{}.At)
	wPC          = unsafe.Offsetof(abi.Warp{}.PC)
	wFuel        = unsafe.Offsetof(abi.Warp{}.Fuel)
	wMask        = unsafe.Offsetof(abi.Warp{}.Mask)
	wLanes       = unsafe.Offsetof(abi.Warp{}.Lanes)
	wSize        = unsafe.Sizeof(abi.Warp{})
	bStart       = unsafe.Offsetof(abi.Bounds{}.Start)
	bEnd         = unsafe.Offsetof(abi.Bounds{}.End)
	bWrite       = unsafe.Offsetof(abi.Bounds{}.WriteEnd)
	bSize        = unsafe.Sizeof(abi.Bounds{})
	pSize        = unsafe.Sizeof(abi.Place{})
	pMask        = unsafe.Offsetof(abi.Place{}.Mask)
	pFuel        = unsafe.Offsetof(abi.Place{}.Fuel)
	pFlags       = unsafe.Offsetof(abi.Place{}.Flags)
)
