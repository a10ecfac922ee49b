package abi

// Meet returns the nearest pc from one on, and ahead of all places, that lanes reach from each of them, -1 for
// none. Ahead, because the branches that parted the lanes meet there (doc.go); at a nearer
// pc between the places no lane waits.
func (n *Native) Meet(at int32, places []Place) int32 {
	for i := range places {
		for pc := places[i].PC; at >= 0 && (at < pc || !n.passes(pc, at)); {
			at = n.Meets[at]
		}
	}
	return at
}

// passes reports whether lanes at a pc stand at, or will come to, a post-dominator.
func (n *Native) passes(pc, at int32) bool {
	for pc >= 0 && pc != at {
		pc = n.Meets[pc]
	}
	return pc == at
}

// SameWay moves the places that come to meet by the way of the first one to the front, and
// returns their number and lanes.
func (n *Native) SameWay(places []Place, meet int32) (k int, lanes uint32) {
	way := n.before(places[0].PC, meet)
	for i := range places {
		if n.before(places[i].PC, meet) == way {
			places[i], places[k] = places[k], places[i]
			lanes |= places[k].Mask
			k++
		}
	}
	return k, lanes
}

// before returns the last post-dominator of a pc before meet, or the pc itself.
func (n *Native) before(pc, meet int32) int32 {
	for pc != meet && n.Meets[pc] != meet {
		pc = n.Meets[pc]
	}
	return pc
}
