package regs

import "sort"

// ConstRow is a constant that instructions read as a row, a scalar slot or a predicate (bit 0
// of Value for all lanes).
type ConstRow struct {
	Off   uint32
	Width Width
	Value uint64
}

// Width is the shape of an operand in a register block.
type Width uint8

// The shapes.
const (
	Row32  Width = iota // 32 × uint32
	Row64               // 32 × uint64
	Slot32              // one uint32 in 8 bytes
	Slot64              // one uint64
	Pred                // one uint32, bit i for lane i
)

// Scalar connects a scalar slot of the converged variant with the row that holds the same
// register in the split variant. Lane i of the row is the slot's value + i×Stride.
//
// Rows are shared by registers that are not live together, so a broadcast must know where the
// register is live: Live holds ascending, disjoint ranges of pcs before which it is.
type Scalar struct {
	Slot   uint32
	Row    uint32
	Width  Width // Row32 or Row64: of the row; Pred: a uniform predicate, which is a mask in both variants
	Stride uint64
	Live   []Range
	Spread bool // instructions read the row, and those that define the register write it
}

// Range is the pcs From ≤ pc < To.
type Range struct{ From, To int32 }

// LiveAt reports whether the register is live before the instruction at pc.
func (s *Scalar) LiveAt(pc int32) bool {
	i := sort.Search(len(s.Live), func(i int) bool { return s.Live[i].To > pc })
	return i < len(s.Live) && s.Live[i].From <= pc
}

// Overlaps reports whether two rows have bytes in common.
func (r Row) Overlaps(s *Row) bool {
	return r.Off < s.Off+s.size() && s.Off < r.Off+r.size()
}

// size is the bytes of a row, or of a mask.
func (r Row) size() uint32 {
	switch {
	case r.Width == Pred:
		return 4
	case r.Width == Row32:
		return 4 * 32
	case r.Wide:
		return 2 * 8 * 32
	}
	return 8 * 32
}

// Register is the row of a register: its low and, of 128-bit registers, high halves.
type Register struct{ Low, High [32]uint64 }

// Row says where a frame holds a register.
type Row struct {
	Off   uint32
	Width Width // Row32, Row64 or Pred
	Wide  bool  // 128 bits: a second row
	Write bool  // written, else read
}

// Shadowed says where a register and its shadow are; 0 in Words: there is no register.
type Shadowed struct {
	Row    uint32 // 128-bit registers are two of 64; a slot where the instruction runs on slots
	Width  Width  // Row32, Row64; Pred: Words is the offset of its poison, a mask
	Poison uint32 // a row like the register's
	Tags   uint32 // a row of 32 bits
	Words  uint32 // the mask of lanes with poison, that of lanes with tags 4 bytes behind
	Slot   bool   // the value is in a scalar slot, its shadow in rows all the same
}

// High is the upper half of a register of 128 bits.
func (r Shadowed) High() Shadowed {
	return Shadowed{Row: r.Row + 256, Width: r.Width, Poison: r.Poison + 256, Tags: r.Tags + 128, Words: r.Words + 8}
}
