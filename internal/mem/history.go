package mem

// This file remembers allocations that have ended, so that a use after free can be told from a stray address.

// maxHistory is how many ended allocations an arena remembers, the latest first to stay.
const maxHistory = 4096

// history is ended allocations whose room no later one has taken.
type history struct {
	ended spans
	order []uint64 // their starts, oldest first; some may be gone
}

// add remembers one.
func (h *history) add(v span) {
	h.ended.insert(v)
	if h.order = append(h.order, v.start); len(h.order) > maxHistory {
		h.ended.remove(h.order[0])
		h.order = h.order[1:]
	}
}

// forget drops what lies in room that is allocated again.
func (h *history) forget(start, end uint64) {
	for {
		v, ok := h.ended.below(end - 1)
		if !ok || v.end <= start {
			return
		}
		h.ended.remove(v.start)
	}
}

// find returns the ended allocation that held addr.
func (h *history) find(addr uint64) (Allocation, bool) {
	v, ok := h.ended.below(addr)
	if !ok || addr >= v.end {
		return Allocation{}, false
	}
	return v.allocation(), true
}
