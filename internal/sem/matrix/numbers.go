package matrix

// Products for those who look at numbers (machine.Numbers): D, and what each of its elements is the sum of.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// numberTypes are the formats of elements as types of numbers.
var numberTypes = map[num.DotFormat]num.Type{
	num.DotF16: num.F16, num.DotBF16: num.BF16, num.DotTF32: num.F32, num.DotF32: num.F32, num.DotE4M3: num.E4M3, num.DotE5M2: num.E5M2,
	num.DotE3M2: num.E3M2, num.DotE2M3: num.E2M3, num.DotE2M1: num.E2M1, num.DotE2M1Byte: num.E2M1,
}

// numberTypesOf are the types of A, B, C and D; false if they are no floats. Where D is in place, C is not named.
func numberTypesOf(elems *[4]matrixElement) (types [4]num.Type, ok bool) {
	for i, e := range elems {
		if i == 2 && e.bits == 0 {
			e = elems[3]
		}
		switch {
		case e.bits == 64:
			types[i] = num.F64
		case !e.float():
			return types, false
		default:
			types[i] = numberTypes[e.format]
		}
	}
	return types, true
}

// elementBits are the bits of an element as those of its number, without bits below that do not count.
func (e matrixElement) elementBits(v uint64) uint64 {
	switch e.format {
	case num.DotE2M1Byte:
		return v >> 2 & 15
	case num.DotTF32:
		return v &^ 0x1fff
	}
	return v
}

// seenProduct is a product of fragments with its matrices as they were before it.
type seenProduct struct {
	*productOp
	types   [4]num.Type
	a, b, c []uint64
	places  []uint8 // of the stored elements of a sparse A
	scales  *scales
}

// see keeps the matrices of a product that is about to be computed; nil if it has no floats.
func (o *productOp) see(w *machine.Warp, in *machine.Inst) *seenProduct {
	types, ok := numberTypesOf(&o.elems)
	if !ok {
		return nil
	}
	s := &seenProduct{productOp: o, types: types, places: o.places(w)}
	s.a = o.matrix(w, o.a, 0, o.M*o.Products()*o.Stored(), func(lane, r, j int) int {
		row, k := o.A(lane, r, j)
		return row*o.Stored() + k
	})
	s.b = o.matrix(w, o.b, 1, o.N*o.Products()*o.K, func(lane, r, j int) int {
		k, column := o.Product.B(lane, r, j)
		return column*o.K + k
	})
	s.c = o.matrix(w, o.c, 2, o.M*o.Products()*o.N, o.placeC(2))
	if o.blocks != nil {
		if words, st := o.blocks.words(w, in); st == machine.Next {
			all := o.blocks.decode(&words)
			s.scales = &all
		}
	}
	return s
}

// matrix is A (0), B (1), C (2) or D (3) of all lanes.
func (o *productOp) matrix(w *machine.Warp, registers []uint32, operand, size int, place func(lane, r, j int) int) []uint64 {
	list, e := make([]uint64, size), o.elems[operand]
	for r, off := range registers {
		if e.bits == 64 {
			for lane, v := range w.R64(off) {
				list[place(lane, r, 0)] = v
			}
			continue
		}
		for lane, v := range w.R32(off) {
			for j := range 32 / e.bits {
				list[place(lane, r, j)] = e.elementBits(uint64(v >> (e.bits * j) & uint32(1<<e.bits-1)))
			}
		}
	}
	return list
}

// show shows the product, which has been computed.
func (s *seenProduct) show(w *machine.Warp, in *machine.Inst) {
	rows, place := s.M*s.Products(), s.placeC(3)
	d, holders := s.matrix(w, s.d, 3, rows*s.N, place), make([][2]int, rows*s.N)
	per := max(1, 32/s.elems[3].bits)
	for r := range s.d {
		for lane := range 32 {
			for j := range per {
				holders[place(lane, r, j)] = [2]int{r, lane}
			}
		}
	}
	p := &machine.Product{
		Place: w.PlaceOf(in, w.Mask), Rows: rows, Columns: s.N, Terms: s.Stored(), Types: s.types, Rows32: s.d, Frame: w.FrameKey(),
		C: func(row, column int) uint64 { return s.c[row*s.N+column] },
		D: func(row, column int) uint64 { return d[row*s.N+column] },
		Factors: func(row, column, i int) (a, b uint64, k int) {
			k = placeOf(s.places, row*s.Stored(), i)
			return s.a[row*s.Stored()+i], s.b[(row/s.M*s.N+column)*s.K+k], k
		},
		Register: func(row, column int) (number, lane int) {
			h := holders[row*s.N+column]
			return h[0], h[1]
		},
	}
	p.Where = registerOfD(p)
	if s.scales != nil {
		p.Undefined = func(row, column int) bool {
			return undefined(s.scales.a[row][:s.blocks.perRow]) || undefined(s.scales.b[column][:s.blocks.perRow])
		}
	}
	w.Launch().Numbers.Multiplied(w, p)
}

// undefined reports whether a scale factor is NaN.
func undefined(list []num.Scale) bool {
	for i := range list {
		if list[i].NaN {
			return true
		}
	}
	return false
}

// registerOfD says which register of D has an element.
func registerOfD(p *machine.Product) func(row, column int) string {
	return func(row, column int) string {
		number, lane := p.Register(row, column)
		return fmt.Sprintf("register %d of D in lane %d", number, lane)
	}
}

// seenBy is where an asynchronous product was issued that is looked at.
type seenBy struct {
	warp     *machine.Warp
	place    machine.Place
	frame    any
	operands string
}

// seeing is what an asynchronous product keeps for those who look at numbers.
func seeing(w *machine.Warp, in *machine.Inst, lanes uint32, operands string) *seenBy {
	return &seenBy{w, w.PlaceOf(in, lanes), w.FrameKey(), operands}
}

// product is one of so many elements, without what is in them.
func (s *seenBy) product(rows, columns int, types [4]num.Type) *machine.Product {
	return &machine.Product{Place: s.place, Rows: rows, Columns: columns, Types: types, Frame: s.frame, Operands: s.operands}
}

// dense is a product that a num.Dense has computed: before is what D was, as d.Sum has it. Nil if it has no floats.
func (s *seenBy) dense(d *num.Dense, rows, columns int, elems *[4]matrixElement, before []uint32) *machine.Product {
	types, ok := numberTypesOf(elems)
	if !ok {
		return nil
	}
	p := s.product(rows, columns, types)
	p.Terms = d.Stored()
	p.C = func(row, column int) uint64 { return uint64(before[row*d.Columns+column]) }
	p.D = func(row, column int) uint64 { return uint64(d.Sum[row*d.Columns+column]) }
	p.Factors = func(row, column, i int) (a, b uint64, k int) {
		left, right, k := d.Factors(row, column, i)
		return matrixElement{format: d.Format[0]}.elementBits(uint64(left)), matrixElement{format: d.Format[1]}.elementBits(uint64(right)), k
	}
	if d.PerLine != 0 {
		p.Undefined = func(row, column int) bool {
			return undefined(d.Scales[0][row*d.PerLine:][:d.PerLine]) || undefined(d.Scales[1][column*d.PerLine:][:d.PerLine])
		}
	}
	return p
}

// show shows the product of a warp, whose D is not given out yet.
func (r *wgmmaRecord) show(d *num.Dense) {
	before := make([]uint32, len(d.Sum))
	if r.add {
		r.readD(before, d.Columns)
	}
	p := r.seen.dense(d, 16, r.N, &r.elems, before)
	if p == nil {
		return
	}
	p.Row, p.Rows32 = 16*r.warp, r.d
	per := 32 / r.elems[3].bits
	p.Register = func(row, column int) (number, lane int) {
		element := column>>3*4 + row>>3*2 + column&1 // 9.7.15.5.1
		return element / per, row&7*4 + column>>1&3
	}
	p.Where = registerOfD(p)
	r.seen.warp.Launch().Numbers.Multiplied(r.seen.warp, p)
}

// operands says how a product names A and B.
func (o *wgmmaOp) operands(a, b uint64) string {
	if o.productOp.a != nil {
		return fmt.Sprintf("A in registers, B by descriptor %#x", b)
	}
	return fmt.Sprintf("A by descriptor %#x, B by descriptor %#x", a, b)
}

// showDense shows what a part of the data path has computed, which is not in tensor memory yet.
func (r *tensorProduct) showDense(d *num.Dense, cta, part, columns int, elems *[4]matrixElement) {
	before := make([]uint32, len(d.Sum))
	if r.add {
		r.beforeD(before, d.Columns, &r.parts[cta], part, columns)
	}
	if p := r.seen.dense(d, r.path.Rows, columns, elems, before); p != nil {
		r.show(p, cta, part, columns)
	}
}

// showOne is showDense of what has been computed element by element, where D counts times a power of two that not all of its elements
// have a place for.
func (r *tensorProduct) showOne(x *matrices, cta, part int) {
	types, ok := numberTypesOf(&x.elems)
	if !ok {
		return
	}
	p, before := r.seen.product(x.rows, x.columns, types), r.readD(&r.parts[cta], part, x.columns)
	p.Terms = x.stored
	p.C = func(row, column int) uint64 { return uint64(before[row*x.columns+column]) }
	p.D = func(row, column int) uint64 { return uint64(x.sum[row*x.columns+column]) }
	p.Factors = func(row, column, i int) (a, b uint64, k int) {
		if k = i; x.places != nil {
			k = x.places(row)[i]
		}
		return x.elems[0].elementBits(uint64(x.left[row*x.stored+i])), x.elems[1].elementBits(uint64(x.right[column*x.k+k])), k
	}
	r.show(p, cta, part, x.columns)
}

func (r *tensorProduct) show(p *machine.Product, cta, part, columns int) {
	t := r.parts[cta].t
	p.Row, p.Column = cta*r.path.Rows, part*columns
	p.Where = func(row, column int) string {
		where := fmt.Sprintf("lane %d, column %d of tensor memory", r.d.Lane()+r.path.Lane(row, part), r.d.Column()+column)
		if r.Group == 2 {
			where += fmt.Sprintf(" of CTA rank %d", t.Rank())
		}
		return where
	}
	r.seen.warp.Launch().Numbers.Multiplied(r.seen.warp, p)
}

// operandsOf says how a lane's product names A, B and their formats.
func (r *tensorProduct) operandsOf(w *machine.Warp, lane int) string {
	o := r.op
	a := fmt.Sprintf("%v of tensor memory", r.a)
	if !o.inTensor {
		a = fmt.Sprintf("descriptor %#x", w.R64(o.aDesc)[lane])
	}
	return fmt.Sprintf("A by %s, B by descriptor %#x, instruction descriptor %#x", a, w.R64(o.bDesc)[lane], w.R32(o.idesc)[lane])
}
