package amd64

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has operations on lanes that AVX2 has no instruction for.

// productOfWords is one of 64 bits whose operands have been words; 0 if they are not known to have been.
func (s *selector) productOfWords(o *ssa.Op, i int) isel.VReg {
	code := x86.VPMULUDQ
	switch a, b := &s.f.Ops[o.A], &s.f.Ops[o.B]; {
	case s.f.Limit(o.A) <= math.MaxUint32 && s.f.Limit(o.B) <= math.MaxUint32:
	case a.Code == ssa.Sext && b.Code == ssa.Sext:
		code = x86.VPMULDQ
	default:
		return 0
	}
	x := s.part(o.A, i)
	return s.vector(code, x, s.part(o.B, i))
}

// wideProduct is the low half of a product of 64 bits.
func (s *selector) wideProduct(a, b isel.VReg) isel.VReg {
	cross := s.vector(x86.VPADDQ, s.vector(x86.VPMULUDQ, s.imm(x86.VPSRLQ, 32, a), b), s.vector(x86.VPMULUDQ, a,
		s.imm(x86.VPSRLQ, 32, b)))
	return s.vector(x86.VPADDQ, s.imm(x86.VPSLLQ, 32, cross), s.vector(x86.VPMULUDQ, a, b))
}

// highProducts are the high halves of products of words.
func (s *selector) highProducts(c ssa.Code, a, b isel.VReg) isel.VReg {
	mul := [2]x86.Op{x86.VPMULUDQ, x86.VPMULDQ}[bit(c == ssa.MulHiS)]
	even := s.imm(x86.VPSRLQ, 32, s.vector(mul, a, b))
	odd := s.vector(mul, s.imm(x86.VPSRLQ, 32, a), s.imm(x86.VPSRLQ, 32, b))
	if s.isa.Has(Masks) {
		return s.under(x86.VPBLENDMD, s.out.Constant(isel.Mask, words(0xaaaa)), even, odd)
	}
	return s.imm(x86.VPBLENDD, 0xaa, even, odd)
}

// halvesPacked are the low halves of words, side by side.
func (s *selector) halvesPacked(a isel.VReg) isel.VReg {
	if s.isa.Has(Masks) {
		return s.vector(x86.VPMOVDW, a)
	}
	order := words(0x05040100, 0x0d0c0908, 0x80808080, 0x80808080)
	return s.imm(x86.VPERMQ, 0b1000, s.vector(x86.VPSHUFB, a, s.out.Constant(isel.Vector, order)))
}

// counted is how many bits of a lane are set: by halves of bytes from a table, whose counts are added.
func (s *selector) counted(w int, a isel.VReg) isel.VReg {
	table, low := s.out.Constant(isel.Vector, words(0x02010100, 0x03020201, 0x03020201, 0x04030302)), s.splat(0x0f0f0f0f)
	least := s.vector(x86.VPSHUFB, table, s.vector(x86.VPAND, a, low))
	most := s.vector(x86.VPSHUFB, table, s.vector(x86.VPAND, s.imm(x86.VPSRLD, 4, a), low))
	bytes := s.vector(x86.VPADDB, least, most)
	if w == 1 {
		return s.vector(x86.VPSADBW, bytes, s.splat(0))
	}
	return s.vector(x86.VPMADDWD, s.vector(x86.VPMADDUBSW, bytes, s.splat(0x01010101)), s.splat(0x00010001))
}

// fromUnsigned is an unsigned word as a float: the halves as floats, added, which rounds once.
func (s *selector) fromUnsigned(a isel.VReg) isel.VReg {
	low := s.imm(x86.VPBLENDW, 0xaa, a, s.splat(0x4b000000))                          // 2^23 + the low half
	high := s.imm(x86.VPBLENDW, 0xaa, s.imm(x86.VPSRLD, 16, a), s.splat(0x53000000))  // 2^39 + the high half · 2^16
	return s.vector(x86.VADDPS, s.vector(x86.VSUBPS, high, s.splat(0x53000080)), low) // less 2^39 + 2^23
}

// permuted puts bytes of two words together.
func (s *selector) permuted(o *ssa.Op, i int) isel.VReg {
	r := isel.VReg(0)
	for k, v := range []ssa.Value{o.A, o.B} {
		var order isel.Const
		some := false
		for at := range order {
			n := int(o.Imm >> (4 * (at % 4)) & 7)
			if order[at] = 0x80; n/4 == k {
				order[at], some = byte(at%16&^3+n%4), true
			}
		}
		if !some {
			continue
		}
		x := s.vector(x86.VPSHUFB, s.part(v, i), s.out.Constant(isel.Vector, order))
		if r != 0 {
			x = s.vector(x86.VPOR, r, x)
		}
		r = x
	}
	return r
}

// magic is 2^52 as a double. Its lowest bits are ones: with a word in place of its low half it is 2^52 more than that,
// and what is added to it is rounded to an integer that stands there.
const magic = 0x4330000000000000

// quotientsByDoubles divide words by way of doubles, in two halves. A quotient of two words that is no integer is less
// than the next one by more than what rounding to 53 bits adds, so cut off it is right. By 0 all bits are set.
func (s *selector) quotientsByDoubles(c ssa.Code, a, b isel.VReg) isel.VReg {
	large := s.splatX(magic)
	double := func(v isel.VReg, high int) isel.VReg {
		return s.vector(x86.VSUBPD, s.vector(x86.VPOR, s.half(x86.VPMOVZXDQ, v, high), large), large)
	}
	var halves [2]isel.VReg
	for high := range halves {
		x := double(a, high)
		q := s.imm(x86.VROUNDPD, 11, s.vector(x86.VDIVPD, x, double(b, high))) // towards 0
		halves[high] = s.vector(x86.VADDPD, q, large)
	}
	r := s.even(halves[0], halves[1])
	if c == ssa.RemU {
		r = s.vector(x86.VPSUBD, a, s.vector(x86.VPMULLD, r, b))
	}
	return s.vector(x86.VPOR, r, s.vector(x86.VPCMPEQD, b, s.splat(0)))
}

// quotients divide lane by lane: AVX2 has no division of integers.
func (s *selector) quotients(o *ssa.Op, w int, a, b isel.VReg) isel.VReg {
	terms := s.area(fTerms, 2*s.isa.bytes())
	s.storeArea(terms, 0, a)
	s.storeArea(terms, s.isa.bytes(), b)
	rest, size := o.Code == ssa.RemU, x86.S32+x86.Size(w)
	d := s.out.NewReg(isel.Vector)
	run := func(c *code) { c.divideLanes(size, rest) }
	s.emit(&isel.Inst{Op: &op{name: o.Code.String(), run: run, areas: []touch{terms.reads()}}, Defs: []isel.VReg{d},
		Temps: s.temps(0, 1)})
	return d
}

// joined combines the parts of a mask.
func (s *selector) joined(v ssa.Value, code x86.Op) isel.VReg {
	r := s.part(v, 0)
	for i := 1; i < s.partsOf(v); i++ {
		r = s.vector(code, r, s.part(v, i))
	}
	return r
}

// bits is a mask as bits of a number, bit i of lane i.
func (s *selector) bits(v ssa.Value) isel.VReg {
	if k, ok := s.f.Known(v); ok {
		return s.number(uint64(uint32(-int32(k))))
	}
	return s.find(key{v: v, kind: asBits}, func(k key) { s.note(k, s.computeBits(v), s.block) })
}

// lanesOn is a mask as bits of a number, of the lanes that run here alone: of a mask that is a number a group has no others.
func (s *selector) lanesOn(v ssa.Value) isel.VReg {
	bits, others := s.bits(v), 32-s.lanesIn()
	if others == 0 || !s.f.IsNum(v) {
		return bits
	}
	return s.plain("lanes", func(c *code) {
		c.move(c.g(0), c.u(0))
		c.RI(x86.SHR, x86.S32, c.g(0), int32(others))
	}, bits)
}

func (s *selector) computeBits(v ssa.Value) isel.VReg {
	if s.f.IsNum(v) {
		return s.negated(s.num(v))
	}
	switch {
	case s.isa.Has(Masks):
		return s.bitsOfMasks(v)
	case s.f.LanesOf(v) < 32:
		return s.bitsOfParts(v)
	}
	return s.moveMask(s.vector(x86.VPERMD, s.out.Constant(isel.Vector, words(0, 4, 1, 5, 2, 6, 3, 7)), s.packed(v)))
}

// bitsOfParts is a mask of few lanes as bits of a number.
func (s *selector) bitsOfParts(v ssa.Value) isel.VReg {
	var parts []isel.VReg
	for i := range s.vectorsOf(s.f.LanesOf(v), ssa.W) {
		parts = append(parts, s.part(v, i))
	}
	d := s.out.NewReg(isel.General)
	run := func(c *code) {
		c.RV(x86.VMOVMSKPS, x86.W256, c.g(0), c.uv(0))
		for i := 1; i < len(parts); i++ {
			c.RV(x86.VMOVMSKPS, x86.W256, c.t(0), c.uv(i))
			c.RI(x86.SHL, x86.S32, c.t(0), int32(8*i))
			c.RR(x86.OR, x86.S32, c.g(0), c.t(0))
		}
	}
	s.emit(&isel.Inst{Op: &op{name: "bits of parts", run: run}, Defs: []isel.VReg{d}, Uses: parts, Temps: s.temps(1, 0), Early: true})
	return d
}

// packed is a mask of 32 lanes as bytes, in the order of AVX2's packs.
func (s *selector) packed(v ssa.Value) isel.VReg {
	low := s.vector(x86.VPACKSSDW, s.part(v, 0), s.part(v, 1))
	return s.vector(x86.VPACKSSWB, low, s.vector(x86.VPACKSSDW, s.part(v, 2), s.part(v, 3)))
}

// moveMask is the highest bits of bytes as a number.
func (s *selector) moveMask(v isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.General)
	run := func(c *code) { c.RV(x86.VPMOVMSKB, x86.W256, c.g(0), c.uv(0)) }
	s.emit(&isel.Inst{Op: &op{name: "vpmovmskb", run: run}, Defs: []isel.VReg{d}, Uses: []isel.VReg{v}})
	return d
}

// reduced is a number that follows from lanes.
func (s *selector) reduced(o *ssa.Op) isel.VReg {
	if s.isa.Has(Masks) && (o.Code == ssa.Any || o.Code == ssa.All) {
		return s.reducedMask(o)
	}
	switch o.Code {
	case ssa.Any:
		return s.plain("any", func(c *code) {
			c.VV(x86.VPTEST, x86.W256, c.uv(0), c.uv(0))
			c.set(x86.NE, c.g(0))
		}, s.joined(o.A, x86.VPOR))
	case ssa.All:
		return s.plain("all", func(c *code) {
			c.RV(x86.VMOVMSKPS, x86.W256, c.g(0), c.uv(0))
			c.RI(x86.CMP, x86.S32, c.g(0), 0xff)
			c.set(x86.E, c.g(0))
		}, s.joined(o.A, x86.VPAND))
	case ssa.Ballot:
		return s.bits(o.A)
	case ssa.Runs:
		return s.runs(o.A)
	}
	if code, ok := acrossLanes[o.Code]; ok {
		return s.combined(o, code)
	}
	return 0
}

// acrossLanes are the operations by which words become one.
var acrossLanes = map[ssa.Code]x86.Op{ssa.Least: x86.VPMINSD, ssa.Most: x86.VPMAXSD, ssa.Sum: x86.VPADDD,
	ssa.AndAll: x86.VPAND, ssa.OrAll: x86.VPOR, ssa.XorAll: x86.VPXOR}

// combined is what an operation makes of all lanes: of the vectors, then of their halves.
func (s *selector) combined(o *ssa.Op, code x86.Op) isel.VReg {
	r := s.part(o.A, 0)
	for i := 1; i < s.vectorsOf(s.f.LanesOf(o.A), ssa.W); i++ {
		r = s.vector(code, r, s.part(o.A, i))
	}
	if s.isa.Has(Masks) {
		return s.combined512(r, code)
	}
	r = s.vector(code, r, s.imm(x86.VEXTRACTI128, 1, r))
	r = s.vector(code, r, s.imm(x86.VPSHUFD, 0x4e, r))
	r = s.vector(code, r, s.imm(x86.VPSHUFD, 0xb1, r))
	return s.low(r)
}

// low is the first word of a vector.
func (s *selector) low(v isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.General)
	s.emit(&isel.Inst{Op: &op{name: "vmovd", run: func(c *code) { c.RV(x86.VMOVD, x86.W128, c.g(0), c.uv(0)) }},
		Defs: []isel.VReg{d}, Uses: []isel.VReg{v}})
	return d
}

// runs tells whether each lane of a word is one more than the one before, and the last does not wrap.
func (s *selector) runs(v ssa.Value) isel.VReg {
	if s.isa.Has(Masks) {
		return s.runs512(v)
	}
	first := s.low(s.part(v, 0))
	all, lanes := s.spread(first, ssa.W), s.f.LanesOf(v)
	differ := isel.VReg(0)
	for i := range s.partsOf(v) {
		d := s.vector(x86.VPXOR, s.vector(x86.VPADDD, all, s.steps32(i, 1)), s.part(v, i))
		if differ != 0 {
			d = s.vector(x86.VPOR, differ, d)
		}
		differ = d
	}
	d := s.out.NewReg(isel.General)
	run := func(c *code) {
		c.Zero(c.t(0))
		c.VV(x86.VPTEST, x86.W256, c.uv(0), c.uv(0))
		c.Set(x86.E, c.t(0))
		c.RI(x86.CMP, x86.S32, c.u(1), int32(1<<31-lanes)) // 0x7fffffff less the lanes behind the first
		c.set(x86.LE, c.g(0))
		c.RR(x86.AND, x86.S32, c.g(0), c.t(0))
	}
	s.emit(&isel.Inst{Op: &op{name: "runs", run: run}, Defs: []isel.VReg{d}, Uses: []isel.VReg{differ, first},
		Temps: s.temps(1, 0), Early: true})
	return d
}
