package matrix

// Products of matrices that a warp makes, 9.7.14.4 to 9.7.14.6: fragments of all lanes are put
// together, multiplied, and dealt out again.

import (
	"cmp"
	"math"
	"math/bits"
	"strings"
	"sync"
	stdatomic "sync/atomic"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func productLines() []sem.Line {
	classes := []isa.Class{isa.C_shape, isa.C_alayout, isa.C_blayout, isa.C_dtype, isa.C_atype, isa.C_btype, isa.C_ctype, isa.C_rnd, isa.C_bitop}
	return []sem.Line{
		{ID: isa.Mma, Do: sem.Plan(planProduct, append(classes, isa.C_kind)...).Sees(isa.M_satfinite, isa.M_popc).Assuming(assume.TuringSteps)},
		{ID: isa.MmaBlock, Do: sem.Plan(planBlocks, isa.C_shape, isa.C_alayout, isa.C_blayout, isa.C_kind, isa.C_vecsize, isa.C_dtype, isa.C_atype, isa.C_btype, isa.C_ctype, isa.C_stype).Assuming(assume.ZeroTerms)},
		{ID: isa.WmmaMma, Do: sem.Plan(planProduct, classes...).Sees(isa.M_satfinite, isa.M_popc, isa.M_aligned).Assuming(assume.TuringSteps)},
		{ID: isa.MmaSp, Do: sem.Plan(planProduct, append(classes, isa.C_kind)...).Sees(isa.M_satfinite, isa.M_sp, isa.M_sp_ordered_metadata)},
	}
}

// matrixElement is an element type of A, B, C or D.
type matrixElement struct {
	bits   int
	format num.DotFormat // of floats up to 32 bits
	signed bool
}

var matrixElements = map[isa.Mod]matrixElement{
	isa.M_f16: {16, num.DotF16, false}, isa.M_bf16: {16, num.DotBF16, false}, isa.M_tf32: {32, num.DotTF32, false},
	isa.M_e4m3: {8, num.DotE4M3, false}, isa.M_e5m2: {8, num.DotE5M2, false}, isa.M_f32: {32, num.DotF32, false}, isa.M_f64: {bits: 64},
	isa.M_e3m2: {8, num.DotE3M2, false}, isa.M_e2m3: {8, num.DotE2M3, false}, isa.M_e2m1: {8, num.DotE2M1Byte, false},
	isa.M_u8: {bits: 8}, isa.M_s8: {bits: 8, signed: true}, isa.M_u4: {bits: 4}, isa.M_s4: {bits: 4, signed: true}, isa.M_b1: {bits: 1}, isa.M_s32: {bits: 32, signed: true},
}

// float reports whether the type is one of floats.
func (e matrixElement) float() bool { return e.format != num.DotFormat{} }

// productOp is the decode-time constant of a product.
type productOp struct {
	uop.Private
	tensor.Product
	a, b, c, d []uint32 // rows of the registers
	meta       uint32   // row of the metadata
	selector   int
	elems      [4]matrixElement // of A, B, C and D
	saturate   bool
	and        bool // of bits: where both are set, not where they differ
	mode       num.Mode
	inFours    bool            // on sm_75
	whole      bool            // narrow floats in formats of their own: kinds of sm_120
	blocks     *blockScales    // nil: none
	fragments  *denseFragments // nil: the product is not computed by a num.Dense
	device     *stdatomic.Pointer[fragmentsOn]
	places64   [3][]uint8 // of f64: where the elements of A, B, and C and D go
}

func planProduct(b *sem.Build) {
	o := newProductOp(b)
	o.fragments, o.places64 = o.denseFragments(), o.doublePlaces()
	b.Ext().Data = o
	b.Does(uop.Product)
}

func newProductOp(b *sem.Build) *productOp {
	o := &productOp{whole: b.Sel.Get(isa.C_kind) != 0, elems: elementsOf(b.Sel), device: new(stdatomic.Pointer[fragmentsOn])}
	o.Product = ProductOf(b.Sel)
	if e := b.In.Op(isa.R_e); e != nil {
		o.meta, o.selector = b.Src(e, 32), int(b.In.Op(isa.R_f).Imm)
	}
	o.a, o.b, o.c, o.d = b.Rows(b.In.Op(isa.R_a), b.Src, max(32, o.Bits)), b.Rows(b.In.Op(isa.R_b), b.Src, max(32, o.Bits)), b.Rows(b.In.Op(isa.R_c), b.Src, max(32, o.Bits)), b.Rows(b.In.Op(isa.R_d), b.Dst, max(32, o.Bits))
	o.saturate, o.and = b.Sel.Has(isa.M_satfinite), b.Sel.Get(isa.C_bitop) == isa.M_and
	o.mode = sem.RoundingOf(b.Sel.Get(isa.C_rnd))
	if o.elems[0].format == num.DotF16 && !o.Sparse { // sparse products begin with sm_80
		o.inFours = b.Assume(assume.TuringSteps) == 1
	}
	return o
}

// elementsOf are the types of A, B, C and D.
func elementsOf(sel *isa.Sel) (elems [4]matrixElement) {
	for i, c := range []isa.Class{isa.C_atype, isa.C_btype, isa.C_ctype, isa.C_dtype} {
		elems[i] = matrixElements[cmp.Or(sel.Get(c), isa.M_f16)] // wmma of f16 does not name them
	}
	if sel.Has(isa.M_kind_mxf4) || sel.Has(isa.M_kind_mxf4nvf4) {
		elems[0] = matrixElement{4, num.DotE2M1, false}
		elems[1] = elems[0]
	}
	return elems
}

// ProductOf is the product that a form of mma, mma.sp or wmma.mma makes: its size, and which element each register of a lane holds.
func ProductOf(sel *isa.Sel) (p tensor.Product) {
	elems := elementsOf(sel)
	p.Bits = elems[0].bits
	if size, ok := wmmaShapes[sel.Get(isa.C_shape)]; ok && sel.ID() == isa.WmmaMma {
		p.M, p.N, p.K, p.Wmma = size[0], size[1], size[2], true
		return p
	}
	p.M, p.N = 16, 8
	p.K, _ = sel.Cap("K")
	if strings.HasPrefix(sel.Get(isa.C_shape).String(), ".m8n8") {
		p.M = 8
	}
	if p.Sparse = sel.At(isa.R_e) != nil; p.Sparse { // metadata
		p.RowMetadata = elems[2].signed
	}
	if p.Bits == 16 && p.K == 4 {
		p.Quads = true
		p.AColumn, p.BRow = sel.Get(isa.C_alayout) == isa.M_col, sel.Get(isa.C_blayout) == isa.M_row
	}
	return p
}

// product waits for the whole warp and multiplies.
func product(w *machine.Warp, in *machine.Inst) machine.State {
	if st := w.Collective(in); st != machine.Next {
		return st
	}
	o := in.Ext.Data.(*productOp)
	if n := o.M * o.N * o.Products(); o.fragments == nil {
		w.CountSums(n, n)
	}
	if w.Launch().Numbers != nil {
		if seen := o.see(w, in); seen != nil {
			st := o.multiply(w, in)
			if st == machine.Next {
				seen.show(w, in)
			}
			return st
		}
	}
	return o.multiply(w, in)
}

// multiply computes D.
func (o *productOp) multiply(w *machine.Warp, in *machine.Inst) machine.State {
	switch {
	case o.blocks != nil:
		return o.scaled(w, in)
	case o.Bits == 64:
		o.doubles(w)
	case o.Bits == 1:
		o.bitCounts(w)
	case o.elems[2].signed:
		o.integers(w)
	case o.Quads && w.Launch().Target.Arch >= 80:
		o.quads(w)
	default:
		o.floats(w)
	}
	return machine.Next
}

// The most elements that the fragments of a warp hold: of A (16×64 of four bits stored), B (128×8
// of four bits, sparse) and C (four products of 8×8).
const (
	mostA = 1024
	mostB = 1024
	mostC = 256
)

// eachA visits the elements of A of 32 bits or less: where they go in rows of stored elements, and
// their bits.
func (o *productOp) eachA(w *machine.Warp, visit func(at int, v uint32)) {
	o.each(w, o.a, o.Bits, o.PerRegister(), func(lane, r, j int) int {
		row, k := o.A(lane, r, j)
		return row*o.Stored() + k
	}, visit)
}

// eachB does the same for B, in columns.
func (o *productOp) eachB(w *machine.Warp, visit func(at int, v uint32)) {
	o.each(w, o.b, o.Bits, o.PerRegister(), func(lane, r, j int) int {
		k, column := o.Product.B(lane, r, j)
		return column*o.K + k
	}, visit)
}

// eachC does the same for C, in rows.
func (o *productOp) eachC(w *machine.Warp, visit func(at int, v uint32)) {
	o.each(w, o.c, o.elems[2].bits, 32/o.elems[2].bits, o.placeC(2), visit)
}

// placeC is where an element of C (2) or D (3) goes.
func (o *productOp) placeC(operand int) func(lane, r, j int) int {
	p, n := o.Product, max(1, 32/o.elems[operand].bits)
	p.WideC = n == 1
	return func(lane, r, j int) int {
		row, column := p.C(lane, n*r+j)
		return row*o.N + column
	}
}

func (o *productOp) each(w *machine.Warp, rows []uint32, bits, n int, place func(lane, r, j int) int, visit func(at int, v uint32)) {
	for r, row := range rows {
		for lane, word := range w.R32(row) {
			for j := range n {
				visit(place(lane, r, j), word>>(bits*j)&uint32(1<<bits-1))
			}
		}
	}
}

// give deals out D.
func (o *productOp) give(w *machine.Warp, d *[mostC]uint32) {
	bits, place := o.elems[3].bits, o.placeC(3)
	for r, row := range o.d {
		to := w.R32(row)
		for lane := range to {
			to[lane] = d[place(lane, r, 0)]
			if bits == 16 {
				to[lane] |= d[place(lane, r, 1)] << 16
			}
		}
	}
}

// elementsOfD calls compute for each element of D with the stored elements of A's row where the stored elements of A's row begin
// and where of B's column.
func (o *productOp) elementsOfD(compute func(at, a, b int)) {
	for row := range o.M * o.Products() {
		for column := range o.N {
			compute(row*o.N+column, row*o.Stored(), (row/o.M*o.N+column)*o.K)
		}
	}
}

// places returns where in K the stored elements of a sparse A belong, row by row; nil if all are
// stored.
func (o *productOp) places(w *machine.Warp) []uint8 {
	if !o.Sparse {
		return nil
	}
	meta, list := w.R32(o.meta), make([]uint8, 0, mostA)
	for row := range o.M {
		for k := range o.Stored() {
			lane, bit := o.Metadata(o.selector, row, o.ChunkOf(k))
			list = append(list, uint8(o.Selected(k, meta[lane]>>bit&15)))
		}
	}
	return list
}

// placeOf is the place in K of a stored element: itself in a dense A.
func placeOf(places []uint8, a, k int) int {
	if places == nil {
		return k
	}
	return int(places[a+k])
}

// rule is how an architecture adds floats up.
func (o *productOp) rule(arch int) num.DotRule {
	c, d := o.elems[2].format, o.elems[3].format
	switch {
	case o.elems[2].signed:
		return num.DotRule{}
	case o.whole || o.blocks != nil:
		return num.WholeRule(c, d)
	case o.inFours && arch == 75:
		return o.elems[0].format.Rule(arch, c, d).InSteps(4)
	}
	return o.elems[0].format.Rule(arch, c, d)
}

// floats multiplies floats of up to 32 bits.
func (o *productOp) floats(w *machine.Warp) {
	if o.fragments != nil {
		if !o.inRegisters(w, nil) {
			o.dense(w, nil)
		}
		return
	}
	rule := o.rule(w.Launch().Target.Arch)
	var a [mostA / 2]num.Factor
	var b [mostB / 2]num.Factor
	var c, d [mostC]uint32
	o.eachA(w, func(at int, v uint32) { a[at] = o.elems[0].format.Factor(v) })
	o.eachB(w, func(at int, v uint32) { b[at] = o.elems[1].format.Factor(v) })
	o.eachC(w, func(at int, v uint32) { c[at] = v })
	places, n := o.places(w), o.Stored()
	var column [mostA]num.Factor
	o.elementsOfD(func(i, from, first int) {
		bs := b[first : first+n]
		if places != nil {
			bs = column[:n]
			for k := range bs {
				bs[k] = b[first+int(places[from+k])]
			}
		}
		d[i] = rule.Sum(a[from:from+n], bs, c[i])
	})
	o.give(w, &d)
}

// quads multiplies f16 where there is no instruction for four small products.
func (o *productOp) quads(w *machine.Warp) {
	var a, b [mostA / 8]uint32
	var c, d [mostC]uint32
	o.eachA(w, func(at int, v uint32) { a[at] = v })
	o.eachB(w, func(at int, v uint32) { b[at] = v })
	o.eachC(w, func(at int, v uint32) { c[at] = v })
	o.elementsOfD(func(i, from, first int) {
		as, bs := a[from:from+o.K], b[first:first+o.K]
		switch {
		case o.elems[3].bits == 16:
			d[i] = num.QuadF16(as, bs, c[i])
		case o.elems[2].bits == 16:
			d[i] = num.QuadF32(as, bs, num.CvtF32F16(c[i]))
		default:
			d[i] = num.QuadF32(as, bs, c[i])
		}
	})
	o.give(w, &d)
}

// integers multiplies integers.
func (o *productOp) integers(w *machine.Warp) {
	if o.fragments != nil {
		if !o.inRegisters(w, nil) {
			o.dense(w, nil)
		}
		return
	}
	var a [mostA]int32
	var b [mostB]int32
	var c, d [mostC]uint32
	o.eachA(w, func(at int, v uint32) { a[at] = o.elems[0].integer(v) })
	o.eachB(w, func(at int, v uint32) { b[at] = o.elems[1].integer(v) })
	o.eachC(w, func(at int, v uint32) { c[at] = v })
	places := o.places(w)
	o.elementsOfD(func(i, from, first int) {
		sum := int64(int32(c[i]))
		for k := range o.Stored() {
			sum += int64(a[from+k]) * int64(b[first+placeOf(places, from, k)])
		}
		d[i] = narrowed(sum, o.saturate)
	})
	o.give(w, &d)
}

// integer is an element's value.
func (e matrixElement) integer(v uint32) int32 {
	if e.signed {
		return int32(v<<(32-e.bits)) >> (32 - e.bits)
	}
	return int32(v)
}

// narrowed is a sum in 32 bits: it wraps, or with .satfinite ends at the least or largest.
func narrowed(sum int64, saturate bool) uint32 {
	if saturate {
		sum = max(math.MinInt32, min(sum, math.MaxInt32))
	}
	return uint32(sum)
}

// bitCounts counts the bits in which rows and columns differ, or that both have.
func (o *productOp) bitCounts(w *machine.Warp) {
	words := *o
	words.Bits, words.K = 32, o.K/32
	var a, b [mostA]uint32
	var c, d [mostC]uint32
	words.eachA(w, func(at int, v uint32) { a[at] = v })
	words.eachB(w, func(at int, v uint32) { b[at] = v })
	o.eachC(w, func(at int, v uint32) { c[at] = v })
	words.elementsOfD(func(i, from, first int) {
		d[i] = c[i]
		for k := range words.K {
			both := a[from+k] ^ b[first+k]
			if o.and {
				both = a[from+k] & b[first+k]
			}
			d[i] += uint32(bits.OnesCount32(both))
		}
	})
	o.give(w, &d)
}

// doublePlaces says where the elements of a product of f64 go in a num.Doubles: for each register, one place a lane.
func (o *productOp) doublePlaces() (p [3][]uint8) {
	if o.Bits != 64 {
		return p
	}
	place := o.placeC(3)
	for i := range 32 * len(o.a) {
		row, k := o.A(i%32, i/32, 0)
		p[0] = append(p[0], uint8(row*o.K+k))
	}
	for i := range 32 * len(o.b) {
		k, column := o.Product.B(i%32, i/32, 0)
		p[1] = append(p[1], uint8(k*o.N+column))
	}
	for i := range 32 * len(o.c) {
		p[2] = append(p[2], uint8(place(i%32, i/32, 0)))
	}
	return p
}

// doublesPool has products that are used again.
var doublesPool = sync.Pool{New: func() any { return new(num.Doubles) }}

// doubles multiplies f64.
func (o *productOp) doubles(w *machine.Warp) {
	if o.mode == num.RN && o.inRegisters(w, nil) {
		return
	}
	m := doublesPool.Get().(*num.Doubles)
	m.Rows, m.K = o.M, o.K
	for r, row := range o.a {
		places := (*[32]uint8)(o.places64[0][32*r:])
		for lane, v := range w.R64(row) {
			m.Left[places[lane]] = v
		}
	}
	scatterDoubles(w, o.b, o.places64[1], &m.Right)
	scatterDoubles(w, o.c, o.places64[2], &m.Sum)
	if o.mode == num.RN {
		m.MultiplyBy(w.Launch().Products)
	} else {
		o.multiplyDoubles(m)
	}
	for r, row := range o.d {
		places, to := (*[32]uint8)(o.places64[2][32*r:]), w.R64(row)
		for lane := range to {
			at := places[lane] % (num.MostDoubles * num.DotF64Lanes)
			to[lane] = m.Sum[at/num.DotF64Lanes][at%num.DotF64Lanes]
		}
	}
	doublesPool.Put(m)
}

// scatterDoubles moves elements of registers to rows of a matrix.
func scatterDoubles(w *machine.Warp, registers []uint32, places []uint8, to *[num.MostDoubles][num.DotF64Lanes]uint64) {
	for r, off := range registers {
		list := (*[32]uint8)(places[32*r:])
		for lane, v := range w.R64(off) {
			at := list[lane] % (num.MostDoubles * num.DotF64Lanes)
			to[at/num.DotF64Lanes][at%num.DotF64Lanes] = v
		}
	}
}

// multiplyDoubles adds A·B to D by other roundings than to the nearest, one by one.
func (o *productOp) multiplyDoubles(m *num.Doubles) {
	for row := range o.M {
		for column := range num.DotF64Lanes {
			var room [num.MostDoubles]uint64
			list := room[:o.K]
			for k := range list {
				list[k] = m.Right[k][column]
			}
			m.Sum[row][column] = num.DotF64(m.Left[row*o.K:(row+1)*o.K], list, m.Sum[row][column], o.mode)
		}
	}
}
