package dense

import (
	"fmt"
	"math/rand/v2"

	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// packings are those that instructions have: A is Left or Right.
var packings = []num.DensePacking{{}, {Sparse: true}, {Four: true}, {Sparse: true, Four: true}}

// Packed draws products of sparse matrices, of elements of four bits and with scale factors, and calls visit with each and a name.
func Packed(r *rand.Rand, visit func(name string, d *num.Dense)) {
	var d num.Dense
	for i := range 600 {
		shape := num.DenseShape{Rows: 1 + r.IntN(5), Columns: 1 + r.IntN(40), K: []int{32, 64}[r.IntN(2)]}
		form, a := packings[r.IntN(len(packings))], r.IntN(2)
		shape.Packing[a] = form
		shape.Packing[1-a].Four = form.Four
		kind := r.IntN(4)
		f := Formats[r.IntN(len(Formats))]
		if form.Four || kind == 3 {
			f = Formats[len(Formats)-1]
		}
		c := num.DotF32
		switch shape.Bits = f.Bits; {
		case kind == 0 && (form.Four || f.Bits == 8):
			shape.Integers, shape.Bits, shape.Saturate = true, 8, r.IntN(2) == 0
			shape.Signed = [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}
		case kind == 3:
			shape.PerLine, shape.Terms, shape.Zeros, shape.Rule = shape.K/num.BlockTerm, true, r.IntN(2) == 0, num.WholeRule(c, c)
			if form.Sparse {
				shape.PerLine /= 2
			}
		case kind == 2 && f.Bits == 8:
			shape.PerLine, shape.Rule = 1, num.WholeRule(c, c)
		default:
			if r.IntN(2) == 0 {
				c = num.DotF16
			}
			rules := Rules(f.F, c)
			shape.Rule = rules[r.IntN(len(rules))]
		}
		shape.Format = [2]num.DotFormat{f.F, f.F}
		d.Set(&shape)
		wild := []int{0, 1, 40}[r.IntN(3)]
		Draw(r, &d, c, wild)
		drawRaw(r, &d, wild)
		if shape.Integers {
			for at := range d.Sum {
				d.Sum[at] = r.Uint32()
			}
		}
		visit(fmt.Sprintf("product %d, %+v, %d edge values in 100", i, shape, wild), &d)
	}
}

// drawRaw fills operands that are packed, and scale factors.
func drawRaw(r *rand.Rand, d *num.Dense, wild int) {
	bits := d.Bits
	for i, p := range d.Packing {
		list := d.Raw[i]
		if !p.Sparse && !p.Four {
			continue
		}
		for at := range list {
			if list[at] = r.Uint32(); p.Four {
				bits = 4
				continue
			}
			list[at] = 0
			for j := 0; j < 32; j += d.Bits {
				list[at] |= element(r, d.Format[i], wild) & uint32(1<<d.Bits-1) << j
			}
		}
		for at := range d.Meta {
			d.Meta[at] = metadata[r.IntN(len(metadata))] | metadata[r.IntN(len(metadata))]<<4
		}
		if p.Sparse && wild > 1 && r.IntN(3) == 0 { // a place twice
			d.Meta[r.IntN(len(d.Meta))] = uint8(r.Uint32())
		}
	}
	d.Unpack(num.NewDenseChoices(bits, func(k int, meta uint32) int { return tensor.Product{Bits: bits}.Selected(k, meta) }))
	decode, fine := num.ScaleUE8M0, r.IntN(2) == 0 && d.Terms
	if fine {
		decode = num.ScaleUE4M3
	}
	for _, list := range d.Scales {
		for at := range list {
			v := uint8(127 + r.IntN(7) - 3)
			if r.IntN(100) < wild {
				v = uint8(r.Uint32())
			}
			if fine && r.IntN(100) >= wild {
				v = uint8(0x38 + r.IntN(16))
			}
			list[at] = decode(v)
		}
	}
}

// metadata choose two different places, in either order.
var metadata = []uint8{0x4, 0x8, 0xc, 0x9, 0xd, 0xe, 0x1, 0x2, 0x3, 0x6, 0x7, 0xb}

// PackedWarps draws products of the shapes that mma has with a sparse A, elements of four bits and scale factors, as Warps does.
func PackedWarps(r *rand.Rand, visit func(name string, d *num.Dense, half bool, wild int)) {
	var d num.Dense
	for i := range 800 {
		f := Formats[r.IntN(len(Formats))]
		shape := num.DenseShape{Rows: 16, Columns: 8, K: 256 / f.Bits << r.IntN(2), Bits: f.Bits}
		c, kind := num.DotF32, r.IntN(5)
		if kind > 1 {
			shape.K, f = 64, Formats[len(Formats)-1]
			shape.Bits = 8
		}
		switch kind {
		case 0: // sparse
			shape.Packing[0].Sparse = true
		case 1: // mxf8f6f4
			if shape.Bits != 8 {
				continue
			}
			shape.PerLine, shape.Rule, shape.Packing[0].Sparse = 1, num.WholeRule(c, c), r.IntN(2) == 0
		case 2: // mxf4
			shape.Packing = [2]num.DensePacking{{Four: true}, {Four: true}}
			shape.PerLine, shape.Terms, shape.Zeros, shape.Rule = shape.K/num.BlockTerm, true, r.IntN(2) == 0, num.WholeRule(c, c)
		default: // integers
			shape.Integers, shape.Saturate, shape.Signed = true, r.IntN(2) == 0, [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}
			if shape.Packing[0].Sparse = kind == 3; kind == 4 {
				shape.Packing = [2]num.DensePacking{{Four: true}, {Four: true}}
				shape.Rows = 8 + 8*r.IntN(2)
			}
		}
		if kind == 0 {
			if r.IntN(2) == 0 {
				c = num.DotF16
			}
			rules := Rules(f.F, c)
			shape.Rule = rules[r.IntN(len(rules))]
			if p, same := shape.Rule.Plan(shape.K); !same || p.Half() != (c == num.DotF16) {
				continue
			}
		}
		shape.Format = [2]num.DotFormat{f.F, f.F}
		d.Set(&shape)
		wild := []int{0, 0, 1, 40}[r.IntN(4)]
		Draw(r, &d, c, wild)
		drawRaw(r, &d, wild)
		if shape.Integers {
			for at := range d.Sum {
				d.Sum[at] = r.Uint32()
			}
		}
		visit(fmt.Sprintf("product %d, %+v, %d edge values in 100", i, shape, wild), &d, c == num.DotF16, wild)
	}
}
