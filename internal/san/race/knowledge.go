package race

// This file holds what a thread knows of others: which of their accesses happened before.

import (
	"math/bits"
	"slices"
)

// warpID numbers the agents of a grid: linear index of the CTA << agentBits | its warps, and behind them, where there is tensor
// memory, what runs the warps' operations on it (tensor.go).
type warpID uint32

const agentBits = 6

func (w warpID) cta() uint32 { return uint32(w >> agentBits) }
func (w warpID) index() int  { return int(w & (1<<agentBits - 1)) }

// moment is a time of one warp's clock. Clocks begin at 1; 0 is before everything.
type moment uint32

// moments are a moment for each lane of one warp.
type moments struct {
	all  moment      // of every lane; with lane the least of them
	lane *[32]moment // nil: all
}

func (m moments) of(lane int) moment {
	if m.lane == nil {
		return m.all
	}
	return m.lane[lane]
}

// covers reports whether all of these lanes are known up to a moment.
func (m moments) covers(lanes uint32, at moment) bool {
	if m.all >= at {
		return true
	}
	if m.lane == nil {
		return false
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		if m.lane[bits.TrailingZeros32(lanes)] < at {
			return false
		}
	}
	return true
}

// join returns the later moment for each lane, and whether that is m itself.
func (m moments) join(o moments) (moments, bool) {
	switch {
	case o.lane == nil && m.all >= o.all, o.lane == m.lane && o.lane != nil:
		return m, true
	case m.lane == nil && o.lane == nil:
		return o, false
	}
	later, same, least := new([32]moment), true, ^moment(0)
	for i := range later {
		later[i] = max(m.of(i), o.of(i))
		same = same && later[i] == m.of(i)
		least = min(least, later[i])
	}
	if same {
		return m, true
	}
	return moments{least, later}, false
}

// set returns moments in which some lanes are known up to a later one.
func (m moments) set(lanes uint32, at moment) moments {
	if lanes == ^uint32(0) {
		return moments{all: max(at, m.all)}
	}
	later := [32]moment{}
	for i := range later {
		later[i] = m.of(i)
		if lanes>>i&1 != 0 {
			later[i] = max(later[i], at)
		}
	}
	return moments{slices.Min(later[:]), &later}
}

// knowledge says up to which moment the accesses of each thread happened before what its holder does next. It is a tree
// over the numbers of CTAs, never written after it is made, so what two of them have in common is shared: a CTA that takes
// what the one before it knows, and so on, costs a path of the tree, not a list of CTAs. nil knows nothing.
type knowledge struct {
	shift uint8                 // of the CTA's number: of these bits is the index into below
	below [treeWidth]*knowledge // nil in a leaf
	warps []moments             // of a leaf: one CTA's

	waited bool // of a topmost node: what the launch comes behind is over, as some thread's griddepcontrol.wait has told
}

// A node of the tree divides CTAs by 4 bits of their number.
const (
	treeBits  = 4
	treeWidth = 1 << treeBits
	leaf      = 0xff // shift of a leaf
)

// treeShift is the shift of the topmost node where there are so many CTAs.
func treeShift(ctas uint64) uint8 {
	shift := uint8(0)
	for ctas > treeWidth<<shift {
		shift += treeBits
	}
	return shift
}

// next is the shift of the nodes below.
func (k *knowledge) next() uint8 {
	if k.shift == 0 {
		return leaf
	}
	return k.shift - treeBits
}

func (k *knowledge) index(cta uint32) uint32 { return cta >> k.shift & (treeWidth - 1) }

// of returns what is known of a warp.
func (k *knowledge) of(w warpID) moments {
	for k != nil && k.shift != leaf {
		k = k.below[k.index(w.cta())]
	}
	if k == nil {
		return moments{}
	}
	return k.warps[w.index()]
}

// covers reports whether what lanes of a warp did at a moment happened before.
func (k *knowledge) covers(w warpID, lanes uint32, at moment) bool {
	return k.of(w).covers(lanes, at)
}

// with returns knowledge that covers lanes of a warp up to a moment, too. A tree that knows nothing yet has this shift, and
// its CTAs so many agents.
func (k *knowledge) with(w warpID, lanes uint32, at moment, shift uint8, agents int) *knowledge {
	out := &knowledge{shift: shift}
	if k != nil {
		*out = *k
	}
	if shift == leaf {
		if out.warps = slices.Clone(out.warps); out.warps == nil {
			out.warps = make([]moments, agents)
		}
		out.warps[w.index()] = out.warps[w.index()].set(lanes, at)
		return out
	}
	i := out.index(w.cta())
	out.below[i] = out.below[i].with(w, lanes, at, out.next(), agents)
	return out
}

// join returns what either knows: k itself if o adds nothing, else o if k adds nothing.
func (k *knowledge) join(o *knowledge) *knowledge {
	switch {
	case o == nil || k == o:
		return k
	case k == nil:
		return o
	case k.shift == leaf:
		return k.joinLeaf(o)
	}
	var joined [treeWidth]*knowledge
	mine, theirs := true, true
	for i := range joined {
		joined[i] = k.below[i].join(o.below[i])
		mine, theirs = mine && joined[i] == k.below[i], theirs && joined[i] == o.below[i]
	}
	waited := k.waited || o.waited
	switch {
	case mine && waited == k.waited:
		return k
	case theirs && waited == o.waited:
		return o
	}
	return &knowledge{shift: k.shift, below: joined, waited: waited}
}

// afterWait knows that what the launch comes behind is over, too. A tree that knows nothing yet has this shift.
func (k *knowledge) afterWait(shift uint8) *knowledge {
	out := &knowledge{shift: shift}
	if k != nil {
		*out = *k
	}
	out.waited = true
	return out
}

// joinLeaf is join for one CTA.
func (k *knowledge) joinLeaf(o *knowledge) *knowledge {
	var out []moments
	theirs := true
	for i, m := range k.warps {
		later, same := m.join(o.warps[i])
		if !same && out == nil {
			out = slices.Clone(k.warps)
		}
		if out != nil {
			out[i] = later
		}
		theirs = theirs && later == o.warps[i]
	}
	switch {
	case out == nil:
		return k
	case theirs:
		return o
	}
	return &knowledge{shift: leaf, warps: out}
}
