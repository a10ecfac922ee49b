package value

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// typeNamed returns a type of the table.
func typeNamed(t *testing.T, name string) Type {
	t.Helper()
	typ, err := ParseType(name)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestFormatReadsBack prints every value of every format of at most 16 bits, and edge values
// of the others, and reads them back.
func TestFormatReadsBack(t *testing.T) {
	for i := range rows {
		typ := Type{&rows[i]}
		t.Run(typ.Name(), func(t *testing.T) {
			t.Parallel()
			for _, bits := range patterns(typ) {
				data := typ.Append(nil, bits)
				text := typ.Format(data)
				back, err := typ.Parse(text)
				if err != nil || !slices.Equal(back, data) {
					t.Fatalf("%x prints as %s, which reads as %x (%v)", data, text, back, err)
				}
			}
		})
	}
}

// patterns are all bit patterns of a type of at most 16 bits, else edges with neighbours.
func patterns(typ Type) []uint64 {
	width := min(8*typ.Size(), 64)
	var out []uint64
	if width <= 16 {
		for bits := range uint64(1) << width {
			out = append(out, bits)
		}
		return out
	}
	for shift := range width {
		for _, near := range []uint64{1<<shift - 1, 1 << shift, 1<<shift + 1, ^uint64(0) << shift} {
			out = append(out, near&(1<<(width-1)|(1<<(width-1)-1)))
		}
	}
	for i := range uint64(2000) {
		out = append(out, (i*0x9e3779b97f4a7c15)>>(64-width))
	}
	return out
}

// TestShortestDigits prints with the fewest digits.
func TestShortestDigits(t *testing.T) {
	for _, c := range []struct{ typ, in, want string }{
		{"f32", "0.1", "0.1"}, {"f32", "16777216", "16777216"}, {"f32", "1e-7", "1e-07"}, {"f32", "3.4028235e38", "3.4028235e+38"},
		{"f32", "-0", "-0"}, {"f32", "nan", "nan"}, {"f32", "-nan", "-nan"}, {"f32", "0x7fc00000", "nan:0x7fc00000"},
		{"f32", "0f3f800000", "1"}, {"f64", "0d3ff0000000000000", "1"}, {"f32", "0x1.8p1", "3"}, {"f32", "0x40400000", "3"},
		{"f64", "1e300", "1e+300"}, {"f64", "5e-324", "5e-324"}, {"f16", "0.333", "0.333"}, {"f16", "6e-8", "6e-08"},
		{"bf16", "3.14159", "3.14"}, {"tf32", "0x3f800001", "0x3f800001"}, {"s32", "0xffffffff", "-1"}, {"u64", "18446744073709551615", "18446744073709551615"},
		{"b32", "-1", "0xffffffff"}, {"b128", "255", "0x000000000000000000000000000000ff"}, {"ue8m0", "0x00", "5.877471754111438e-39"},
	} {
		typ := typeNamed(t, c.typ)
		data, err := typ.Parse(c.in)
		if got := typ.Format(data); err != nil || got != c.want {
			t.Errorf("%s:%s prints as %s (%v), want %s", c.typ, c.in, got, err, c.want)
		}
	}
}

// TestParseRounds compares reading with exact numbers at and beside the midpoints between
// neighbours: all of the 8-bit formats, every fifth of the 16-bit ones.
func TestParseRounds(t *testing.T) {
	for _, name := range []string{"f16", "bf16", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1"} {
		typ := typeNamed(t, name)
		step := uint64(1 + 4*(typ.Size()-1))
		for code := uint64(0); code < typ.row.format.Max; code += step {
			lo, hi := exactly(typ, code), exactly(typ, code+1)
			mid := new(big.Float).SetPrec(400).Add(lo, hi)
			mid.Quo(mid, big.NewFloat(2))
			little := new(big.Float).SetMantExp(mid, -200)
			even := code + code&1
			checkRead(t, typ, mid, even)
			checkRead(t, typ, new(big.Float).SetPrec(400).Add(mid, little), code+1)
			checkRead(t, typ, new(big.Float).SetPrec(400).Sub(mid, little), code)
		}
	}
}

func exactly(typ Type, code uint64) *big.Float {
	return new(big.Float).SetPrec(400).SetFloat64(typ.toFloat(code))
}

func checkRead(t *testing.T, typ Type, x *big.Float, want uint64) {
	t.Helper()
	text := x.Text('e', 150)
	data, err := typ.Parse(text)
	if got := binary.LittleEndian.Uint64(append(slices.Clone(data), make([]byte, 8)...)); err != nil || got != want {
		t.Fatalf("%s:%s reads as %#x (%v), want %#x", typ.Name(), text, got, err, want)
	}
}

// TestParseF32 compares with math/big's own rounding.
func TestParseF32(t *testing.T) {
	typ := typeNamed(t, "f32")
	for i := range uint32(3000) {
		f := math.Float32frombits(i * 0x9e3779b1 &^ 0x80000000 % 0x7f7fffff)
		mid := new(big.Float).SetPrec(200).SetFloat64(float64(f))
		mid.Add(mid, new(big.Float).SetFloat64(float64(math.Nextafter32(f, math.MaxFloat32))))
		mid.Quo(mid, big.NewFloat(2))
		want, _ := mid.Float32()
		checkRead(t, typ, mid, uint64(math.Float32bits(want)))
	}
}

// TestParseRefuses lists what is no value.
func TestParseRefuses(t *testing.T) {
	for _, c := range []string{
		"u8 256", "u8 -1", "s8 128", "s8 -129", "s8 0x100", "u32 1.0", "u32 x", "u32 ", "b16 65536", "b128 -1",
		"b128 0x100000000000000000000000000000000", "f32 ", "f32 1,5", "f32 0x1ffffffff", "f32 0d3ff0000000000000", "f64 0f3f800000",
		"f16 65520", "f32 1e39", "f64 1e309", "f64 1e999999999999", "e4m3 inf", "e4m3 500", "e5m2 1e6", "e2m1 nan", "e2m1 inf", "e2m1 6.01",
		"f32 nan:0x3f800000", "f32 nan:1", "f32 -nan:0x7fc00000", "ue8m0 3", "ue8m0 0", "ue8m0 -1", "ue8m0 0x100", "ue8m0 1e39",
	} {
		name, text, _ := strings.Cut(c, " ")
		if data, err := typeNamed(t, name).Parse(text); err == nil {
			t.Errorf("%s:%s reads as %x", name, text, data)
		}
	}
	if _, err := ParseType("f8"); err == nil {
		t.Error("f8 is a type")
	}
}
