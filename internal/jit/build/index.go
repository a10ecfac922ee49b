package build

import "ptxvm.invalid/ptxvm/internal/jit/ssa"

// This file makes tests in front hold for accesses by any index: where the index is known to be small (a table of 64 letters), or
// where it changes less often than the code runs (the column of a picture, in each row): then the tests are of its least and its
// largest lane.

// partIndex brings the numbers in an index into the base: base + extend(x + n) is base + extend(n) + extend(x) where no lane of x + n
// wraps, which a test in front says. It is done where x is computed less often than the sum.
func (p *path) partIndex(a *ssa.Access) {
	word, shift, signed := p.Extended(a.Index)
	if word == 0 || !signed || p.front == nil || p.opt.Without["indices"] {
		return
	}
	x, n := word, p.Word(0)
	for p.Ops[x].Code == ssa.Add {
		o := p.Ops[x]
		if p.Ops[o.A].Code == ssa.Bcast {
			o.A, o.B = o.B, o.A
		}
		switch y := p.Ops[o.B]; y.Code {
		case ssa.Const:
			n = p.Bin(ssa.Add, n, o.B)
		case ssa.Bcast:
			n = p.Bin(ssa.Add, n, y.A)
		default:
			return
		}
		x = o.A
	}
	if x == word || p.Info[x].Level >= p.block.Level || !p.front.sum(p.builder, x, n) {
		return
	}
	scaled := func(v ssa.Value) ssa.Value {
		return p.Bin(ssa.Shl, p.Make(ssa.Sext, ssa.X, 0, v), p.Wide(uint64(shift)))
	}
	a.Base, a.Index = p.Bin(ssa.Add, a.Base, scaled(n)), scaled(x)
	p.constantOut(a)
}

// constantOut brings a constant in the base into the displacement.
func (b *builder) constantOut(a *ssa.Access) {
	if o := b.Ops[a.Base]; o.Code == ssa.Add {
		if k, ok := b.Known(o.B); ok {
			a.Disp += int64(k)
			a.Base = o.A
		}
	}
}

// sum makes a test in front say that no lane of x + n wraps as a signed number.
func (t *front) sum(b *builder, x, n ssa.Value) bool {
	if !b.computable(x, t.limit) || !b.before(n, t.limit) {
		return false
	}
	t.inFront(b, func() {
		x, n = b.remade(x), b.remade(n)
		wide := func(v ssa.Value) ssa.Value { return b.Make(ssa.Sext, ssa.X, 0, v) }
		least, most := b.Make(ssa.Least, ssa.W, 0, x), b.Make(ssa.Most, ssa.W, 0, x)
		t.require(b.Cmp(ssa.LeS, b.Const(ssa.X, 1<<64-1<<31), b.Bin(ssa.Add, wide(least), wide(n))))
		t.require(b.Cmp(ssa.LeS, b.Bin(ssa.Add, wide(most), wide(n)), b.Const(ssa.X, 1<<31-1)))
	})
	return true
}

// coverIndex makes tests in front cover an access by an index, if they can.
func (t *front) coverIndex(b *builder, e *ssa.Effect, level int8) bool {
	a := e.Access
	word, shift, signed := b.Extended(a.Index)
	align := int64(max(a.Align, 1))
	if word == 0 || align > 1<<shift || a.Disp%align != 0 || a.Elem < 4 && int64(a.Elem) != align {
		return false
	}
	if limit := b.Limit(word); limit<<shift < 1<<24 {
		t.inFront(b, func() { a.Base = b.remade(a.Base) })
		a.Check = t.inside(b, e, a.Base, 0, int64(limit<<shift))
		return a.Check != 0
	}
	if !signed || b.opt.Without["indices"] || b.Info[word].Level >= level || !b.computable(word, t.limit) {
		return false
	}
	t.inFront(b, func() {
		a.Base, word = b.remade(a.Base), b.remade(word)
		at := func(c ssa.Code) ssa.Value {
			v := b.Make(ssa.Sext, ssa.X, 0, b.Make(c, ssa.W, 0, word))
			return b.Bin(ssa.Add, a.Base, b.Bin(ssa.Shl, v, b.Wide(uint64(shift))))
		}
		a.Index = b.Bin(ssa.Shl, b.Make(ssa.Sext, ssa.X, 0, word), b.Wide(uint64(shift)))
		if a.Low, a.High = at(ssa.Least), at(ssa.Most); 1<<shift == int(a.Elem) && a.Count == 1 && e.Kind == ssa.Load && !b.opt.Without["runs"] {
			a.Runs = b.Make(ssa.Runs, ssa.M, 0, word)
		}
	})
	if a.Check, a.Upto = t.inside(b, e, a.Low, 0, 0), t.inside(b, e, a.High, 0, 0); a.Check == 0 || a.Upto == 0 {
		a.Check, a.Upto, a.Low, a.High, a.Runs = 0, 0, 0, 0, 0
	}
	return a.Check != 0
}
