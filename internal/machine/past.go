package machine

// This file tells of accesses that pass the end of an allocation where bounds are those of pages (mem.Config.Page), or the end of a
// CTA's shared memory within the unit that hardware hands out: hardware does not notice them. They fail every quick test, so that
// Warp.resolve and Op.Global see all of them.

import (
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// passes reports whether an access that has been let pass passes the end of an allocation, or of shared memory.
func (w *Warp) passes(q *Request, x uint64) bool {
	if off, shared := sharedOffset(q, x); shared {
		return off+uint64(q.Size) > w.sharedEnd()
	}
	if q.Space > Param || x >= mem.SharedWindow {
		return false
	}
	_, ok := w.core.arena.Past(x, uint64(q.Size))
	return ok
}

// sharedOffset is where in the shared memory of its CTA an address lies, and whether it does.
func sharedOffset(q *Request, x uint64) (off uint64, shared bool) {
	if q.Space == Generic && mem.InShared(x) {
		return (x - mem.SharedWindow) & (mem.MaxShared - 1), true
	}
	return x & (mem.MaxShared - 1), q.Space == Shared
}

// sharedEnd is the end of what a CTA has been given, counted as its addresses are.
func (w *Warp) sharedEnd() uint64 {
	g := w.cta.grid
	return uint64(g.Target.ReservedShared) + uint64(g.Shared)
}

// findPast tells of the executing lanes that do so, by the address of the first.
func (w *Warp) findPast(in *Inst, q *Request, addr *[32]uint64) {
	lanes := uint32(0)
	for m := w.Mask; m != 0; m &= m - 1 {
		if i := first(m); w.passes(q, addr[i]+in.Imm) {
			lanes |= 1 << i
		}
	}
	if lanes != 0 {
		w.tellPast(in, q, addr[first(lanes)]+in.Imm, lanes)
	}
}

// tellPast describes an access as the fault that it would be if bounds were exact.
func (w *Warp) tellPast(in *Inst, q *Request, x uint64, lanes uint32) {
	f := &Fault{Kind: faults.OutOfBounds, Lanes: lanes, Addr: x, Size: q.Size, Align: q.Align, Access: q.Kind, Space: q.Space}
	if _, shared := sharedOffset(q, x); shared {
		f.Value, f.Want = uint64(w.cta.grid.Target.ReservedShared), w.sharedEnd()
	} else {
		f.Near = w.near(x, uint64(q.Size))
	}
	w.locate(in, f)
	w.cta.grid.OnPast(f)
}

// tellPast is the same of a part of an asynchronous operation.
func (op *Op) tellPast(addr, n uint64, kind AccessKind) {
	f := &Fault{Kind: faults.OutOfBounds, Addr: addr, Size: uint32(n), Access: kind, Space: Global, Near: op.warp.near(addr, n)}
	op.locate(f)
	op.cta.grid.OnPast(f)
}
