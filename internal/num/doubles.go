package num

// MostDoubles is the most rows of a product of f64, and the most of K.
const MostDoubles = 16

// Doubles is a product of matrices of f64, Sum += Left * Right, each product added as by fma in turn, to the nearest.
type Doubles struct {
	Rows, K int
	Left    [MostDoubles * MostDoubles]uint64 // row after row of K elements
	Right   [MostDoubles][DotF64Lanes]uint64  // for each element of K those of all columns
	Sum     [MostDoubles][DotF64Lanes]uint64  // row after row
}

// MultiplyBy computes Sum by m if that is there and can, else row by row.
func (d *Doubles) MultiplyBy(m Multiplier) {
	if m != nil && m.MultiplyDoubles(d) {
		return
	}
	for row := range d.Rows {
		d.Row(row)
	}
}

// Row computes a row of Sum: the reference implementation of other means.
func (d *Doubles) Row(row int) { DotF64Row(d.Left[row*d.K:(row+1)*d.K], d.Right[:d.K], &d.Sum[row]) }
