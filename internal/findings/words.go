package findings

// This file has what each kind of report says.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// reportKind is what a kind of reports says.
type reportKind struct {
	kind        string // Report.Kind
	code        diag.Code
	msg         string // %s: what both touch
	role, other string // of the two places
	missing     string // what would order them; races say it by how far the threads are from each other
	fix         string
}

// What several kinds say.
const (
	aWait      = "a wait for the operation"
	writeFirst = "write it first; here it holds what the allocation left there, on hardware anything"
)

var reportKinds = map[machine.ReportKind]reportKind{
	machine.ReadBeforeDone: {"early-read", diag.AsyncInUse, "read of %s, which an asynchronous operation may not have written yet", "read", "written", aWait,
		"wait for the operation before the read: for its group, its mbarrier, or with the wait of its own kind"},
	machine.WriteBeforeDone: {"early-write", diag.AsyncInUse, "write to %s, which an asynchronous operation may still write", "write", "written", aWait,
		"wait for the operation before the write: for its group, its mbarrier, or with the wait of its own kind"},
	machine.WriteBeforeRead: {"overwrite", diag.AsyncInUse, "write to %s, which an asynchronous operation may still read", "write", "read", aWait,
		"wait until the operation has read its source: for its group, its mbarrier, or with the wait of its own kind"},
	machine.OpenAtExit: {"open-at-exit", diag.AsyncInUse, "the CTA ends while an asynchronous operation may still read %s", "exit", "read", aWait,
		"wait for the operation before the last thread exits"},
	machine.NeverWritten:     {"unwritten-load", diag.UninitializedRead, "read of %s, which nothing has written", "read", "new", "", writeFirst},
	machine.UnwrittenDecides: {"unwritten", diag.UninitializedRead, "%s is made of %s, which nothing has written", "used", "read", "", writeFirst},
	machine.UnwrittenResult:  {"unwritten-result", diag.UninitializedRead, "the host reads %s, made of what nothing has written", "written", "read", "", writeFirst},
	machine.OutsideObject: {"outside", diag.OutsideObject, "access to %s: %s, from which its pointer was made", "access", "", "",
		"keep the index inside the object; another object may lie there, or nothing"},
	machine.AfterFree: {"after-free", diag.AfterFree, "access to %s, in %s that has been freed", "access", "freed", "",
		"free it behind its last use"},
	machine.NoProxyFence: {"proxy-fence", diag.ProxyOrder, "the async proxy reads %s, written through the generic proxy without a proxy fence since", "read", "written", "a proxy fence",
		"fence.proxy.async, by the writing threads before they synchronise with the reader, or by the reading thread behind that"},
	machine.NoFenceBefore: {"tensor-fence-before", diag.TensorOrder, "two operations on %s, without tcgen05.fence::before_thread_sync behind the first", "then", "first", "a tcgen05 fence behind the first",
		"tcgen05.fence::before_thread_sync behind the first operation and its wait, before the barrier or flag"},
	machine.NoFenceAfter: {"tensor-fence-after", diag.TensorOrder, "two operations on %s, without tcgen05.fence::after_thread_sync before the second", "then", "first", "a tcgen05 fence before the second",
		"tcgen05.fence::after_thread_sync behind the wait for the barrier or flag, before the second operation"},
	machine.TensorKept: {"tensor-memory", diag.Leak, "the CTA ends, and nothing has freed %s", "exit", "new", "",
		"tcgen05.dealloc before the CTA ends, by a warp of it"},
	machine.BytesMissing: {"expected-bytes", diag.Leak, "the CTA ends while the mbarrier in %s still expects %s", "exit", "asked", "",
		"a copy of as many bytes that completes at the mbarrier, and a wait for its phase"},
	machine.NotWaited: {"not-waited", diag.Leak, "the CTA ends with a copy to %s %s", "exit", "copy", aWait,
		"cp.async.commit_group behind it, and cp.async.wait_group before the thread ends"},
	machine.HeapKept: {"malloc", diag.Leak, "nothing has freed %s, which a kernel has allocated", "end", "new", "",
		"free it, in the kernel or in a later one"},
	machine.NeverUsed: {"unused", diag.Leak, "no kernel has touched %s", "", "", "",
		"a smaller allocation, or a kernel that reaches all of it"},
	machine.RaceRAW:   {"RAW", diag.DataRace, "race: read of %s, which another thread has written, with nothing to order them", "read", "written", "", ""},
	machine.RaceWAR:   {"WAR", diag.DataRace, "race: write to %s, which another thread has read, with nothing to order them", "write", "read", "", ""},
	machine.RaceWAW:   {"WAW", diag.DataRace, "race: write to %s, which another thread has written, with nothing to order them", "write", "written", "", ""},
	machine.RaceEqual: {"equal-bits", diag.DataRace, "two threads write the same bits to %s, with nothing to order them", "write", "written", "", ""},
	machine.RaceScope: {"scope", diag.DataRace, "race: access to %s by threads outside the scope of one of the two", "access", "other", "a wider scope",
		"a scope that includes both threads: .gpu for CTAs of different clusters, .cluster within one"},
	machine.RaceReadOnly: {"read-only", diag.DataRace, "race: read of %s, which the same launch has written, as of what no launch writes while it runs: nothing orders such a read", "read", "written",
		"a read of memory that may change",
		"ld.global without .nc (in CUDA C++ neither __ldg nor const __restrict__, but ld.acquire or a volatile read where a flag tells of the data), or another launch"},
	machine.MbarrierMisuse: {"mbarrier", diag.SyncMisuse, "%s", "here", "others", "",
		"mbarrier.init first, mbarrier.inval before the memory has another use, and between the two no access but by operations on mbarriers"},
	machine.MbarrierParity: {"parity", diag.SyncMisuse, "%s", "here", "", "",
		"0 or 1 as the parity: and.b32 with 1 where it is counted"},
	machine.PeerMisuse: {"peer", diag.SyncMisuse, "%s", "access", "", "a barrier of the cluster",
		"barrier.cluster.arrive and .wait (cluster.sync()) by the threads of both CTAs: before the first access, and behind the last"},
	machine.ProductMisuse: {"wgmma", diag.SyncMisuse, "%s", "here", "access", "wgmma.fence",
		"wgmma.fence before the first wgmma.mma_async, and wherever something else has accessed its registers"},
	machine.CollectorMisuse: {"collector", diag.SyncMisuse, "%s", "use", "before", "a fill",
		"::fill in the product that reads the matrix first; a product without a collector modifier discards what the buffer holds"},
	machine.Livelock: {"livelock", diag.Livelock, "a loop that can never end reads %s, and nothing that still runs writes it", "read", "", "",
		"store what the loop waits for before the wait, from a thread that does not wait itself"},
	machine.SyncMisuse: {"misuse", diag.SyncMisuse, "%s", "here", "others", "",
		"all threads that the instruction names must execute it together, with one mask: move it out of the branch, or make the mask that of the branch (__activemask is no such mask)"},
}

// Note reports whether a correct kernel may do what is reported, too.
func Note(k machine.ReportKind) bool {
	return k == machine.RaceEqual || k == machine.NeverUsed || k == machine.MbarrierParity
}

// raceFixes say what would order two threads, by how far they are from each other.
var raceFixes = map[machine.Relation]struct{ missing, fix string }{
	machine.WithinWarp:     {"a barrier of the warp", "bar.warp.sync (__syncwarp) for both lanes between the two, or an atomic operation: from sm_70 lanes of a warp are not in step"},
	machine.WithinCTA:      {"a barrier of the CTA", "bar.sync (__syncthreads) between the two, reached by both threads, or an atomic operation"},
	machine.AcrossLaunches: {"an order of the two", "an event of the one's stream that the other's waits for (cudaStreamWaitEvent), one stream for both, or a wait of the host between the two; in Go, a call behind the other's return"},
	machine.AcrossCTAs:     {"a release and an acquire at gpu scope", "a release by the first thread that the second acquires at gpu scope (flag, grid barrier), an atomic operation in both, or two launches"},
}

// tensorFix says what would order two threads in tensor memory.
const (
	tensorMissing = "a wait for the first, and a barrier"
	tensorFix     = "behind the first tcgen05.wait::ld or ::st, of mma, cp and shift tcgen05.commit and a wait for its mbarrier; then a barrier that both threads reach, between tcgen05.fence::before_thread_sync and ::after_thread_sync"
)

// acrossWords say what launches and copies do that nothing orders, with what both touch and who the other one is.
var acrossWords = map[machine.ReportKind]string{
	machine.RaceRAW:   "race: read of %s, which %s writes, with nothing to order the two",
	machine.RaceWAR:   "race: write to %s, which %s reads, with nothing to order the two",
	machine.RaceWAW:   "race: write to %s, which %s writes, with nothing to order the two",
	machine.RaceScope: "race: access to %s, by threads outside the scope of that of %s, or the other way round",
}
