package found

// This file has what each kind of report says: a new kind is a row of it.

import "ptxvm.invalid/ptxvm/diag"

// Kind says what is wrong.
type Kind uint8

// The kinds of reports.
const (
	ReadBeforeDone     Kind = iota // of what an open operation writes
	WriteBeforeDone                // of what an open operation writes
	WriteBeforeRead                // of what an open operation reads
	OpenAtExit                     // the CTA ended while an operation reads its shared memory
	NeverWritten                   // a read of what was never written; Op is the allocation, if one is known
	NoFenceOverwritten             // the async proxy overwrites what the generic one has read, at Op, without a fence
	NoProxyFence                   // the async proxy reads what the generic one wrote, at Op, without a fence
	NoFenceBefore                  // of two tcgen05 operations in tensor memory, behind Op
	NoFenceAfter                   // likewise, before Then
	RaceRAW                        // Then reads what Op has written, and nothing orders them
	RaceWAR                        // Then writes what Op has read
	RaceWAW                        // Then writes what Op has written
	RaceEqual                      // Then and Op write the same bits: the order does not show
	RaceScope                      // both are strong, but the scope of one does not include the other's thread
	RaceReadOnly                   // Then reads what Op, of the same launch, has written as what stays the same while it runs
	RaceImage                      // the same through a texture or a surface
	UnwrittenDecides               // Text, at Then, is made of what nothing has written: Extent, read at Op
	UnwrittenResult                // Then has stored what nothing has written, read at Op, to where the host reads Extent
	OutsideObject                  // Then leaves the object of its pointer; Text says by how much
	AfterFree                      // Then goes to a freed object, Text; Op is the free
	TensorKept                     // the CTA has ended, and what it has allocated at Op is still there: Extent
	BytesMissing                   // the CTA has ended, and Text is what an mbarrier, Extent, still expects; the last time at Op
	NotWaited                      // the CTA has ended, and Text is what no wait covers of the copies of Op
	HeapKept                       // what a kernel has allocated at Op was not freed: Extent
	NeverUsed                      // no kernel has touched Extent
	MbarrierMisuse                 // of an mbarrier's memory, by Then; Text says what
	MbarrierAgain                  // Then initialises one that lives; Text says which
	MbarrierParity                 // Then waits for a parity of more than one bit; Text says which
	PeerMisuse                     // Then touches shared memory of a CTA that may not be there; Text says why
	ProductMisuse                  // of wgmma, by Then; Text says what
	CollectorMisuse                // of a collector buffer, by Then; Text says what, Op is the last product that filled or discarded it
	Livelock                       // Then, in a loop that can never end, reads Extent, or Text if it reads nothing
	SyncMisuse                     // of a barrier or a member mask, by Then; Text says what
	NaNMade                        // Then makes a NaN of operands that are not NaN: Text; Op stores it, or compares it
	NaNLost                        // the same, and Op, if anything, overwrites it before something does
	InfMade                        // Then makes an infinity of finite operands, as NaNMade
	InfLost                        // as NaNLost
)

// Words is what a kind of reports says.
type Words struct {
	Name        string // of the kind, beside its code: report.Report.Kind
	Code        diag.Code
	Msg         string
	Args        Args
	Role, Other string // of the two places
	Missing     string // what would order them; races say it by how far the threads are from each other
	Fix         string
	Note        bool   // a correct kernel may do it, too
	Across      string // Msg of two launches, or of one and a copy: what both touch, and who the other one is
}

// Args is what is written in place of the %s of a message.
type Args uint8

// The ways to fill a message.
const (
	Touched       Args = iota // what both places touch
	Text                      // Report.Text alone
	TextOrTouched             // Report.Text, where there is some, in place of the whole message
	TextTouched
	TouchedText
	Worded // Report.Text
)

// What several kinds say.
const (
	ofNumbers  = "look at the operands: 0/0, inf-inf, 0*inf, the square root or the logarithm of a negative number; a lane without data must not compute"
	ofFinite   = "look at the operands: a division by 0, the logarithm of 0, a result that is too large for its type"
	aWait      = "a wait for the operation"
	writeFirst = "write it first; here it holds what the allocation left there, on hardware anything"
)

var kinds = [...]Words{
	ReadBeforeDone: {Name: "early-read", Code: diag.AsyncInUse,
		Msg:  "read of %s, which an asynchronous operation may not have written yet",
		Role: "read", Other: "written", Missing: aWait,
		Fix: "wait for the operation before the read: for its group, its mbarrier, or with the wait of its own kind",
	},
	WriteBeforeDone: {Name: "early-write", Code: diag.AsyncInUse,
		Msg:  "write to %s, which an asynchronous operation may still write",
		Role: "write", Other: "written", Missing: aWait,
		Fix: "wait for the operation before the write: for its group, its mbarrier, or with the wait of its own kind",
	},
	WriteBeforeRead: {Name: "overwrite", Code: diag.AsyncInUse,
		Msg:  "write to %s, which an asynchronous operation may still read",
		Role: "write", Other: "read", Missing: aWait,
		Fix: "wait until the operation has read its source: for its group, its mbarrier, or with the wait of its own kind",
	},
	OpenAtExit: {Name: "open-at-exit", Code: diag.AsyncInUse,
		Msg:  "the CTA ends while an asynchronous operation may still read %s",
		Role: "exit", Other: "read", Missing: aWait,
		Fix: "wait for the operation before the last thread exits",
	},
	NeverWritten: {Name: "unwritten-load", Code: diag.UninitializedRead,
		Msg:  "read of %s, which nothing has written",
		Role: "read", Other: "new",
		Fix: writeFirst,
	},
	UnwrittenDecides: {Name: "unwritten", Code: diag.UninitializedRead,
		Msg: "%s is made of %s, which nothing has written", Args: TextTouched,
		Role: "used", Other: "read",
		Fix: writeFirst,
	},
	UnwrittenResult: {Name: "unwritten-result", Code: diag.UninitializedRead,
		Msg:  "the host reads %s, made of what nothing has written",
		Role: "written", Other: "read",
		Fix: writeFirst,
	},
	OutsideObject: {Name: "outside", Code: diag.OutsideObject,
		Msg: "access to %s: %s, from which its pointer was made", Args: TouchedText,
		Role: "access",
		Fix:  "keep the index inside the object; another object may lie there, or nothing",
	},
	AfterFree: {Name: "after-free", Code: diag.AfterFree,
		Msg: "access to %s, in %s that has been freed", Args: TouchedText,
		Role: "access", Other: "freed",
		Fix: "free it behind its last use",
	},
	NoFenceOverwritten: {Name: "proxy-fence-war", Code: diag.ProxyOrder,
		Msg:  "the async proxy overwrites %s, read through the generic proxy without a proxy fence since",
		Role: "write", Other: "read", Missing: "a proxy fence",
		Fix: "fence.proxy.async, by the reading threads before they synchronise with the one that issues the copy, or by that one behind it",
	},
	NoProxyFence: {Name: "proxy-fence", Code: diag.ProxyOrder,
		Msg:  "the async proxy reads %s, written through the generic proxy without a proxy fence since",
		Role: "read", Other: "written", Missing: "a proxy fence",
		Fix: "fence.proxy.async, by the writing threads before they synchronise with the reader, or by the reading thread behind that",
	},
	NoFenceBefore: {Name: "tensor-fence-before", Code: diag.TensorOrder,
		Msg:  "two operations on %s, without tcgen05.fence::before_thread_sync behind the first",
		Role: "then", Other: "first", Missing: "a tcgen05 fence behind the first",
		Fix: "tcgen05.fence::before_thread_sync behind the first operation and its wait, before the barrier or flag",
	},
	NoFenceAfter: {Name: "tensor-fence-after", Code: diag.TensorOrder,
		Msg:  "two operations on %s, without tcgen05.fence::after_thread_sync before the second",
		Role: "then", Other: "first", Missing: "a tcgen05 fence before the second",
		Fix: "tcgen05.fence::after_thread_sync behind the wait for the barrier or flag, before the second operation",
	},
	TensorKept: {Name: "tensor-memory", Code: diag.Leak,
		Msg:  "the CTA ends, and nothing has freed %s",
		Role: "exit", Other: "new",
		Fix: "tcgen05.dealloc before the CTA ends, by a warp of it",
	},
	BytesMissing: {Name: "expected-bytes", Code: diag.Leak,
		Msg: "the CTA ends while the mbarrier in %s still expects %s", Args: TouchedText,
		Role: "exit", Other: "asked",
		Fix: "a copy of as many bytes that completes at the mbarrier, and a wait for its phase",
	},
	NotWaited: {Name: "not-waited", Code: diag.Leak,
		Msg: "the CTA ends with a copy to %s %s", Args: TouchedText,
		Role: "exit", Other: "copy", Missing: aWait,
		Fix: "cp.async.commit_group behind it, and cp.async.wait_group before the thread ends",
	},
	HeapKept: {Name: "malloc", Code: diag.Leak,
		Msg:  "nothing has freed %s, which a kernel has allocated",
		Role: "end", Other: "new",
		Fix: "free it, in the kernel or in a later one",
	},
	NeverUsed: {Name: "unused", Code: diag.Leak, Note: true,
		Msg: "no kernel has touched %s",
		Fix: "a smaller allocation, or a kernel that reaches all of it",
	},
	RaceRAW: {Name: "RAW", Code: diag.DataRace,
		Msg:  "race: read of %s, which another thread has written, with nothing to order them",
		Role: "read", Other: "written",
		Across: "race: read of %s, which %s writes, with nothing to order the two",
	},
	RaceWAR: {Name: "WAR", Code: diag.DataRace,
		Msg:  "race: write to %s, which another thread has read, with nothing to order them",
		Role: "write", Other: "read",
		Across: "race: write to %s, which %s reads, with nothing to order the two",
	},
	RaceWAW: {Name: "WAW", Code: diag.DataRace,
		Msg:  "race: write to %s, which another thread has written, with nothing to order them",
		Role: "write", Other: "written",
		Across: "race: write to %s, which %s writes, with nothing to order the two",
	},
	RaceEqual: {Name: "equal-bits", Code: diag.DataRace, Note: true,
		Msg:  "two threads write the same bits to %s, with nothing to order them",
		Role: "write", Other: "written",
	},
	RaceScope: {Name: "scope", Code: diag.DataRace,
		Msg:  "race: access to %s by threads outside the scope of one of the two",
		Role: "access", Other: "other", Missing: "a wider scope",
		Fix:    "a scope that includes both threads: .gpu for CTAs of different clusters, .cluster within one",
		Across: "race: access to %s, by threads outside the scope of that of %s, or the other way round",
	},
	RaceReadOnly: {Name: "read-only", Code: diag.DataRace,
		Msg:  "race: read of %s, which the same launch has written, as of what no launch writes while it runs: nothing orders such a read",
		Role: "read", Other: "written", Missing: "a read of memory that may change",
		Fix: "ld.global without .nc (in CUDA C++ neither __ldg nor const __restrict__, but ld.acquire or a volatile read where a flag tells of the data), or another launch",
	},
	RaceImage: {Name: "image", Code: diag.DataRace,
		Msg:  "race: read of %s through a texture or surface, which the same launch has written past it: no barrier and no fence lets such a read see it",
		Role: "read", Other: "written", Missing: "a launch between the two",
		Fix: "another launch for what reads it, or ld.global; a surface sees what threads of its own CTA have written through surfaces",
	},
	MbarrierMisuse: {Name: "mbarrier", Code: diag.SyncMisuse,
		Msg: "%s", Args: Text,
		Role: "here", Other: "others",
		Fix: "mbarrier.init first, mbarrier.inval before the memory has another use, and between the two no access but by operations on mbarriers",
	},
	MbarrierAgain: {Name: "mbarrier-again", Code: diag.SyncMisuse,
		Msg: "%s", Args: Text,
		Role: "here", Other: "others",
		Fix: "one thread alone that executes mbarrier.init (threadIdx.x == 0), and a barrier of the CTA (__syncthreads) in front of the others' use; mbarrier.inval before it is initialised again",
	},
	MbarrierParity: {Name: "parity", Code: diag.SyncMisuse, Note: true,
		Msg: "%s", Args: Text,
		Role: "here",
		Fix:  "0 or 1 as the parity: and.b32 with 1 where it is counted",
	},
	PeerMisuse: {Name: "peer", Code: diag.SyncMisuse,
		Msg: "%s", Args: Text,
		Role: "access", Missing: "a barrier of the cluster",
		Fix: "barrier.cluster.arrive and .wait (cluster.sync()) by the threads of both CTAs: before the first access, and behind the last",
	},
	ProductMisuse: {Name: "wgmma", Code: diag.SyncMisuse,
		Msg: "%s", Args: Text,
		Role: "here", Other: "access", Missing: "wgmma.fence",
		Fix: "wgmma.fence before the first wgmma.mma_async, and wherever something else has accessed its registers",
	},
	CollectorMisuse: {Name: "collector", Code: diag.SyncMisuse,
		Msg: "%s", Args: Text,
		Role: "use", Other: "before", Missing: "a fill",
		Fix: "::fill in the product that reads the matrix first; a product without a collector modifier discards what the buffer holds",
	},
	Livelock: {Name: "livelock", Code: diag.Livelock,
		Msg: "a loop that can never end reads %s, and nothing that still runs writes it", Args: TextOrTouched,
		Role: "read",
		Fix:  "store what the loop waits for before the wait, from a thread that does not wait itself",
	},
	SyncMisuse: {Name: "misuse", Code: diag.SyncMisuse,
		Msg: "%s", Args: Text,
		Role: "here", Other: "others",
		Fix: "all threads that the instruction names must execute it together, with one mask: move it out of the branch, or make the mask that of the branch (__activemask is no such mask)",
	},
	NaNMade: {Name: "nan", Code: diag.NotANumber,
		Msg: "a NaN from operands that are not NaN: %s", Args: Worded,
		Role: "made", Other: "goes to",
		Fix: ofNumbers,
	},
	NaNLost: {Name: "nan-overwritten", Code: diag.NotANumber, Note: true,
		Msg: "a NaN from operands that are not NaN, which nothing stores or compares: %s", Args: Worded,
		Role: "made", Other: "lost at",
		Fix: ofNumbers,
	},
	InfMade: {Name: "inf", Code: diag.NotANumber,
		Msg: "an infinity from finite operands: %s", Args: Worded,
		Role: "made", Other: "goes to",
		Fix: ofFinite,
	},
	InfLost: {Name: "inf-overwritten", Code: diag.NotANumber, Note: true,
		Msg: "an infinity from finite operands, which nothing stores or compares: %s", Args: Worded,
		Role: "made", Other: "lost at",
		Fix: ofFinite,
	},
}

// EitherWay is the kind that stands for one and for that of the same two places the other way round; false if the order of the places
// matters.
func (k Kind) EitherWay() (Kind, bool) {
	switch k {
	case RaceRAW, RaceWAR:
		return RaceRAW, true
	case RaceWAW, RaceEqual, RaceScope:
		return k, true
	}
	return k, false
}

// WordsOf is what a kind says.
func WordsOf(k Kind) *Words { return &kinds[k] }
