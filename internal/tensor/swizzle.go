package tensor

// Swizzle is the permutation of 16-byte units that a matrix in shared memory is stored in
// (5.5.7). The values are those of bits 61 to 63 of a descriptor (table 40).
type Swizzle uint8

// The modes. 3, 5 and 7 do not exist.
const (
	NoSwizzle        Swizzle = 0
	Swizzle128Atom32 Swizzle = 1 // 128 bytes with 32-byte atoms
	Swizzle128       Swizzle = 2
	Swizzle64        Swizzle = 4
	Swizzle32        Swizzle = 6
)

// swizzles describes the modes: bits of the address from bit 7 on are XORed onto bits from
// `to` on.
var swizzles = [8]struct {
	name   string
	span   uint32 // bytes of a row
	mask   uint32 // which lines of 128 bytes differ
	to     uint8  // lowest bit that changes
	period uint32 // bytes after which the pattern repeats
}{
	NoSwizzle:        {"none", 16, 0, 4, 16},
	Swizzle128Atom32: {"128 bytes with 32-byte atoms", 128, 3, 5, 512},
	Swizzle128:       {"128 bytes", 128, 7, 4, 1024},
	Swizzle64:        {"64 bytes", 64, 3, 4, 512},
	Swizzle32:        {"32 bytes", 32, 1, 4, 256},
}

// Valid reports whether the mode exists.
func (s Swizzle) Valid() bool { return s < 8 && swizzles[s].span != 0 }

func (s Swizzle) String() string { return swizzles[s].name }

// Span returns the bytes of one row of the pattern.
func (s Swizzle) Span() uint32 { return swizzles[s].span }

// Period returns the bytes after which the pattern repeats.
func (s Swizzle) Period() uint32 { return swizzles[s].period }

// Apply permutes an absolute address of shared memory. base is the address at which a pattern
// starts, in lines of 128 bytes (the base offset of a descriptor); 0 if it starts at a multiple
// of its period.
func (s Swizzle) Apply(addr, base uint32) uint32 {
	m := &swizzles[s]
	return addr ^ ((addr>>7-base)&m.mask)<<m.to
}
