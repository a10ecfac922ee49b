package tensor

// Product is a product of matrices that a warp makes, D = A*B + C, of M×K, K×N and M×N elements
// (9.7.14.5, 9.7.14.6): which element each register of a lane holds. m8n8k4 of f16 is four products
// side by side: the rows of A, C and D and the columns of B count on from product to product.
type Product struct {
	M, N, K     int
	Bits        int  // of an element of A and B; a register has 32 bits, or 64 of one element
	Sparse      bool // of A half of K is stored
	Quads       bool // m8n8k4 of f16
	AColumn     bool // of Quads: A is column-major
	BRow        bool // of Quads: B is row-major
	WideC       bool // of Quads: an element of C and D is a register
	Wmma        bool // fragments of wmma
	RowMetadata bool // of Sparse: where eight chunks share metadata, a lane has one row's, not half of two rows'
}

// Products is how many products there are side by side.
func (p Product) Products() int {
	if p.Quads {
		return 4
	}
	return 1
}

// Stored is how many elements of a row of A are stored.
func (p Product) Stored() int {
	if p.Sparse {
		return p.K / 2
	}
	return p.K
}

// PerRegister is how many elements a register of A or B holds.
func (p Product) PerRegister() int { return max(1, 32/p.Bits) }

// A returns the row of element j of a lane's register r of A, and its place among those of the row
// that are stored.
func (p Product) A(lane, r, j int) (row, k int) {
	if p.Quads {
		row, k = quad(lane, 2*r+j, p.AColumn)
		return row, k
	}
	if p.Wmma {
		return p.wmma().A(lane, r, j)
	}
	n := p.PerRegister()
	if p.M == 8 {
		return lane >> 2, n*(lane&3) + j + 4*n*r
	}
	return lane>>2 + 8*(r&1), n*(lane&3) + j + 4*n*(r>>1)
}

// B returns where element j of a lane's register r of B is.
func (p Product) B(lane, r, j int) (k, column int) {
	if p.Quads {
		column, k = quad(lane, 2*r+j, p.BRow)
		return k, column
	}
	if p.Wmma {
		return p.wmma().B(lane, r, j)
	}
	n := p.PerRegister()
	return n*(lane&3) + j + 4*n*r, lane >> 2
}

// C returns where the i-th element of a lane in C and D is.
func (p Product) C(lane, i int) (row, column int) {
	switch {
	case p.Quads && p.WideC:
		return lane&1 + i&2 + lane>>4*4 + lane&15>>2*8, i&4 + lane&2 + i&1
	case p.Quads:
		return quad(lane, i, false)
	case p.Wmma:
		return p.wmma().C(lane, i)
	}
	return lane>>2 + 8*(i>>1), 2*(lane&3) + i&1
}

func (p Product) wmma() Wmma { return Wmma{M: p.M, N: p.N, K: p.K, Bits: p.Bits} }

// quad returns where element i of a lane is in an operand of m8n8k4: in the line of the lane, or,
// turned, in one of four lines.
func quad(lane, i int, turned bool) (line, place int) {
	first := lane>>4*4 + lane&15>>2*8
	if turned {
		return first + i, lane & 3
	}
	return first + lane&3, i
}

// Metadata returns which lane's metadata say where the elements of a chunk of a row of A belong,
// and the lowest of their four bits (9.7.14.6.1). A chunk is what two pairs of bits choose from:
// four elements, eight of four bits, two of tf32.
func (p Product) Metadata(selector, row, chunk int) (lane, bit int) {
	g, high := row&7*4, row>>3
	switch chunks := p.K / p.Chunk(); {
	case chunks <= 4:
		return g + selector, 4*chunk + 16*high
	case chunks <= 8 && p.RowMetadata:
		return g + 2*selector + high, 4 * chunk
	case chunks <= 8:
		return g + 2*selector + chunk>>2, 4*(chunk&3) + 16*high
	}
	return g + high + chunk>>3*2, 4 * (chunk & 7)
}

// Chunk is the number of elements of K that four bits of metadata choose from.
func (p Product) Chunk() int {
	switch p.Bits {
	case 4:
		return 8
	case 32:
		return 2
	}
	return 4
}

// Selected returns the place in K of the stored element k of a row, by the metadata of its chunk.
func (p Product) Selected(k int, meta uint32) int {
	switch p.Bits {
	case 4:
		return k&^3*2 + 2*int(meta>>(k&2)&3) + k&1
	case 32:
		return 2*k + int(meta>>1&1)
	}
	return k&^1*2 + int(meta>>(2*(k&1))&3)
}

// ChunkOf returns the chunk of the stored element k.
func (p Product) ChunkOf(k int) int { return 2 * k / p.Chunk() }
