package machine

// This file holds the warp and the choice of the fragment that runs next.

import (
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
)

// Warp is 32 lanes. It belongs to one core while its CTA runs.
type Warp struct {
	Mask uint32 // lanes that execute the current instruction
	Live uint32 // lanes that have not exited

	regs  rowBase // register block of the running frame
	frag  *Fragment
	insts []Inst
	next  int32 // target of a Jump
	start int32 // pc at which the current straight run began
	now   *Inst // instruction that reads a clock
	cta   *CTA
	root  *Frame // the kernel's own frame
	core  *Core

	// Sets of fragments, by index into frags.
	used     uint32
	ready    uint32
	joining  uint32 // wait for siblings
	yielded  uint32 // ready, but have had their turn in this round
	arriving uint32 // ready, and have not looked around at their pc
	patient  uint32 // wait for mbarriers: siblings at a reconvergence pc wait with them
	parting  bool   // these siblings shall go on
	watched  uint32 // had given way when a joining fragment was released
	hurry    uint8  // halvings of the back edges after which polling loops give way
	frags    [32]Fragment

	freeRegions []*region
	gathers     []*Gather
	freeGathers []*Gather
	direct      Gather
	bars        barriers.Gathers // gathers of this warp at CTA barriers

	groups  queue.Groups // number of the group that each lane closes next, by pipe
	held    []heldOp     // fabric operations that have not been submitted
	local   localMemory
	localOf uint64 // rank of the CTA that local is of, or noCTA
	access  Access
	kept    Access
	wide    [32]uint64 // 32-bit addresses, widened
	index   int32      // in the CTA
	dropped uint32     // lanes that have faulted and are to end (Launch.OnFault)
	helping bool       // compiled code waits for a handler, which must not suspend
	polled  bool       // the turn ended without other back edges than polling ones
	cut     bool       // the turn is over before its instructions are used up (fair.go)
	stale   bool       // it begins, and its registers are those of the CTA before
	heated  uint64     // of steps, those that heat knows
	steps   uint64     // not accounted for yet
	total   uint64     // of steps, accounted for
	slept   uint64
	lost    uint64    // lane-ops that guards suppressed
	telling *telling  // while there is an observer
	flow    FlowState // of Launch.Values
	looked  FlowState // of Launch.Numbers
	ops     uint64
}

// outcome says why a warp stopped running.
type outcome uint8

const (
	turnOver outcome = iota // it can go on
	blocked                 // every fragment waits
	done                    // every lane has exited
	failed                  // a fault
)

// run executes the warp until it blocks, ends, faults or has had its turn.
func (w *Warp) run() outcome {
	w.prepare()
	if w.cta.grid.slice == 0 { // else what the last back edge says holds: a turn may be too short for one
		w.polled = true
	}
	return w.goOn()
}

// goOn is run behind what compiled code has executed of the turn.
func (w *Warp) goOn() outcome {
	for {
		if Checked {
			w.checkFragments("a turn goes on")
		}
		if w.hadTurn() {
			return turnOver
		}
		f := w.pick()
		if f == nil {
			if w.yielded != 0 {
				w.yielded = 0
				return turnOver
			}
			return blocked
		}
		switch w.execute(f) {
		case Exited:
			return done
		case Faulted:
			return failed
		}
	}
}

// pick chooses the fragment that runs next: of those that have not had their turn the one in
// the deepest frame, then with the smallest pc, then with the lowest lane. If only joining
// fragments could go on, one of them stops waiting; if there are none, masks need not be equal.
func (w *Warp) pick() *Fragment {
	for {
		for w.arriving != 0 {
			f := &w.frags[first(w.arriving)]
			w.arriving &^= 1 << f.index
			w.arrive(f)
		}
		if f := w.best(w.ready &^ w.yielded); f != nil {
			return f
		}
		f := w.best(w.joining)
		if f == nil && w.gatherUnlike() {
			continue
		}
		if f == nil || w.patient != 0 && w.yielded == 0 && !w.parting {
			return nil
		}
		w.parting = false
		w.release(f)
	}
}

func (w *Warp) best(set uint32) *Fragment {
	var best *Fragment
	for ; set != 0; set &= set - 1 {
		if f := &w.frags[first(set)]; best == nil || f.before(best) {
			best = f
		}
	}
	return best
}

func (f *Fragment) before(g *Fragment) bool {
	if f.frame.depth != g.frame.depth {
		return f.frame.depth > g.frame.depth
	}
	if f.pc != g.pc {
		return f.pc < g.pc
	}
	return first(f.mask) < first(g.mask)
}

// limits returns the next pc at which a fragment has to stop because it may meet a sibling or the code ends, and
// whether there is one behind it, so that every back edge has to look.
func (w *Warp) limits(f *Fragment) (ahead int32, behind bool) {
	ahead = int32(len(w.insts))
	if r := f.region; r != nil && r.frame == f.frame && r.pc != noPC {
		if behind = r.pc <= f.pc; !behind {
			ahead = r.pc
		}
	}
	for m := w.ready &^ (1 << f.index); m != 0; m &= m - 1 {
		switch g := &w.frags[first(m)]; {
		case g.frame != f.frame:
		case g.pc < f.pc:
			behind = true
		default:
			ahead = min(ahead, max(g.pc, f.pc+1))
		}
	}
	return ahead, behind
}
