package num

// The fast way to sums of products: factors as two rows of integers, no branch for a product. It is for finite factors and
// rules that add up in order; DotRule.Sum is its reference implementation.

// Packed is a row of finite factors of one format.
type Packed struct {
	sig, top []int32
	frac     int // Exp is top-frac
}

// topOfZero is so low that no product with a zero counts for the largest exponent.
const topOfZero = -1 << 14

// Pack packs factors; false if one is NaN or infinite, or if there are several formats.
func Pack(list []Factor) (p Packed, ok bool) {
	if len(list) == 0 {
		return p, false
	}
	p = Packed{sig: make([]int32, len(list)), top: make([]int32, len(list)), frac: int(list[0].Top) - int(list[0].Exp)}
	for i, f := range list {
		if f.Kind != FactorFinite || int(f.Top)-int(f.Exp) != p.frac {
			return p, false
		}
		if p.sig[i], p.top[i] = f.Sig, int32(f.Top); f.Sig == 0 {
			p.top[i] = topOfZero
		}
	}
	return p, true
}

// From returns n factors from one on.
func (p Packed) From(i, n int) Packed {
	return Packed{p.sig[i : i+n], p.top[i : i+n], p.frac}
}

// Quick tells whether SumPacked can be used for two rows.
func (r DotRule) Quick(a, b Packed) bool { return !r.split && r.step.Keep >= a.frac+b.frac }

// SumPacked is Sum of packed rows for which Quick holds.
func (r DotRule) SumPacked(a, b Packed, c uint32) uint32 {
	sum, format := c, r.c
	for n := r.group; n != 0 && len(a.sig) > n; {
		sum, format = r.step.sumPacked(a.From(0, n), b.From(0, n), format.Factor(sum)), r.chain
		a, b = a.From(n, len(a.sig)-n), b.From(n, len(b.sig)-n)
	}
	return r.step.sumPacked(a, b, format.Factor(sum))
}

// sumPacked brings every product to the largest exponent: left by a common count that keeps all bits, then right, toward
// zero, by how far its exponent is below.
func (d Dot) sumPacked(a, b Packed, c Factor) uint32 {
	if c.Kind != FactorFinite {
		return d.special(c.Kind, c.Sig)
	}
	n := len(a.sig)
	as, bs, at, bt := a.sig[:n], b.sig[:n], a.top[:n], b.top[:n]
	top := int32(d.Floor)
	if c.Sig != 0 {
		top = max(top, int32(c.Top))
	}
	for i := range at {
		top = max(top, at[i]+bt[i])
	}
	q := int(top) - d.Keep
	sum, left := cut(int64(c.Sig), int(c.Exp)-q), uint(d.Keep-a.frac-b.frac)&63
	for i := range as {
		p := int64(as[i]) * int64(bs[i])
		sign := p >> 63
		m := uint64((p^sign)-sign) << left >> uint32(top-at[i]-bt[i])
		sum += (int64(m) ^ sign) - sign
	}
	return d.round(sum, q)
}
