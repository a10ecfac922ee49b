package ptxvm

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ptxvm/internal/num"
)

// ScalarType is a PTX type of one value as the command line and result printing
// know it. The zero value is no type.
type ScalarType struct{ row *scalarRow }

// scalarRow describes one type: how its values are written in text.
type scalarRow struct {
	name   string
	bits   int
	signed bool
	format *num.Format // nil for integers and bits
	shift  int         // position of the format's code in the value (tf32: upper bits of 32)
	param  bool        // may be a kernel parameter by value
}

var scalarRows = []scalarRow{
	{name: "u8", bits: 8, param: true}, {name: "u16", bits: 16, param: true},
	{name: "u32", bits: 32, param: true}, {name: "u64", bits: 64, param: true},
	{name: "s8", bits: 8, signed: true, param: true}, {name: "s16", bits: 16, signed: true, param: true},
	{name: "s32", bits: 32, signed: true, param: true}, {name: "s64", bits: 64, signed: true, param: true},
	{name: "b8", bits: 8, param: true}, {name: "b16", bits: 16, param: true},
	{name: "b32", bits: 32, param: true}, {name: "b64", bits: 64, param: true}, {name: "b128", bits: 128},
	{name: "f16", bits: 16, format: num.F16.Format(), param: true}, {name: "bf16", bits: 16, format: num.BF16.Format(), param: true},
	{name: "f32", bits: 32, format: num.F32.Format(), param: true}, {name: "f64", bits: 64, format: num.F64.Format(), param: true},
	{name: "tf32", bits: 32, format: num.TF32.Format(), shift: 13},
	{name: "e4m3", bits: 8, format: num.E4M3.Format()}, {name: "e5m2", bits: 8, format: num.E5M2.Format()},
	{name: "e3m2", bits: 8, format: num.E3M2.Format()}, {name: "e2m3", bits: 8, format: num.E2M3.Format()},
	{name: "e2m1", bits: 8, format: num.E2M1.Format()}, {name: "ue8m0", bits: 8},
}

// ParseScalarType knows u8…u64, s8…s64, b8…b128, f16, bf16, f32, f64, tf32 and the
// narrow formats e4m3, e5m2, e3m2, e2m3, e2m1 and ue8m0 (one value a byte).
func ParseScalarType(name string) (ScalarType, error) {
	for i := range scalarRows {
		if scalarRows[i].name == name {
			return ScalarType{&scalarRows[i]}, nil
		}
	}
	return ScalarType{}, fmt.Errorf("%q is no type: want u8…u64, s8…s64, b8…b128, f16, bf16, f32 or f64", name)
}

// Name is the type as PTX writes it, without the dot; empty for the zero value.
func (t ScalarType) Name() string {
	if t.row == nil {
		return ""
	}
	return t.row.name
}

// Size is the bytes that one value takes in memory; 1 for the zero value.
func (t ScalarType) Size() int {
	if t.row == nil {
		return 1
	}
	return t.row.bits / 8
}

// Float tells whether values are written as floating-point numbers.
func (t ScalarType) Float() bool { return t.row != nil && t.row.format != nil }

// Param tells whether a kernel parameter can have this type.
func (t ScalarType) Param() bool { return t.row != nil && t.row.param }

// Bits gives the little-endian bytes of a value's low bits.
func (t ScalarType) Bits(v uint64) []byte {
	out := binary.LittleEndian.AppendUint64(nil, v)
	if t.Size() > 8 {
		out = append(out, make([]byte, t.Size()-8)...)
	}
	return out[:t.Size()]
}

// Parse reads one value. Integers that do not fit are an error; hex of the full
// width is bits. Floats take decimal and hexadecimal (with p exponent) numbers,
// inf, nan and -0; 0x… without p, 0f… and 0d… are bits. Decimals are rounded once,
// to nearest even.
func (t ScalarType) Parse(text string) ([]byte, error) {
	switch {
	case t.row.bits == 128:
		return t.parse128(text)
	case t.Float():
		return t.parseFloat(text)
	}
	return t.parseInt(text)
}

func (t ScalarType) parse128(text string) ([]byte, error) {
	n, ok := new(big.Int).SetString(text, 0)
	if !ok || n.Sign() < 0 || n.BitLen() > 128 {
		return nil, fmt.Errorf("%q is no b128 value: want an unsigned number of at most 128 bits", text)
	}
	out := n.FillBytes(make([]byte, 16))
	for i := range 8 {
		out[i], out[15-i] = out[15-i], out[i]
	}
	return out, nil
}

func (t ScalarType) parseInt(text string) ([]byte, error) {
	row := t.row
	u, err := strconv.ParseUint(text, 0, row.bits)
	if isHex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X"); err == nil && (!row.signed || isHex) {
		return t.Bits(u), nil
	}
	// Bits types take negative numbers, too: they have no sign of their own.
	if row.signed || row.name[0] == 'b' {
		if s, err := strconv.ParseInt(text, 0, row.bits); err == nil {
			return t.Bits(uint64(s)), nil
		}
	}
	return nil, fmt.Errorf("%q does not fit %s: want %s", text, row.name, row.rangeText())
}

// rangeText names the least and the greatest value.
func (row *scalarRow) rangeText() string {
	if row.signed {
		return fmt.Sprintf("%d to %d", int64(-1)<<(row.bits-1), int64(1)<<(row.bits-1)-1)
	}
	return fmt.Sprintf("0 to %d", ^uint64(0)>>(64-row.bits))
}

func (t ScalarType) parseFloat(text string) ([]byte, error) {
	if bits, ok, err := t.floatBits(text); ok || err != nil {
		return t.Bits(bits), err
	}
	switch strings.ToLower(text) {
	case "nan", "+nan", "-nan":
		return t.fromF64(math.Float64bits(math.NaN())), nil
	case "inf", "+inf", "infinity":
		return t.fromF64(math.Float64bits(math.Inf(1))), nil
	case "-inf", "-infinity":
		return t.fromF64(math.Float64bits(math.Inf(-1))), nil
	}
	exact, _, err := big.ParseFloat(text, 0, 1200, big.ToNearestEven)
	if err != nil {
		return nil, fmt.Errorf("%q is no %s value: want a number, inf, nan or bits as 0x…", text, t.row.name)
	}
	if t.row.format == num.F64.Format() {
		f, _ := exact.Float64()
		return t.Bits(math.Float64bits(f)), nil
	}
	return t.fromF64(roundToOdd(exact)), nil
}

// floatBits reads the spellings that give bits: 0x… without an exponent, and PTX's
// own 0f (32 bits) and 0d (64 bits) literals (4.5.2).
func (t ScalarType) floatBits(text string) (uint64, bool, error) {
	if len(text) < 3 || text[0] != '0' {
		return 0, false, nil
	}
	width := t.row.bits
	switch text[1] {
	case 'x', 'X':
		if strings.ContainsAny(text, "pP.") {
			return 0, false, nil
		}
	case 'f', 'F':
		width = 32
	case 'd', 'D':
		width = 64
	default:
		return 0, false, nil
	}
	bits, err := strconv.ParseUint(text[2:], 16, width)
	if err != nil || width != t.row.bits {
		return 0, false, fmt.Errorf("%q is no bit pattern of %s (%d bits)", text, t.row.name, t.row.bits)
	}
	return bits, true, nil
}

// roundToOdd cuts x to 53 bits and sets the last one if anything was lost: a second
// rounding to at most 51 bits then gives what one rounding of x would.
func roundToOdd(x *big.Float) uint64 {
	cut := new(big.Float).SetPrec(53).SetMode(big.ToZero).Set(x)
	f, acc := cut.Float64()
	bits := math.Float64bits(f)
	if cut.Cmp(x) != 0 || acc != big.Exact {
		bits |= 1
	}
	return bits
}

// fromF64 rounds a float64 to the type, nearest even.
func (t ScalarType) fromF64(bits uint64) []byte {
	if t.row.format == num.F64.Format() {
		return t.Bits(bits)
	}
	return t.Bits(num.Convert(t.row.format, num.F64.Format(), bits, num.RN, false) << t.row.shift)
}

// Format prints a value of Size bytes with the fewest digits that Parse reads back.
func (t ScalarType) Format(data []byte) string {
	if t.row.bits == 128 {
		return "0x" + hex.EncodeToString(reversed(data))
	}
	bits := binary.LittleEndian.Uint64(append(append(make([]byte, 0, 16), data...), make([]byte, 8)...))
	switch {
	case t.Float():
		return t.formatFloat(bits, data)
	case t.row.signed:
		return strconv.FormatInt(int64(bits<<(64-t.row.bits))>>(64-t.row.bits), 10)
	case t.row.name[0] == 'b':
		return fmt.Sprintf("0x%0*x", t.row.bits/4, bits)
	}
	return strconv.FormatUint(bits, 10)
}

func (t ScalarType) formatFloat(bits uint64, data []byte) string {
	f := math.Float64frombits(bits)
	if t.row.format != num.F64.Format() {
		f = math.Float64frombits(num.Convert(num.F64.Format(), t.row.format, bits>>t.row.shift, num.RN, false))
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	for digits := 1; digits < 17; digits++ {
		text := strconv.FormatFloat(f, 'g', digits, 64)
		if back, err := t.parseFloat(text); err == nil && string(back) == string(data) {
			return text
		}
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func reversed(data []byte) []byte {
	out := make([]byte, len(data))
	for i, b := range data {
		out[len(data)-1-i] = b
	}
	return out
}
