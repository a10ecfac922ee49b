package machine

// This file says what the machine asks of what runs it (internal/host): goroutines, their number and their pace are none
// of its business.

// Host runs a core. All calls come from the goroutine that has called Core or Cluster, about the cluster that runs.
type Host interface {
	// Breathe comes between passes over the warps of a cluster and behind compiled code. now: nothing has moved.
	Breathe(now bool)
	// Crowded tells whether another cluster could use the core.
	Crowded() bool
	// Last tells whether none will before the running one has ended.
	Last() bool
	// Reserve returns how many clusters behind one compiled code may begin by itself, one as soon as the other has ended.
	Reserve(rank uint64) uint64
	// Begun says that it has begun the first n of them.
	Begun(n uint64)
	// Withdraw takes a cluster that has not begun, and that no worker may begin by itself, off the launch for good.
	Withdraw() (rank uint64, ok bool)
	// Judge comes now and then while a cluster runs on and on, in launches that want to know of misuse, and tells whether it
	// can never end (Core.Livelocked), if it is known that no other cluster could change that.
	Judge(cl *Cluster) bool
	// GiveUp says that the cluster has waited for mbarriers in vain, the first time or once more, and tells whether nothing
	// in the grid can help it. TakeHeart takes it back.
	GiveUp(first bool) (hopeless bool)
	TakeHeart()

	// Warm says that so many steps of code were interpreted that is not compiled, or for which there may be better. Heat says
	// the same at a place where compiled code could go on: the host may install some (Code.SetNative).
	Warm(c *Code, steps uint64)
	Heat(c *Code, steps uint64)
	// MissedParts says that code for some lanes is missing (Native.Whole): the host may install it.
	MissedParts(c *Code)
}
