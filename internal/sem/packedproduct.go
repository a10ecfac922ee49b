package sem

// The fast way of products of dense matrices of finite floats; matrices.floats is its reference implementation.

import "ptxvm.invalid/ptxvm/internal/num"

// packed multiplies dense matrices of finite floats, faster; false if there are others.
func (p *matrices) packed(left, right []num.Factor) bool {
	a, fine := num.Pack(left)
	b, too := num.Pack(right)
	if !fine || !too || !p.rule.Quick(a, b) {
		return false
	}
	for at := range p.sum {
		row, column := at/p.columns, at%p.columns
		p.sum[at] = p.rule.SumPacked(a.From(row*p.k, p.k), b.From(column*p.k, p.k), p.sum[at])
	}
	return true
}
