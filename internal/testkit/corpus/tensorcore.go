// This file has products of matrices by tcgen05.mma. Elements and scale factors are few small numbers, so that every sum is exact
// in whatever order it is made.

package corpus

// tensorKind is one kind of tcgen05.mma, as testdata/cuda/tcgemm.cu uses it.
type tensorKind struct {
	bits    int       // of an element of A and B
	values  []float64 // that elements have
	codes   []uint16  // of the values
	block   int       // elements that share a scale factor; 0: there is none
	factors []float64
	bytes   []uint8 // of the factors
}

var (
	wholeNumbers = []float64{0, 1, 2, 3, 4, -1, -2, -3, -4}
	wholeE4M3    = []uint16{0x00, 0x38, 0x40, 0x44, 0x48, 0xb8, 0xc0, 0xc4, 0xc8}

	// tensorKinds are the kinds by what the names of their kernels begin with; One and Pair follow.
	tensorKinds = map[string]tensorKind{
		"half": {bits: 16, values: wholeNumbers, codes: []uint16{0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0xbc00, 0xc000, 0xc200, 0xc400}},
		"byte": {bits: 8, values: wholeNumbers, codes: wholeE4M3},
		"mx8": {bits: 8, values: wholeNumbers, codes: wholeE4M3, block: 32,
			factors: []float64{0.5, 1, 2}, bytes: []uint8{126, 127, 128}}, // ue8m0
		"nv4": {bits: 4, block: 16,
			values:  []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6},
			codes:   []uint16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
			factors: []float64{0.5, 1, 1.5, 2}, bytes: []uint8{0x30, 0x38, 0x3c, 0x40}}, // ue4m3
	}
)

const (
	tensorRows  = 128 // of a tile of A, B and their factors
	tensorDepth = 128 // bytes of a row of a tile
	factorAtom  = 512 // bytes of four factors of each of 128 rows
)

// tensorMatrix is A or B: its values, times their factors, and what the kernel reads.
type tensorMatrix struct {
	rows, k       int
	values        []float64
	data, factors *Buffer
}

// steps are the tiles along k.
func (kind *tensorKind) steps(k int) int { return blocks(k*kind.bits/8, tensorDepth) }

// matrix makes a matrix of rows of k elements.
func (kind *tensorKind) matrix(name string, seed uint64, rows, k int) *tensorMatrix {
	r, m := random(seed), &tensorMatrix{rows: rows, k: k, values: make([]float64, rows*k)}
	data := make([]byte, rows*k*kind.bits/8)
	for i := range m.values {
		c := r.below(len(kind.values))
		m.values[i] = kind.values[c]
		switch at := i * kind.bits / 8; kind.bits {
		case 16:
			data[at], data[at+1] = byte(kind.codes[c]), byte(kind.codes[c]>>8)
		default:
			data[at] |= byte(kind.codes[c]) << (i * kind.bits % 8)
		}
	}
	m.data = input(name, data)
	if kind.block != 0 {
		m.factors = input(name+"Factors", kind.scale(&r, m))
	}
	return m
}

// scale multiplies the values by factors, and returns these in the order of tcgen05.cp.32x128b.warpx4: in an atom, four bytes
// a row; rows 32 apart stand side by side.
func (kind *tensorKind) scale(r *random, m *tensorMatrix) []byte {
	perRow := kind.steps(m.k) * tensorDepth * 8 / kind.bits / kind.block
	out := make([]byte, blocks(m.rows, tensorRows)*tensorRows*perRow)
	for i := range out {
		c := r.below(len(kind.factors))
		out[i] = kind.bytes[c]
		atom, in := i/factorAtom, i%factorAtom
		row := atom/(perRow/4)*tensorRows + in/16 + in%16/4*32
		first := (atom%(perRow/4)*4 + in%4) * kind.block
		for k := first; row < m.rows && k < min(first+kind.block, m.k); k++ {
			m.values[row*m.k+k] *= kind.factors[c]
		}
	}
	return out
}

// tiles are the tensor maps of a matrix in boxes of so many rows, and of its factors.
func (kind *tensorKind) tiles(m *tensorMatrix, rows int) (matrix, factors Arg) {
	elem, size := "u8", 1 // two elements of four bits are one of the map
	if kind.bits == 16 {
		elem, size = "f16", 2
	}
	matrix = Arg{Buffer: m.data, Elem: U8, Tiles: &Tiles{Type: elem, Dims: []uint32{uint32(m.k * kind.bits / 8 / size), uint32(m.rows)},
		Box: []uint32{uint32(tensorDepth / size), uint32(rows)}, Swizzle: 128}}
	if m.factors != nil {
		lines, step := len(m.factors.Init)/128, tensorDepth*8/kind.bits/kind.block
		factors = Arg{Buffer: m.factors, Elem: U8, Tiles: &Tiles{Type: "u8", Dims: []uint32{128, uint32(lines)}, Box: []uint32{128, uint32(step)}}}
	}
	return matrix, factors
}

// TensorGemm is C = A·Bᵀ by tcgen05.mma of a kind, by groups of one or two CTAs: tiles of 128×128 a CTA or 256×128 a pair,
// 128 bytes deep in three stages, at borders of all three extents.
func TensorGemm(name string, group, m, n, k int) *Run {
	const stages, aTile = 3, tensorRows * tensorDepth
	kind := tensorKinds[name]
	a, b := kind.matrix("a", 76, m, k), kind.matrix("b", 77, n, k)
	c := output("c", list(m*n, func(i int) float32 {
		row, col := i/n, i%n
		sum := 0.0
		for p := range k {
			sum += a.values[row*k+p] * b.values[col*k+p]
		}
		return float32(sum)
	}))
	ma, fa := kind.tiles(a, tensorRows)
	mb, fb := kind.tiles(b, tensorRows/group)
	list, buffers := []Arg{ma, mb}, []*Buffer{a.data, b.data, c}
	if kind.block != 0 {
		list, buffers = append(list, fa, fb), append(buffers, a.factors, b.factors)
	}
	return &Run{
		Buffers: buffers,
		Launches: []Launch{{Kernel: name + map[int]string{1: "One", 2: "Pair"}[group],
			Grid: [3]int{blocks(m, tensorRows*group) * group, blocks(n, tensorRows), 1}, Block: line(192),
			Shared: stages * (aTile + aTile/group + 8*factorAtom),
			Args:   append(list, args(c, int32(m), int32(n), int32(k))...)}},
	}
}
