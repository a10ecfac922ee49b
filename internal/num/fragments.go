package num

// Fragments is a product of matrices of 8 or 16 rows and 8 columns, D = A*B + C, in the order in which the registers of a warp
// have it (9.7.14.5): lane 4g+t has row g of A and of C, and column g of B. A register of A and B has the words t, t+4, … of K, one
// after the other, of A with 16 rows for each word row g, then row g+8; those of C and D have columns 2t and 2t+1 of row g,
// then of row g+8, of f16 two in a register.
type Fragments struct {
	DenseShape          // Left is A and Right is B; Columns is 8
	Registers  []uint32 // the bytes from the warp's first register to the 32 words of each of A, B, C and D, in that order
	By         Multiplier
	Code       uintptr // By's; 0: there is none
}

// NewFragments has the code of m for products of a shape; nil if there is none.
func NewFragments(shape DenseShape, m Multiplier, registers []uint32) *Fragments {
	f := &Fragments{DenseShape: shape, Registers: registers, By: m}
	if m == nil || !m.Prepare(f) {
		return nil
	}
	return f
}
