package machine

// This file reaches memory from the steps of asynchronous operations.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Global returns the host memory of n bytes of global memory, which the issue has checked. They
// may have been freed since.
func (op *Op) Global(addr, n uint64, kind AccessKind) ([]byte, *Fault) {
	core := op.warp.core
	v, ok := core.arena.Find(addr)
	if !ok || n > v.End-addr {
		if v, ok = core.arena.Past(addr, n); ok && op.cta.grid.OnPast != nil {
			op.tellPast(addr, n, kind)
		}
	}
	switch {
	case !ok:
		return nil, &Fault{Kind: faults.OutOfBounds, Addr: addr, Size: uint32(n), Access: kind, Space: Global, Near: op.warp.near(addr, n)}
	case v.ReadOnly && kind != Load:
		return nil, &Fault{Kind: faults.ReadOnlyAccess, Addr: addr, Size: uint32(n), Access: kind, Space: Global}
	}
	return unsafe.Slice((*byte)(unsafe.Add(core.arenaBase, addr-core.arenaFirst)), n), nil
}

// GlobalSpan returns the host memory of global memory from lo to hi if it lies in one allocation that may be
// accessed so.
func (op *Op) GlobalSpan(lo, hi uint64, kind AccessKind) ([]byte, bool) {
	if !op.warp.OneAllocation(lo, hi, kind) {
		return nil, false
	}
	core := op.warp.core
	return unsafe.Slice((*byte)(unsafe.Add(core.arenaBase, lo-core.arenaFirst)), hi-lo), true
}

// OneAllocation reports whether global memory from lo to hi lies in one allocation that may be accessed so.
func (w *Warp) OneAllocation(lo, hi uint64, kind AccessKind) bool {
	v, ok := w.core.arena.Find(lo)
	return ok && hi <= v.End && (!v.ReadOnly || kind == Load)
}

// Shared returns the host memory of n bytes of shared memory at an address in the shared window,
// rank included, which the issue has checked.
func (op *Op) Shared(addr, n uint64) []byte { return op.cta.sharedBytes(addr, n) }

func (c *CTA) sharedBytes(addr, n uint64) []byte {
	off := addr&(mem.MaxShared-1) - uint64(c.grid.Target.ReservedShared)
	return unsafe.Slice((*byte)(c.cluster.ctas[addr>>mem.RankShift].sharedAt(off)), n)
}

// SharedMemory returns the shared memory of a CTA of the warp's cluster, from the first byte that
// the kernel owns on, and that byte's offset in the window; nil if the cluster has no such CTA.
func (w *Warp) SharedMemory(rank uint32) (bytes []byte, start uint32) {
	return w.cta.sharedMemory(rank)
}

// SharedMemory is that of a CTA of the operation's cluster.
func (op *Op) SharedMemory(rank uint32) (bytes []byte, start uint32) {
	return op.cta.sharedMemory(rank)
}

func (c *CTA) sharedMemory(rank uint32) (bytes []byte, start uint32) {
	start = c.grid.Target.ReservedShared
	if int(rank) >= len(c.cluster.ctas) || c.grid.Shared == 0 {
		return nil, start
	}
	return unsafe.Slice((*byte)(c.cluster.ctas[rank].shared), c.grid.Shared), start
}
