package kernels

// This file makes launches and buffers: what the table is written in.

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// number is an element of a buffer or a scalar.
type number interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | float32 | float64
}

// elemOf is how differences of such elements are shown.
func elemOf(v any) corpus.Elem {
	switch v.(type) {
	case uint8, int8:
		return corpus.U8
	case uint16:
		return corpus.U16
	case int16:
		return corpus.S16
	case uint32:
		return corpus.U32
	case int32:
		return corpus.S32
	case uint64:
		return corpus.U64
	case float32:
		return corpus.F32
	case float64:
		return corpus.F64
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

// data is a buffer with these elements.
func data[T number](name string, v []T) *corpus.Buffer {
	var zero T
	return &corpus.Buffer{Name: name, Elem: elemOf(zero), Init: encode(v)}
}

// fill is a buffer of n elements, each by its index.
func fill[T number](name string, n int, f func(i int) T) *corpus.Buffer {
	return data(name, list(n, f))
}

func list[T any](n int, f func(i int) T) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// uniform is a buffer of n elements between two limits, for integers without the upper one.
func uniform[T number](name string, n int, low, high T) *corpus.Buffer {
	r := seeded(name)
	return fill(name, n, func(int) T { return between(r, low, high) })
}

// result is a buffer that the kernels fill; it starts with a pattern, so that a missing store shows.
func result[T number](name string, n int) *corpus.Buffer {
	b := data(name, make([]T, n))
	for i := range b.Init {
		b.Init[i] = 0xa5
	}
	return b
}

// zeros is a buffer of n zeros.
func zeros[T number](name string, n int) *corpus.Buffer { return data(name, make([]T, n)) }

// within lets a result differ from that of C.
func within(b *corpus.Buffer, t corpus.Tolerance) *corpus.Buffer {
	b.Tol = t
	return b
}

// splitmix is the same sequence on every platform and in every release.
type splitmix uint64

func seeded(name string) *splitmix {
	h := fnv.New64a()
	h.Write([]byte(name))
	r := splitmix(h.Sum64())
	return &r
}

func (r *splitmix) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *splitmix) below(n int) int { return int(r.next() % uint64(n)) }

func (r *splitmix) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

func between[T number](r *splitmix, low, high T) T {
	return T(float64(low) + float64(r.unit()*(float64(high)-float64(low))))
}

// launch is one launch: extents are a number or up to three.
func launch(kernel string, grid, block any, args ...any) corpus.Launch {
	l := corpus.Launch{Kernel: kernel, Grid: extent(grid), Block: extent(block)}
	for _, v := range args {
		a := corpus.Arg{Elem: corpus.U64}
		switch v := v.(type) {
		case *corpus.Buffer:
			a.Buffer = v
		case int:
			a.Elem, a.Scalar = corpus.S32, encode(int32(v))
		default:
			a.Elem, a.Scalar = elemOf(v), encode(v)
		}
		l.Args = append(l.Args, a)
	}
	return l
}

func extent(v any) [3]int {
	switch v := v.(type) {
	case int:
		return [3]int{v, 1, 1}
	case [2]int:
		return [3]int{v[0], v[1], 1}
	case [3]int:
		return v
	}
	panic(fmt.Sprintf("BUG: %T is no extent", v))
}

// run is launches one after the other; their buffers are in the order of first use.
func run(launches ...corpus.Launch) *corpus.Run {
	r := &corpus.Run{Launches: launches}
	for _, l := range launches {
		for _, a := range l.Args {
			if a.Buffer != nil && !slices.Contains(r.Buffers, a.Buffer) {
				r.Buffers = append(r.Buffers, a.Buffer)
			}
		}
	}
	return r
}

// over is a launch of one thread for each of n items, blocks of 256.
func over(kernel string, n int, args ...any) *corpus.Run {
	return run(launch(kernel, blocks(n, 256), 256, args...))
}

// tiles is a launch of one thread for each item of a plane, blocks of 32 by 8.
func tiles(kernel string, w, h int, args ...any) *corpus.Run {
	return run(launch(kernel, [2]int{blocks(w, 32), blocks(h, 8)}, [2]int{32, 8}, args...))
}

// blocks is how many blocks of size threads cover n items.
func blocks(n, size int) int { return (n + size - 1) / size }

// lengths are the starts of n rows of up to most entries each, and the end of the last.
func lengths(n, most int) []int32 {
	r, start := seeded("lengths"), make([]int32, n+1)
	for i := range n {
		start[i+1] = start[i] + int32(r.below(most+1))
	}
	return start
}
