package found

// This file says what would order two places.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// Order says what is missing between the two places of a report, in a few words, and what would mend it: as its kind
// says, of races by how far the threads are from each other, and in which memory.
func Order(r *Report) (missing, fix string) {
	w := WordsOf(r.Kind)
	switch {
	case r.Unwaited:
		return "a wait for the launch in front", "griddepcontrol.wait (cudaGridDependencySynchronize) in front of it, by this thread or by one behind whose barrier it is; or a launch that begins when the other is over"
	case r.Extent.Space == machine.Tensor && w.Code == diag.DataRace:
		return tensorMissing, tensorFix
	case w.Fix == "" || r.Between == AcrossLaunches:
		return raceFixes[r.Between].missing, raceFixes[r.Between].fix
	}
	return w.Missing, w.Fix
}

// raceFixes say what would order two threads, by how far they are from each other.
var raceFixes = map[Relation]struct{ missing, fix string }{
	WithinWarp:     {"a barrier of the warp", "bar.warp.sync (__syncwarp) for both lanes between the two, or an atomic operation: from sm_70 lanes of a warp are not in step"},
	WithinCTA:      {"a barrier of the CTA", "bar.sync (__syncthreads) between the two, reached by both threads, or an atomic operation"},
	AcrossLaunches: {"an order of the two", "an event of the one's stream that the other's waits for (cudaStreamWaitEvent), one stream for both, or a wait of the host between the two; in Go, a call behind the other's return"},
	AcrossCTAs:     {"a release and an acquire at gpu scope", "a release by the first thread that the second acquires at gpu scope (flag, grid barrier), an atomic operation in both, or two launches"},
}

// What would order two threads in tensor memory.
const (
	tensorMissing = "a wait for the first, and a barrier"
	tensorFix     = "behind the first tcgen05.wait::ld or ::st, of mma, cp and shift tcgen05.commit and a wait for its mbarrier; then a barrier that both threads reach, between tcgen05.fence::before_thread_sync and ::after_thread_sync"
)
