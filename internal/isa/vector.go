package isa

// This file compares a vector with what a form says it may be: ptxas judges its elements one by one, and by their neighbours.

import "slices"

func (k *kindSpec) misfitVector(s *Shape) misfit {
	if s.Lanes != 0 && (s.Kind == ShapeReg || s.Kind == ShapeSpecial) {
		if s.Offset && !k.whole {
			return wrongKind
		}
		return k.misfitWhole(s)
	}
	if s.Kind != ShapeVec || k.whole {
		return wrongKind
	}
	if len(s.Elems) != k.vector {
		return wrongLength
	}
	if m := misfitElements(s.Elems); m != fits {
		return m
	}
	if k.single && slices.ContainsFunc(s.Elems, func(e Shape) bool { return e.Kind == ShapeImm && e.Float && e.literalBits() != 32 }) {
		return wrongType
	}
	if k.index > 0 && k.index < len(s.Elems) {
		return k.misfitIndexed(s.Elems)
	}
	if k.mixed && k.sorts&sortImm != 0 && s.Elems[0].Kind == ShapeImm {
		return k.misfitLed(s.Elems)
	}
	return k.misfitJoined(s)
}

// misfitIndexed: the number of a layer is a whole one, and neither it nor what stands before it has to go with the
// coordinates. These are registers of 32 bits of any one kind with constants of that kind, or constants of the second type (facts:
// ptxas).
func (k *kindSpec) misfitIndexed(list []Shape) misfit {
	layer := &list[k.index-1]
	if layer.fractional() {
		return wrongType
	}
	for i := range k.index {
		if m := k.misfitAlone(&list[i]); m != fits {
			return m
		}
	}
	rest := *k
	rest.index, rest.vector, rest.mixed = 0, len(list)-k.index, k.lenient
	coordinates := &Shape{Kind: ShapeVec, Elems: list[k.index:]}
	if !slices.ContainsFunc(coordinates.Elems, func(e Shape) bool { return e.Kind != ShapeImm }) {
		return rest.misfitConstants(coordinates, k.types[1])
	}
	return rest.misfitVector(coordinates)
}

// fractional reports whether an element is a floating-point number by its type or spelling.
func (s *Shape) fractional() bool {
	return s.Kind == ShapeImm && s.Float || s.Kind == ShapeReg && s.Type.Kind() == Float
}

// misfitElements: no element is a vector itself or a sum, and the components of vectors do not stand beside
// constants (facts: ptxas).
func misfitElements(list []Shape) misfit {
	constant, component := false, false
	for i := range list {
		switch e := &list[i]; {
		case e.Lanes != 0:
			return wrongLength
		case e.Offset:
			return wrongKind
		default:
			constant, component = constant || e.Kind == ShapeImm, component || e.component()
		}
	}
	if constant && component {
		return wrongKind
	}
	return fits
}

// misfitLed: a vector that begins with a constant counts as one. Whole numbers fit every type that takes them, and what
// is behind may have any width; floating-point ones are what the last element is (facts: ptxas).
func (k *kindSpec) misfitLed(list []Shape) misfit {
	first, t, last := &list[0], k.types[0], &list[0]
	for i := range list {
		switch e := &list[i]; {
		case e.Kind == ShapeImm || e.Kind == ShapeReg || e.Kind == ShapeSpecial && k.lenient:
			last = e
		default:
			if m := k.misfitElement(e); m != fits {
				return m
			}
		}
	}
	if !neighbours(list) || !t.begins(first, last) {
		return wrongType
	}
	return fits
}

// begins reports whether a vector of a type may begin with a constant and end with an element.
func (t Type) begins(first, last *Shape) bool {
	switch {
	case !first.Float && t.Kind() == Float: // the bits of a float, beside registers that may hold them
		return last.Kind != ShapeImm && last.register().beside(first)
	case !first.Float || t.Kind() == Float:
		return t.beside(first)
	case last.Kind == ShapeImm:
		return t.Kind() == Bits && t.Bits() == last.literalBits()
	}
	return t.Bits() == last.Type.Bits() && (t.Kind() == Bits || last.register().Kind() == Bits)
}

// literalBits is the width of a floating-point literal.
func (s *Shape) literalBits() int {
	if s.Hex && !s.Double {
		return 32
	}
	return 64
}

// register is the type of a register as an element; a special one counts as untyped.
func (s *Shape) register() Type {
	if s.Kind == ShapeSpecial {
		return s.Type.Storage()
	}
	return s.Type
}

// component reports whether the operand is a component of a vector register or of a special one.
func (s *Shape) component() bool {
	return s.Part || s.Kind == ShapeSpecial && s.Special.Info().Lanes > 1
}

// beside reports whether a constant may stand in a vector beside registers of a type (facts: ptxas).
func (t Type) beside(constant *Shape) bool {
	switch t.Kind() {
	case Bits:
		return true
	case Float:
		return constant.Float
	case Signed, Unsigned:
		return !constant.Float
	}
	return false
}

// misfitJoined judges the elements one by one, and the registers among them by the type that they have together.
func (k *kindSpec) misfitJoined(s *Shape) misfit {
	worst, joined := fits, Type(0)
	for i := range s.Elems {
		e := &s.Elems[i]
		if k.typed(e) {
			if joined = k.join(joined, e); joined == 0 {
				return wrongType
			}
			if k.sorts&(sortReg|sortPred) != 0 {
				continue // the joined type is compared below
			}
		}
		if !k.mixed || e.Kind != ShapeImm { // else the joined type says which constants may stand beside it
			worst = min(worst, k.misfitElement(e))
		}
	}
	if joined == 0 {
		if k.onlySinks(s) || k.mixed {
			return wrongKind // nothing says what the elements are
		}
		return min(worst, k.misfitConstants(s, k.types[0]))
	}
	if !neighbours(s.Elems) || joined == thePrelude.pred && k.sorts&sortReg != 0 {
		worst = min(worst, wrongType)
	}
	if k.loose && k.types[0].acceptsElement(joined) {
		return worst
	}
	return min(worst, k.misfitRegister(&Shape{Kind: ShapeReg, Type: joined}))
}

// neighbours reports whether each element of a vector goes with the one before it (facts: ptxas).
func neighbours(list []Shape) bool {
	var last *Shape
	for i := range list {
		e := &list[i]
		if e.Kind != ShapeImm && e.Kind != ShapeReg && e.Kind != ShapeSpecial {
			continue
		}
		if last != nil && !last.goesWith(e) {
			return false
		}
		last = e
	}
	return true
}

// goesWith compares kinds; widths are for the operand to say.
func (s *Shape) goesWith(next *Shape) bool {
	switch {
	case s.Kind == ShapeImm && next.Kind == ShapeImm:
		return s.Float == next.Float
	case s.Kind == ShapeImm:
		return next.register().beside(s)
	case next.Kind == ShapeImm:
		return s.register().beside(next)
	}
	a, b := s.register().Kind(), next.register().Kind()
	return a == b || a == Bits || b == Bits || a.Integer() && b.Integer()
}

// misfitElement compares an element that is no register.
func (k *kindSpec) misfitElement(e *Shape) misfit {
	if e.Kind == ShapeSink && k.written {
		return fits
	}
	return k.misfitScalar(e)
}

// typed reports whether an element gives its vector a type: a register, and for ptxas a special register,
// which counts as an untyped register of its size among several.
func (k *kindSpec) typed(e *Shape) bool {
	return e.Kind == ShapeReg || e.Kind == ShapeSpecial && e.Lanes == 0 && k.lenient &&
		k.sorts&sortReg != 0 && (k.vector > 1 || k.sorts&sortSpecial != 0)
}

// join goes on with the type of an element. In what is written, and where a form says so, predicates count as
// untyped beside untyped registers of 32 bits (facts: ptxas).
func (k *kindSpec) join(t Type, e *Shape) Type {
	r, pred := e.register(), thePrelude.pred
	if k.lenient && (k.written || k.sorts&(sortSink|sortPred) != 0) && !e.Neg {
		switch untyped := func(t Type) bool { return t.Kind() == Bits && t.Bits() == 32 }; {
		case t == pred && untyped(r):
			return r
		case r == pred && untyped(t):
			return t
		}
	}
	return join(t, r)
}

// misfitConstants: the constants of a vector are those of a type.
func (k *kindSpec) misfitConstants(s *Shape, t Type) misfit {
	worst := fits
	for i := range s.Elems {
		if e := &s.Elems[i]; e.Kind == ShapeImm && !t.acceptsConstant(e) {
			worst = wrongType
		}
	}
	return worst
}

// onlySinks: a vector of sinks alone has no type (facts: ptxas).
func (k *kindSpec) onlySinks(s *Shape) bool {
	return !slices.ContainsFunc(s.Elems, func(e Shape) bool { return e.Kind != ShapeSink })
}

// join returns the type of a vector whose elements so far are t and that goes on with r: an
// untyped one of their size, unless they are alike; 0 if they do not go together.
func join(t, r Type) Type {
	tk, rk := t.Kind(), r.Kind()
	switch {
	case t == 0 || t == r:
		return r
	case t.Bits() != r.Bits():
		return 0
	case tk == Bits || rk == Bits || tk.Integer() && rk.Integer():
		return r.Storage()
	}
	return 0
}

// misfitWhole: a register declared with .v2 or .v4 stands for its components.
func (k *kindSpec) misfitWhole(s *Shape) misfit {
	if int(s.Lanes) != k.vector {
		return wrongLength
	}
	if s.Kind == ShapeSpecial && !k.whole { // by its own type, for which others do only in scalars and mov.v4
		if k.sorts&sortSpecial == 0 {
			return wrongKind
		}
		return k.misfitRegister(&Shape{Kind: ShapeReg, Type: s.register()})
	}
	one := *s
	one.Lanes = 0
	return k.misfitScalar(&one)
}
