package num

// Products of dense matrices, and what those who compute them have to know. The fast way of portable code is in denselines.go, densefours.go
// and denseinteger.go. DotRule.Sum is the reference implementation, and has what is not finite.

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

	values       []float64 // of one group of columns, line after line
	exponents    []uint64
	sums         fourSums
	lines        [2]denseLines
	seen         [2][]uint32 // what lines were made of
	known        [2]bool     // they were, for the shape
	integersLeft []int64
	pairs        [][integerPairs]int64 // of Right: see decodeIntegers
	planned      bool                  // plan, rule, same and order are those of the shape
	plan         DotPlan
	rule         fourRule
	same         bool  // C and the result have one format
	order        []int // places in K, step after step
	room         DenseRoom
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
		d.asked, d.DenseShape, d.room.By, d.planned = *shape, *shape, nil, false
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
	// MultiplyFragments computes D; false: something is not a number that the code is for, and no tile from that one on is changed.
	MultiplyFragments(f *Fragments, at *FragmentsAt) bool
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

// Half reports whether C and D are f16; they are f32 otherwise.
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
	d.makePlan()
	switch {
	case d.twice || !d.same:
		for i, v := range d.Sum {
			d.Sum[i] = d.Reference(i/d.Columns, i%d.Columns, v)
		}
	case d.Integers:
		d.integers()
	default:
		d.floats()
	}
}

// floats multiplies floats, a group of columns after the other.
func (d *Dense) floats() {
	d.decode()
	for row := range d.Rows {
		sums := d.Sum[row*d.Columns:][:d.Columns]
		for group := range d.lines[1].groups {
			to := (*[denseGroup]uint32)(sums[denseGroup*group:])
			before := *to
			odd := d.four(row, group, to)
			if d.lines[0].spans[row].odd {
				odd = 1<<denseGroup - 1
			}
			if odd != 0 || d.lines[1].groups[group].odd {
				d.repair(row, group, odd, &before, to)
			}
		}
	}
}

// repair computes columns of a group that are odd by the reference implementation.
func (d *Dense) repair(row, group int, odd uint, before, to *[denseGroup]uint32) {
	for j := range to {
		if column := denseGroup*group + j; odd>>j&1 != 0 || d.lines[1].spans[column].odd {
			to[j] = d.Reference(row, column, before[j])
		}
	}
}

// makePlan finds how sums of the shape come about.
func (d *Dense) makePlan() {
	if d.planned {
		return
	}
	d.planned, d.known = true, [2]bool{}
	if d.same = true; d.Integers {
		return
	}
	d.plan, d.same = d.Plan()
	d.rule = d.Rule.step.fours()
	d.order = Grown(d.order, d.K)
	i := 0
	for _, step := range d.plan.Steps {
		for _, k := range step {
			d.order[k] = i
			i++
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
