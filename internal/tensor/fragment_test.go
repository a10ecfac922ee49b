package tensor

import "testing"

var shapes = []Shape{S32x32b, S16x64b, S16x128b, S16x256b, S16x32bx2}

// TestFragmentByHand: cells from the figures (183 to 187).
func TestFragmentByHand(t *testing.T) {
	for _, c := range []struct {
		s         Shape
		thread, r int
		split     int
		row, col  int
	}{
		{S32x32b, 0, 0, 0, 0, 0}, {S32x32b, 31, 0, 0, 31, 0}, {S32x32b, 7, 3, 0, 7, 3},
		// Threads 0 and 1 hold rows 0 and 8, threads 2 and 3 the next column.
		{S16x64b, 1, 0, 0, 8, 0}, {S16x64b, 2, 0, 0, 0, 1}, {S16x64b, 5, 0, 0, 9, 0}, {S16x64b, 5, 1, 0, 9, 2}, {S16x64b, 31, 1, 0, 15, 3},
		// Thread 6 = 4·1+2: row 1, column 2; its second register is 8 rows below.
		{S16x128b, 6, 0, 0, 1, 2}, {S16x128b, 6, 1, 0, 9, 2}, {S16x128b, 6, 2, 0, 1, 6}, {S16x128b, 6, 3, 0, 9, 6},
		// Thread 9 = 4·2+1: row 2, columns 2 and 3, then row 10.
		{S16x256b, 9, 0, 0, 2, 2}, {S16x256b, 9, 1, 0, 2, 3}, {S16x256b, 9, 2, 0, 10, 2}, {S16x256b, 9, 3, 0, 10, 3}, {S16x256b, 9, 4, 0, 2, 10},
		// The upper half of the warp reads the same rows, split columns on.
		{S16x32bx2, 5, 2, 40, 5, 2}, {S16x32bx2, 21, 2, 40, 5, 42}, {S16x32bx2, 31, 0, 16, 15, 16},
	} {
		if row, col := c.s.Cell(c.thread, c.r, c.split); row != c.row || col != c.col {
			t.Errorf("%s thread %d register %d: (%d,%d), want (%d,%d)", c.s, c.thread, c.r, row, col, c.row, c.col)
		}
	}
}

// holder is the reference implementation: which thread and register hold a cell. It follows the shapes of the
// mma fragments: 8 rows of 4 threads.
func holder(s Shape, row, col, split int) (thread, r int) {
	switch s {
	case S32x32b:
		return row, col
	case S16x64b:
		return row%8*4 + col%2*2 + row/8, col / 2
	case S16x128b:
		return row%8*4 + col%4, col/4*2 + row/8
	case S16x256b:
		return row%8*4 + col%8/2, col/8*4 + row/8*2 + col%2
	}
	if col >= split {
		return row + 16, col - split
	}
	return row, col
}

// TestFragmentBijection: every cell of every shape and count is held by exactly one register of
// one thread, the one that the reference says; there are as many cells as registers.
func TestFragmentBijection(t *testing.T) {
	for _, s := range shapes {
		for num := 1; s.Regs(num) <= 128; num *= 2 {
			split := s.Columns(num)
			seen := map[[2]int]bool{}
			for thread := range 32 {
				for r := range s.Regs(num) {
					row, col := s.Cell(thread, r, split)
					back, reg := holder(s, row, col, split)
					if seen[[2]int{row, col}] || back != thread || reg != r {
						t.Fatalf("%s.x%d thread %d register %d: (%d,%d) twice, or held by thread %d register %d", s, num, thread, r, row, col, back, reg)
					}
					seen[[2]int{row, col}] = true
				}
			}
			for cell := range seen {
				if cell[0] >= s.Rows() || cell[1] >= s.Columns(num)*halves(s) {
					t.Fatalf("%s.x%d covers %v, outside %d × %d", s, num, cell, s.Rows(), s.Columns(num))
				}
			}
			if len(seen) != s.Rows()*s.Columns(num)*halves(s) {
				t.Errorf("%s.x%d covers %d cells", s, num, len(seen))
			}
		}
	}
}

// TestPackedWords: with pack a register takes two neighbouring columns; all words are covered
// once. By hand: 16x64b.x2, thread 5, register 1 is cell (9,2): columns 4 and 5.
func TestPackedWords(t *testing.T) {
	if row, col := S16x64b.Word(5, 1, 0, true); row != 9 || col != 4 {
		t.Errorf("(%d,%d), want (9,4)", row, col)
	}
	if row, col := S16x32bx2.Word(21, 3, 40, true); row != 5 || col != 46 {
		t.Errorf("(%d,%d), want (5,46)", row, col)
	}
	for _, s := range shapes {
		for num := 1; s.Regs(num) <= 128; num *= 2 {
			seen := map[[2]int]bool{}
			for thread := range 32 {
				for r := range s.Regs(num) {
					row, col := s.Word(thread, r, 2*s.Columns(num), true)
					seen[[2]int{row, col}], seen[[2]int{row, col + 1}] = true, true
				}
			}
			if len(seen) != 2*32*s.Regs(num) {
				t.Errorf("%s.x%d: %d words", s, num, len(seen))
			}
		}
	}
}
