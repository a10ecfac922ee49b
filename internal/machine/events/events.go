// Package events says what may be told of a launch to those who look on, and how they ask for it.
package events

// Kind says what an event is about.
type Kind uint8

// The events.
const (
	Touch        Kind = iota // the lanes are about to access memory
	Release                  // a fence or barrier is about to publish what the lanes did before
	Acquire                  // a fence or barrier lets the lanes see what others published
	ProxyFence               // a fence between the generic proxy and Proxy, for Space
	TensorFence              // tcgen05.fence: a release before, an acquire after a synchronisation of threads
	BarrierMet               // a warp's lanes have all arrived at barrier ID of the CTA
	BarrierDone              // barrier ID of the CTA has completed, Warps may go on; each tells Acquire when it does
	WarpMet                  // Lanes go on behind bar.warp.sync, at which Members have met
	ClusterDone              // the barrier of the CTA's cluster has completed
	CTABegin                 // a CTA starts: its shared memory is new
	CTAEnd                   // a CTA has ended, in whatever way
	Allocated                // Extent is new: tensor memory (tcgen05.alloc), told behind the allocation
	Freed                    // Extent is gone
	PhaseDone                // a phase of the mbarrier in Extent has completed
	Loaded                   // the strong access to Addr that Touch has told of has read: what others had published by then they have seen
	PhaseSeen                // Lanes have waited for a phase of the mbarriers at Addr that has completed
	TensorWaited             // Lanes have waited for their tcgen05.ld (Kind Load) or tcgen05.st (Store)
	TensorCommit             // Op, a tcgen05.commit, is being issued
	TensorArrive             // what Op, a tcgen05.commit, tracks is over: it is about to arrive at the mbarrier in Extent
	GridWaited               // Lanes wait for what the launch comes behind (griddepcontrol.wait)
	LanesEnd                 // Lanes of a warp have ended, by exit or because they are dropped; Members go on
	ImageTouched             // the lanes are about to access an image that lies in global memory at Addr, through Proxy

	// How things are used (WantsUse), told before it is done.

	BarrierCome   // Lanes come to a barrier; About a *Meeting
	BarrierWait   // Lanes wait at a barrier for others of their warp
	MembersCome   // Lanes come to an instruction with a member mask; About the *[32]uint32 of their masks
	MembersWait   // Lanes wait for others of the mask Members; About a *Meeting
	StrayShuffle  // Lanes takes the value of the lane About, an int, which is none of Members
	WarpArrives   // a warp arrives at barrier ID; About an *Arrival
	BarrierEnds   // barrier ID of a CTA completes; About a *BarrierEnd
	MbarrierUsed  // About a *mbarriers.Step; by Op, if not nil, where that was issued
	Collects      // a product uses a collector buffer; About a *CollectorStep
	GroupSteps    // About a *GroupStep
	RowsUsed      // Lanes touch registers (WantsOwed, too); About the []RowUse
	ProductFence  // wgmma.fence
	ProductBegins // wgmma.mma_async; About a *ProductStep

	// Asynchronous operations (WantsOwed, WantsLeft). An Op may be a part of the one that has begun, of fewer lanes.

	OpBegins    // Op is issued
	OpSignals   // Op is about to count in Phase of the mbarrier in Extent
	OpOver      // Op has taken its last step
	OpsAwaited  // Lanes wait for what they have issued; About a *Await
	PhasePassed // a wait has seen the phases before Phase of the mbarrier in Extent complete
	FrameGone   // registers are gone: About the *Frame
	CTAEmpty    // no lane of a CTA is left
	BytesAsked  // the mbarrier in Extent has been told of bytes to come in Phase (WantsLeft)
	CTAFinished // no lane of a cluster is left, told of each CTA before its open operations end; About a *Remains

	Endless // about an *EndlessLoop: a set of lanes for which nothing will ever change (WantsLoops)
)

// Wants is the set of events that an observer asks for: code tells no others.
type Wants uint16

// What code may tell.
const (
	WantsAccesses  Wants = 1 << iota // Touch, but for that of constants and kernel parameters
	WantsOthers                      // only those that are not Valued
	WantsConstants                   // those of constants and kernel parameters, too
	WantsOrder                       // Release and Acquire
	WantsFences                      // ProxyFence and TensorFence
	WantsRows                        // RowsUsed, in code with products or asynchronous operations on registers
	WantsAll       Wants = 1<<iota - 1
	WantsLoaded    Wants = 1 << (iota - 1) // Loaded, beside all: of use where workers share memory
	WantsUse       Wants = 1 << (iota - 1) // how barriers, member masks, mbarriers and products are used; such instructions are Watched
	WantsLeft      Wants = 1 << (iota - 1) // what CTAs leave behind; the code is Interpreted where they may
	WantsOwed      Wants = 1 << (iota - 1) // asynchronous operations, until something in the program tells that they are over
	WantsLoops     Wants = 1 << (iota - 1) // whether what is left of the launch can ever end
	WantsAlone     Wants = 1 << (iota - 1) // of loops that read global memory, too: nothing but the launch writes that until its end

	WantsTold   = WantsAll | WantsLoaded                        // what handlers tell before or behind they act, which is code of its own
	WantsOfCode = WantsTold | WantsUse | WantsLeft | WantsLoops // what code is decoded for
)
