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
	if d.PerLine == 0 {
		return
	}
	for i, list := range d.Scales {
		for at := range list {
			if list[at].NaN {
				d.odd[i][at/d.PerLine] = true
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

// sumTerms is SumBlocks of decoded elements, those of a sparse matrix with zeros between them. C is finite, and so are the factors.
func sumTerms(a, b []float64, sa, sb []Scale, c Factor, zeros bool) uint32 {
	dot, per := blockDot(), len(a)/len(sa)
	top := dot.Floor
	if c.Sig != 0 {
		top = max(top, int(c.Top))
	}
	var terms [mostTerms]float64
	for i := range sa {
		terms[i] = dotOf(a[i*per:(i+1)*per], b[i*per:]) * float64(sa[i].Sig*sb[i].Sig)
		if terms[i] != 0 || zeros {
			top = max(top, int(sa[i].Top)+int(sb[i].Top))
		}
	}
	q := top - dot.Keep
	sum := cut(int64(c.Sig), int(c.Exp)-q)
	for i := range sa {
		sum += int64(terms[i] * power(int(sa[i].Exp)+int(sb[i].Exp)-q))
	}
	return dot.round(sum, q)
}

// dotOf is the sum of products, which is exact for those of four bits.
func dotOf(a, b []float64) float64 {
	var sums [4]float64
	b = b[:len(a)]
	for k := 0; k+3 < len(a); k += 4 {
		sums[0] += a[k] * b[k]
		sums[1] += a[k+1] * b[k+1]
		sums[2] += a[k+2] * b[k+2]
		sums[3] += a[k+3] * b[k+3]
	}
	return sums[0] + sums[1] + (sums[2] + sums[3])
}
