package isainfo

// This file shows which lane holds which element of a matrix.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem/matrix"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// explainFragments shows the fragments of a product of matrices, or of the matrix that ldmatrix, stmatrix and movmatrix move.
func explainFragments(b *strings.Builder, sel *isa.Sel) {
	switch sel.ID() {
	case isa.Mma, isa.MmaSp:
		p := matrix.ProductOf(sel)
		n := p.PerRegister()
		rows, columns, stored := p.M*p.Products(), p.N*p.Products(), "elements"
		if p.Sparse {
			stored = "stored elements"
		}
		if p.Quads {
			stored = "elements of four products, one below the other"
		}
		explainMatrix(b, fmt.Sprintf("A, %d by %d %s", rows, p.Stored(), stored), rows, p.Stored(),
			func(lane, i int) (row, column int) { return p.A(lane, i/n, i%n) })
		explainMatrix(b, fmt.Sprintf("B, %d by %d %s", p.K, columns, strings.Replace(strings.TrimPrefix(stored, "stored "), "one below", "one beside", 1)), p.K, columns,
			func(lane, i int) (row, column int) { return p.B(lane, i/n, i%n) })
		if !p.Quads {
			explainMatrix(b, fmt.Sprintf("C and D, %d by %d elements", p.M, p.N), p.M, p.N, p.C)
		}
	case isa.Ldmatrix, isa.Stmatrix, isa.Movmatrix:
		if sel.Has(isa.M_m8n8) {
			const element = 2 // bytes
			explainMatrix(b, "each matrix, 8 by 8 elements of 16 bits (with .trans its columns are these rows)", 8, 8,
				func(lane, i int) (row, column int) {
					row, at := tensor.Rows8.Byte(lane, 0, i*element)
					return row, at / element
				})
		}
	}
}

// explainMatrix is a table of a matrix: for each row the lanes that hold its elements, and as which of theirs. Columns that follow each
// other in one lane stand together.
func explainMatrix(b *strings.Builder, title string, rows, columns int, place func(lane, i int) (row, column int)) {
	type holder struct{ lane, i int }
	cells := make([]holder, rows*columns)
	for lane := range 32 {
		for i := range rows * columns / 32 {
			row, column := place(lane, i)
			cells[row*columns+column] = holder{lane, i}
		}
	}
	var lines []string
	for r := range rows {
		row := cells[r*columns:][:columns]
		line := fmt.Sprintf("%3d ", r)
		for c := 0; c < len(row); {
			first, end := row[c], c+1
			for end < len(row) && row[end].lane == first.lane && row[end].i == row[end-1].i+1 {
				end++
			}
			cell := fmt.Sprintf("%d:%d", first.lane, first.i)
			if last := row[end-1].i; last != first.i {
				cell += fmt.Sprintf("-%d", last)
			}
			line += fmt.Sprintf(" %-8s", cell)
			c = end
		}
		lines = append(lines, line)
	}
	explainList(b, "Who holds "+title+": row, then lane:element by column", lines)
}
