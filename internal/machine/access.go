package machine

// This file checks the addresses of memory instructions, all lanes before any is touched.

import (
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Request is the decode-time part of a memory instruction.
type Request = uop.Request

// AccessMode says where the lanes of a checked instruction point.
type AccessMode uint8

// The modes.
const (
	OneSpan AccessMode = iota // host address = At(device address)
	OneRow                    // local memory, one address in all lanes: Row
	PerPtr                    // every lane has its own: Lane, and Local
)

// Access is a checked memory instruction. The loads and stores of access_unsafe.go work in
// every mode; handlers look at the mode for speed. It is valid until the handler returns.
type Access struct {
	Mode  AccessMode
	base  rowBase
	org   uint64      // device address of base, less the displacement
	Row   *[32]uint32 // OneRow: the first word; further words in the rows behind
	shift uint32      // OneRow: bytes of the address within its word
	ptr   [32]rowBase // PerPtr
	Local uint32      // PerPtr: lanes whose words lie 128 bytes apart
}

// cached is an allocation that a memory instruction of this core has hit. It serves
// any instruction: bounds are those of the allocation.
type cached struct {
	start, end uint64
	writeEnd   uint64 // end, or 0 if kernels must not write
	epoch      uint64
}

// Access checks the addresses addr[i] + in.Imm of the lanes in w.Mask. On Faulted the handler
// returns it at once.
func (w *Warp) Access(in *Inst, q *Request, addr *[32]uint64) (*Access, State) {
	a := &w.access
	switch {
	case q.Space <= Param && w.allCached(in, q, addr):
		a.Mode, a.base, a.org = OneSpan, w.core.arenaBase, w.core.arenaFirst-in.Imm
		return a, Next
	case q.Space == Shared && w.allShared(in, q, addr):
		a.Mode, a.base, a.org = OneSpan, w.cta.shared, w.cta.window-in.Imm
		return a, Next
	}
	lo, hi, low := span(addr, in.Imm, w.Mask)
	return w.accessSlow(in, q, addr, lo, hi, low)
}

// Narrow is what gives, with a displacement added in 64 bits, the 32-bit sum of both: the address that a
// 32-bit register and a displacement name wraps, as in machine code (RATIONALE.md).
func Narrow(addr uint32, disp uint64) uint64 { return uint64(addr+uint32(disp)) - disp }

// Widen makes 64-bit addresses of a row of 32-bit ones, less the displacement. The result is valid until
// the handler returns.
func (w *Warp) Widen(addr *[32]uint32, disp uint64) *[32]uint64 {
	for i := range w.wide {
		w.wide[i] = Narrow(addr[i], disp)
	}
	return &w.wide
}

// Addresses is room for those of all lanes, valid until the handler returns and while it does not call Widen.
func (w *Warp) Addresses() *[32]uint64 { return &w.wide }

// AccessUniform checks one address + in.Imm for all lanes in w.Mask and returns its host
// address; local memory is not uniform.
func (w *Warp) AccessUniform(in *Inst, q *Request, addr uint64) (rowBase, State) {
	x := addr + in.Imm
	if x&uint64(q.Align-1) == 0 && q.Space <= Param && (w.inCached(in, q, x, x) || x < mem.SharedWindow && w.lookup(in, q, x, x)) {
		return w.hostGlobal(x), Next
	}
	lane := first(w.Mask)
	p, _, f := w.resolve(q, x, lane)
	if f != nil {
		f.Lanes = w.Mask
		return nil, w.Fault(in, f)
	}
	if w.cta.grid.OnPast != nil && w.passes(q, x) {
		w.tellPast(in, q, x, w.Mask)
	}
	return p, Next
}

// span returns the lowest and highest address of the lanes and the OR of all.
func span(addr *[32]uint64, disp uint64, lanes uint32) (lo, hi, low uint64) {
	if lanes == ^uint32(0) {
		lo = addr[0] + disp
		hi = lo
		for i := range addr {
			x := addr[i] + disp
			lo, hi, low = min(lo, x), max(hi, x), low|x
		}
		return lo, hi, low
	}
	lo = ^uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		x := addr[first(m)] + disp
		lo, hi, low = min(lo, x), max(hi, x), low|x
	}
	return lo, hi, low
}

// allCached reports whether all lanes lie, aligned, in the allocation that the instruction hit
// last.
func (w *Warp) allCached(in *Inst, q *Request, addr *[32]uint64) bool {
	c := w.core.cacheLine(in)
	end := c.end
	if q.Kind != Load {
		end = c.writeEnd
	}
	if end < c.start || c.epoch != w.core.arena.Epoch() {
		return false
	}
	return within(addr, w.Mask, q, in.Imm-c.start, end-c.start)
}

// allShared reports whether all lanes lie, aligned, in the CTA's own shared memory.
func (w *Warp) allShared(in *Inst, q *Request, addr *[32]uint64) bool {
	return within(addr, w.Mask, q, in.Imm-w.cta.window, uint64(w.cta.grid.Shared))
}

// within reports whether addr+off of the lanes lies in [0, n), whole and aligned; n < 1<<63. With
// room = n-size, x is inside exactly if neither x nor room-x has its top bit set; so the loop
// needs no comparison. What off counts from is aligned more than any access.
func within(addr *[32]uint64, lanes uint32, q *Request, off, n uint64) bool {
	if n < uint64(q.Size) {
		return false
	}
	var out, low uint64
	room := n - uint64(q.Size)
	if lanes == ^uint32(0) {
		for i := range addr {
			x := addr[i] + off
			low |= x
			out |= room - x
		}
	} else {
		for m := lanes; m != 0; m &= m - 1 {
			x := addr[first(m)] + off
			low |= x
			out |= room - x
		}
	}
	return (out|low)>>63 == 0 && low&uint64(q.Align-1) == 0
}

// inCached reports whether [lo, hi+size) lies in the allocation that the instruction hit last.
func (w *Warp) inCached(in *Inst, q *Request, lo, hi uint64) bool {
	c := w.core.cacheLine(in)
	end := c.end
	if q.Kind != Load {
		end = c.writeEnd
	}
	return lo >= c.start && hi < end && uint64(q.Size) <= end-hi && c.epoch == w.core.arena.Epoch()
}

// accessSlow resolves every lane, faults for the first that fails and those that fail like it, and
// finds the mode.
func (w *Warp) accessSlow(in *Inst, q *Request, addr *[32]uint64, lo, hi, low uint64) (*Access, State) {
	a := &w.access
	if low&uint64(q.Align-1) == 0 && w.oneSpan(in, q, a, lo, hi) {
		return a, Next
	}
	if w.oneRow(q, a, lo, hi, low) {
		return a, Next
	}
	a.Mode, a.Local = PerPtr, 0
	for m := w.Mask; m != 0; m &= m - 1 {
		i := first(m)
		p, local, f := w.resolve(q, addr[i]+in.Imm, i)
		if f != nil {
			f.Lanes = w.alsoFault(in, q, addr, m, f.Kind)
			return nil, w.Fault(in, f)
		}
		a.ptr[i] = p
		if local {
			a.Local |= 1 << i
		}
	}
	if w.cta.grid.OnPast != nil {
		w.findPast(in, q, addr)
	}
	return a, Next
}

// alsoFault returns those of some lanes whose addresses fail in one way.
func (w *Warp) alsoFault(in *Inst, q *Request, addr *[32]uint64, lanes uint32, kind faults.Kind) (fail uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		i := first(m)
		if _, _, f := w.resolve(q, addr[i]+in.Imm, i); f != nil && f.Kind == kind {
			fail |= 1 << i
		}
	}
	return fail
}

// oneSpan recognises accesses that lie in one allocation or in the shared memory of one CTA.
func (w *Warp) oneSpan(in *Inst, q *Request, a *Access, lo, hi uint64) bool {
	base := mem.SharedWindow
	switch {
	case q.Space == Generic && mem.InShared(lo):
	case q.Space == Shared && !q.OwnCTA:
		base = 0
	case q.Space <= Param && w.lookup(in, q, lo, hi):
		a.Mode, a.base, a.org = OneSpan, w.core.arenaBase, w.core.arenaFirst-in.Imm
		return true
	default:
		return false
	}
	c := w.cta.peer(lo - base)
	if c == nil {
		return false
	}
	start := c.window
	end := start + uint64(w.cta.grid.Shared)
	if lo-base < start || hi-base >= end || uint64(q.Size) > end-(hi-base) {
		return false
	}
	a.Mode, a.base, a.org = OneSpan, c.shared, base+start-in.Imm
	return true
}

// peer returns the CTA that a shared address belongs to, nil if there is none or it has ended.
func (c *CTA) peer(addr uint64) *CTA {
	rank := addr >> mem.RankShift
	if rank >= uint64(len(c.cluster.ctas)) || c.cluster.ctas[rank].alive == 0 {
		return nil
	}
	return c.cluster.ctas[rank]
}

// lookup finds the allocation around [lo, hi+size) and remembers it for the instruction.
func (w *Warp) lookup(in *Inst, q *Request, lo, hi uint64) bool {
	epoch := w.core.arena.Epoch()
	v, ok := w.core.arena.Find(lo)
	if !ok || hi < lo || uint64(q.Size) > v.End-lo || hi > v.End-uint64(q.Size) || q.Kind != Load && v.ReadOnly {
		return false
	}
	c := cached{start: v.Start, end: v.End, writeEnd: v.End, epoch: epoch}
	if v.ReadOnly {
		c.writeEnd = 0
	}
	*w.core.cacheLine(in) = c
	return true
}

// oneRow recognises a local access at one address in all lanes.
func (w *Warp) oneRow(q *Request, a *Access, lo, hi, low uint64) bool {
	off := lo
	if q.Space == Generic {
		off -= mem.LocalWindow
	} else if q.Space != Local {
		return false
	}
	if lo != hi || low&uint64(q.Align-1) != 0 || q.Kind == Atomic || !w.OwnsLocal(off, q.Size) {
		return false
	}
	a.Mode, a.Row, a.shift = OneRow, w.LocalRow(uint32(off)), uint32(off&3)
	return true
}

// resolve checks one lane's address. local tells that the words lie wordStride apart.
func (w *Warp) resolve(q *Request, x uint64, lane int) (p rowBase, local bool, f *Fault) {
	fail := func(kind faults.Kind) (rowBase, bool, *Fault) {
		return nil, false, &Fault{Kind: kind, Addr: x, Size: q.Size, Align: q.Align, Access: q.Kind, Space: q.Space}
	}
	if x&uint64(q.Align-1) != 0 {
		return fail(faults.Misaligned)
	}
	switch {
	case q.Space == Shared:
		return w.resolveShared(q, x, fail)
	case q.Space == Generic && mem.InShared(x):
		return w.resolveShared(q, x-mem.SharedWindow, fail)
	case q.Space == Local:
		return w.resolveLocal(q, x, lane, fail)
	case q.Space == Generic && mem.InLocal(x):
		return w.resolveLocal(q, x-mem.LocalWindow, lane, fail)
	case mem.InShared(x) || mem.InLocal(x) || mem.InImages(x):
		return fail(faults.WrongWindow)
	case x < mem.NullPage:
		return fail(faults.NullAccess)
	}
	v, ok := w.core.arena.Find(x)
	if !ok || uint64(q.Size) > v.End-x {
		v, ok = w.core.arena.Past(x, uint64(q.Size))
	}
	switch {
	case !ok:
		_, _, f = fail(faults.OutOfBounds)
		f.Near = w.near(x, uint64(q.Size))
		return nil, false, f
	case v.ReadOnly && q.Kind != Load:
		return fail(faults.ReadOnlyAccess)
	}
	return w.hostGlobal(x), false, nil
}

func (w *Warp) resolveShared(q *Request, x uint64, fail func(faults.Kind) (rowBase, bool, *Fault)) (rowBase, bool, *Fault) {
	g, ctas := w.cta.grid, w.cta.cluster.ctas
	start := uint64(g.Target.ReservedShared)
	rank, off := x>>mem.RankShift, x&(mem.MaxShared-1)
	switch {
	case rank >= uint64(len(ctas)) && len(ctas) == 1:
		return fail(faults.OutOfBounds)
	case rank >= uint64(len(ctas)):
		return foreign(fail, faults.NoSuchCTA, rank, uint64(len(ctas)))
	case rank != uint64(w.cta.crank) && q.OwnCTA:
		return foreign(fail, faults.OtherCTA, rank, uint64(w.cta.crank))
	case ctas[rank].alive == 0:
		return foreign(fail, faults.ExitedCTA, rank, 0)
	case off < start || off+uint64(q.Size) > start+uint64(g.sharedRoom()):
		_, _, f := fail(faults.OutOfBounds)
		f.Value, f.Want = start, start+uint64(g.Shared)
		return nil, false, f
	}
	return ctas[rank].sharedAt(off - start), false, nil
}

// foreign makes the fault of an access to the shared memory of a CTA that has none for it. Value
// is the rank that the address names; Want the number of CTAs, or the rank of the lane's own.
func foreign(fail func(faults.Kind) (rowBase, bool, *Fault), kind faults.Kind, rank, want uint64) (rowBase, bool, *Fault) {
	_, _, f := fail(kind)
	f.Value, f.Want = rank, want
	return nil, false, f
}

func (w *Warp) resolveLocal(q *Request, off uint64, lane int, fail func(faults.Kind) (rowBase, bool, *Fault)) (rowBase, bool, *Fault) {
	switch {
	case q.Kind == Atomic: // 9.7.13.5: atom works on global and shared memory
		return fail(faults.WrongWindow)
	case !w.lanesOwn(off, q.Size, 1<<lane):
		_, _, f := fail(faults.OutOfBounds)
		f.Value, f.Want = w.localExtent(lane)
		return nil, false, f
	}
	return w.laneWord(uint32(off), lane), true, nil
}

// near describes the allocation closest to a faulting access.
func (w *Warp) near(x, size uint64) *NearAllocation {
	v, ok, freed := w.core.arena.Nearest(x, size)
	if !ok {
		return nil
	}
	n := nearAllocation(v, freed)
	if n.Before = x < v.Start; n.Before {
		n.Distance = v.Start - x
	} else if x >= v.End {
		n.Distance = x - v.End
	}
	return n
}

// Block describes the allocation that holds addr, or held it until it was freed; nil if there is none.
func (w *Warp) Block(addr uint64) *NearAllocation {
	if v, ok := w.core.arena.Find(addr); ok {
		return nearAllocation(v, false)
	}
	if v, _, freed := w.core.arena.Nearest(addr, 1); freed {
		return nearAllocation(v, true)
	}
	return nil
}

func nearAllocation(v mem.Allocation, freed bool) *NearAllocation {
	n := &NearAllocation{Start: v.Start, Size: v.End - v.Start, Label: v.Label, Freed: freed}
	n.Made, _ = v.Made.(*Place)
	n.Ended, _ = v.Ended.(*Place)
	return n
}

// Keep copies a checked access, which the next call of Access would overwrite. It is valid until
// the handler returns, or Keep is called again.
func (w *Warp) Keep(a *Access) *Access {
	k := &w.kept
	if k.Mode, k.base, k.org, k.Local = a.Mode, a.base, a.org, 0; a.Mode != OneSpan {
		*k = *a
	}
	return k
}
