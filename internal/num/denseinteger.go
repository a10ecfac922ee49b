package num

// Products of integers of eight bits by portable code.

import "math"

// integerPairs is how many pairs of columns are computed at once.
const integerPairs = denseGroup

// integers computes a product of integers. Two columns are one number, the second times 2^32: sums of products with both fit 32 bits, and
// a negative sum of the first takes one from the second.
func (d *Dense) integers() {
	d.decodeIntegers()
	for row := range d.Rows {
		a, sums := d.integersLeft[row*d.K:][:d.K], d.Sum[row*d.Columns:][:d.Columns]
		for group := range len(sums) / (2 * integerPairs) {
			pairs := dotFours(a, d.pairs[group*d.K:])
			to := (*[2 * integerPairs]uint32)(sums[2*integerPairs*group:])
			for i, v := range pairs {
				first := int64(int32(v))
				to[2*i] = d.narrowed(int64(int32(to[2*i])) + first)
				to[2*i+1] = d.narrowed(int64(int32(to[2*i+1])) + (v-first)>>32)
			}
		}
	}
}

// decodeIntegers makes numbers of Left, and of Right for each group of pairs of columns, for each place in K those of all pairs.
func (d *Dense) decodeIntegers() {
	d.integersLeft = Grown(d.integersLeft, d.Rows*d.K)
	to := d.integersLeft
	for _, word := range d.Left[:d.Rows*d.K/4] {
		for j := range to[:4] {
			to[j] = int64(d.eight(0, word>>(8*j)))
		}
		to = to[4:]
	}
	groups := d.Columns / (2 * integerPairs)
	d.pairs = Grown(d.pairs, groups*d.K)
	for group := range groups {
		words, pairs := d.Right[DenseOperand(1).Word(2*integerPairs*group, d.K/4):], d.pairs[group*d.K:][:d.K]
		for len(pairs) > 0 {
			eight := (*[2 * integerPairs]uint32)(words)
			for j := range pairs[:4] {
				p := &pairs[j]
				for i := range p {
					p[i] = int64(d.eight(1, eight[2*i]>>(8*j))) + int64(d.eight(1, eight[2*i+1]>>(8*j)))<<32
				}
			}
			words, pairs = words[min(DenseLanes, len(words)):], pairs[4:]
		}
	}
}

// eight is the value of the lowest byte.
func (d *Dense) eight(operand int, v uint32) int32 {
	if d.Signed[operand] {
		return int32(int8(v))
	}
	return int32(uint8(v))
}

// integer computes an element of Sum, which was c, by integers.
func (d *Dense) integer(row, column int, c uint32) uint32 {
	sum := int64(int32(c))
	for k := range d.Stored() {
		left, right := d.pair(row, column, k)
		sum += int64(d.eight(0, left)) * int64(d.eight(1, right))
	}
	d.Slow++
	return d.narrowed(sum)
}

// narrowed is a sum in 32 bits.
func (d *Dense) narrowed(sum int64) uint32 {
	if d.Saturate {
		sum = max(math.MinInt32, min(sum, math.MaxInt32))
	}
	return uint32(sum)
}
