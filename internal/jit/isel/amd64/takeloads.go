package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This file computes at the end of a block what others want of it and takes loads that wait. A loop's sum is such: it is the block behind the
// loop's test that hands it to the next turn, where the loads, made at the end of this block for all parts, would have had registers all the while.

// takeLoads computes what takes loads that wait, if that is no more values than there are loads.
func (s *selector) takeLoads() {
	if len(s.pending) == 0 {
		return
	}
	var list []ssa.Value
	for _, i := range s.ssa.Items() {
		if i.Effect == nil && s.open(i.Value) && s.takesLoad(i.Value, 4) && s.escapes(i.Value) {
			list = append(list, i.Value)
		}
	}
	if len(list) > len(s.pending) {
		return
	}
	if len(list) <= 2 {
		s.want(list...)
	}
	for part := range 8 {
		for _, v := range list {
			if part < s.partsOf(v) {
				s.part(v, part)
			}
		}
	}
}

// takesLoad tells whether lanes are computed from a load that waits, by so many operations one behind the other.
func (s *selector) takesLoad(v ssa.Value, depth int) bool {
	return slices.ContainsFunc(s.f.Ops[v].Operands(), func(a ssa.Value) bool {
		if e := s.loads[a]; e != nil {
			return !s.f.IsNum(a) && s.waits(e, a)
		}
		return depth > 0 && s.open(a) && s.takesLoad(a, depth-1)
	})
}

// escapes tells whether others than the running block want a value.
func (s *selector) escapes(v ssa.Value) bool {
	n := int32(0)
	count := func(list ...ssa.Value) {
		for _, x := range list {
			if x == v {
				n++
			}
		}
	}
	count(s.ssa.Cond)
	for _, i := range s.ssa.Items() {
		if i.Effect != nil {
			count(i.Effect.Reads()...)
		} else {
			count(s.f.Ops[i.Value].Operands()...)
		}
	}
	for _, e := range s.ssa.Out {
		count(e.Args...)
	}
	return n < s.wanted[v]
}
