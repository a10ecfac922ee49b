// The scalar types of PTX that arithmetic and conversion meet, as data.

package num

// Type is a scalar type.
type Type uint8

// The integer types, the floating-point types (5.2.1), and the alternate ones
// (5.2.3) by the format of one element. TF32 lives in an f32 container.
const (
	U8 Type = iota
	S8
	U16
	S16
	U32
	S32
	U64
	S64
	F16
	BF16
	F32
	F64
	TF32
	E5M2
	E4M3
	E3M2
	E2M3
	E2M1
	UE5M3
	UE4M3
	UE8M0
	S2F6
	numTypes
)

// typeInfo says what a type is: its width in bits, and for floats the format.
type typeInfo struct {
	name   string
	width  uint8
	signed bool
	format *Format
}

var types = [numTypes]typeInfo{
	U8:    {"u8", 8, false, nil},
	S8:    {"s8", 8, true, nil},
	U16:   {"u16", 16, false, nil},
	S16:   {"s16", 16, true, nil},
	U32:   {"u32", 32, false, nil},
	S32:   {"s32", 32, true, nil},
	U64:   {"u64", 64, false, nil},
	S64:   {"s64", 64, true, nil},
	F16:   {"f16", 16, true, fmtF16},
	BF16:  {"bf16", 16, true, fmtBF16},
	F32:   {"f32", 32, true, fmtF32},
	F64:   {"f64", 64, true, fmtF64},
	TF32:  {"tf32", 32, true, fmtTF32},
	E5M2:  {"e5m2", 8, true, fmtE5M2},
	E4M3:  {"e4m3", 8, true, fmtE4M3},
	E3M2:  {"e3m2", 6, true, fmtE3M2},
	E2M3:  {"e2m3", 6, true, fmtE2M3},
	E2M1:  {"e2m1", 4, true, fmtE2M1},
	UE5M3: {"ue5m3", 8, false, fmtUE5M3},
	UE4M3: {"ue4m3", 7, false, fmtUE4M3},
	UE8M0: {"ue8m0", 8, false, fmtUE8M0},
	S2F6:  {"s2f6", 8, true, fmtS2F6},
}

// The formats, from 5.2.3.
var (
	fmtF64   = &Format{Exp: 11, Man: 52, Bias: 1023, Max: 0x7fefffffffffffff, Inf: 0x7ff0000000000000, NaN: 0x7ff8000000000000, Payload: true}
	fmtF32   = &Format{Exp: 8, Man: 23, Bias: 127, Max: 0x7f7fffff, Inf: 0x7f800000, NaN: 0x7fffffff}
	fmtBF16  = &Format{Exp: 8, Man: 7, Bias: 127, Max: 0x7f7f, Inf: 0x7f80, NaN: 0x7fff}
	fmtF16   = &Format{Exp: 5, Man: 10, Bias: 15, Max: 0x7bff, Inf: 0x7c00, NaN: 0x7fff}
	fmtE5M2  = &Format{Exp: 5, Man: 2, Bias: 15, Max: 0x7b, Inf: 0x7c, NaN: 0x7f}
	fmtE4M3  = &Format{Exp: 4, Man: 3, Bias: 7, Max: 0x7e, NaN: 0x7f}
	fmtE3M2  = &Format{Exp: 3, Man: 2, Bias: 3, Max: 0x1f}
	fmtE2M3  = &Format{Exp: 2, Man: 3, Bias: 1, Max: 0x1f}
	fmtE2M1  = &Format{Exp: 2, Man: 1, Bias: 1, Max: 0x7}
	fmtTF32  = &Format{Exp: 8, Man: 10, Bias: 127, Max: 0x3fbff, Inf: 0x3fc00, NaN: 0x3ffff} // a 19-bit code
	fmtUE5M3 = &Format{Exp: 5, Man: 3, Bias: 15, Max: 0xfe, NaN: 0xff, Unsigned: true}
	fmtUE4M3 = &Format{Exp: 4, Man: 3, Bias: 7, Max: 0x7e, NaN: 0x7f, Unsigned: true}

	// Powers of two without a zero, and two's complement in 1/64: their codes
	// are made and read in cvtscale.go; here are limits, NaN and sign.
	fmtUE8M0 = &Format{Exp: 8, Bias: 127, Max: 0xfe, NaN: 0xff, Unsigned: true}
	fmtS2F6  = &Format{Exp: 1, Man: 6, Max: 0x7f}
)

// String returns the type as PTX writes it, without the dot.
func (t Type) String() string { return types[t].name }

// Width returns the width of t in bits; that of its container for tf32.
func (t Type) Width() uint { return uint(types[t].width) }

// Signed reports whether t has a sign.
func (t Type) Signed() bool { return types[t].signed }

// Format returns the floating-point format of t, nil for integers.
func (t Type) Format() *Format { return types[t].format }
