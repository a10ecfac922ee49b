package debug

// This file holds values of expressions: their types, arithmetic and text.

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/value"
)

// Value is what an expression comes to: a number of a PTX type, a truth value, or an array in memory.
type Value struct {
	Low, High uint64     // the bits; High of 128-bit types
	Type      value.Type // the zero type: a truth value
	Count     int        // of an array in memory: its elements of Type, which Low does not hold; else 0
	Home      *Home      // where it is; nil: nowhere, it was computed
	Object    *Object    // it is no number, but this

	literal bool   // a number as written, which takes the other operand's type
	space   string // of an address of something, where it points
}

// Home is where a value is: a register of a lane, or memory.
type Home struct {
	Register string // empty: memory
	Lane     int
	Space    string
	Addr     uint64
}

func truth(b bool) Value {
	if b {
		return Value{Low: 1}
	}
	return Value{}
}

// Types that arithmetic gives.
var (
	typeS64, typeU64 = mustType("s64"), mustType("u64")
	typeS32, typeU32 = mustType("s32"), mustType("u32")
	typeF64, typeF32 = mustType("f64"), mustType("f32")
)

func mustType(name string) value.Type {
	t, err := value.ParseType(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

// boolean reports whether the value is a truth value.
func (v *Value) boolean() bool { return v.Type == value.Type{} && !v.compound() }

// compound reports whether the value is no number: an array, or an object.
func (v *Value) compound() bool { return v.Count > 0 || v.Object != nil }

// True is what conditions ask: not zero.
func (v *Value) True() bool { return v.Low != 0 || v.High != 0 }

// signed reports whether the type counts below zero.
func signed(t value.Type) bool {
	return strings.HasPrefix(t.Name(), "s") || strings.HasPrefix(t.Name(), "b")
}

// bytes are the value's in memory.
func (v *Value) bytes() []byte {
	data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, v.Low), v.High)
	return data[:max(v.Type.Size(), 1)]
}

// ofBytes is a value of a type by its bytes in memory.
func ofBytes(data []byte, t value.Type) Value {
	var whole [16]byte
	copy(whole[:], data)
	return Value{Low: binary.LittleEndian.Uint64(whole[:8]), High: binary.LittleEndian.Uint64(whole[8:]), Type: t}
}

// integer is the value as 64 bits, its sign extended if it has one.
func (v *Value) integer() int64 {
	switch n := v.Type.Bits(); {
	case v.boolean() || n >= 64:
		return int64(v.Low)
	case v.Type.Float():
		return int64(v.float())
	case signed(v.Type):
		return int64(v.Low<<(64-n)) >> (64 - n)
	default:
		return int64(v.Low & (1<<n - 1))
	}
}

// float is the value as a number.
func (v *Value) float() float64 {
	switch {
	case v.Type.Float():
		return v.Type.Number(v.bytes())
	case !signed(v.Type):
		return float64(uint64(v.integer()))
	}
	return float64(v.integer())
}

// converted is the value in another type, as cvt would: integers are cut, floats rounded to nearest even and, to integers, towards zero.
func (v *Value) converted(t value.Type) (Value, error) {
	switch {
	case v.compound():
		return Value{}, errNoNumber
	case t.Float():
		f := v.float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			data, err := t.Parse(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)))
			return ofBytes(data, t), err
		}
		bits, err := t.FromFloat(f)
		return Value{Low: bits, Type: t}, err
	case v.Type.Float():
		f := v.float()
		if !signed(t) && f >= 1<<63 {
			return cut(uint64(f), t), nil
		}
		return cut(uint64(int64(f)), t), nil
	}
	out := cut(uint64(v.integer()), t)
	if t.Bits() == 128 {
		if out.High = v.High; v.Type.Bits() < 128 && signed(v.Type) && v.integer() < 0 {
			out.High = math.MaxUint64
		}
	}
	return out, nil
}

// cut is a value of a type that has the low bits of x.
func cut(x uint64, t value.Type) Value {
	if n := t.Bits(); n < 64 {
		x &= 1<<n - 1
	}
	return Value{Low: x, Type: t}
}

// parseNumber reads a literal.
func parseNumber(text string) (Value, error) {
	lower := strings.ToLower(text)
	switch {
	case len(text) == 10 && strings.HasPrefix(lower, "0f"):
		bits, err := strconv.ParseUint(text[2:], 16, 32)
		return Value{Low: bits, Type: typeF32}, err
	case len(text) == 18 && strings.HasPrefix(lower, "0d"):
		bits, err := strconv.ParseUint(text[2:], 16, 64)
		return Value{Low: bits, Type: typeF64}, err
	}
	if n, err := strconv.ParseUint(strings.TrimRight(lower, "u"), 0, 64); err == nil {
		v := Value{Low: n, Type: typeS64, literal: true}
		if n > math.MaxInt64 {
			v.Type = typeU64
		}
		return v, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return Value{Low: math.Float64bits(f), Type: typeF64, literal: true}, err
}

// common is the type in which two operands meet: a number as written takes that of the other; else the wider one, floats before
// integers, unsigned before signed.
func common(l, r *Value) value.Type {
	lt, rt := l.number(), r.number()
	switch {
	case l.literal && !r.literal && (rt.Float() || !lt.Float()):
		return rt
	case r.literal && !l.literal && (lt.Float() || !rt.Float()):
		return lt
	case lt.Float() != rt.Float():
		if lt.Float() {
			return lt
		}
		return rt
	case lt.Bits() != rt.Bits():
		if lt.Bits() > rt.Bits() {
			return lt
		}
		return rt
	case signed(lt):
		return rt
	}
	return lt
}

// number is the type as arithmetic takes it.
func (v *Value) number() value.Type {
	if v.boolean() {
		return typeS32
	}
	return v.Type
}

// FormatValue prints a value: in the format of a letter as gdb's print/FMT takes it (x d u o t f c a z), or, with 0, as its type says:
// bits of registers as signed decimal numbers.
func FormatValue(v *Value, format byte) string {
	n := max(v.Type.Bits(), 1)
	if v.Object != nil {
		return v.Object.Text
	}
	if v.boolean() && (format == 0 || format == 'f') {
		return strconv.FormatBool(v.True())
	}
	plain := cut(v.Low, bitsOf(n))
	switch format {
	case 'x', 'a', 'z':
		return hexText(v, n, format)
	case 'o':
		return "0" + strings.TrimPrefix(strconv.FormatUint(plain.Low, 8), "0")
	case 't':
		return strconv.FormatUint(plain.Low, 2)
	case 'u':
		return strconv.FormatUint(plain.Low, 10)
	case 'd':
		s := Value{Low: plain.Low, Type: plain.Type}
		return strconv.FormatInt(s.integer(), 10)
	case 'c':
		s := Value{Low: plain.Low & 0xff, Type: mustType("s8")}
		return fmt.Sprintf("%d %s", s.integer(), strconv.QuoteRuneToASCII(rune(s.Low)))
	case 'f':
		if f, ok := map[int]value.Type{32: typeF32, 64: typeF64, 16: mustType("f16")}[n]; ok && !v.Type.Float() {
			return f.Format(v.bytes())
		}
	}
	if strings.HasPrefix(v.Type.Name(), "b") && !v.Type.Float() && n <= 64 {
		return strconv.FormatInt(v.integer(), 10)
	}
	return v.Type.Format(v.bytes())
}

// bitsOf is the untyped type of so many bits.
func bitsOf(n int) value.Type { return value.BitsType(n) }

func hexText(v *Value, bits int, format byte) string {
	low := cut(v.Low, bitsOf(bits)).Low
	text := strconv.FormatUint(low, 16)
	if bits == 128 && v.High != 0 {
		text = fmt.Sprintf("%x%016x", v.High, low)
	}
	if format == 'z' {
		text = strings.Repeat("0", max(0, (bits+3)/4-len(text))) + text
	}
	return "0x" + text
}

// formats are the letters that FormatValue knows.
var formats = []byte("xduotfcaz")

// IsFormat reports whether FormatValue knows a letter.
func IsFormat(c byte) bool { return slices.Contains(formats, c) }
