package matrix

// The steps of tcgen05.mma: where its matrices are, and how they get there and back.

import (
	"fmt"
	"iter"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/tmem"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// place finds and checks everything that the product touches.
func (r *tensorProduct) place(w *machine.Warp, mems *[2]*tmem.Memory) error {
	if err := r.lanesFit(); err != nil {
		return err
	}
	r.parts = make([]productPart, r.Group)
	for _, t := range mems[:r.Group] {
		p := &r.parts[int(t.Rank())%r.Group]
		p.t, p.rank = t, uint64(t.Rank())<<mem.RankShift
		if err := r.placeUnits(w, p); err != nil {
			return err
		}
		if err := r.check(t); err != nil {
			return err
		}
	}
	return nil
}

// lanesFit checks the lanes of addresses (9.7.16.10.5).
func (r *tensorProduct) lanesFit() error {
	for _, x := range r.cells() {
		lane, rows := x.at.Lane(), r.path.Rows
		switch {
		case x.whole && lane != 0:
			return fmt.Errorf("address %v of %s: the lane must be 0", x.at, x.name)
		case !x.whole && !r.path.Half && lane != 0:
			return fmt.Errorf("address %v of %s: the lane must be 0 for %d rows", x.at, x.name, rows)
		case !x.whole && r.path.Half && lane != 0 && lane != 16:
			return fmt.Errorf("address %v of %s: the lane must be 0 or 16 for %d rows", x.at, x.name, rows)
		case !x.whole && lane != r.d.Lane():
			return fmt.Errorf("address %v of %s: the lane must be that of D, %d", x.at, x.name, r.d.Lane())
		}
	}
	return nil
}

// cells is a matrix in tensor memory: columns from an address on, in the lanes of the data path or, if it is whole, in all.
type cells struct {
	name    string
	at      tensor.Addr
	columns int
	whole   bool
}

// cells lists the matrices in tensor memory, D first.
func (r *tensorProduct) cells() []cells {
	list := []cells{{name: "D", at: r.d, columns: r.N / r.path.Parts}}
	if r.op.inTensor {
		list = append(list, cells{name: "A", at: r.a, columns: r.Product().Stored() * r.Bits() / 32})
	}
	if r.Sparse {
		list = append(list, cells{name: "the metadata", at: r.meta, columns: r.MetadataColumns()})
	}
	if r.Scaled() {
		list = append(list, cells{"the scale factors of A", r.scales[0], r.ScaleColumns(0, r.scaleLines(0)), true},
			cells{"the scale factors of B", r.scales[1], r.ScaleColumns(1, r.scaleLines(1)), true})
	}
	return list
}

// check looks whether all columns are there, now or when a step is due.
func (r *tensorProduct) check(t *tmem.Memory) error {
	for _, x := range r.cells() {
		lanes := tensor.Lanes
		if !x.whole {
			lanes = r.path.Lane(r.path.Rows-1, r.path.Parts-1) + 1
		}
		if err := t.Check(x.at.Lane(), lanes, x.at.Column(), x.columns); err != nil {
			return fmt.Errorf("address %v of %s: %w", x.at, x.name, err)
		}
	}
	return nil
}

// placeUnits finds the units of A and B in the shared memory of a CTA.
func (r *tensorProduct) placeUnits(w *machine.Warp, p *productPart) error {
	lines, ks := [2]int{r.path.Rows, r.N / r.Group}, [2]int{r.Product().Stored(), r.K}
	shared, start := w.SharedMemory(p.t.Rank())
	for i := range p.units {
		if i == 0 && r.op.inTensor {
			continue
		}
		m, size := &r.matrix[i], ks[i]*r.Bits()/8
		shift := 0
		if i == 1 {
			shift = r.zeros.Shift
		}
		if r.Transpose[i] {
			p.units[i] = matrixUnits(nil, m, 0, ks[i], (lines[i]+shift)*r.Bits()/8, true)
		} else {
			if err := m.Row(uint32(size)); err != nil {
				return fmt.Errorf("%c: matrix descriptor (%v): %w", "AB"[i], *m, err)
			}
			p.units[i] = matrixUnits(nil, m, shift, lines[i], size, false)
		}
		if u, bad := outside(p.units[i], start, uint32(len(shared))); bad {
			return fmt.Errorf("%c: matrix descriptor (%v): 16 bytes lie at offset %#x; the shared memory of CTA rank %d is %#x to %#x",
				"AB"[i], *m, p.units[i][u], p.t.Rank(), start, start+uint32(len(shared)))
		}
	}
	return nil
}

// productElements are the types of A and B. Narrow ones lie in bytes of their own.
var productElements = map[tensor.MatrixElement]matrixElement{
	tensor.F16: {16, num.DotF16, false}, tensor.BF16: {16, num.DotBF16, false}, tensor.TF32: {32, num.DotTF32, false},
	tensor.E4M3: {8, num.DotE4M3, false}, tensor.E5M2: {8, num.DotE5M2, false}, tensor.E2M3: {8, num.DotE2M3, false},
	tensor.E3M2: {8, num.DotE3M2, false}, tensor.E2M1: {8, num.DotE2M1Byte, false}, tensor.U8: {bits: 8}, tensor.S8: {bits: 8, signed: true},
}

// read takes the matrices, and multiplies.
func (r *tensorProduct) read(op *machine.Op) *machine.Fault {
	for i := range r.parts {
		if err := r.check(r.parts[i].t); err != nil {
			return stepFault(err)
		}
	}
	if r.isDense() {
		r.multiplyDense(op)
		return nil
	}
	right := r.readB(op)
	columns := r.N / r.path.Parts
	for i := range r.parts {
		p := &r.parts[i]
		var left []uint32
		for part := range r.path.Parts {
			if r.op.inTensor || left == nil {
				left = r.readA(op, p, part)
			}
			x := r.product(p, part, columns)
			x.left, x.right = left, right[part*columns*r.K:(part+1)*columns*r.K]
			x.sum = r.readD(p, part, columns)
			x.multiply()
			if op.CountSums(len(x.sum), len(x.sum)); r.seen != nil {
				r.showOne(x, i, part)
			}
			p.sums = append(p.sums, tensorSum{x.sum, columns, nil})
		}
	}
	return nil
}

// tensorSum is D of a part of the data path, row after row of pitch elements, and the product that has it.
type tensorSum struct {
	list  []uint32
	pitch int
	of    *num.Dense // nil: none
}

// isDense reports whether the product is one of a num.Dense: all are, unless D counts times a power of two, which not all of its elements have
// a place for.
func (r *tensorProduct) isDense() bool {
	if r.op.down == 0 || !r.add {
		return true
	}
	rule, columns := r.sumRule(), r.N/r.path.Parts
	for i := range r.parts {
		for part := range r.path.Parts {
			for row := range r.path.Rows {
				words, _ := r.words(&r.parts[i], row, part, columns)
				for _, v := range words {
					if _, ok := rule.ScaledDown(r.ofD(v), r.op.down, !r.op.rounded); !ok {
						return false
					}
				}
			}
		}
	}
	return true
}

// ofD is an element of D in a word of tensor memory.
func (r *tensorProduct) ofD(word uint32) uint32 {
	if r.Half {
		return word & 0xffff
	}
	return word
}

// sumRule is how floats are added up.
func (r *tensorProduct) sumRule() num.DotRule {
	if r.Half {
		return num.WholeRule(num.DotF16, num.DotF16)
	}
	return num.WholeRule(num.DotF32, num.DotF32)
}

// multiplyDense multiplies part by part.
func (r *tensorProduct) multiplyDense(op *machine.Op) {
	columns := r.N / r.path.Parts
	for i := range r.parts {
		p := &r.parts[i]
		for part := range r.path.Parts {
			x, d := r.product(p, part, columns), densePool.Get().(*num.Dense)
			product := r.Product()
			shape := denseShape(x.rows, columns, &product, &x.elems, x.rule)
			if shape.Saturate = x.saturate; x.blocks != nil {
				if shape.PerLine = 1; x.blocks.terms {
					shape.Terms, shape.Zeros, shape.PerLine = true, x.blocks.zeros, x.stored/num.BlockTerm
				}
			}
			d.Set(&shape)
			r.denseA(op, d, p, part)
			r.denseB(op, d, part*columns, columns)
			for i, negative := range x.negative {
				if negative && !shape.Integers {
					negateDense(d, i)
				}
			}
			if r.Sparse {
				r.denseMeta(d, p, part)
			}
			if d.Unpack(denseChoices[r.Bits()]); x.blocks != nil {
				for i, lines := range [2][][]num.Scale{x.blocks.rows, x.blocks.columns} {
					for line, list := range lines {
						denseScales(d, i, line, list)
					}
				}
			}
			r.denseD(d, p, part, columns)
			d.MultiplyBy(r.by)
			if op.CountSums(x.rows*columns, d.Slow); r.seen != nil {
				r.showDense(d, i, part, columns, &x.elems)
			}
			p.sums = append(p.sums, tensorSum{d.Sum, d.Columns, d})
		}
	}
}

// denseA reads A.
func (r *tensorProduct) denseA(op *machine.Op, d *num.Dense, p *productPart, part int) {
	if !r.op.inTensor {
		r.source(op, p, 0).fill(d, 0, 0, d.Rows, 0)
		return
	}
	left, words, _ := d.Operand(0)
	for row := range d.Rows {
		copy(left[row*words:(row+1)*words], p.t.Row(r.a.Lane()+r.path.Lane(r.rowOfA(row), r.copyOf(part)), r.a.Column(), words))
	}
}

// denseB reads columns of B, of which each CTA has its share.
func (r *tensorProduct) denseB(op *machine.Op, d *num.Dense, first, columns int) {
	share := r.N / r.Group
	for i := range r.parts {
		p := &r.parts[i]
		from, to := max(first, i*share), min(first+columns, (i+1)*share)
		if from < to {
			line := from - i*share
			if r.Transpose[1] { // else the units begin there
				line += r.zeros.Shift
			}
			r.source(op, p, 1).fill(d, 1, line, to-from, from-first)
		}
	}
	if r.hasZeros {
		r.clearColumns(d, first/columns, columns)
	}
}

// clearColumns makes those columns zero that the mask of a part names.
func (r *tensorProduct) clearColumns(d *num.Dense, part, columns int) {
	list, words, step := d.Operand(1)
	for column := range columns {
		if r.zeros.Zero(part, column) {
			at := num.DenseOperand(1).Word(column, words)
			for i := range words {
				list[at+i*step] = 0
			}
		}
	}
}

// padded is how elements of A (0) or B (1) lie in shared memory.
func (r *tensorProduct) padded(operand int) tensor.Format {
	if r.Bits() == 8 {
		return [2]tensor.MatrixElement{r.A, r.B}[operand].Padded()
	}
	return tensor.Plain
}

// denseMeta reads the metadata of A.
func (r *tensorProduct) denseMeta(d *num.Dense, p *productPart, part int) {
	_, words, _ := d.Operand(0)
	product, per := r.Product(), 32/r.Bits()
	for i := range d.Meta {
		row, k := i/words, i%words*per
		first, last := product.ChunkOf(k), product.ChunkOf(k+per-1)
		d.Meta[i] = uint8(r.metadata(p, row, part, first) | r.metadata(p, row, part, last)<<4)
	}
}

// source is A (0) or B (1) in the shared memory of a CTA.
func (r *tensorProduct) source(op *machine.Op, p *productPart, operand int) *denseSource {
	memory, start := op.SharedMemory(p.t.Rank())
	return &denseSource{p.units[operand], r.Transpose[operand], r.padded(operand), memory, start}
}

// denseD reads D before the product.
func (r *tensorProduct) denseD(d *num.Dense, p *productPart, part, columns int) {
	if !r.add {
		clear(d.Sum)
		return
	}
	r.beforeD(d.Sum, d.Columns, p, part, columns)
}

// beforeD reads D, as it counts, to rows of so many elements.
func (r *tensorProduct) beforeD(list []uint32, pitch int, p *productPart, part, columns int) {
	for row := range r.path.Rows {
		words, _ := r.words(p, row, part, columns)
		to := list[row*pitch : row*pitch+columns]
		if copy(to, words); r.Half {
			for i := range to {
				to[i] &= 0xffff
			}
		}
		if r.op.down != 0 {
			rule := r.sumRule()
			for i := range to {
				to[i], _ = rule.ScaledDown(to[i], r.op.down, !r.op.rounded)
			}
		}
	}
}

// product sets up what a part of the data path multiplies.
func (r *tensorProduct) product(p *productPart, part, columns int) *matrices {
	x := &matrices{
		rows: r.path.Rows, columns: columns, k: r.K, stored: r.Product().Stored(), negative: r.Negate,
		saturate: r.Saturate, down: r.op.down, exact: !r.op.rounded,
	}
	x.elems[0], x.elems[1], x.elems[3] = productElements[r.A], productElements[r.B], matrixElement{32, num.DotF32, false}
	switch {
	case r.Bits() == 4:
		x.elems[0], x.elems[1] = matrixElement{4, num.DotE2M1, false}, matrixElement{4, num.DotE2M1, false}
	case r.Kind == tensor.KindI8:
		x.elems[3] = matrixElement{bits: 32, signed: true}
	case r.Half:
		x.elems[3] = matrixElement{16, num.DotF16, false}
	}
	if x.elems[3].float() {
		x.rule = r.sumRule()
	}
	if r.Sparse {
		x.places = func(row int) []int { return r.places(p, row, part) }
	}
	if r.Scaled() {
		x.blocks = r.blocks(p, part, columns)
	}
	return x
}

// copyOf is the part whose lanes A and its metadata are read from.
func (r *tensorProduct) copyOf(part int) int {
	if r.op.first {
		return 0
	}
	return part
}

// places reads where in K the stored elements of a row belong.
func (r *tensorProduct) places(p *productPart, row, part int) (places []int) {
	product := r.Product()
	for k := range product.Stored() {
		places = append(places, product.Selected(k, r.metadata(p, row, part, product.ChunkOf(k))))
	}
	return places
}

// metadata are the four bits of a chunk of a row.
func (r *tensorProduct) metadata(p *productPart, row, part, chunk int) uint32 {
	lane, column, low := r.Instruction.Metadata(r.path, row, r.copyOf(part), chunk)
	return p.t.Row(r.meta.Lane()+lane, r.meta.Column()+column, 1)[0] >> low & 15
}

// readA returns the stored elements of A that a part multiplies, row after row.
func (r *tensorProduct) readA(op *machine.Op, p *productPart, part int) []uint32 {
	stored := r.Product().Stored()
	list := make([]uint32, r.path.Rows*stored)
	if !r.op.inTensor {
		r.spread(op, p, 0, list, r.path.Rows, stored)
		return list
	}
	for row := range r.path.Rows {
		lane := r.a.Lane() + r.path.Lane(r.rowOfA(row), r.copyOf(part))
		words := p.t.Row(lane, r.a.Column(), stored*r.Bits()/32)
		for k := range stored {
			at := k * r.Bits()
			list[row*stored+k] = words[at/32] >> (at % 32) & uint32(1<<r.Bits()-1)
		}
	}
	return list
}

// rowOfA is the row that .ashift puts in the place of one.
func (r *tensorProduct) rowOfA(row int) int {
	switch {
	case !r.op.ashift:
		return row
	case r.op.lastOf32:
		return row&^31 + tensor.ShiftSource(row&31, tensor.ShiftGroup, r.op.previous)
	}
	return tensor.ShiftSource(row, tensor.Lanes, r.op.previous)
}

// readB returns the elements of B, column after column: each CTA has its share of the columns. No product for which it is called has a
// zero-column mask: .ws has no scale-input-d.
func (r *tensorProduct) readB(op *machine.Op) []uint32 {
	share := r.N / r.Group
	list := make([]uint32, r.N*r.K)
	for i := range r.parts {
		r.spread(op, &r.parts[i], 1, list[i*share*r.K:(i+1)*share*r.K], share, r.K)
	}
	return list
}

// spread lays the units of A (0) or B (1) in the shared memory of a CTA out in lines of k elements.
func (r *tensorProduct) spread(op *machine.Op, p *productPart, operand int, to []uint32, lines, k int) {
	format, per := r.padded(operand), 128/r.Bits()
	across := len(p.units[operand]) / k // units of a column along M or N
	for i, unit := range p.units[operand] {
		data := format.Expand((*[16]byte)(op.Shared(p.rank|uint64(unit), 16)), 2)
		for j := range per {
			e := i*per + j
			if r.Transpose[operand] {
				line := i%across*per + j
				if line >= lines {
					break
				}
				e = line*k + i/across
			}
			to[e] = unpack(data[:], r.Bits(), j)
		}
	}
}

// words is the columns of D in a row of a part.
func (r *tensorProduct) words(p *productPart, row, part, columns int) (words []uint32, lane int) {
	lane = r.d.Lane() + r.path.Lane(row, part)
	return p.t.Row(lane, r.d.Column(), columns), lane
}

// readD returns D before the product.
func (r *tensorProduct) readD(p *productPart, part, columns int) []uint32 {
	sum := make([]uint32, r.path.Rows*columns)
	if !r.add {
		return sum
	}
	for row := range r.path.Rows {
		words, _ := r.words(p, row, part, columns)
		copy(sum[row*columns:], words)
	}
	if r.Half {
		for i := range sum {
			sum[i] &= 0xffff
		}
	}
	return sum
}

// stays reports whether a lane of a CTA's D is not written.
func (r *tensorProduct) stays(cta, lane int) bool { return r.off[cta][lane/32]>>(lane%32)&1 != 0 }

// write gives out D.
func (r *tensorProduct) write(*machine.Op) *machine.Fault {
	columns := r.N / r.path.Parts
	for cta := range r.parts {
		p := &r.parts[cta]
		if err := r.check(p.t); err != nil {
			return stepFault(err)
		}
		for part, sum := range p.sums {
			for row := range r.path.Rows {
				words, lane := r.words(p, row, part, columns)
				if r.stays(cta, lane) {
					continue
				}
				list := sum.list[row*sum.pitch : row*sum.pitch+columns]
				if !r.Half || !r.op.keepHigh {
					copy(words, list)
					continue
				}
				for i, v := range list {
					words[i] = v | words[i]&^0xffff
				}
			}
			if sum.of != nil {
				densePool.Put(sum.of)
			}
		}
		p.sums = nil
	}
	return nil
}

// blocks reads the scale factors of a part's rows and columns.
func (r *tensorProduct) blocks(p *productPart, part, columns int) *blockFactors {
	b := &blockFactors{terms: r.Bits() == 4, zeros: r.op.zeroTerms}
	for row := range r.path.Rows {
		b.rows = append(b.rows, r.factors(p, 0, row, r.path.Lane(row, part)/32))
	}
	quarter := r.path.Lane(0, part) / 32
	for n := range columns {
		if r.op.whole {
			n += part * columns
		}
		b.columns = append(b.columns, r.factors(p, 1, n, quarter))
	}
	return b
}

// scaleLines is how many lines have scale factors: rows of A, or columns of B that a quarter of the lanes multiplies.
func (r *tensorProduct) scaleLines(operand int) int {
	switch {
	case operand == 0:
		return r.path.Rows
	case r.op.whole:
		return r.N
	}
	return r.N / r.path.Parts
}

var scaleDecoders = [...]func(uint8) num.Scale{tensor.UE4M3: num.ScaleUE4M3, tensor.UE8M0: num.ScaleUE8M0, tensor.UE5M3: num.ScaleUE5M3}

// factors reads the scale factors of a line, from the lanes of a quarter.
func (r *tensorProduct) factors(p *productPart, operand, line, quarter int) (list []num.Scale) {
	decode := scaleDecoders[r.Format]
	for f := range r.Factors() {
		lane, column, shift := r.Scale(operand, r.scaleLines(operand), line, f, quarter)
		list = append(list, decode(uint8(p.t.Row(lane, r.scales[operand].Column()+column, 1)[0]>>shift)))
	}
	return list
}

// touches lists units of shared memory, neighbours together, and cells of tensor memory.
func (r *tensorProduct) touches(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		for cta := range r.parts {
			p := &r.parts[cta]
			for _, units := range p.units {
				if !eachRun(units, 16, func(from, to uint32) bool {
					return yield(op.Extent(machine.Shared, -1, p.rank|uint64(from), uint64(to-from)), machine.Load)
				}) {
					return
				}
			}
			if !r.touchesTensor(cta, yield) {
				return
			}
		}
	}
}

// touchesTensor lists the cells of a CTA; it ends when yield says so.
func (r *tensorProduct) touchesTensor(cta int, yield func(machine.Extent, machine.AccessKind) bool) bool {
	t := r.parts[cta].t
	for i, x := range r.cells() {
		if x.whole {
			continue
		}
		var lanes []uint32
		for part := range r.path.Parts {
			for row := range r.path.Rows {
				if lane := x.at.Lane() + r.path.Lane(row, part); i != 0 || !r.stays(cta, lane) {
					lanes = append(lanes, uint32(lane))
				}
			}
		}
		if !eachRun(lanes, 1, func(from, to uint32) bool {
			e := machine.TensorExtent(t, int(from), int(to-from), x.at.Column(), x.columns)
			return i == 0 && !r.add || yield(e, machine.Load)
		}) || i == 0 && !eachRun(lanes, 1, func(from, to uint32) bool {
			return yield(machine.TensorExtent(t, int(from), int(to-from), x.at.Column(), x.columns), machine.Store)
		}) {
			return false
		}
	}
	return !r.Scaled() || r.touchesScales(t, yield)
}

// touchesScales lists the words of scale factors.
func (r *tensorProduct) touchesScales(t *tmem.Memory, yield func(machine.Extent, machine.AccessKind) bool) bool {
	for operand, at := range r.scales {
		lines := r.scaleLines(operand)
		for first := 0; first < lines; first += 32 {
			for quarter := range 4 {
				for f := range r.Factors() {
					lane, column, _ := r.Scale(operand, lines, first, f, quarter)
					if !yield(machine.TensorExtent(t, lane, min(32, lines-first), at.Column()+column, 1), machine.Load) {
						return false
					}
				}
			}
		}
	}
	return true
}

// eachRun visits the runs of a list of pieces of one size, which it sorts.
func eachRun(list []uint32, size uint32, visit func(from, to uint32) bool) bool {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	for i := 0; i < len(list); {
		from, to := list[i], list[i]+size
		for i++; i < len(list) && list[i] <= to; i++ {
			to = list[i] + size
		}
		if !visit(from, to) {
			return false
		}
	}
	return true
}
