package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This file decides in which order what is wanted is computed. The operand that takes most registers comes first
// (Sethi, Ullman: The Generation of Optimal Code for Arithmetic Expressions). Where all parts of an expression have
// room at once they go through each operation together, so what is the same for all lanes is shared and dependent
// instructions have others between them:
//
//	acc = fma(bcast(c[0]), x, acc)  four times, then the next: five registers
//
// Otherwise the expression is computed for one part after the other.

// want computes lanes for all parts, if they have room together.
func (s *selector) want(list ...ssa.Value) {
	for _, v := range list {
		if !s.f.IsNum(v) && s.need(v)*s.partsOf(v) <= s.isa.room {
			s.wantAll(v)
		}
	}
}

// wantAll computes a value for all parts, its operands before it.
func (s *selector) wantAll(v ssa.Value) {
	o := &s.f.Ops[v]
	if !s.open(v) {
		return
	}
	list := s.deepest(o)
	for _, a := range list[:o.N] {
		if o.Code == ssa.And && s.f.Ops[a].Code == ssa.Not && s.f.TypeOf(a) == ssa.M {
			a = s.f.Ops[a].A // m & ~n is one instruction
		}
		if s.need(a) > 1 {
			s.wantAll(a)
		}
	}
	for i := range s.partsOf(v) {
		s.part(v, i)
	}
}

// open tells whether lanes are an operation that is to be computed in the running block.
func (s *selector) open(v ssa.Value) bool {
	o := &s.f.Ops[v]
	if o.Code <= ssa.Bcast || s.f.IsNum(v) || s.stub == nil && s.placed[v] != nil && s.placed[v] != s.ssa {
		return false
	}
	_, there := s.look(key{v: v, kind: asPart})
	return !there
}

// deepest are the operands in the order in which they are computed.
func (s *selector) deepest(o *ssa.Op) (list [3]ssa.Value) {
	all := [3]ssa.Value{o.A, o.B, o.C}
	for n, v := range all[:o.N] {
		for ; n > 0 && s.need(list[n-1]) < s.need(v); n-- {
			list[n] = list[n-1]
		}
		list[n] = v
	}
	return list
}

// need is how many vectors it takes to compute one part of a value: 0 for what is there, is a constant, or the same in
// all lanes.
func (s *selector) need(v ssa.Value) int {
	if n := s.needs[v]; n != 0 {
		return int(n) - 1
	}
	n := s.computeNeed(v)
	s.needs[v] = uint8(min(n, 100) + 1)
	return n
}

func (s *selector) computeNeed(v ssa.Value) int {
	o := &s.f.Ops[v]
	switch {
	case s.f.Info[v].Uni || o.Code == ssa.Param:
		return 0
	case o.Code == ssa.Result || o.Code == ssa.Strided || o.Code == ssa.Each:
		return 1
	}
	var list [3]int
	for i, a := range o.Operands() {
		list[i] = s.need(a)
	}
	slices.Sort(list[:])
	return max(list[2], list[1]+1, list[0]+2, 1)
}

// operandsFirst computes the operands of part i of an operation, those that take most first.
func (s *selector) operandsFirst(o *ssa.Op, w, i int) {
	if o.N < 2 {
		return
	}
	list := s.deepest(o)
	for _, a := range list[:o.N] {
		if s.need(a) > 1 && (w == 0 || s.f.TypeOf(a) != ssa.M) {
			s.part(a, i)
		}
	}
}

// chosen computes the selects of a mask that has been counted, and those that have waited for them, if their operands are there. At the end of
// the block, where they are wanted, the mask would have left its registers: code that has many arms has as many masks.
func (s *selector) chosen(mask ssa.Value) {
	if s.f.IsNum(mask) {
		return
	}
	for _, v := range s.selects[mask] {
		if s.wanted[v] > 0 && s.placed[v] == s.ssa {
			s.choices = append(s.choices, v)
		}
	}
	left := s.choices[:0]
	for _, v := range s.choices {
		if s.atHand(v, 2) {
			s.wantAll(v)
		} else {
			left = append(left, v)
		}
	}
	s.choices = left
}

// atHand tells whether lanes are there, or are computed from such by so many operations one behind the other.
func (s *selector) atHand(v ssa.Value, depth int) bool {
	o := &s.f.Ops[v]
	if o.Code == ssa.Each {
		return true
	}
	if s.f.Info[v].Uni || o.Code == ssa.Strided || o.Code == ssa.Param {
		return s.madeFrom(v, 8)
	}
	if _, there := s.look(key{v, asPart, int16(s.partsOf(v) - 1)}); there {
		return true
	}
	if depth == 0 || o.Code == ssa.Result || s.placed[v] != s.ssa {
		return false
	}
	for _, a := range o.Operands() {
		if !s.atHand(a, depth-1) {
			return false
		}
	}
	return true
}

// madeFrom tells whether a value that is no lanes, or strided, is there or is computed from such, by no more than so many operations one behind
// the other: it waits for no load of the running block that comes later.
func (s *selector) madeFrom(v ssa.Value, depth int) bool {
	if _, there := s.look(key{v: v, kind: s.kindOf(v)}); there {
		return true
	}
	switch p, b := s.placed[v], s.f.Info[v].Block; {
	case s.loads[v] != nil:
		return slices.Contains(s.pending, s.loads[v])
	case b >= 0:
		return s.dom.Dominates(s.f.Blocks[b], s.ssa)
	case p != nil && p != s.ssa:
		return s.dom.Dominates(p, s.ssa)
	}
	for _, a := range s.f.Ops[v].Operands() {
		if depth == 0 || !s.madeFrom(a, depth-1) {
			return false
		}
	}
	return true
}
