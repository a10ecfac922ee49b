package machine

// This file says which bytes of local memory exist for a lane.

// OwnsLocal reports whether the executing lanes have all of some bytes of local memory: in the .param area and
// the depot of one frame on their call chain, or on its stack, up to the stack pointer (9.7.17).
func (w *Warp) OwnsLocal(off uint64, size uint32) bool { return w.lanesOwn(off, size, w.Mask) }

func (w *Warp) lanesOwn(off uint64, size uint32, lanes uint32) bool {
	f := w.frag.frame
	for f != nil && off < uint64(f.local) {
		f = f.caller
	}
	return f != nil && f.holds(off, off+uint64(size), lanes)
}

// holds reports whether bytes at or above the frame's start lie in its variables, or on its stack in each of some lanes.
func (f *Frame) holds(from, to uint64, lanes uint32) bool {
	if to <= f.variablesEnd() && to > from {
		return true
	}
	if !f.moved || from < uint64(f.end) || to <= from {
		return false
	}
	for m := lanes; m != 0; m &= m - 1 {
		if to > uint64(f.sp[first(m)]) {
			return false
		}
	}
	return true
}

// variablesEnd is the end of the frame's depot.
func (f *Frame) variablesEnd() uint64 {
	return uint64(f.local) + uint64(f.code.ParamBytes) + uint64(f.code.LocalBytes)
}

// localExtent is what a fault says of local memory: where the depot of the running frame starts and ends, or
// its stack where the lane has one.
func (w *Warp) localExtent(lane int) (start, end uint64) {
	f := w.frag.frame
	start, end = uint64(w.LocalBase()), f.variablesEnd()
	if f.moved {
		end = max(end, uint64(f.sp[lane]))
	}
	return start, end
}
