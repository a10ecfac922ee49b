package matrix

// mma with scale factors for blocks of A and B, 9.7.14.3.

import (
	"cmp"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// blockScales is the decode-time constant of scale factors.
type blockScales struct {
	a, b   scaleOperand
	perRow int             // factors of a row of A, and of a column of B
	format *[256]num.Scale // what their bits mean
	terms  bool            // each term of several products has its scales: mxf4, mxf4nvf4
	zeros  bool
}

// scaleOperand is where the lanes have the factors of A or B.
type scaleOperand struct{ row, byteID, threadID uint32 }

var scalesPerRow = map[isa.Mod]int{isa.M_scale_vec_1X: 1, isa.M_scale_vec_2X: 2, isa.M_scale_vec_4X: 4}

var defaultScales = map[isa.Mod]isa.Mod{isa.M_kind_mxf8f6f4: isa.M_scale_vec_1X, isa.M_kind_mxf4: isa.M_scale_vec_2X}

var scaleFormats = map[isa.Mod]*[256]num.Scale{isa.M_ue8m0: scaleTable(num.ScaleUE8M0), isa.M_ue4m3: scaleTable(num.ScaleUE4M3)}

func scaleTable(decode func(uint8) num.Scale) *[256]num.Scale {
	t := new([256]num.Scale)
	for v := range t {
		t[v] = decode(uint8(v))
	}
	return t
}

// planBlocks sets up mma … d, a, b, c{, e, f}, scale-a, {byte, thread}, scale-b, {byte, thread}.
func planBlocks(b *sem.Build) {
	o := newProductOp(b)
	s := &blockScales{format: scaleFormats[b.Sel.Get(isa.C_stype)], terms: o.Bits == 4}
	s.perRow = scalesPerRow[cmp.Or(b.Sel.Get(isa.C_vecsize), defaultScales[b.Sel.Get(isa.C_kind)])]
	s.a = newScaleOperand(b, b.In.Op(isa.R_scale_a), b.In.Op(isa.R_sel_a))
	s.b = newScaleOperand(b, b.In.Op(isa.R_scale_b), b.In.Op(isa.R_sel_b))
	s.zeros = s.terms && b.Assume(assume.ZeroTerms) == 1
	o.blocks = s
	o.fragments = o.denseFragments()
	b.Ext().Data = o
	b.Does(uop.Product)
}

func newScaleOperand(b *sem.Build, data, sel *ir.Operand) scaleOperand {
	ids := sem.Elements(sel)
	return scaleOperand{b.Src(data, 32), b.Src(&ids[0], 16), b.Src(&ids[1], 16)}
}

// ids reads the selectors: the lowest byte, and the threads that have the factors.
func (s *scaleOperand) ids(w *machine.Warp, in *machine.Inst, perRow, threads uint32) (ids scaleIDs, st machine.State) {
	first, same := uniform(w, s.byteID)
	thread, alike := uniform(w, s.threadID)
	switch {
	case !same || !alike:
		return ids, w.Fault(in, &machine.Fault{Kind: faults.PartialWarp, Lanes: w.Mask, Text: "the lanes give different selectors of scale factors"})
	case first%perRow != 0:
		return ids, w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: w.Mask, Value: uint64(first), Align: perRow, Text: "byte-id"})
	case first > 3:
		return ids, w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: w.Mask, Value: uint64(first), Want: 3, Text: "byte-id"})
	case thread >= threads:
		return ids, w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: w.Mask, Value: uint64(thread), Want: uint64(threads - 1), Text: "thread-id"})
	}
	return scaleIDs{int(first), int(thread)}, machine.Next
}

// scaleIDs are the lowest byte of a line's factors, and the threads that have them.
type scaleIDs struct{ first, thread int }

// scaleWords are registers with factors, and where those of A and B are in them.
type scaleWords struct {
	a, b     *[32]uint32
	inA, inB scaleIDs
}

// words finds the factors.
func (s *blockScales) words(w *machine.Warp, in *machine.Inst) (x scaleWords, st machine.State) {
	if x.inA, st = s.a.ids(w, in, uint32(s.perRow), 2); st == machine.Next {
		x.inB, st = s.b.ids(w, in, uint32(s.perRow), 4)
	}
	x.a, x.b = w.R32(s.a.row), w.R32(s.b.row)
	return x, st
}

// ofRow are the bytes of a row's factors, from the lowest on: those of row g or g+8 of A are in lanes of group g by their lowest bit.
func (x *scaleWords) ofRow(row int) uint32 {
	return x.a[(4*(row&7)+2*x.inA.thread+row>>3)&31] >> (8 * x.inA.first)
}

// ofColumn are those of column g of B, in one lane of the group.
func (x *scaleWords) ofColumn(column int) uint32 {
	return x.b[(4*column+x.inB.thread)&31] >> (8 * x.inB.first)
}

// scales are the factors of each row of A and column of B.
type scales struct {
	a [16][4]num.Scale
	b [8][4]num.Scale
}

// decode collects the factors.
func (s *blockScales) decode(x *scaleWords) (all scales) {
	for row := range all.a {
		s.decodeAll(&all.a[row], x.ofRow(row))
	}
	for column := range all.b {
		s.decodeAll(&all.b[column], x.ofColumn(column))
	}
	return all
}

func (s *blockScales) decodeAll(to *[4]num.Scale, word uint32) {
	for c := range s.perRow {
		to[c] = s.format[uint8(word>>(8*c))]
	}
}

// of returns the scale of a place in K.
func (s *blockScales) of(list *[4]num.Scale, place, k int) num.Scale { return list[place*s.perRow/k] }

// scaled multiplies narrow floats with their scales, and adds them up.
func (o *productOp) scaled(w *machine.Warp, in *machine.Inst) machine.State {
	words, st := o.blocks.words(w, in)
	if st != machine.Next {
		return st
	}
	if o.fragments != nil && o.inRegisters(w, &words) {
		return machine.Next
	}
	if all := o.blocks.decode(&words); o.fragments != nil {
		o.dense(w, &all)
	} else {
		o.scaledSlowly(w, &all)
	}
	return machine.Next
}

// scaledSlowly is the reference implementation.
func (o *productOp) scaledSlowly(w *machine.Warp, all *scales) {
	var a, b [mostA]num.Factor
	var c, d [mostC]uint32
	o.eachA(w, func(at int, v uint32) { a[at] = o.elems[0].format.Factor(v) })
	o.eachB(w, func(at int, v uint32) { b[at] = o.elems[1].format.Factor(v) })
	o.eachC(w, func(at int, v uint32) { c[at] = v })
	rule, places, n := num.WholeRule(num.DotF32, num.DotF32), o.places(w), o.Stored()
	var x, y [mostA / 16]num.Factor
	var sa, sb [mostA / 16 / num.BlockTerm]num.Scale
	o.elementsOfD(func(i, from, first int) {
		rows, columns := &all.a[i/o.N], &all.b[i%o.N]
		for k := range n {
			place := placeOf(places, from, k)
			x[k], y[k] = a[from+k], b[first+place]
			if !o.blocks.terms {
				x[k], y[k] = x[k].Scaled(o.blocks.of(rows, place, o.K)), y[k].Scaled(o.blocks.of(columns, place, o.K))
				continue
			}
			sa[k/num.BlockTerm], sb[k/num.BlockTerm] = o.blocks.of(rows, place, o.K), o.blocks.of(columns, place, o.K)
		}
		if o.blocks.terms {
			d[i] = num.SumBlocks(x[:n], y[:n], sa[:n/num.BlockTerm], sb[:n/num.BlockTerm], c[i], o.blocks.zeros)
			return
		}
		d[i] = rule.Sum(x[:n], y[:n], c[i])
	})
	o.give(w, &d)
}
