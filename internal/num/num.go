// Package num is the scalar arithmetic of PTX on bits: integers, floating-point
// formats, conversions and the approximate functions, bit for bit as the
// hardware computes them. It is the only package that touches host floats.
//
// Values of up to 32 bits travel as uint32 and 64-bit values as uint64, the way
// register rows hold them. Values narrower than 32 bits are zero-extended,
// signed ones too, and every function returns them so; arguments are expected
// in that form. Hence a function without a type letter (Add32, Eq32, Shl32)
// serves every type of its width, and the unsigned 32-bit functions (MinU32,
// LtU32, ShrU32) also serve u16 and u8.
//
// Names are the operation, then its modifiers in PTX order, then the type:
// AddSatS32, MulHiU64, FmaRZFtzF32. A float name without a rounding mode rounds
// to nearest even. Functions that take a Mode are the general form of a family.
package num
