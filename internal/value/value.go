// Package value reads, prints and compares values of every scalar type.
package value

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/num"
)

// Type is a PTX type of one value as the command line, traces and printed results
// know it. The zero value is no type.
type Type struct{ row *row }

// row describes one type: how its values are written in text.
type row struct {
	name   string
	bits   int
	signed bool
	format *num.Format // nil for integers and bits
	shift  int         // position of the format's code in the value (tf32: upper bits of 32)
	power  bool        // a power of two: the exponent alone, without sign (5.2.3)
	param  bool        // may be a kernel parameter by value
}

var rows = []row{
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
	{name: "e2m1", bits: 8, format: num.E2M1.Format()}, {name: "ue8m0", bits: 8, power: true},
}

// ParseType knows u8…u64, s8…s64, b8…b128, f16, bf16, f32, f64, tf32 and the
// narrow formats e4m3, e5m2, e3m2, e2m3, e2m1 and ue8m0 (one value a byte).
func ParseType(name string) (Type, error) {
	for i := range rows {
		if rows[i].name == name {
			return Type{&rows[i]}, nil
		}
	}
	return Type{}, fmt.Errorf("%q is no type: want u8…u64, s8…s64, b8…b128, f16, bf16, f32 or f64", name)
}

// BitsType is the type of the untyped bits of a register of so many bits, rounded up to one that memory has.
func BitsType(bits int) Type {
	size := 8
	for size < bits {
		size *= 2
	}
	t, _ := ParseType(fmt.Sprintf("b%d", size))
	return t
}

// Name is the type as PTX writes it, without the dot; empty for the zero value.
func (t Type) Name() string {
	if t.row == nil {
		return ""
	}
	return t.row.name
}

// Size is the bytes that one value takes in memory; 1 for the zero value.
func (t Type) Size() int {
	if t.row == nil {
		return 1
	}
	return t.row.bits / 8
}

// Bits is the width of a value; 0 for the zero value.
func (t Type) Bits() int {
	if t.row == nil {
		return 0
	}
	return t.row.bits
}

// Float reports whether values are written as floating-point numbers.
func (t Type) Float() bool { return t.row != nil && t.row.format != nil }

// Param reports whether a kernel parameter can have this type.
func (t Type) Param() bool { return t.row != nil && t.row.param }

// Append appends the little-endian bytes of a value's low bits; bits beyond 64 are zero.
func (t Type) Append(out []byte, bits uint64) []byte {
	size := t.Size()
	if size > 8 {
		return append(binary.LittleEndian.AppendUint64(out, bits), make([]byte, size-8)...)
	}
	for range size {
		out, bits = append(out, byte(bits)), bits>>8
	}
	return out
}

// bytes are the little-endian bytes of a value's low bits.
func (t Type) bytes(bits uint64) []byte { return t.Append(nil, bits) }

// Parse reads one value. Integers that do not fit are an error; hex of the full
// width is bits. Floats take decimal and hexadecimal (with p exponent) numbers,
// inf, nan and -0; 0x… without p, 0f… and 0d… are bits, and nan:0x… a NaN with these
// bits. Decimals are rounded once, to nearest even; what rounds beyond the largest
// finite value is an error.
func (t Type) Parse(text string) ([]byte, error) {
	switch {
	case t.row.bits == 128:
		return t.parse128(text)
	case t.Float():
		return t.parseFloat(text)
	case t.row.power:
		return t.parsePower(text)
	}
	return t.parseInt(text)
}

func (t Type) parse128(text string) ([]byte, error) {
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

func (t Type) parseInt(text string) ([]byte, error) {
	row := t.row
	u, err := strconv.ParseUint(text, 0, row.bits)
	if isHex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X"); err == nil && (!row.signed || isHex) {
		return t.bytes(u), nil
	}
	// Bits types take negative numbers, too: they have no sign of their own.
	if row.signed || row.name[0] == 'b' {
		if s, err := strconv.ParseInt(text, 0, row.bits); err == nil {
			return t.bytes(uint64(s)), nil
		}
	}
	return nil, fmt.Errorf("%q does not fit %s: want %s", text, row.name, row.rangeText())
}

// rangeText names the least and the greatest value.
func (row *row) rangeText() string {
	if row.signed {
		return fmt.Sprintf("%d to %d", int64(-1)<<(row.bits-1), int64(1)<<(row.bits-1)-1)
	}
	return fmt.Sprintf("0 to %d", ^uint64(0)>>(64-row.bits))
}

// Format prints a value of Size bytes with the fewest digits that Parse reads back.
func (t Type) Format(data []byte) string {
	if t.row.bits == 128 {
		return "0x" + hex.EncodeToString(reversed(data))
	}
	bits := binary.LittleEndian.Uint64(append(append(make([]byte, 0, 16), data...), make([]byte, 8)...))
	switch {
	case t.Float():
		return t.formatFloat(bits)
	case t.row.power:
		return formatPower(bits)
	case t.row.signed:
		return strconv.FormatInt(int64(bits<<(64-t.row.bits))>>(64-t.row.bits), 10)
	case t.row.name[0] == 'b':
		return fmt.Sprintf("0x%0*x", t.row.bits/4, bits)
	}
	return strconv.FormatUint(bits, 10)
}

func reversed(data []byte) []byte {
	out := make([]byte, len(data))
	for i, b := range data {
		out[len(data)-1-i] = b
	}
	return out
}
