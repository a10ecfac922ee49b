package tensor

// Rows says how ldmatrix and stmatrix share rows of 16 bytes in shared memory among the lanes of a
// warp (9.7.14.5.15, 9.7.14.5.16). A lane gives the address of one row: matrix i has rows 8i to
// 8i+7, or 16i to 16i+15.
type Rows uint8

// The ways.
const (
	Rows8       Rows = iota // .m8n8 and .m8n16: four bytes of one row
	Rows8Trans              // .m8n8.trans: two halves, of two rows
	Rows16Trans             // ldmatrix.m16n16.trans: four bytes, of four rows; two registers a matrix
	Rows8x16                // stmatrix.m16n8.trans: a fragment of mma, transposed
)

// Piece is how many bytes of a register lie together in a row.
func (s Rows) Piece() int { return [...]int{4, 2, 1, 1}[s] }

// Registers is how many registers of a lane hold a matrix.
func (s Rows) Registers() int { return [...]int{1, 1, 2, 1}[s] }

// Lanes is how many lanes address the rows of a matrix.
func (s Rows) Lanes() int { return [...]int{8, 8, 16, 8}[s] }

// Byte returns the row that byte b of a lane's register r lies in, and where in it.
func (s Rows) Byte(lane, r, b int) (row, at int) {
	g, t := lane>>2, lane&3
	switch s {
	case Rows8Trans:
		return 8*r + 2*t + b>>1, 2*g + b&1
	case Rows16Trans:
		return 16*(r>>1) + 4*t + b, g + 8*(r&1)
	case Rows8x16:
		return 8*r + 2*t + b&1, g + 8*(b>>1)
	}
	return 8*r + g, 4*t + b
}
