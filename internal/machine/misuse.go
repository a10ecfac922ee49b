package machine

// This file finds uses of barriers and member masks that work on no target, or only by luck (P8003). Launches that do
// not ask (Launch.Misuse) test one bool in each place.

import (
	"fmt"
	"math/bits"
)

// misused reports what lanes of the running fragment do at an instruction.
func (w *Warp) misused(in *Inst, lanes uint32, format string, args ...any) {
	w.misusedBeside(in, lanes, Place{}, format, args...)
}

// misusedBeside is misused with another place, of other lanes of the warp.
func (w *Warp) misusedBeside(in *Inst, lanes uint32, other Place, format string, args ...any) {
	p := w.Place(in)
	p.Lanes, p.Site = lanes, w.site(p.PC, first(lanes))
	if other.Func != nil {
		other.Site = w.site(other.PC, first(other.Lanes))
	}
	w.cta.grid.Reporter.Report(&Report{Kind: SyncMisuse, Then: p, Op: other, Text: fmt.Sprintf(format, args...)})
}

// Watchful tells whether the launch wants to know of misuse.
func (w *Warp) Watchful() bool { return w.cta.grid.Misuse }

// lanesText names lanes as a mask.
func lanesText(lanes uint32) string {
	if bits.OnesCount32(lanes) == 1 {
		return fmt.Sprintf("lane %d", first(lanes))
	}
	return fmt.Sprintf("lanes %#08x", lanes)
}

// alignedMisuse: all threads of a warp execute the same barrier instruction with .aligned (9.7.13.1). Lanes that come
// later to the same one are no misuse: a compiler brings them together in front of it.
func (w *Warp) alignedMisuse(in *Inst, e *warpBarrier) {
	if e.lanes == 0 || e.pc == w.PC(in) {
		return
	}
	there := w.Place(in)
	there.PC, there.Lanes = e.pc, e.lanes
	w.misusedBeside(in, w.Mask, there, "a barrier with .aligned: %s of a warp at one instruction, %s at another", lanesText(w.Mask), lanesText(e.lanes))
}

// maskMisuse looks at the member masks that lanes bring to a .sync instruction (9.7.13.9): each must name its own lane,
// and those that it names must bring the same.
func (w *Warp) maskMisuse(in *Inst, members *[32]uint32) {
	for m := w.Mask; m != 0; m &= m - 1 {
		i := first(m)
		mine := members[i]
		if mine>>i&1 == 0 {
			w.misused(in, 1<<i, "lane %d is not in its own member mask %#08x", i, mine)
			return
		}
		for o := mine & w.Mask; o != 0; o &= o - 1 {
			if j := first(o); members[j] != mine {
				w.misused(in, 1<<i|1<<j, "lane %d has the member mask %#08x, and lane %d, which is in it, %#08x", i, mine, j, members[j])
				return
			}
		}
	}
}

// ShuffleMisuse reports a lane that reads from one that is not in its mask or does not take part (9.7.9.6): what it
// gets is undefined.
func (w *Warp) ShuffleMisuse(in *Inst, lane, from int, peers uint32) {
	w.misused(in, 1<<lane, "lane %d takes the value of lane %d, which is not among those that take part, %#08x", lane, from, peers)
}
