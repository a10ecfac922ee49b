// Every float function against a model built from its name: the operation on
// values, then the modifiers in turn, then packing or widening.

package num

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"
)

var floatName = regexp.MustCompile(`^(Add|Sub|Mul|Fma|Div|Rcp|Sqrt|Min3|Max3|Min|Max|Abs|Neg|Copysign|Ftz|Sat|Relu)` +
	`(RZ|RM|RP)?(Ftz)?(Oob)?(NaN)?(XorsignAbs|Abs)?(Sat|Relu)?(F16|BF16|F32|F64)(x2)?(F16|BF16)?$`)

// floatModel is a parsed name.
type floatModel struct {
	op, abs, post      string
	mode               Mode
	ftz, oob, nan, two bool
	typ, from          *Format // from: of the narrow operands of mixed precision
}

// parseFloat parses the name of a float function; nil for other names.
func parseFloat(name string) *floatModel {
	w := floatName.FindStringSubmatch(name)
	if w == nil {
		return nil
	}
	formats := map[string]*Format{"F16": fmtF16, "BF16": fmtBF16, "F32": fmtF32, "F64": fmtF64}
	return &floatModel{
		op: w[1], abs: w[6], post: w[7], mode: map[string]Mode{"RZ": RZ, "RM": RM, "RP": RP}[w[2]],
		ftz: w[3] != "", oob: w[4] != "", nan: w[5] != "", two: w[9] != "",
		typ: formats[w[8]], from: formats[w[10]],
	}
}

// width returns the width of one element.
func (m *floatModel) width() uint { return 1 + uint(m.typ.Exp+m.typ.Man) }

// call computes the function's result from its operands.
func (m *floatModel) call(x []uint64) (d uint64) {
	if !m.two {
		return m.element(m.widen(x))
	}
	w := m.width()
	for i := uint(0); i < 2*w; i += w {
		part := make([]uint64, len(x))
		for k := range x {
			part[k] = x[k] >> i & (1<<w - 1)
		}
		d |= m.element(part) << i
	}
	return d
}

// widen converts the operands of mixed precision, all but the addend.
func (m *floatModel) widen(x []uint64) []uint64 {
	if m.from == nil {
		return x
	}
	out := append([]uint64(nil), x...)
	for i := range len(x) - 1 {
		out[i] = Convert(m.typ, m.from, x[i], RN, false)
	}
	return out
}

// element is one element: modifiers of the operands, operation, modifiers of the result.
func (m *floatModel) element(x []uint64) uint64 {
	o, oob := newOracle(m.typ), false
	y := append([]uint64(nil), x...)
	for i := range y {
		oob = oob || m.oob && y[i]&(o.sign()-1) == 0x7ff7
		if m.ftz || m.op == "Ftz" {
			y[i] = o.flush(y[i])
		}
		if m.abs != "" {
			y[i] &^= o.sign()
		}
	}
	d := m.operate(o, y)
	switch {
	case oob:
		d = 0
	case m.abs == "XorsignAbs" && !o.isNaN(d):
		d |= (x[0] ^ x[1]) & o.sign()
	}
	return m.clamp(o, d)
}

// clamp applies .sat and .relu.
func (m *floatModel) clamp(o oracle, d uint64) uint64 {
	switch {
	case (m.post == "Sat" || m.op == "Sat") && (o.isNaN(d) || o.neg(d)):
		return 0
	case m.post == "Sat" || m.op == "Sat":
		return min(d, o.one())
	case (m.post == "Relu" || m.op == "Relu") && o.isNaN(d):
		return m.typ.NaN
	case (m.post == "Relu" || m.op == "Relu") && o.neg(d):
		return 0
	}
	return d
}

// flush reads a subnormal as a zero of its sign.
func (o oracle) flush(v uint64) uint64 {
	if v&o.inf() == 0 {
		return v & o.sign()
	}
	return v
}

// operate is the operation without the modifiers of operands and sign.
func (m *floatModel) operate(o oracle, x []uint64) uint64 {
	f, wantMax := m.typ, m.op == "Max" || m.op == "Max3"
	switch m.op {
	case "Add":
		return f.Add(x[0], x[1], m.mode, m.ftz)
	case "Sub":
		return f.Sub(x[0], x[1], m.mode, m.ftz)
	case "Mul":
		return f.Mul(x[0], x[1], m.mode, m.ftz)
	case "Fma":
		return f.Fma(x[0], x[1], x[2], m.mode, m.ftz)
	case "Div":
		return f.Div(x[0], x[1], m.mode, m.ftz)
	case "Rcp":
		return f.Div(o.one(), x[0], m.mode, m.ftz)
	case "Sqrt":
		return f.Sqrt(x[0], m.mode, m.ftz)
	case "Min", "Max":
		return o.minMax(x[0], x[1], wantMax, m.nan)
	case "Min3", "Max3":
		return o.minMax(o.minMax(x[0], x[1], wantMax, m.nan), x[2], wantMax, m.nan)
	case "Copysign":
		return x[0]&o.sign() | x[1]&^o.sign()
	case "Abs", "Neg":
		return m.editSign(o, x[0])
	}
	return x[0]
}

// editSign is abs and neg: the canonical NaN for a NaN, but of f64 its bits (9.7.3.9).
func (m *floatModel) editSign(o oracle, v uint64) uint64 {
	switch {
	case o.isNaN(v) && !m.typ.Payload:
		return m.typ.NaN
	case m.op == "Abs":
		return v &^ o.sign()
	}
	return v ^ o.sign()
}

// operand draws an operand: a sample of the format, in every element.
func (m *floatModel) operand(r *rand.Rand, f *Format) uint64 {
	v := operand(r, f)
	if m.two {
		v |= operand(r, f) << m.width()
	}
	return v
}

// operand draws a sample, of halves often the out-of-bounds NaN.
func operand(r *rand.Rand, f *Format) uint64 {
	if f.Man <= 10 && r.IntN(16) == 0 {
		return 0x7ff7 | uint64(r.IntN(2))<<15
	}
	return newOracle(f).sample(r)
}

// operands draws those of a function of n operands.
func (m *floatModel) operands(r *rand.Rand, n int) []uint64 {
	x := make([]uint64, n)
	for i := range x {
		f := m.typ
		if m.from != nil && i < n-1 {
			f = m.from
		}
		x[i] = m.operand(r, f)
	}
	if n > 1 && r.IntN(16) == 0 {
		x[0] = x[1]
	}
	return x
}

func TestFloatModels(t *testing.T) {
	for name, f := range functions {
		m := parseFloat(name)
		if m == nil {
			continue
		}
		r := rand.New(rand.NewPCG(16, 16))
		for range scale(600) {
			x := m.operands(r, reflect.TypeOf(f).NumIn())
			if got, want := call(f, x)[0], m.call(x); got != want {
				t.Errorf("%s %x = %x, want %x", name, x, got, want)
				break
			}
		}
	}
}

// call calls a function of the table; a bool result counts as 0 or 1.
func call(f any, x []uint64) (out []uint64) {
	v := reflect.ValueOf(f)
	in := make([]reflect.Value, len(x))
	for i := range x {
		in[i] = reflect.ValueOf(x[i]).Convert(v.Type().In(i))
	}
	for _, d := range v.Call(in) {
		switch {
		case d.CanUint():
			out = append(out, d.Uint())
		case d.Bool():
			out = append(out, 1)
		default:
			out = append(out, 0)
		}
	}
	return out
}
