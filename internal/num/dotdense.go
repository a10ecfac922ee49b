package num

// Products of dense matrices: the fast way of portable code, and what compiled code for them has to know. Each element is
// decoded once, to a float64 and its exponent. Products of two are exact; times a power of two, the conversion to an
// integer cuts them where DotRule.Sum does. DotRule.Sum is the reference implementation, and has what is not finite.

import "math"

// DenseRoomy is how many words Left, Right and Sum have room for at least.
const DenseRoomy = 1024

// DenseLanes is how many columns of a Dense stand side by side.
const DenseLanes = 16

// Dense is a product of dense matrices, Sum += Left * Right.
type Dense struct {
	DenseShape
	Left  []uint32 // elements, packed: row after row
	Right []uint32 // for each DenseLanes columns, word after word of K: one of each column
	Sum   []uint32 // row after row
	Slow  int      // elements of Sum that DotRule.Sum has computed

	Raw    [2][]uint32 // operands that are packed, for Unpack: as Left and Right, with fewer words in a line
	Meta   []uint8     // for each word of a sparse one four bits for each of its chunks
	Scales [2][]Scale  // of Left's rows and Right's columns, PerLine of each

	asked   DenseShape // by Set
	choices *DenseChoices
	twice   bool // two stored elements have the same place
	half    []uint32

	values [2][]float64
	tops   [2][]int32
	odd    [2][]bool // lines with elements that are not finite
	order  []int     // places in K, step after step
	room   DenseRoom
}

// DenseShape is what the code of a product depends on.
type DenseShape struct {
	Rows, Columns, K int // Columns is a multiple of DenseLanes, K of the elements of a word
	Bits             int // that an element takes: 8, 16 or 32
	Format           [2]DotFormat
	Rule             DotRule
	Integers         bool    // of eight bits, summed up in 32; Format and Rule do not count
	Signed           [2]bool // Left and Right
	Saturate         bool    // sums of integers end at the least and the largest
	Packing          [2]DensePacking
	PerLine          int  // scale factors of a line; 0: there are none
	Terms            bool // as many products of BlockTerm elements as there are factors of a line make a term each: see SumBlocks
	Zeros            bool // of terms
}

// DenseRoom is memory for those who compute a Dense, to be used again.
type DenseRoom struct {
	Words   [7][]uint32
	Misfits []uint8
	By      Multiplier // whose Code it is
	Code    uintptr    // for the shape
}

// Room returns the memory.
func (d *Dense) Room() *DenseRoom { return &d.room }

// Grown returns a list of n elements, that given if it is long enough.
func Grown[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// Set makes d a product of this shape, with anything in Left, Right and Sum. Columns are filled up to a
// multiple of DenseLanes, which makes Right and Sum zero.
func (d *Dense) Set(shape *DenseShape) {
	columns := shape.Columns
	if d.asked != *shape {
		d.asked, d.DenseShape, d.room.By = *shape, *shape, nil
		d.Columns = (columns + DenseLanes - 1) / DenseLanes * DenseLanes
	}
	d.Slow = 0
	words := d.K * d.Bits / 32
	d.Left, d.Right, d.Sum = roomy(d.Left, d.Rows*words), roomy(d.Right, d.Columns*words), roomy(d.Sum, d.Rows*d.Columns)
	if columns != d.Columns {
		clear(d.Right)
		clear(d.Sum)
	}
	d.setRaw()
	d.setScales()
}

func roomy(list []uint32, n int) []uint32 { return Grown(list, max(n, DenseRoomy))[:n] }

// Multiplier computes products of matrices by other means.
type Multiplier interface {
	// Multiply does what d.Multiply does; false: it has no code for such a product, and nothing is changed.
	Multiply(d *Dense) bool
	// MultiplyDoubles computes d.Sum, of f64; false: it cannot, and nothing is changed.
	MultiplyDoubles(d *Doubles) bool
	// Prepare sets f.Code; false: there is no code for such a product.
	Prepare(f *Fragments) bool
	// MultiplyFragments computes D of a warp whose registers begin there; false: something is not a number that the code is for,
	// and nothing is changed.
	MultiplyFragments(f *Fragments, registers *[32]uint32) bool
}

// MultiplyBy multiplies by m if that is there and can, else by portable code.
func (d *Dense) MultiplyBy(m Multiplier) {
	if m == nil || !m.Multiply(d) {
		d.Multiply()
	}
}

// DotPlan is how the sum for an element comes about.
type DotPlan struct {
	Steps       [][]int // places in K of products that are added at once
	Keep, Floor int
	Result      DotResult
	Last        bool // C is not part of the first step, but added to the last one's result, to the nearest
}

// Half tells whether C and D are f16; they are f32 otherwise.
func (p *DotPlan) Half() bool { return p.Result == DotToF16 }

// Plan returns how k products are added up; false if C and the result have several formats.
func (r DotRule) Plan(k int) (p DotPlan, ok bool) {
	p = DotPlan{Keep: r.step.Keep, Floor: r.step.Floor, Result: r.step.Result, Last: r.split}
	group := r.group
	if group == 0 {
		group = k
	}
	switch {
	case r.split:
		p.Steps = make([][]int, 2)
		for i := range k {
			half := i & 3 >> 1
			p.Steps[half] = append(p.Steps[half], i)
		}
	default:
		for first := 0; first < k; first += group {
			var step []int
			for i := first; i < min(first+group, k); i++ {
				step = append(step, i)
			}
			p.Steps = append(p.Steps, step)
		}
	}
	return p, r.c == r.chain && (r.c == DotF16) == p.Half()
}

// Layout is what a format's bits mean, for those who compile its decoding.
func (f DotFormat) Layout() (exponent, frac, low uint, largest uint32) {
	largest = 1<<(f.exponent+f.frac) - 1
	switch f.last {
	case infAndNaN:
		largest = (1<<f.exponent-1)<<f.frac - 1
	case oneNaN:
		largest--
	}
	return f.exponent, f.frac, f.low, largest
}

// Multiply computes Sum.
func (d *Dense) Multiply() {
	if d.Integers {
		d.integers()
		return
	}
	plan, same := d.Plan()
	d.order = Grown(d.order, d.K)
	i := 0
	for _, step := range plan.Steps {
		for _, k := range step {
			d.order[k] = i
			i++
		}
	}
	words := d.K * d.Bits / 32
	d.decode(0, d.Rows, func(row int) (first, step int) { return DenseOperand(0).Word(row, words), 1 })
	d.decode(1, d.Columns, func(column int) (first, step int) { return DenseOperand(1).Word(column, words), DenseLanes })
	d.oddScales()
	for row := range d.Rows {
		a, at := d.values[0][row*d.K:(row+1)*d.K], d.tops[0][row*d.K:(row+1)*d.K]
		for column := range d.Columns {
			to := &d.Sum[row*d.Columns+column]
			c := d.Rule.c.Factor(*to)
			if d.odd[0][row] || d.odd[1][column] || c.Kind != FactorFinite || !same || d.twice {
				*to = d.Reference(row, column, *to)
				continue
			}
			b, bt := d.values[1][column*d.K:(column+1)*d.K], d.tops[1][column*d.K:(column+1)*d.K]
			switch {
			case d.Terms:
				*to = sumTerms(a, b, d.scales(0, row), d.scales(1, column), c, d.Zeros)
			case d.PerLine != 0:
				*to = d.Rule.step.sumValues(a, b, at, bt, c, int32(d.Scales[0][row].Exp)+int32(d.Scales[1][column].Exp))
			default:
				*to = d.Rule.sumValues(&plan, a, b, at, bt, *to, c)
			}
		}
	}
}

// left is an element of Left.
func (d *Dense) left(row, k int) uint32 {
	i := (row*d.K + k) * d.Bits
	return d.Left[i/32] >> (i % 32) & uint32(1<<d.Bits-1)
}

// right is an element of Right.
func (d *Dense) right(column, k int) uint32 {
	i := k * d.Bits
	return d.Right[DenseOperand(1).Word(column, d.K*d.Bits/32)+i/32*DenseLanes] >> (i % 32) & uint32(1<<d.Bits-1)
}

// Reference computes an element of Sum, which was c, by the reference implementation.
func (d *Dense) Reference(row, column int, c uint32) uint32 {
	if d.Integers {
		return d.integer(row, column, c)
	}
	var room [2][64]Factor
	a, b := room[0][:0], room[1][:0]
	for k := range d.Stored() {
		left, right := d.pair(row, column, k)
		a, b = append(a, d.Format[0].Factor(left)), append(b, d.Format[1].Factor(right))
	}
	d.Slow++
	if d.PerLine != 0 {
		return d.scaled(a, b, row, column, c)
	}
	return d.Rule.Sum(a, b, c)
}

// decode makes values and exponents of an operand, in the order of the steps; place says where the words of a line are.
func (d *Dense) decode(operand, lines int, place func(line int) (first, step int)) {
	values, tops, odd := Grown(d.values[operand], lines*d.K), Grown(d.tops[operand], lines*d.K), Grown(d.odd[operand], lines)
	d.values[operand], d.tops[operand], d.odd[operand] = values, tops, odd
	packed, f, order := [2][]uint32{d.Left, d.Right}[operand], d.Format[operand], d.order
	per, bits := 32/d.Bits, d.Bits
	for line := range lines {
		v, t := values[line*d.K:(line+1)*d.K], tops[line*d.K:(line+1)*d.K]
		at, step := place(line)
		finite := true
		for k := 0; k < len(order); k, at = k+per, at+step {
			word := packed[at]
			for _, i := range order[k : k+per] {
				if v[i], t[i] = f.value(word & uint32(1<<bits-1)); t[i] == topOfOdd {
					finite = false
				}
				word >>= bits
			}
		}
		odd[line] = !finite
	}
}

// topOfZero is so low that no product with a zero counts for the largest exponent, topOfOdd that of what is not finite.
const (
	topOfZero = -1 << 14
	topOfOdd  = -1 << 15
)

// value decodes an element: its value, and the exponent by which its products are aligned.
func (f DotFormat) value(v uint32) (float64, int32) {
	exponent, frac, low, largest := f.Layout()
	v >>= low
	sign, m, bias := uint64(v>>(exponent+frac)&1)<<63, v&(1<<(exponent+frac)-1), int(1)<<(exponent-1)-1
	switch field := m >> frac; {
	case m > largest:
		return 0, topOfOdd
	case m == 0:
		return 0, topOfZero
	case field == 0:
		x := float64(m) * power(1-bias-int(frac))
		return math.Float64frombits(math.Float64bits(x) | sign), int32(1 - bias)
	default:
		return math.Float64frombits(sign | uint64(m)<<(52-frac) + uint64(1023-bias)<<52), int32(int(field) - bias)
	}
}

// power is 2^e of a normal float64.
func power(e int) float64 { return math.Float64frombits(uint64(1023+e) << 52) }

// sumValues is Sum of decoded elements that are finite, step after step.
func (r *DotRule) sumValues(p *DotPlan, a, b []float64, at, bt []int32, c uint32, x Factor) uint32 {
	if p.Last {
		x = Factor{}
	}
	sum := uint32(0)
	for i, step := range p.Steps {
		if i > 0 {
			x = r.chain.Factor(sum)
			if x.Kind != FactorFinite {
				sum = r.step.special(x.Kind, x.Sig)
				break
			}
		}
		n := len(step)
		sum = r.step.sumValues(a[:n], b[:n], at[:n], bt[:n], x, 0)
		a, b, at, bt = a[n:], b[n:], at[n:], bt[n:]
	}
	switch {
	case !p.Last:
		return sum
	case p.Half():
		return AddF16(sum, c)
	}
	return AddF32(sum, c)
}

// sumValues adds the terms of a step, products times 2^up.
func (d Dot) sumValues(a, b []float64, at, bt []int32, c Factor, up int32) uint32 {
	b, at, bt = b[:len(a)], at[:len(a)], bt[:len(a)]
	top := int32(topOfZero)
	for i := range at {
		top = max(top, at[i]+bt[i])
	}
	if top += up; c.Sig != 0 {
		top = max(top, int32(c.Top))
	}
	if top < topOfZero/2 {
		return 0
	}
	q := max(int(top), d.Floor) - d.Keep
	scale, sum := power(int(up)-q), cut(int64(c.Sig), int(c.Exp)-q)
	for i := range a {
		sum += int64(a[i] * b[i] * scale)
	}
	if d.Result == DotToF32 && q >= -126 { // no subnormal number
		v := float64(sum) * power(q)
		return math.Float32bits(float32(math.Float64frombits(math.Float64bits(v) &^ (1<<29 - 1))))
	}
	return d.round(sum, q)
}

// integers computes a product of integers: products and their sums are exact as float64.
func (d *Dense) integers() {
	words := d.K / 4
	left := d.decodeIntegers(0, d.Rows, d.Left, words, 1)
	right := d.decodeIntegers(1, d.Columns, d.Right, words, DenseLanes)
	for row := range d.Rows {
		a := left[row*d.K : (row+1)*d.K]
		for column := range d.Columns {
			if d.twice {
				to := &d.Sum[row*d.Columns+column]
				*to = d.integer(row, column, *to)
				continue
			}
			b := right[column*d.K:][:len(a)]
			var sums [4]float64
			for k := 0; k+3 < len(a); k += 4 {
				sums[0] += a[k] * b[k]
				sums[1] += a[k+1] * b[k+1]
				sums[2] += a[k+2] * b[k+2]
				sums[3] += a[k+3] * b[k+3]
			}
			to := &d.Sum[row*d.Columns+column]
			*to = d.narrowed(int64(int32(*to)) + int64(sums[0]+sums[1]+sums[2]+sums[3]))
		}
	}
}

// decodeIntegers makes values of an operand whose words are so far apart.
func (d *Dense) decodeIntegers(operand, lines int, packed []uint32, words, step int) []float64 {
	values := Grown(d.values[operand], lines*d.K)
	d.values[operand] = values
	for line := range lines {
		at := line * words
		if step > 1 {
			at = line/step*words*step + line%step
		}
		for k := 0; k < d.K; k, at = k+4, at+step {
			for j, v := 0, packed[at]; j < 4; j, v = j+1, v>>8 {
				values[line*d.K+k+j] = float64(d.eight(operand, v))
			}
		}
	}
	return values
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
