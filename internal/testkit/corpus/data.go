// This file turns Go values into buffers and arguments, and makes deterministic inputs.

package corpus

import (
	"encoding/binary"
	"fmt"
)

// half and bfloat are bit patterns of IEEE half precision and of bfloat16.
type (
	half   uint16
	bfloat uint16
)

type value interface {
	uint8 | uint16 | uint32 | uint64 | int16 | int32 | half | bfloat | float32 | float64
}

func elemOf(v any) Elem {
	switch v.(type) {
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case int16:
		return S16
	case int32:
		return S32
	case half:
		return F16
	case bfloat:
		return BF16
	case float32:
		return F32
	case float64:
		return F64
	}
	panic(fmt.Sprintf("BUG: no element type for %T", v))
}

func encode(v any) []byte {
	p, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return p
}

// input is a buffer that the kernels must leave as it is.
func input[T value](name string, v []T) *Buffer { return inout(name, v, v) }

// inout is a buffer with contents before and after.
func inout[T value](name string, before, after []T) *Buffer {
	var zero T
	return &Buffer{Name: name, Elem: elemOf(zero), Init: encode(before), Want: encode(after)}
}

// output is a buffer that the kernels fill; it starts with a pattern, so that a missing store shows.
func output[T value](name string, after []T) *Buffer {
	b := inout(name, after, after)
	b.Init = poison(len(b.Want))
	return b
}

// scratch is a buffer of n zero elements whose final contents do not matter.
func scratch[T value](name string, n int) *Buffer {
	b := inout(name, make([]T, n), nil)
	b.Want = nil
	return b
}

func poison(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = 0xa5
	}
	return p
}

// args turns buffers and Go scalars into kernel arguments.
func args(list ...any) []Arg {
	out := make([]Arg, len(list))
	for i, v := range list {
		if b, ok := v.(*Buffer); ok {
			out[i] = Arg{Buffer: b, Elem: U64}
		} else {
			out[i] = Arg{Elem: elemOf(v), Scalar: encode(v)}
		}
	}
	return out
}

// random is splitmix64: the same numbers on every platform and in every release.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number in [0, n).
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// unit returns a float32 in [-1, 1), a multiple of 2^-23.
func (r *random) unit() float32 { return float32(int32(r.next()>>40)-1<<23) / (1 << 23) }

// between returns a float32 in about [lo, hi).
func (r *random) between(lo, hi float32) float32 {
	return lo + float32((hi-lo)*((r.unit()+1)/2))
}

// list makes n values.
func list[T any](n int, f func(i int) T) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// floats makes n random values in [-1, 1).
func floats(seed random, n int) []float32 {
	return list(n, func(int) float32 { return seed.unit() })
}

// words makes n random words.
func words(seed random, n int) []uint32 {
	return list(n, func(int) uint32 { return uint32(seed.next()) })
}

// octets makes n random bytes.
func octets(seed random, n int) []uint8 {
	return list(n, func(int) uint8 { return uint8(seed.next()) })
}
