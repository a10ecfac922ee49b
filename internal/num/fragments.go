package num

// Fragments is a product of matrices of 8 or 16 rows and 8 columns, D = A*B + C, in the order in which the registers of a warp
// have it (9.7.14.5): lane 4g+t has row g of A and of C, and column g of B. A register of A and B has the words t, t+4, … of K, one
// after the other, of A with 16 rows for each word row g, then row g+8; those of C and D have columns 2t and 2t+1 of row g,
// then of row g+8, of f16 two in a register. Of f64 a word is an element, and Bits, Rows, Columns and K alone count.
type Fragments struct {
	DenseShape     // Left is A and Right is B; Columns is 8
	Tiles      int // products of the same A, side by side
	// Offsets are the bytes from an operand's first register to what 32 lanes have of each: of A, of the metadata, then for each
	// tile of B, C and D.
	Offsets []uint32
	Meta    []FragmentMeta
	By      Multiplier
	Code    uintptr // By's; 0: there is none
}

// FragmentsAt are a product's operands: where the registers of A, B, C, D and of the metadata are counted from, and scale factors
// if the shape has some.
type FragmentsAt struct {
	Registers [5]*[32]uint32
	Scales    *FragmentScales
	Room      *FragmentRoom // the multiplier's, to be used again; nil: it makes one
}

// FragmentRoom is memory for what a multiplier makes of operands.
type FragmentRoom [1 << 15 / 8]uint64

// FragmentMeta is where the metadata of a register of a sparse A are, for each of the chunks of its words: for each lane of four
// whose metadata they are, 0 to 3, and their lowest bit.
type FragmentMeta [2]struct{ Lane, Bit [4]uint32 }

// FragmentScales are the scale factors of fragments.
type FragmentScales struct {
	Rows    [2]FragmentLines // g, g+8
	Columns FragmentLines
}

// FragmentLines are factors of eight lines: of line g lane 4g+i has factor i, its exponent and what is left, as an f32.
type FragmentLines struct{ tops, rests [32]uint32 }

// Set gives line g its factor i, which is not NaN.
func (l *FragmentLines) Set(g, i int, f *Scale) {
	at := (4*g + i) & 31
	l.tops[at], l.rests[at] = uint32(f.Top), f.Significand()
}

// NewFragments has the code of m for such a product; nil if there is none.
func NewFragments(f Fragments, m Multiplier) *Fragments {
	if f.By = m; m == nil || !m.Prepare(&f) {
		return nil
	}
	return &f
}

// Counts is how many registers there are of A and metadata, and of B, C and D of a tile.
func (f *Fragments) Counts() [2]int {
	bits := f.ElementBits(0)
	first := f.Stored() * f.Rows * bits / (32 * max(32, bits))
	if f.Packing[0].Sparse {
		first++
	}
	return [2]int{first, (len(f.Offsets) - first) / f.Tiles}
}
