package num

// Scale factors of a Dense: dotblock.go has the reference implementation.

// setScales makes room for the factors.
func (d *Dense) setScales() {
	for i, lines := range [2]int{d.Rows, d.Columns} {
		d.Scales[i] = Grown(d.Scales[i], lines*d.PerLine)
		if i == 1 { // columns that fill it up
			clear(d.Scales[i])
		}
	}
}

// scales are the factors of a line.
func (d *Dense) scales(operand, line int) []Scale {
	return d.Scales[operand][line*d.PerLine : (line+1)*d.PerLine]
}

// oddScales notes lines with a factor that is NaN.
func (d *Dense) oddScales() {
	for i, list := range d.Scales {
		for at := range list {
			if list[at].NaN {
				d.lines[i].spans[at/d.PerLine].odd = true
			}
		}
	}
}

// scaled adds products with their factors to c.
func (d *Dense) scaled(a, b []Factor, row, column int, c uint32) uint32 {
	sa, sb := d.scales(0, row), d.scales(1, column)
	if d.Terms {
		return SumBlocks(a, b, sa, sb, c, d.Zeros)
	}
	for k := range a {
		a[k], b[k] = a[k].Scaled(sa[0]), b[k].Scaled(sb[0])
	}
	return d.Rule.Sum(a, b, c)
}

// terms makes sums as SumBlocks does, of decoded elements, those of a sparse matrix with zeros between them. C is finite, and so are the
// factors.
func (d *Dense) terms(row, group int, to *[denseGroup]uint32) {
	per, dot := d.K/d.PerLine, blockDot()
	a, b := d.lines[0].rows[row*d.K:][:d.K], d.lines[1].columns[group*d.K:][:d.K]
	var terms [denseGroup][mostTerms]float64
	for i := range d.PerLine {
		for j, v := range dotFours(a[i*per:][:per], b[i*per:]) {
			terms[j][i] = v
		}
	}
	for j := range to {
		to[j] = dot.sumTerms(terms[j][:d.PerLine], d.scales(0, row), d.scales(1, denseGroup*group+j), d.sums.values[j], d.sums.tops[j], d.Zeros)
	}
}

// sumTerms adds terms, times their factors, to c.
func (d Dot) sumTerms(terms []float64, sa, sb []Scale, c float64, ctop int32, zeros bool) uint32 {
	top := max(d.Floor, int(ctop))
	for i := range terms {
		terms[i] *= float64(sa[i].Sig * sb[i].Sig)
		if terms[i] != 0 || zeros {
			top = max(top, int(sa[i].Top)+int(sb[i].Top))
		}
	}
	q := top - d.Keep
	sum := int64(c * power(-q))
	for i := range terms {
		sum += int64(terms[i] * power(int(sa[i].Exp)+int(sb[i].Exp)-q))
	}
	return d.round(sum, q)
}
