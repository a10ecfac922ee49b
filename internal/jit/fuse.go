package jit

// Peepholes of merged programs. None changes a rounding: they are about bits alone.

import (
	"math/bits"
	"slices"
)

// fuse makes rotations of shifts, and three-input logic of chains of two-input logic (AVX-512).
func (m *merged) fuse() {
	m.peepholes()
}

func (m *merged) peepholes() {
	if !m.evex {
		for i := range m.ops {
			m.andNot(&m.ops[i])
			m.turned(&m.ops[i])
		}
		return
	}
	for i := range m.ops {
		m.rotate(i)
	}
	m.maskCompares()
	m.sumsIf()
	m.sumsUnder()
	if !slices.ContainsFunc(m.ops, func(o operation) bool { return isLogic(o.code) }) {
		return
	}
	uses := m.uses()
	for i := len(m.ops) - 1; i >= 0; i-- { // the last of a chain takes the others in
		if uses[i] > 0 {
			m.ternary(i, uses)
		}
	}
}

// uses counts the readers of each operation that anybody needs.
func (m *merged) uses() []int {
	n, need := m.ints(len(m.ops)), m.needs()
	for i := range m.ops {
		if need[i] {
			for _, a := range m.ops[i].args() {
				n[a]++
			}
		}
	}
	for i := range m.rows {
		n[m.rows[i].v]++
	}
	for i := range m.masks {
		n[m.masks[i].v]++
	}
	return n
}

// product adds an operation: a product with a number next to a power of two as a shift and a sum, since the machine
// takes ten cycles for one of 32 bits and fifteen for one of 64.
func (m *merged) product(o operation) val {
	if o.code != cMul {
		return m.add(o)
	}
	a, n := o.a, uint64(0)
	k, known := m.known(o.b)
	if !known {
		a = o.b
		k, known = m.known(o.a)
	}
	if n = uint64(bits.TrailingZeros64(k &^ 1)); !known || k < 3 || n >= uint64(o.typ.bits()) {
		return m.add(o)
	}
	switch {
	case k == 1<<n|1:
		return m.sum(m.shlI(a, n), a)
	case k&(k+1) == 0 && bits.OnesCount64(k) < o.typ.bits():
		return m.sub(m.shlI(a, uint64(bits.OnesCount64(k))), a)
	}
	return m.add(o)
}

// andNot: a & ^b is one instruction.
func (m *merged) andNot(o *operation) {
	if o.code != cAnd {
		return
	}
	for _, side := range [2][2]val{{o.a, o.b}, {o.b, o.a}} {
		if not := &m.ops[side[0]]; not.code == cXor && not.typ == o.typ {
			for _, x := range [2][2]val{{not.a, not.b}, {not.b, not.a}} {
				if ones, fixed := m.fixed(x[1]); fixed && ones != 0 && m.typ(x[0]) != tM {
					*o = operation{code: cAndn, typ: o.typ, n: 2, a: x[0], b: side[1]}
					return
				}
			}
		}
	}
}

// turned takes the opposite of a mask out of what can have the mask itself: by AVX2 most comparisons are opposites of
// others.
func (m *merged) turned(o *operation) {
	switch {
	case o.code == cSel && m.ops[o.a].code == cMNot:
		o.a, o.b, o.c = m.ops[o.a].a, o.c, o.b
	case o.code == cMAnd && m.ops[o.a].code == cMNot:
		o.code, o.a = cMAndn, m.ops[o.a].a
	case o.code == cMAnd && m.ops[o.b].code == cMNot:
		o.code, o.a, o.b = cMAndn, m.ops[o.b].a, o.a
	}
}

// turnMasks leaves it to the bits of a predicate to be turned.
func (m *merged) turnMasks() {
	for k := range m.masks {
		if d := &m.masks[k]; m.ops[d.v].code == cMNot {
			d.v, d.turned = m.ops[d.v].a, true
		}
	}
}

// rotate: x<<k | x>>(bits-k).
func (m *merged) rotate(i int) {
	o := &m.ops[i]
	if o.code != cOr && o.code != cXor && o.code != cAdd {
		return
	}
	l, r := &m.ops[o.a], &m.ops[o.b]
	if l.code == cShrI {
		l, r = r, l
	}
	if l.code == cShlI && r.code == cShrI && l.a == r.a && l.imm+r.imm == uint64(o.typ.bits()) {
		m.ops[i] = operation{code: cRotI, typ: o.typ, n: 1, a: l.a, imm: l.imm}
	}
}

// truth tables of the three inputs of vpternlog.
var leafTables = [3]uint8{0xf0, 0xcc, 0xaa}

// ternary makes one operation of logic of up to three values.
func (m *merged) ternary(i int, uses []int) {
	if !isLogic(m.ops[i].code) {
		return
	}
	leaves, grown := m.leaves(nil, val(i), nil), false
	inner := map[val]bool{val(i): true}
	for again := true; again; {
		again = false
		for _, l := range leaves {
			if !isLogic(m.ops[l].code) || uses[l] != 1 {
				continue
			}
			inner[l] = true
			if next := m.leaves(nil, val(i), inner); len(next) <= 3 {
				leaves, grown, again = next, true, true
				break
			}
			delete(inner, l)
		}
	}
	if !grown || len(leaves) == 0 {
		return
	}
	lut := m.table(val(i), leaves, inner)
	for len(leaves) < 3 {
		leaves = append(leaves, leaves[0])
	}
	for v := range inner {
		if int(v) != i {
			uses[v] = 0
		}
	}
	m.ops[i] = operation{code: cTern, typ: m.ops[i].typ, n: 3, a: leaves[0], b: leaves[1], c: leaves[2], imm: uint64(lut)}
}

func isLogic(c code) bool {
	return c == cAnd || c == cOr || c == cXor || c == cAndn || c == cTern
}

// leaves lists what an expression depends on that is no inner operation and no constant of zeros
// or ones.
func (m *merged) leaves(list []val, v val, inner map[val]bool) []val {
	if inner != nil && !inner[v] {
		return m.leaf(list, v)
	}
	for _, a := range m.ops[v].args() {
		if inner[a] {
			list = m.leaves(list, a, inner)
		} else {
			list = m.leaf(list, a)
		}
	}
	return list
}

func (m *merged) leaf(list []val, v val) []val {
	if _, fixed := m.fixed(v); fixed || repeated(list, v) {
		return list
	}
	return append(list, v)
}

// fixed is the truth table of a constant of zeros or ones.
func (m *merged) fixed(v val) (uint8, bool) {
	k, ok := m.known(v)
	all := ^uint64(0)
	if m.typ(v) == tW {
		all = 0xffffffff
	}
	switch {
	case ok && k == 0:
		return 0, true
	case ok && k == all:
		return 0xff, true
	}
	return 0, false
}

// table is the truth table of an expression.
func (m *merged) table(v val, leaves []val, inner map[val]bool) uint8 {
	if !inner[v] {
		if t, ok := m.fixed(v); ok {
			return t
		}
		for k, l := range leaves {
			if l == v {
				return leafTables[k]
			}
		}
	}
	o := &m.ops[v]
	var t [3]uint8
	for k, a := range o.args() {
		t[k] = m.table(a, leaves, inner)
	}
	switch o.code {
	case cAnd:
		return t[0] & t[1]
	case cOr:
		return t[0] | t[1]
	case cXor:
		return t[0] ^ t[1]
	case cAndn:
		return ^t[0] & t[1]
	}
	return combine3(uint8(o.imm), t)
}

// combine3 applies a truth table of three inputs to truth tables.
func combine3(lut uint8, t [3]uint8) (out uint8) {
	for bit := range 8 {
		n := t[0]>>bit&1<<2 | t[1]>>bit&1<<1 | t[2]>>bit&1
		out |= lut >> n & 1 << bit
	}
	return out
}

// maskCompares makes comparisons with zero of bits that one number has tests of these bits, and comparisons whose
// result is only looked at under other masks comparisons under these masks.
func (m *merged) maskCompares() {
	for i := range m.ops {
		m.bitTest(&m.ops[i])
	}
	if !slices.ContainsFunc(m.ops, func(o operation) bool { return o.code == cMAnd || o.code == cMAndn }) {
		return
	}
	uses, under := m.uses(), m.ints(len(m.ops))
	for i := range m.ops {
		if cmp, _, _, ok := m.maskedCompare(i); ok && uses[i] > 0 {
			under[cmp]++
		}
	}
	for i := range m.ops {
		if cmp, with, turn, ok := m.maskedCompare(i); ok && uses[cmp] == under[cmp] && uses[cmp] <= 2 {
			c := m.ops[cmp]
			m.ops[i] = operation{code: c.code, typ: tM, n: 3, a: c.a, b: c.b, c: with, imm: c.imm ^ turn}
		}
	}
}

// sumsIf makes sums with a value or zero, as a mask says, sums under this mask. Where zero is what the mask selects, a
// comparison that nobody else looks at is turned.
func (m *merged) sumsIf() {
	uses := m.uses()
	for i := range m.ops {
		o := &m.ops[i]
		if o.code != cAdd || uses[i] == 0 {
			continue
		}
		sum, what := o.a, o.b
		if m.ops[what].code != cSel {
			sum, what = what, sum
		}
		sel := m.ops[what]
		if sel.code != cSel || uses[what] != 1 || sum == what {
			continue
		}
		switch zero := m.constant(o.typ, 0); {
		case sel.c == zero:
			m.ops[i] = operation{code: cSumIf, typ: sel.typ, n: 3, a: sel.a, b: sum, c: sel.b}
		case sel.b == zero && uses[sel.a] == 1 && m.compares(sel.a):
			m.ops[sel.a].imm ^= cmpTurned
			m.ops[i] = operation{code: cSumIf, typ: sel.typ, n: 3, a: sel.a, b: sum, c: sel.c}
		}
	}
}

// sumsUnder makes sums that are selected where a mask says, else one of their summands, sums under this mask, if others who
// read the sum look at these lanes alone.
func (m *merged) sumsUnder() {
	of := m.mem.vals.take(len(m.ops)) // the selection of a sum, from 1 on
	found := false
	for i := range m.ops {
		if sum, ok := m.selectedSum(i); ok {
			of[sum], found = val(i)+1, true
		}
	}
	if !found {
		return
	}
	need := m.needs()
	for i := range m.ops {
		for _, a := range m.ops[i].args() {
			if s := of[a]; s != 0 && need[i] && s != val(i)+1 && !m.comparesUnder(i, m.ops[s-1].a) {
				of[a] = 0
			}
		}
	}
	for i := range m.rows {
		of[m.rows[i].v] = 0
	}
	m.sumUnder(of)
}

// selectedSum is the sum that an operation selects where a mask says that was there before.
func (m *merged) selectedSum(i int) (sum val, ok bool) {
	o := &m.ops[i]
	if o.code != cSel {
		return 0, false
	}
	s := &m.ops[o.b]
	return o.b, s.code == cAdd && s.typ == o.typ && (s.a == o.c) != (s.b == o.c) && o.a < o.b
}

// comparesUnder tells whether an operation is a comparison of the lanes of a mask alone.
func (m *merged) comparesUnder(i int, mask val) bool {
	o := &m.ops[i]
	return (o.code == cCmp || o.code == cTest) && o.n == 3 && o.c == mask
}

// sumUnder makes sums what selections of them, from 1 on, are.
func (m *merged) sumUnder(of []val) {
	to := m.mem.vals.take(len(m.ops))
	for i := range to {
		to[i] = val(i)
	}
	for sum, s := range of {
		if s != 0 {
			sel, o := m.ops[s-1], &m.ops[sum]
			*o = operation{code: cSumIf, typ: sel.typ, n: 3, a: sel.a, b: sel.c, c: o.a + o.b - sel.c}
			to[s-1] = val(sum)
		}
	}
	for i := range m.ops {
		o := &m.ops[i]
		for k, a := range [...]*val{&o.a, &o.b, &o.c} {
			if k < int(o.n) {
				*a = to[*a]
			}
		}
	}
	for i := range m.rows {
		m.rows[i].v = to[m.rows[i].v]
	}
}

// maskedCompare tells whether a value is a comparison, or the opposite of one (turn), together with another mask.
func (m *merged) maskedCompare(i int) (cmp, with val, turn uint64, ok bool) {
	o := &m.ops[i]
	switch {
	case o.code == cMAndn && m.compares(o.a):
		return o.a, o.b, cmpTurned, true
	case o.code == cMAnd && m.compares(o.a):
		return o.a, o.b, 0, true
	case o.code == cMAnd && m.compares(o.b):
		return o.b, o.a, 0, true
	}
	return 0, 0, 0, false
}

func (m *merged) compares(v val) bool {
	o := &m.ops[v]
	return (o.code == cCmp || o.code == cFCmp || o.code == cTest) && o.n == 2
}

// bitTest: a&b compared with 0, or with b if that is one bit.
func (m *merged) bitTest(o *operation) {
	if o.code != cCmp || o.imm != cmpEQ && o.imm != cmpNE || m.ops[o.a].code != cAnd {
		return
	}
	and, turn := &m.ops[o.a], uint64(0)
	k, known := m.known(o.b)
	switch {
	case !known:
		return
	case k == 0:
		turn = cmpTurned
	case bits.OnesCount64(k) != 1 || and.a != o.b && and.b != o.b:
		return
	}
	if o.imm == cmpNE {
		turn ^= cmpTurned
	}
	*o = operation{code: cTest, typ: tM, n: 2, a: and.a, b: and.b, imm: turn}
}
