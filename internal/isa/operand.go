package isa

// This file compares one operand with what a form says it may be.

import "slices"

// misfit says why an operand is not what a form wants; the later, the closer it came.
type misfit uint8

const (
	wrongKind misfit = iota
	wrongSpace
	wrongLength
	wrongType
	wrongWidth
	wrongRange
	wrongSelector
	fits
)

// misfit compares an operand with a kind.
func (k *kindSpec) misfit(s *Shape) misfit {
	switch {
	case k.sorts == sortAddr:
		if s.Kind != ShapeAddr || len(s.Elems) != 1 {
			return wrongKind
		}
		return k.misfitAddress(&s.Elems[0])
	case k.vector >= 0:
		return k.misfitVector(s)
	case s.Kind == ShapeVec && len(s.Elems) == 1 && k.braced:
		return k.misfitScalar(&s.Elems[0])
	}
	return k.misfitScalar(s)
}

func (k *kindSpec) misfitInside(s *Shape, bracket byte) misfit {
	if bracket == '[' && k.sorts == sortAddr {
		return k.misfitAddress(s)
	}
	return k.misfit(s)
}

func (k *kindSpec) misfitVector(s *Shape) misfit {
	if s.Lanes != 0 && (s.Kind == ShapeReg || s.Kind == ShapeSpecial) {
		return k.misfitWhole(s)
	}
	if s.Kind != ShapeVec {
		return wrongKind
	}
	if len(s.Elems) != k.vector {
		return wrongLength
	}
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
		if k.onlySinks(s) || k.mixed && k.sorts&sortImm == 0 {
			return wrongKind // nothing says what the elements are
		}
		return min(worst, k.misfitConstants(s, k.types[0]))
	}
	if k.mixed && joined.Kind() != Bits {
		worst = min(worst, k.misfitConstants(s, joined))
	}
	if k.loose && k.types[0].acceptsElement(joined) {
		return worst
	}
	return min(worst, k.misfitRegister(&Shape{Kind: ShapeReg, Type: joined}))
}

// misfitElement compares an element that is no register.
func (k *kindSpec) misfitElement(e *Shape) misfit {
	switch {
	case e.Kind == ShapeSym && e.Offset:
		return wrongKind // sums stand alone (facts: ptxas)
	case e.Kind == ShapeSink && k.written:
		return fits
	}
	return k.misfitScalar(e)
}

// typed tells whether an element gives its vector a type: a register, and for ptxas a special register
// where none is expected, which counts as an untyped register of its size among several.
func (k *kindSpec) typed(e *Shape) bool {
	if e.Kind == ShapeSpecial && e.Lanes == 0 && k.lenient && k.vector > 1 && k.sorts&sortReg != 0 {
		return k.misfitScalar(e) != fits
	}
	return e.Kind == ShapeReg
}

// join goes on with the type of an element. In what is written, predicates count as untyped beside
// untyped registers of 32 bits (facts: ptxas).
func (k *kindSpec) join(t Type, e *Shape) Type {
	r := e.Type
	if e.Kind == ShapeSpecial {
		r = r.Storage()
	}
	pred := thePrelude.pred
	if written := k.written || k.sorts&sortSink != 0; k.lenient && written && !e.Neg {
		switch untyped := func(t Type) bool { return t.Kind() == Bits && t.Bits() == 32 }; {
		case t == pred && untyped(r):
			return r
		case r == pred && untyped(t):
			return t
		}
	}
	return join(t, r)
}

// misfitConstants: the constants of a vector are those of a type. Registers without a type take any
// beside them (facts: ptxas), so that nobody asks there.
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
	case tk == Bits || rk == Bits || tk.integer() && rk.integer():
		return r.Storage()
	}
	return 0
}

// misfitWhole: a register declared with .v2 or .v4 stands for its components.
func (k *kindSpec) misfitWhole(s *Shape) misfit {
	if int(s.Lanes) != k.vector {
		return wrongLength
	}
	one := *s
	one.Lanes = 0
	return k.misfitScalar(&one)
}

func (k *kindSpec) misfitScalar(s *Shape) misfit {
	switch s.Kind {
	case ShapeReg:
		return k.misfitRegister(s)
	case ShapeImm:
		return k.misfitConstant(s)
	case ShapeSpecial:
		return k.misfitSpecial(s)
	case ShapeSym, ShapeFunc:
		return k.misfitSymbol(s)
	}
	if k.sorts&s.sorts() != 0 {
		return fits
	}
	return wrongKind
}

func (k *kindSpec) misfitRegister(s *Shape) misfit {
	if s.Lanes != 0 {
		return wrongLength
	}
	if s.Type == thePrelude.pred {
		return k.misfitPredicate(s)
	}
	if k.loose && k.sorts&(sortPred|sortNotPred) != 0 && !s.Neg && thePrelude.pred.acceptsElement(s.Type) {
		return fits
	}
	if k.sorts&sortReg == 0 || s.Neg {
		return wrongKind
	}
	if k.types[0] == 0 {
		return fits
	}
	for _, t := range k.types {
		if t != 0 && t.AcceptsRegister(s.Type, k.wider) && !k.refuses(t, s.Type) {
			return k.misfitSelector(s)
		}
	}
	if k.types[0].Storage().Bits() != s.Type.Bits() {
		return wrongWidth
	}
	return wrongType
}

// refuses: an exact operand takes only registers of its storage type; a fixed whole-number
// type takes no packed register, though a type that the instruction names does (facts: ptxas).
func (k *kindSpec) refuses(t, r Type) bool {
	kind := t.Kind()
	return k.exact && r != t.Storage() || k.plain && r.Kind() == Packed && (kind == Signed || kind == Unsigned)
}

func (k *kindSpec) misfitPredicate(s *Shape) misfit {
	switch {
	case k.sorts&(sortPred|sortNotPred) != 0:
		if s.Neg && k.sorts&sortNotPred == 0 {
			return wrongKind
		}
		return fits
	case k.sorts&sortReg != 0 && k.types[0] == thePrelude.pred:
		return fits
	}
	return wrongKind
}

// misfitConstant: whole numbers are cut to the type (facts: ptxas), so only the kind of the
// literal and the ranges of the form count.
func (k *kindSpec) misfitConstant(s *Shape) misfit {
	if k.sorts&sortImm == 0 {
		return wrongKind
	}
	t := k.types[0]
	if t == 0 && k.sorts&sortPred != 0 {
		t = thePrelude.pred
	}
	if t != 0 && !t.acceptsConstant(s) {
		return wrongType
	}
	if k.ranges == nil || s.Float { // ranges are of whole numbers
		return fits
	}
	value := s.Value
	if k.cut {
		value = int64(uint32(value))
	}
	inside := func(r [2]int) bool { return int64(r[0]) <= value && value <= int64(r[1]) }
	if slices.ContainsFunc(k.ranges, inside) {
		return fits
	}
	return wrongRange
}

// acceptsConstant: floating-point types take floating-point literals, whole-number types
// whole numbers; untyped ones also the literals that spell as many bits: 0f… for 32, 0d… and
// decimal ones for 64.
func (t Type) acceptsConstant(s *Shape) bool {
	switch t.Kind() {
	case Float: // there are no literals of the narrow formats
		return s.Float && t.Bits() >= 32
	case Bits:
		single := s.Hex && !s.Double
		return !s.Float || t.Bits() == 32 && single || t.Bits() == 64 && !single
	}
	return !s.Float
}

// misfitSpecial: a special register is read as its type, or narrower where old code did.
func (k *kindSpec) misfitSpecial(s *Shape) misfit {
	if k.sorts&sortSpecial == 0 || s.Lanes != 0 {
		return wrongKind
	}
	t := k.types[0]
	if t == 0 && k.sorts&sortPred != 0 {
		t = thePrelude.pred
	}
	if t == 0 || t.AcceptsRegister(s.Type, k.wider) {
		return fits
	}
	for _, also := range s.Special.Info().Also {
		if t.AcceptsRegister(also, k.wider) {
			return fits
		}
	}
	if t.Bits() != s.Type.Bits() {
		return wrongWidth
	}
	return wrongType
}

// misfitSymbol: names of functions, and of variables with a displacement, are numbers where a
// whole number may stand, in a register too, unless the form says otherwise; a variable alone is
// not (facts: ptxas).
func (k *kindSpec) misfitSymbol(s *Shape) misfit {
	switch {
	case k.ofSet && s.Kind == ShapeSym && s.Space != k.of:
		return wrongSpace
	case k.sorts&s.sorts() != 0:
		return fits
	case k.sorts&sortImm == 0, s.Kind == ShapeSym && (!s.Offset || k.bare || k.sorts&sortReg == 0):
		return wrongKind
	case !k.types[0].Kind().integer():
		return wrongType
	}
	return fits
}

// misfitAddress compares the base of an address with the instruction's space.
func (k *kindSpec) misfitAddress(base *Shape) misfit {
	switch base.Kind {
	case ShapeReg:
		return k.misfitPointer(base)
	case ShapeSym:
		if k.ofSet {
			return k.misfitSymbolSpace(base)
		}
		if k.space == base.Space || k.space == Generic && base.Space.generic() || k.loose {
			return fits
		}
		return wrongSpace
	case ShapeSpecial: // but no component of one
		if k.sreg && base.Special.Info().Lanes == 1 && base.Type != thePrelude.pred {
			return fits
		}
	case ShapeImm: // the machine has no fixed addresses elsewhere (facts: ptxas)
		if !base.Float && (k.space == LocalSpace || k.loose) {
			return fits
		}
	}
	return wrongKind
}

// misfitSymbolSpace: the form says where named variables must be.
func (k *kindSpec) misfitSymbolSpace(base *Shape) misfit {
	if base.Space == k.of {
		return fits
	}
	return wrongSpace
}

// generic tells whether generic addresses reach the space without a conversion.
func (s Space) generic() bool { return s == GlobalSpace || s == SharedSpace || s == LocalSpace }

// misfitPointer: a register that holds an address is a whole number, of 32 bits for tensor
// memory; a 32-bit one reaches no global memory, though a narrower one does, but where the
// form says otherwise (facts: ptxas).
func (k *kindSpec) misfitPointer(r *Shape) misfit {
	if kind := r.Type.Kind(); !kind.integer() && !(k.loose && kind == Packed) || r.Lanes != 0 {
		return wrongType
	}
	switch bits := r.Type.Bits(); {
	case k.exact && r.Type.Kind() != Bits:
		return wrongType
	case k.space == TensorSpace && bits != 32,
		(k.space == GlobalSpace || k.space == Generic) && bits == 32 && !k.short,
		k.full && bits < 32, bits > 64:
		return wrongWidth
	}
	return fits
}
