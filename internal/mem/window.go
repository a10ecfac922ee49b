package mem

// This file says where things lie in the generic address space.

// Generic addresses. Global memory lies in the canonical half of the space, at GlobalBase or, where
// device addresses are host addresses, from HostBase on: below what the system maps, and clear of
// sanitizers' shadows. The other windows
// lie where no host has memory, in every mode: bit 56 set and bit 57 clear is canonical neither
// for 48-bit nor for 57-bit addresses. Those of shared and local memory begin at no multiple of 2^32, as on devices, where the lower
// half of a generic address is an address of neither. The rank of a CTA fits below the lowest bit of SharedWindow, so that it is
// replaced in a generic address as in a shared one.
const (
	GlobalBase   uint64 = 0x7000_0000_0000
	hostLeast    uint64 = 0x1100_0000_0000 // of the machine's own view of what is guarded
	HostBase     uint64 = 0x2000_0000_0000
	HostStep     uint64 = 1 << 40
	hostEnd      uint64 = 0x5000_0000_0000
	SharedWindow uint64 = 1<<56 + 3<<30         // + 32-bit shared address
	LocalWindow  uint64 = 1<<56 + 1<<40 + 2<<30 // + byte offset in the thread's local memory
	CodeWindow   uint64 = 1<<56 + 2<<40         // + 16 × number of the function
	ImageWindow  uint64 = 1<<56 + 3<<40         // + ImageStep × number of the handle
	WindowSize   uint64 = 1 << 32               // of each of the four
	NullPage     uint64 = 4096                  // addresses below are reported as null
	RankShift           = 24                    // a shared address is rank<<RankShift | offset
	MaxShared           = 1 << RankShift        // bytes of a CTA's shared window
	RankBits            = 6                     // of a shared or generic address, from RankShift on
	CodeStep     uint64 = 16                    // distance of function addresses
	ImageStep    uint64 = 8                     // distance of image handles: the size of a reference
	Align        uint64 = 256                   // of allocations
	Large        uint64 = 1 << 20               // bytes of an allocation that begins at a page
	DefaultSlack uint64 = 4096                  // unused bytes behind an allocation
	HeapSlack    uint64 = 16                    // the same for what a kernel allocates, often and small
)

// InShared reports whether a generic address lies in the shared window.
func InShared(addr uint64) bool { return addr-SharedWindow < WindowSize }

// InLocal reports whether a generic address lies in the local window.
func InLocal(addr uint64) bool { return addr-LocalWindow < WindowSize }

// InImages reports whether an address is a handle of an image.
func InImages(addr uint64) bool { return addr-ImageWindow < WindowSize }

// InRank returns a shared address, or the generic one, as it is in the CTA of a rank of the cluster. A rank that no CTA has is
// added, so that it leads to no CTA that there is.
func InRank(addr, rank uint64) uint64 {
	const mask uint64 = (1<<RankBits - 1) << RankShift
	return addr&^mask + rank<<RankShift
}
