package isa

// This file finds the element for which a vector does not fit.

import "slices"

// elementFinding narrows the finding of a vector to one element, if one alone is to blame.
func (k *kindSpec) elementFinding(f *Mismatch, s *Shape) {
	j := k.oddElement(s)
	if j < 0 {
		return
	}
	one, e := *k, &s.Elems[j]
	one.vector = -1
	if j == k.index-1 && e.fractional() {
		f.Elem, f.Want, f.Have, f.Kind = j, "a whole number, the layer", e.String(), OperandType
		return
	}
	f.Elem, f.Want, f.Have = j, one.String(), e.String()
	if m := k.misfitAlone(e); m != fits {
		f.Kind = misfitKinds[m]
		return
	}
	f.Kind = OperandType // it does not go with the others
	f.Have += " beside " + k.joined(s, j).String()
}

// oddElement is the element without which a vector fits, the last one if several will do; else the
// first one that does not fit where some others do. It is -1 if there is none.
func (k *kindSpec) oddElement(s *Shape) int {
	if k.index > 0 && k.index <= len(s.Elems) && s.Elems[k.index-1].fractional() {
		return k.index - 1
	}
	odd, bad, good := -1, -1, false
	for j := range s.Elems {
		rest := *k
		rest.vector = len(s.Elems) - 1
		if rest.vector > 0 && rest.misfitVector(&Shape{Kind: ShapeVec, Elems: without(s.Elems, j)}) == fits {
			odd = j
		}
		if k.misfitAlone(&s.Elems[j]) == fits {
			good = true
		} else if bad < 0 {
			bad = j
		}
	}
	switch {
	case odd >= 0:
		return odd
	case good || len(s.Elems) == 1:
		return bad
	}
	return -1
}

// misfitAlone judges an element as if the vector had no other.
func (k *kindSpec) misfitAlone(e *Shape) misfit {
	one := *k
	one.vector, one.index = 1, 0
	return one.misfitVector(&Shape{Kind: ShapeVec, Elems: []Shape{*e}})
}

// joined is the type of the registers of a vector but one.
func (k *kindSpec) joined(s *Shape, but int) (t Type) {
	for j := range s.Elems {
		if e := &s.Elems[j]; j != but && k.typed(e) {
			t = k.join(t, e)
		}
	}
	return t
}

func without(list []Shape, j int) []Shape { return slices.Delete(slices.Clone(list), j, j+1) }
