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
		return k.misfitBraced(&s.Elems[0])
	}
	return k.misfitScalar(s)
}

// misfitBraced: in braces a special register is read as its own type alone (facts: ptxas).
func (k *kindSpec) misfitBraced(e *Shape) misfit {
	if e.Kind == ShapeSpecial && k.sorts&sortSpecial != 0 {
		return k.misfitRegister(&Shape{Kind: ShapeReg, Type: e.register()})
	}
	return k.misfitScalar(e)
}

func (k *kindSpec) misfitInside(s *Shape, bracket byte) misfit {
	if bracket == '[' && k.sorts == sortAddr {
		return k.misfitAddress(s)
	}
	return k.misfit(s)
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
	if k.loose && k.vector < 0 && k.sorts&(sortPred|sortNotPred) != 0 && !s.Neg && thePrelude.pred.acceptsElement(s.Type) {
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

// misfitSpecial: a special register is read as its type, or narrower where old code did. The sum of one and a number
// stands for ptxas wherever a register or a constant may, whatever their types, but for bare ones of 64
// bits; and where the form says so.
func (k *kindSpec) misfitSpecial(s *Shape) misfit {
	const either = sortReg | sortImm
	if s.Offset && s.Lanes == 0 && k.lenient && k.vector < 0 && (k.sums || k.sorts&either == either && !(k.bare && k.types[0].Bits() == 64)) {
		return fits
	}
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
	case !k.types[0].Kind().Integer():
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

// generic reports whether generic addresses reach the space without a conversion.
func (s Space) generic() bool { return s == GlobalSpace || s == SharedSpace || s == LocalSpace }

// misfitPointer: a register that holds an address is a whole number, of 32 bits for tensor
// memory; a 32-bit one reaches no global memory, though a narrower one does, but where the
// form says otherwise (facts: ptxas).
func (k *kindSpec) misfitPointer(r *Shape) misfit {
	switch {
	case r.Lanes != 0:
		return wrongType
	case k.anyreg && r.Type != thePrelude.pred, k.loose && r.Type.Bits() <= 64:
		return fits
	case !r.Type.Kind().Integer():
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
