package generate

// This file draws operands: registers of any type that may stand there, constants, special
// registers, addresses, vectors.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// drawer draws the operands of one statement. No register is used twice.
type drawer struct {
	g    *Generator
	s    *Statement
	used map[string]int // by prefix

	first bool // the first operand is being drawn
}

// writableKinds lists what of a kind the generator can write.
func writableKinds(k *isa.KindSpec) []isa.ShapeKind {
	var out []isa.ShapeKind
	for _, kind := range k.Kinds {
		switch kind {
		case isa.ShapeReg, isa.ShapeImm, isa.ShapeSink, isa.ShapeAddr, isa.ShapeLabel, isa.ShapeSpecial, isa.ShapeSym,
			isa.ShapeFunc, isa.ShapeParams, isa.ShapeTable, isa.ShapeProto, isa.ShapeTexref, isa.ShapeSurfref:
			out = append(out, kind)
		}
	}
	if k.Pred && !slices.Contains(out, isa.ShapeReg) {
		out = append(out, isa.ShapeReg)
	}
	return out
}

func (d *drawer) operand(spec isa.OperandSpec) (Operand, bool) {
	o := Operand{spec: spec}
	if spec.Bracket == ' ' || spec.Bracket == '(' {
		text, shape, ok := d.part(&spec.Parts[0], false)
		o.Text, o.Shape = text, shape
		return o, ok
	}
	var texts []string
	for i := range spec.Parts {
		text, shape, ok := d.part(&spec.Parts[i], spec.Bracket == '[')
		if !ok {
			return o, false
		}
		texts = append(texts, text)
		o.Shape.Elems = append(o.Shape.Elems, shape)
	}
	switch spec.Bracket {
	case '[':
		o.Shape.Kind, o.Text = isa.ShapeAddr, "["+strings.Join(texts, ", ")+"]"
	case '|':
		o.Shape.Kind, o.Text = isa.ShapePair, strings.Join(texts, "|")
	default:
		return o, false
	}
	return o, true
}

// part draws one role; inside brackets an address is its base alone.
func (d *drawer) part(p *isa.PartSpec, bracketed bool) (string, isa.Shape, bool) {
	k := &p.Kinds[d.g.r.IntN(len(p.Kinds))]
	if k.Vector >= 0 {
		return d.vector(k)
	}
	text, shape, ok := d.scalar(k)
	if ok && slices.Contains(k.Kinds, isa.ShapeAddr) && !bracketed {
		return "[" + text + "]", isa.Shape{Kind: isa.ShapeAddr, Elems: []isa.Shape{shape}}, true
	}
	return text, shape, ok
}

// mixedVectors: one vector in so many has elements of several kinds and types.
const mixedVectors = 4

func (d *drawer) vector(k *isa.KindSpec) (string, isa.Shape, bool) {
	var texts []string
	shape := isa.Shape{Kind: isa.ShapeVec}
	one := *k
	switch registers := k.Vector > 1 && slices.Contains(k.Kinds, isa.ShapeReg); {
	case registers && d.g.r.IntN(mixedVectors) == 0: // every element of any kind and type; what does not go together is drawn again
		one.Vector = 1
	case registers:
		one.Kinds = []isa.ShapeKind{isa.ShapeReg} // ptxas infers a vector's type from its registers
	}
	for range k.Vector {
		text, e, ok := d.scalar(&one)
		if !ok {
			return "", shape, false
		}
		texts = append(texts, text)
		shape.Elems = append(shape.Elems, e)
	}
	return "{" + strings.Join(texts, ", ") + "}", shape, true
}

func (d *drawer) scalar(k *isa.KindSpec) (string, isa.Shape, bool) {
	kinds := writableKinds(k)
	if len(kinds) == 0 {
		return "", isa.Shape{}, false
	}
	switch kind := kinds[d.g.r.IntN(len(kinds))]; kind {
	case isa.ShapeReg:
		return d.register(k)
	case isa.ShapeImm:
		return d.constant(k)
	case isa.ShapeSink:
		return "_", isa.Shape{Kind: kind}, true
	case isa.ShapeLabel:
		return label, isa.Shape{Kind: kind}, true
	case isa.ShapeSpecial:
		return d.special(k)
	case isa.ShapeTexref, isa.ShapeSurfref:
		return opaqueName(opaqueTypes[kind]), isa.Shape{Kind: kind}, !d.s.Version.Before(isa.V(1, 5))
	case isa.ShapeFunc:
		return calleeName, isa.Shape{Kind: kind}, true
	case isa.ShapeParams:
		return d.params(d.first)
	case isa.ShapeTable:
		return d.targets()
	case isa.ShapeProto:
		d.s.callee.prototype = true
		return protoName, isa.Shape{Kind: kind}, true
	case isa.ShapeSym:
		if k.OfSet {
			return d.variable(k.Of)
		}
		return d.variable(isa.GlobalSpace)
	default:
		return d.base(k)
	}
}

func (d *drawer) register(k *isa.KindSpec) (string, isa.Shape, bool) {
	if k.Pred {
		text, shape, ok := d.newRegister(isa.PredType())
		if k.Neg && d.g.r.IntN(3) == 0 {
			text, shape.Neg = "!"+text, true
		}
		return text, shape, ok
	}
	fits := func(t isa.Type) bool {
		return k.Type == 0 || k.Type.AcceptsRegister(t, k.Wider) && (!k.Exact || t == k.Type.Storage())
	}
	fit := choose(declarable(d.s.Version, d.s.Target), fits)
	if fit == nil {
		fit = choose(narrowTypes, fits)
	}
	if fit == nil {
		return "", isa.Shape{}, false
	}
	if k.Vector > 1 { // mixed elements are ptxas's own art: all of one type
		return d.newRegister(fit[0])
	}
	text, shape, ok := d.newRegister(fit[d.g.r.IntN(len(fit))])
	if n := len(k.Selectors); n > 0 && d.g.r.IntN(3) == 0 {
		shape.Selector = k.Selectors[d.g.r.IntN(n)].At(d.g.r.IntN(1 << 12))
		text += shape.Selector
	}
	if k.Minus && d.g.r.IntN(4) == 0 {
		text, shape.Minus = "-"+text, true
	}
	return text, shape, ok
}

// choose lists the types that fit.
func choose(types []isa.Type, fits func(isa.Type) bool) (list []isa.Type) {
	for _, t := range types {
		if fits(t) {
			list = append(list, t)
		}
	}
	return list
}

// narrowTypes are the register types of 8 bits, which stand for ld, st and cvt alone, where wider
// registers are the rule.
var narrowTypes = typesOf(".b8", ".u8", ".s8")

func typesOf(names ...string) (types []isa.Type) {
	for _, name := range names {
		t, _ := isa.LookupType(name)
		types = append(types, t)
	}
	return types
}

// declarable lists the register types of a module but for those of 8 bits (5.2.1).
func declarable(v isa.Version, t isa.Target) []isa.Type {
	names := []string{".b16", ".b32", ".b64", ".u16", ".u32", ".u64", ".s16", ".s32", ".s64", ".f32", ".f64"}
	if !v.Before(isa.V(4, 2)) && !t.Before(isa.MustTarget("sm_53")) {
		names = append(names, ".f16", ".f16x2")
	}
	if !v.Before(isa.V(8, 3)) && !t.Before(isa.MustTarget("sm_70")) {
		names = append(names, ".b128")
	}
	return typesOf(names...)
}

func (d *drawer) newRegister(t isa.Type) (string, isa.Shape, bool) {
	prefix := registerPrefix(t)
	d.used[prefix]++
	return fmt.Sprintf("%s%d", prefix, d.used[prefix]), isa.Shape{Kind: isa.ShapeReg, Type: t}, true
}

func (d *drawer) constant(k *isa.KindSpec) (string, isa.Shape, bool) {
	shape := isa.Shape{Kind: isa.ShapeImm}
	if k.Ranges != nil {
		r := k.Ranges[d.g.r.IntN(len(k.Ranges))]
		shape.Value = int64(r[0] + d.g.r.IntN(r[1]-r[0]+1))
		if r[1] > 1000 {
			shape.Value = int64(r[0])
		}
		return fmt.Sprint(shape.Value), shape, true
	}
	switch k.Type.Kind() {
	case isa.Float:
		shape.Float = true
		return d.float(k.Type, shape)
	case isa.Packed:
		return "", shape, false
	}
	shape.Value = int64(d.g.r.IntN(2))
	if !k.Pred && k.Type != isa.PredType() {
		shape.Value = int64(d.g.r.IntN(8)) * 32
	}
	return fmt.Sprint(shape.Value), shape, true
}

func (d *drawer) float(t isa.Type, shape isa.Shape) (string, isa.Shape, bool) {
	x := float64(d.g.r.IntN(64)) / 4
	if d.g.r.IntN(2) == 0 {
		return fmt.Sprintf("%.2f", x), shape, true
	}
	shape.Hex = true
	if t.Bits() == 64 {
		shape.Double = true
		return fmt.Sprintf("0d%016X", math.Float64bits(x)), shape, true
	}
	return fmt.Sprintf("0f%08X", math.Float32bits(float32(x))), shape, true
}

// special draws a special register that the operand may be.
func (d *drawer) special(k *isa.KindSpec) (string, isa.Shape, bool) {
	all := isa.Specials()
	for _, i := range d.g.r.Perm(len(all)) {
		info := all[i].Info()
		fits := k.Type != 0 && k.Type.AcceptsRegister(info.Type, k.Wider) || k.Pred && info.Type == isa.PredType()
		if !fits || info.Needs != "" || !info.Since.Passes(d.s.Version, d.s.Target) {
			continue
		}
		text := info.Name
		if info.Lanes > 1 {
			text += ".x"
		}
		return text, isa.Shape{Kind: isa.ShapeSpecial, Special: all[i], Type: info.Type}, true
	}
	return "", isa.Shape{}, false
}

// base draws the base of an address: a register or a variable of the space.
func (d *drawer) base(k *isa.KindSpec) (string, isa.Shape, bool) {
	space := k.Space
	if space == isa.TensorSpace {
		t, _ := isa.LookupType(".b32")
		return d.newRegister(t)
	}
	if space == isa.ParamSpace || d.g.r.IntN(3) == 0 {
		if k.OfSet {
			space = k.Of
		} else if space == isa.Generic {
			space = isa.GlobalSpace
		}
		return d.variable(space)
	}
	t, _ := isa.LookupType(".u64")
	return d.newRegister(t)
}

// variable names the module's variable of a space.
func (d *drawer) variable(space isa.Space) (string, isa.Shape, bool) {
	b, _ := isa.LookupType(".b8")
	shape := isa.Shape{Kind: isa.ShapeSym, Space: space, Type: b}
	switch {
	case space != isa.ParamSpace:
		return "v_" + space.String(), shape, true
	case d.s.Device:
		shape.Param = isa.FunctionParam
		return parameter, shape, true
	case d.s.writes():
		shape.Param = isa.CallParam
		return "v_param", shape, true
	case d.s.Version.Before(isa.V(1, 4)):
		return "", shape, false
	}
	shape.Param = isa.KernelParam
	return parameter, shape, true
}

// writes reports whether the statement stores to memory.
func (s *Statement) writes() bool {
	return s.Entry.Effects.Has(isa.Writes)
}

// opaqueTypes are the types of opaque variables (5.3) that a statement may name.
var opaqueTypes = map[isa.ShapeKind]string{isa.ShapeTexref: ".texref", isa.ShapeSurfref: ".surfref"}

// opaqueName is the name of a variable of an opaque type.
func opaqueName(typ string) string { return "v_" + typ[1:] + "$" }

// Names that every function of a module knows.
const (
	label     = "L"
	parameter = "arg"
)
