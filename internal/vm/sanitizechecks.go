package vm

// This file names the sanitizers: the set that a device looks for, and how lists of them are written.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/san"
)

// Sanitize is a set of sanitizers and of their options. Asynchrony AsyncLazy brings SanitizeAsync: early accesses to what
// asynchronous operations touch, and missing proxy fences.
type Sanitize uint16

// The sanitizers and their options.
const (
	// SanitizeInit reports values that decide something (a guard, an address, a member mask, an atomic operation)
	// though some of their bits neither a kernel nor the host has written: of memory, local memory and registers.
	SanitizeInit Sanitize = Sanitize(san.Init)
	// SanitizeRace reports accesses of two threads to the same bytes, one of them a write, that nothing orders in the
	// run: in shared, cluster and global memory, by the memory model (PTX ISA 8); also of an asynchronous operation with
	// what was done before its issue. What comes behind it SanitizeAsync reports.
	SanitizeRace Sanitize = Sanitize(san.Race)
	// SanitizeSync reports uses of barriers and member masks that work on no target, or only by luck: lanes of a warp at
	// different aligned barriers, masks that do not name their own lane or differ within a group, values taken
	// from lanes that take no part.
	SanitizeSync Sanitize = Sanitize(san.Sync)
	// SanitizeRaceStrict is SanitizeRace that reports plain stores of the same bits, too.
	SanitizeRaceStrict Sanitize = Sanitize(san.RaceStrict)
	// SanitizeInitLoads reports reads of tensor, shared and global memory that neither a kernel nor the host has
	// written, whatever becomes of the value. Module variables count as written.
	SanitizeInitLoads Sanitize = Sanitize(san.InitLoads)
	// SanitizeMem reports accesses that leave the object their pointer was made from, also where they meet another
	// one, and pointers to what has been freed.
	SanitizeMem Sanitize = Sanitize(san.Mem)
	// SanitizeLeak reports tensor memory that is still allocated when its CTA ends, mbarriers that then still expect
	// bytes, and copies that no wait covers. What kernels have not freed of what malloc gave is Program.Leaks.
	SanitizeLeak Sanitize = Sanitize(san.Leak)
	// SanitizeAsync reports uses of what an asynchronous operation may still touch, whatever the mode, and missing
	// fences between proxies. AsyncLazy brings it, with its option.
	SanitizeAsync Sanitize = Sanitize(san.Async)
	// SanitizeAsyncFences is SanitizeAsync that also reports operations on tensor memory of different warps without
	// tcgen05.fence around their synchronisation, which the manual asks for and compilers leave out.
	SanitizeAsyncFences Sanitize = Sanitize(san.AsyncFences)
	// SanitizeAsyncWAR is SanitizeAsync that also reports shared memory that an asynchronous operation overwrites though it was
	// read through the generic proxy, without a proxy fence since: the memory model asks for one (8.6), and programs that recycle
	// stages of a pipeline mostly leave it out.
	SanitizeAsyncWAR Sanitize = Sanitize(san.AsyncWAR)
	// SanitizeNaN reports instructions that make a NaN of operands that are not NaN, with what they were, and where the NaN went.
	// Correct kernels may do so, so it is not in SanitizeAll.
	SanitizeNaN Sanitize = Sanitize(san.NaN)
	// SanitizeNaNInf is SanitizeNaN that also reports infinities made of finite operands.
	SanitizeNaNInf Sanitize = Sanitize(san.NaNInf)
	// SanitizeLeakUnused is SanitizeLeak that also knows which memory of the host's allocations no kernel has touched, for
	// Device.Unused.
	SanitizeLeakUnused Sanitize = Sanitize(san.LeakUnused)
)

// SanitizeAll is every check, without options: "all" in lists.
const SanitizeAll = Sanitize(san.All)

// ParseSanitize reads a list of names, such as init,race:strict. The error of a name that is unknown
// lists those that there are.
func ParseSanitize(list string) (set Sanitize, err error) {
	one, err := san.Parse(list)
	return Sanitize(one), err
}

// newShadows returns what a set of sanitizers needs on a device with so many bytes of memory.
func newShadows(set Sanitize, limit int64) san.Shadows {
	return san.NewShadows(san.Set(set), limit, fmt.Errorf("%w: the shadow memory of the sanitizers exceeds the %d bytes that the device has (DeviceConfig.Memory, --memory)", ErrOutOfMemory, limit))
}
