package machine

// This file declares what the machine and compiled code tell each other (DESIGN §8). Who
// compiles is above this package; the machine only calls.
//
// Compiled code runs one warp whose living lanes all stand in one fragment of a converged
// frame. It starts at an entry pc and returns at resume points: pcs whose instructions the
// interpreter is to execute next, with everything before them done, the register block
// exact, and nothing behind them begun. Lanes may stand at several places. In a batch
// (nativebatch.go) it goes on by itself to other warps and CTAs.
//
// Everything that a program can see is as the fragment loop would leave it, which means:
//
//   - Of the lanes' places the smallest pc goes first; lanes that come to the same pc go on together.
//   - That is right for a divergent branch whose reconvergence pc (Inst.D) lies behind it, and behind
//     where each way begins. One that meets at an earlier pc (the header of its loop), or of which a way
//     begins behind that place and never comes there (its lanes exit from a function), is left to
//     the interpreter unless all lanes agree: there the first to come wait for the others.
//   - A branch that all lanes of a place take back (target ≤ pc) costs their fuel 1; at 0 they
//     stand at the target with FuelOut. Where lanes part, both sides have the fuel that was left
//     at no cost; where they come together, they have the smaller one. A branch without
//     QuietLoop costs PollFuel and sets no Looped.
//   - Steps count an instruction for each time that lanes at its pc come to it, Ops the lanes
//     that execute it: not those that its guard excludes.
//   - Lanes that exit go to Exited and are at no place.
//
// What holds wherever compiled code is entered or left, for one instruction of a handler, too (nativecheck.go looks at it
// where tests ask for that):
//
//   - Lanes. Those that enter (Mask) are all living lanes of the warp and of the frame, in one fragment, and in no region of the
//     frame: with whom they were to meet has exited, and the frame is to split where they part for good. At each moment
//     each of them runs, waits at one place or is in Exited, and those not in Exited are what operations of the whole
//     warp take for living: in compiled code, in a handler that it has called (Warp.Live), and behind it.
//   - Nothing is half done. A fragment that has met others at an instruction, and is to fetch what comes of it, is not
//     entered there: the machine holds the result, and its handler ends the instruction. (A barrier in a batch has no
//     result; code goes on behind it at Resumes.)
//   - Scalars. The frame is converged: slots hold while the lanes of no second place write them, and rows of slots that
//     are read as rows have their values wherever lanes stand that have parted.
//   - CTA. Special registers, in slots and rows, are those of the warp's CTA. Where compiled code has gone on to another
//     CTA, nothing that the machine keeps of a warp beside its rows is of the CTA before: its fragments, gathers, variant.

// Native is the machine code of the converged variant of one Code. It is never written after
// Code.SetNative and shared by all cores.
type Native struct {
	// Call runs the code at an entry.
	Call func(s *NativeState, entry uintptr)
	// Entries has the address of the code that starts at a pc, 0 for none; one for each instruction.
	Entries []uintptr
	// Meets has for each pc the first pc of the immediate post-dominator of its block, -1 for none.
	Meets []int32
	// Bounds has for each pc the index of its memory instruction in the bounds table, -1 for none.
	Bounds []int32
	// NumBounds is the size of that table.
	NumBounds int
	// Batch is where a batch starts, Out gives a warp back that compiled code cannot run, Start begins
	// a warp: it clears registers and writes ctaid. Again is Start for a warp that has run in another CTA of the
	// launch. Begin is where a batch starts with a CTA of which no warp has begun. 0: there is none (nativebatch.go).
	Batch, Out, Start, Again, Begin uintptr
	// Warps has for each pc where a warp of a batch goes on that stands there, Resumes for a barrier
	// where one goes on that has waited there, Wholes for one that compiled code itself has left there
	// with all its lanes; 0 for none.
	Warps, Resumes, Wholes []uintptr
	// Whole tells that the code runs warps of 32 lanes only. Host.MissedParts asks for what is missing.
	Whole bool
	// Quick tells that the code was made in no time, and that better code is worth while when it has run for long:
	// Host.Heat asks for it.
	Quick bool
	// Late tells that a program of whole CTAs may be made of the code, which takes longer than all else: when it has run for
	// long Host.Ran asks for it.
	Late bool
	// Last tells that there will be none that is better: making it would take too long.
	Last bool
	// Rows says which rows a place with Unsettled, and a warp that stands at Wholes, need before anybody
	// else reads them.
	Rows func(pc int32) *NativeRows
	// Reaches has the memory instructions whose addresses are indices.
	Reaches []NativeReach
	// Listing is the code beside its PTX, for listings; nil if not wanted.
	Listing func() string

	next []int32 // by pc: the first entry behind it
	code *Code
}

// NativeState is the context of compiled code, one for each core. Addresses are the host's, of
// memory outside the Go heap.
type NativeState struct {
	Regs        uintptr // register block of the frame
	GlobalHost  uintptr // where device address 0 of global memory would be
	Shared      uintptr // the CTA's own shared memory
	Window      uint64  // its first shared address: rank<<24 | reserved block
	SharedBytes uint64
	SharedEnd   uint64  // the shared address behind them
	SharedHost  uintptr // Shared less Window: where shared address 0 would be
	Params      uint64  // device address of the kernel's parameter block
	Bounds      uintptr // *[NumBounds]NativeBounds
	Mask        uint32  // lanes that enter: all living lanes of the warp
	Fuel        int32   // of the entering fragment; what compiled code returns is in Places

	Steps, Ops uint64 // added to: warp instructions, and lanes that executed them
	Exited     uint32 // lanes that have executed exit, or ret of a kernel
	Looped     uint32 // not 0: a back edge of a quiet loop was taken
	N          uint32 // places
	PollFuel   int32  // what a back edge costs whose loop may wait for another thread
	Batch      NativeBatch
	Places     [33]NativePlace // the N places where the other lanes stand, disjoint, each with a lane
	Save       [8192 + 64*NativeSpills + 6400]byte
	Help       NativeHelp
	Missed     int32 // one more than the pc of an access whose bounds are to be learned, if that is not where lanes stand; 0: there is none
}

// NativeRoom is the bytes behind the register block of a converged frame that belong to compiled code. What is
// there is lost whenever it returns.
const NativeRoom = 2048

// NativeSpills is how many vectors compiled code may put into Save at a time.
const NativeSpills = 256

// NativePlace is a pc at which lanes stand when compiled code returns.
type NativePlace struct {
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

// living are the lanes of the entered warp that have not exited, in compiled code either.
func (s *NativeState) living() uint32 { return s.Mask &^ s.Exited }

// polled reports whether compiled code has returned for Go's sake alone.
func (s *NativeState) polled() bool { return s.N != 0 && s.Places[0].Flags&Polled != 0 }

// Parted: code that is Whole has left because it knows no lanes apart.
const Parted PlaceFlags = 8

// Unsettled: the lanes are all 32, and not all their rows are written: slots are to be spread, and what
// Native.Rows says of the pc is to be done. It is on the first place only.
const Unsettled PlaceFlags = 2

// NativeRows are the rows that compiled code keeps in another form where it leaves.
type NativeRows struct {
	NaNs    []uint32 // rows of f32 that hold NaNs with any payload
	Numbers []NativeNumbers
	Indices []NativeIndex // at any place, and where lanes enter
}

// NativeNumbers is a row whose lanes follow from a number for each run of lanes: lane i of a run has
// number + i%Line·Step + i/Line·Hop, modulo its width.
type NativeNumbers struct {
	Row         uint32 // offset in the register block
	Wide        bool   // 64 bits
	Own         bool   // the numbers are in the frame's NativeRoom: At counts from the register block
	At          uint32 // offset of the numbers in NativeState, 8 bytes each
	Lanes, Line uint32 // of a run, of a line of it
	Step, Hop   uint64
}

// NativeBounds are the device addresses that a memory instruction may touch without asking: an
// allocation that it has hit before. End ≤ Start allows nothing.
type NativeBounds struct {
	Start, End uint64
	WriteEnd   uint64 // for stores: End, or 0 if kernels must not write there

	Low, Count uint32  // of a NativeReach: the first index inside, and how many; 0 allows nothing
	Host       uintptr // and what its indices count from
}

// SetNative installs machine code; a Native without entries says that there will be none.
func (c *Code) SetNative(n *Native) {
	n.next = make([]int32, len(n.Entries))
	next := int32(len(n.Entries))
	for pc := len(n.Entries) - 1; pc >= 0; pc-- {
		if n.next[pc] = next; n.Entries[pc] != 0 {
			next = int32(pc)
		}
	}
	n.code = c
	c.native.Store(n)
}

// Native returns the machine code, nil if none has been installed.
func (c *Code) Native() *Native { return c.native.Load() }

// runs reports whether the code is for such lanes.
func (n *Native) runs(lanes uint32) bool { return !n.Whole || lanes == ^uint32(0) }

// starts reports whether a block starts at a pc.
func (n *Native) starts(pc int32) bool { return n.code.Insts[pc].Flags&BlockStart != 0 }
