package abi

// Native is the machine code of the converged variant of one Code. It is never written after
// machine.Code.SetNative and shared by all cores.
type Native struct {
	// Call runs the code at an entry.
	Call func(s *State, entry uintptr)
	// Entries has the address of the code that starts at a pc, 0 for none; one for each instruction.
	Entries []uintptr
	// Meets has for each pc the first pc of the immediate post-dominator of its block, -1 for none.
	Meets []int32
	// Free has by pc the places whose lanes meet others only where pcs agree: no region holds them. nil: there are none.
	Free []bool
	// Bounds has for each pc the index of its memory instruction in the bounds table, -1 for none.
	Bounds []int32
	// NumBounds is the size of that table.
	NumBounds int
	// Shared is 1 + the entry of that table for the CTA's shared memory, by addresses that count from where global memory
	// begins in the host; 0: there is none.
	Shared int
	// Batch is where a batch starts, Out gives a warp back that compiled code cannot run, Start begins
	// a warp: it clears registers and writes ctaid. Again is Start for a warp that has run in another CTA of the
	// launch. Begin is where a batch starts with a CTA of which no warp has begun. 0: there is none (machine/nativebatch.go).
	Batch, Out, Start, Again, Begin uintptr
	// Warps has for each pc where a warp of a batch goes on that stands there, Resumes for a barrier
	// where one goes on that has waited there, Wholes for one that compiled code itself has left there
	// with all its lanes; 0 for none.
	Warps, Resumes, Wholes []uintptr
	// Whole tells that the code runs warps of 32 lanes only. Host.MissedParts asks for what is missing.
	Whole bool
	// Quick tells that there may be better code: this was made in no time, or leaves much of its work. Host.Heat asks for it when the
	// interpreter has run code for long, or what was made in no time.
	Quick bool
	// New tells that the code is of the new pipeline: our own, or a C compiler's.
	New bool
	// Last tells that there will be none that is better: making it would take too long.
	Last bool
	// Listing is the code beside its PTX, for listings; nil if not wanted.
	Listing func() string
}

// State is the context of compiled code, one for each core. Addresses are the host's, of
// memory outside the Go heap.
type State struct {
	Regs        uintptr // register block of the frame
	GlobalHost  uintptr // where device address 0 of global memory would be
	Shared      uintptr // the CTA's own shared memory
	Window      uint64  // its first shared address: rank<<24 | reserved block
	SharedBytes uint64
	SharedHost  uintptr // Shared less Window: where shared address 0 would be
	Params      uint64  // device address of the kernel's parameter block
	Bounds      uintptr // *[NumBounds]Bounds
	Mask        uint32  // lanes that enter: all living lanes of the warp
	Fuel        int32   // of the entering fragment; what compiled code returns is in Places

	Steps, Ops uint64 // added to: warp instructions, and lanes that executed them
	Exited     uint32 // lanes that have executed exit, or ret of a kernel
	Looped     uint32 // not 0: a back edge of a quiet loop was taken
	N          uint32 // places
	PollFuel   int32  // what a back edge costs whose loop may wait for another thread
	Batch      Batch
	Places     [33]Place // the N places where the other lanes stand, disjoint, each with a lane
	Save       [8192 + 64*Spills + 5312]byte
	Help       Help
	Missed     int32 // one more than the pc of an access whose bounds are to be learned, if that is not where lanes stand; 0: there is none
}

// Frame is the most that code which runs on a stack of its own may take of it; behind that is a page that no one may touch.
const Frame = 192 << 10

// Spills is how many vectors compiled code may put into Save at a time.
const Spills = 256

// Place is a pc at which lanes stand when compiled code returns.
type Place struct {
	PC    int32
	Mask  uint32
	Fuel  int32
	Flags PlaceFlags
}

// PlaceFlags say why lanes stand there.
type PlaceFlags uint32

// FuelOut: a back edge took the last fuel; PC is its target. Fuel is that of the lanes that were
// there already, 0 if there were none.
const FuelOut PlaceFlags = 1

// Polled: compiled code has run for nativeSlice steps and has returned from a loop so that Go can do what it
// has to; it is to be entered again at the same pc.
const Polled PlaceFlags = 4

// Living are the lanes of the entered warp that have not exited, in compiled code either.
func (s *State) Living() uint32 { return s.Mask &^ s.Exited }

// HasPolled reports whether compiled code has returned for Go's sake alone.
func (s *State) HasPolled() bool { return s.N != 0 && s.Places[0].Flags&Polled != 0 }

// Parted: code that is Whole has left because it knows no lanes apart.
const Parted PlaceFlags = 8

// Unsettled: the lanes are all 32, and not all their rows are written: slots are to be spread. It is on the first place only.
const Unsettled PlaceFlags = 2

// Bounds are the device addresses that a memory instruction may touch without asking: an
// allocation that it has hit before. End ≤ Start allows nothing.
type Bounds struct {
	Start, End uint64
	WriteEnd   uint64 // for stores: End, or 0 if kernels must not write there
}

// Runs reports whether the code is for such lanes.
func (n *Native) Runs(lanes uint32) bool { return !n.Whole || lanes == ^uint32(0) }

// Help is what compiled code says when it returns for one instruction. What it has in general registers it
// keeps there, too.
type Help struct {
	Back  uintptr // where it goes on behind the instruction; 0: it has returned for good
	Leave uintptr // where it leaves in front of it, if the instruction does anything but let its lanes go on
	Go    uintptr // its own: where the lanes are behind it
	PC    int32
	Mask  uint32 // lanes that have come to it
	Fuel  int32
	_     int32

	Regs, Steps, Pending uint64 // compiled code's

	HandlerOps uint64  // of handlers; State.Ops has them, too
	Stack      uintptr // of code that has one: what it has there is wanted when it is entered again; 0: nothing is
	Alone      bool    // the running warp of a batch goes on alone: the batch has been dissolved
	Faulted    bool    // the last one has: the launch is over
	Gone       bool    // of a call it did not simply come back: the machine has the warp, in state
	Then       uint8   // the State that came of it
}

// What stands in a Native for the places of code with a single entry, which is told by them how it is entered, and where warps are:
// the values of its fields. Nothing jumps there.
const (
	ByBatch = iota + 1
	ByCTA
	ByStart
	ByWarp
	ByOut
	ByBack    // Help.Back, and
	ByLeave   // Help.Leave
	ByBarrier // and more: behind a barrier, at an entry that the code has numbered
)
