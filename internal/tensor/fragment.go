package tensor

// Shape is the shape of a fragment that tcgen05.ld and .st move between the registers of a
// warp and tensor memory (9.7.16.2.3).
type Shape uint8

// The shapes: lanes × bits of a row.
const (
	S32x32b Shape = iota
	S16x64b
	S16x128b
	S16x256b
	S16x32bx2
)

// fragments describes the shapes.
var fragments = [...]struct {
	name string
	rows int // lanes of tensor memory
	regs int // registers of a thread for .x1
}{
	S32x32b:   {"32x32b", 32, 1},
	S16x64b:   {"16x64b", 16, 1},
	S16x128b:  {"16x128b", 16, 2},
	S16x256b:  {"16x256b", 16, 4},
	S16x32bx2: {"16x32bx2", 16, 1},
}

func (s Shape) String() string { return fragments[s].name }

// Rows returns the lanes of tensor memory that a fragment covers.
func (s Shape) Rows() int { return fragments[s].rows }

// Regs returns the registers of a thread when the shape is repeated num times (table 49).
func (s Shape) Regs(num int) int { return fragments[s].regs * num }

// Cell returns where register r of a thread lies, relative to the base address of the
// fragment: row in lanes, column in 32-bit words (figures 183 to 187). The second half of
// S16x32bx2 starts split columns behind the first.
func (s Shape) Cell(thread, r, split int) (row, column int) {
	switch s {
	case S16x64b:
		return thread&1*8 + thread>>2, thread>>1&1 + 2*r
	case S16x128b:
		return thread>>2 + 8*(r&1), thread&3 + 4*(r>>1)
	case S16x256b:
		return thread>>2 + 8*(r>>1&1), 2*(thread&3) + r&1 + 8*(r>>2)
	case S16x32bx2:
		return thread & 15, thread>>4*split + r
	}
	return thread, r
}

// Word returns the same as Cell when each register holds a word; with pack it returns the first of
// the two neighbouring columns whose lower halves a register holds (9.7.16.8.2). Columns then
// count twice, but split is a distance in tensor memory and does not.
func (s Shape) Word(thread, r, split int, pack bool) (row, column int) {
	if !pack {
		return s.Cell(thread, r, split)
	}
	row, column = s.Cell(thread, r, 0)
	column *= 2
	if s == S16x32bx2 {
		column += thread >> 4 * split
	}
	return row, column
}

// Columns returns the columns that a fragment covers, the split of S16x32bx2 left aside.
func (s Shape) Columns(num int) int { return s.Regs(num) * 32 / s.Rows() / halves(s) }

func halves(s Shape) int {
	if s == S16x32bx2 {
		return 2
	}
	return 1
}
