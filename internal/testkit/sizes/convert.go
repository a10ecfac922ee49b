package sizes

// The conversions of a cell: with chopping, both extensions and clamping, in integers and floats.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
)

// conversion is a statement on %r0, the operand of the cell, and %x, and what it gives.
type conversion struct {
	statement string
	reg       Type // of the operand of the cell
	bits      int  // of the destination
	in        []byte
	want      func(lane int) *big.Int
}

// sources are conversions from a cell of table 27 to 64 bits.
func sources(inst, reg Type) (list []conversion) {
	in := registers(inst.Bits)
	add := func(dst string, want func(n *big.Int) *big.Int) {
		list = append(list, conversion{
			fmt.Sprintf("cvt%s.%v %%x, %%r0;", dst, inst), reg, 64, in,
			func(lane int) *big.Int { return want(element(inst.Bits, lane, 0)) },
		})
	}
	if inst.Kind == 'f' {
		switch inst.Bits {
		case 64:
			add(".rn.f32", func(v *big.Int) *big.Int {
				return f32Bits(math.Float64frombits(chop(v, 64).Uint64()))
			})
		default:
			add(".f64", func(v *big.Int) *big.Int { return f64Bits(value(v, inst.Bits)) })
		}
		return list
	}
	whole := func(v *big.Int) *big.Int { return number(v, inst) }
	add(".s64", whole)
	add(".u64", whole)
	add(".rn.f64", func(v *big.Int) *big.Int {
		f, _ := new(big.Float).SetInt(number(v, inst)).Float64() // rounds to nearest even
		return f64Bits(f)
	})
	for _, t := range types("s8 u8 s16 u16 s32 u32") {
		if canClip(t, inst) {
			add(".sat."+t.String(), func(v *big.Int) *big.Int {
				return extend(clamp(number(v, inst), t), t, Type{'b', 64}, Destination(t, Type{'b', 64}))
			})
		}
	}
	return list
}

// canClip reports whether a has a value that d has not, and .sat is legal.
func canClip(d, a Type) bool {
	low := clamp(new(big.Int).Neg(ones(127)), a)
	return clamp(low, d).Cmp(low) != 0 || clamp(ones(127), d).Cmp(clamp(ones(127), a)) < 0
}

// destinations are conversions from 64 bits to a cell of table 28.
func destinations(inst, reg Type) (list []conversion) {
	cell := Destination(inst, reg)
	add := func(text string, in []byte, want func(lane int) *big.Int) {
		list = append(list, conversion{text, reg, reg.Bits, in, func(lane int) *big.Int { return extend(want(lane), inst, reg, cell) }})
	}
	switch {
	case inst == Type{'f', 16}:
		add(fromHalf("cvt.rn.f16.f32 %r0, %a32;"), floats(), func(lane int) *big.Int { return f16Bits(floatOf(lane)) })
	case inst == Type{'f', 32}:
		add("cvt.rn.f32.f64 %r0, %x;", floats(), func(lane int) *big.Int { return f32Bits(floatOf(lane)) })
	case inst == Type{'f', 64}:
		add(fromHalf("cvt.f64.f32 %r0, %a32;"), floats(), func(lane int) *big.Int { return f64Bits(floatOf(lane)) })
	default:
		in := registers(inst.Bits)
		for _, a := range types("s64 u64 s32 u32 s16 u8 s8") {
			source := func(lane int) *big.Int { return number(element(inst.Bits, lane, 0), a) }
			add(fmt.Sprintf("cvt.%v.%v %%r0, %%x;", inst, a), in, source)
			if canClip(inst, a) {
				add(fmt.Sprintf("cvt.sat.%v.%v %%r0, %%x;", inst, a), in, func(lane int) *big.Int { return clamp(source(lane), inst) })
			}
		}
	}
	return list
}

// fromHalf takes an f32 source in %a32: the value rounded from %x.
func fromHalf(statement string) string { return "cvt.rn.f32.f64 %a32, %x; " + statement }

// floatOf is a small whole number, exact in every format.
func floatOf(lane int) float64 { return float64((lane - 16) * 37) }

// floats are the rows of the numbers of floatOf.
func floats() []byte {
	out := make([]byte, lanes*rowSize)
	for lane := range lanes {
		binary.LittleEndian.PutUint64(out[lane*rowSize:], math.Float64bits(floatOf(lane)))
	}
	return out
}

func f64Bits(f float64) *big.Int { return new(big.Int).SetUint64(math.Float64bits(f)) }
func f32Bits(f float64) *big.Int {
	return new(big.Int).SetUint64(uint64(math.Float32bits(float32(f))))
}

// f16Bits is a number that f16 has as a normal one, or 0.
func f16Bits(f float64) *big.Int {
	u := math.Float64bits(f)
	if f != 0 {
		u -= (1023 - 15) << 52
	}
	sign := u >> 63
	return new(big.Int).SetUint64(sign<<15 | u<<1>>1>>42)
}

// value is that of the low bits as a normal f16 or f32.
func value(v *big.Int, bits int) float64 {
	u := chop(v, bits).Uint64()
	if bits == 32 {
		return float64(math.Float32frombits(uint32(u)))
	}
	return math.Float64frombits(u>>15<<63 | u&0x7fff<<42 + (1023-15)<<52)
}
