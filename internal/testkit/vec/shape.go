package vec

// Operands as the matcher sees them.

import (
	"math"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

func (w *Wrapped) shape(o string) isa.Shape {
	if a, b, ok := strings.Cut(o, "|"); ok {
		return isa.Shape{Kind: isa.ShapePair, Elems: []isa.Shape{w.shape(a), w.shape(b)}}
	}
	switch {
	case o == "_":
		return isa.Shape{Kind: isa.ShapeSink}
	case o[0] == '{':
		return isa.Shape{Kind: isa.ShapeVec, Elems: w.shapes(strings.Trim(o, "{}"))}
	case o[0] == '[':
		return isa.Shape{Kind: isa.ShapeAddr, Elems: w.bases(strings.Trim(o, "[]"))}
	case o[0] == '(':
		return isa.Shape{Kind: isa.ShapeParams, Elems: w.shapes(strings.Trim(o, "()"))}
	case o[0] == '$':
		return isa.Shape{Kind: isa.ShapeLabel}
	case o[0] == '%':
		return special(o)
	}
	name, selector := strings.TrimLeft(o, "!-"), ""
	if at := strings.IndexByte(name, '.'); at > 0 {
		name, selector = name[:at], name[at:]
	}
	if r := w.register(name); r != nil && r.param {
		return isa.Shape{Kind: isa.ShapeSym, Space: isa.ParamSpace, Type: lookup(".b8"), Param: isa.CallParam}
	} else if r != nil {
		return isa.Shape{Kind: isa.ShapeReg, Type: lookup(r.typ), Neg: o[0] == '!', Minus: o[0] == '-', Selector: selector}
	}
	return symbol(o)
}

func (w *Wrapped) shapes(list string) (out []isa.Shape) {
	for _, o := range splitOperands(list) {
		out = append(out, w.shape(o))
	}
	return out
}

// bases are the parts of an address without displacements.
func (w *Wrapped) bases(list string) (out []isa.Shape) {
	for _, o := range splitOperands(list) {
		if base, _, moved := strings.Cut(o, "+"); moved && (isUpper(base) || w.register(base) != nil) {
			o = base
		}
		out = append(out, w.shape(o))
	}
	return out
}

func isUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// symbol is a place of the environment or a constant.
func symbol(o string) isa.Shape {
	base, _, moved := strings.Cut(o, "+")
	switch {
	case base == "P":
		return isa.Shape{Kind: isa.ShapeSym, Space: isa.ParamSpace, Type: lookup(".b8"), Param: isa.KernelParam, Offset: moved}
	case isUpper(base):
		return isa.Shape{Kind: isa.ShapeReg, Type: lookup(".b64")}
	case strings.HasPrefix(o, "0f"), strings.HasPrefix(o, "0d"):
		bits, _ := strconv.ParseUint(o[2:], 16, 64)
		return isa.Shape{Kind: isa.ShapeImm, Float: true, Hex: true, Double: o[1] == 'd', Value: int64(bits)}
	}
	n, err := strconv.ParseInt(o, 0, 64)
	if err == nil {
		return isa.Shape{Kind: isa.ShapeImm, Value: n}
	}
	if u, err := strconv.ParseUint(o, 0, 64); err == nil {
		return isa.Shape{Kind: isa.ShapeImm, Value: int64(u)}
	}
	if f, err := strconv.ParseFloat(o, 64); err == nil {
		return isa.Shape{Kind: isa.ShapeImm, Float: true, Value: int64(math.Float64bits(f))}
	}
	return isa.Shape{Kind: isa.ShapeFunc}
}

// special is a special register or one of its components.
func special(o string) isa.Shape {
	name, component, _ := strings.Cut(o, ".")
	s, ok := isa.LookupSpecial(name)
	if !ok {
		return isa.Shape{}
	}
	info := s.Info()
	out := isa.Shape{Kind: isa.ShapeSpecial, Special: s, Type: info.Type}
	if component == "" && info.Lanes > 1 {
		out.Lanes = uint8(info.Lanes)
	}
	return out
}

func lookup(name string) isa.Type {
	t, _ := isa.LookupType(name)
	return t
}
