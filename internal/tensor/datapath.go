package tensor

// DataPath is how the rows of D that a CTA has lie in the lanes of its tensor memory (9.7.16.10.5). Columns of D may be
// cut into parts, which lie in lanes of their own and begin at the same column.
type DataPath struct {
	Rows  int
	Parts int
	Half  bool // rows lie in 16 of each 32 lanes
}

// DataPath returns the organisation of a product: layouts A and D, B and E, C and F, G.
func (in *Instruction) DataPath() DataPath {
	p := DataPath{Rows: in.M / in.Group, Parts: 1}
	switch {
	case p.Rows == Lanes:
	case in.WS || in.Group == 2 && !in.Sparse:
		p.Parts = Lanes / p.Rows
	default:
		p.Half = true
	}
	return p
}

// Lane returns the lane of a row in a part, relative to that of the address. A in tensor memory has the same.
func (p DataPath) Lane(row, part int) int {
	if p.Half {
		return row%16 + 32*(row/16)
	}
	return row + p.Rows*part
}

// Metadata returns where the four bits for a chunk of A's row are: the lane and column relative to the address, and the
// lowest bit (9.7.16.10.8.4).
func (in *Instruction) Metadata(p DataPath, row, part, chunk int) (lane, column, low int) {
	if in.Bits() <= 8 {
		return p.Lane(row, part), chunk / 8, 4 * (chunk % 8)
	}
	return p.Lane(row&^15+row%8+8*(chunk/4), part), in.Selector, 16*(row/8&1) + 4*(chunk%4)
}

// MetadataColumns is how many columns metadata take.
func (in *Instruction) MetadataColumns() int {
	if in.Bits() <= 8 {
		return in.K / in.Product().Chunk() / 8
	}
	return in.Selector + 1
}

// Scale returns where a scale factor of a line is: of A's rows in this CTA, or B's columns. Each quarter of the lanes has
// all of them for itself (9.7.16.10.7). The column is relative to the address.
func (in *Instruction) Scale(operand, lines, line, factor, quarter int) (lane, column, shift int) {
	at := in.Scales[operand] + factor
	width := 4
	if lines > Lanes {
		width = 8
	}
	return 32*quarter + line%32, line/32 + width*(at/4), 8 * (at % 4)
}

// ScaleColumns is how many columns the factors of so many lines take.
func (in *Instruction) ScaleColumns(operand, lines int) int {
	_, column, _ := in.Scale(operand, lines, lines-1, in.Factors()-1, 0)
	return column + 1
}
