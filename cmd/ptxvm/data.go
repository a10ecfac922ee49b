package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"ptxvm"
)

// array is typed contents of a buffer: an element type, a shape and the bytes.
// A raw file has no type and no shape.
type array struct {
	typ   ptxvm.ScalarType // the zero type for raw bytes
	shape []int            // nil for raw bytes
	bytes []byte
}

// maxElements bounds what a command line may ask for before any memory is taken:
// the device's own limit gives the better message for everything below.
const maxElements = 1 << 40

// parseData reads DATA: @FILE, TYPE:v,v,… or TYPExN[xN…]=FILL.
func parseData(text string) (array, error) {
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		return readArray(name)
	}
	if spec, fill, ok := strings.Cut(text, "="); ok {
		return parseFilled(spec, fill)
	}
	typeName, list, ok := strings.Cut(text, ":")
	if !ok {
		return array{}, fmt.Errorf("want DATA: @FILE, TYPE:v,v,… or TYPExCOUNT=VALUE|iota|rand:SEED")
	}
	if typeName == "ptr" {
		return array{}, fmt.Errorf("ptr:{…} needs named buffers (--buf), which are not built yet")
	}
	return parseList(typeName, list)
}

func parseList(typeName, list string) (array, error) {
	typ, err := ptxvm.ParseScalarType(typeName)
	if err != nil {
		return array{}, err
	}
	a := array{typ: typ}
	for i, word := range strings.Split(list, ",") {
		value, err := typ.Parse(strings.TrimSpace(word))
		if err != nil {
			return array{}, fmt.Errorf("value %d: %w", i, err)
		}
		a.bytes = append(a.bytes, value...)
	}
	a.shape = []int{len(a.bytes) / typ.Size()}
	return a, nil
}

// parseSize reads SIZE: a number of bytes, or TYPExN[xN…]. The contents are zeros.
func parseSize(text string) (array, error) {
	if n, err := parseByteSize(text); err == nil {
		if n > math.MaxInt32*64 {
			return array{}, fmt.Errorf("%s bytes are too many for one buffer", text)
		}
		return array{bytes: make([]byte, n)}, nil
	}
	a, count, err := parseShape(text)
	if err != nil {
		return array{}, err
	}
	a.bytes = make([]byte, count*a.typ.Size())
	return a, nil
}

// parseShape reads TYPExN[xN…] and returns the number of elements.
func parseShape(text string) (array, int, error) {
	words := strings.Split(text, "x")
	if len(words) < 2 {
		return array{}, 0, fmt.Errorf("want SIZE: a number of bytes, or TYPExN[xN…] such as f32x1024")
	}
	// bf16x2 and the like do not occur: packed types are written by element.
	typ, err := ptxvm.ParseScalarType(words[0])
	if err != nil {
		return array{}, 0, err
	}
	a, count := array{typ: typ}, 1
	for _, word := range words[1:] {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || (n > 0 && count > maxElements/n) {
			return array{}, 0, fmt.Errorf("%q is no usable extent in %s", word, text)
		}
		a.shape = append(a.shape, n)
		count *= n
	}
	return a, count, nil
}

func parseFilled(spec, fill string) (array, error) {
	a, count, err := parseShape(spec)
	if err != nil {
		return array{}, err
	}
	size := a.typ.Size()
	a.bytes = make([]byte, 0, count*size)
	next, err := filler(a.typ, fill)
	if err != nil {
		return array{}, err
	}
	for i := range count {
		value, err := next(i)
		if err != nil {
			return array{}, err
		}
		a.bytes = append(a.bytes, value...)
	}
	return a, nil
}

// filler makes the i-th element: iota counts from 0, rand:SEED draws uniform bits
// for integers and uniform values in [0,1) for floats, anything else is a constant.
func filler(typ ptxvm.ScalarType, fill string) (func(i int) ([]byte, error), error) {
	if fill == "iota" {
		return func(i int) ([]byte, error) { return typ.Parse(strconv.Itoa(i)) }, nil
	}
	if word, ok := strings.CutPrefix(fill, "rand:"); ok {
		seed, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("rand:%s: the seed is an unsigned number", word)
		}
		return randomFiller(typ, seed), nil
	}
	value, err := typ.Parse(fill)
	return func(int) ([]byte, error) { return value, nil }, err
}

func randomFiller(typ ptxvm.ScalarType, seed uint64) func(int) ([]byte, error) {
	return func(i int) ([]byte, error) {
		bits := splitmix(seed + uint64(i)*0x9e3779b97f4a7c15)
		if typ.Float() {
			return typ.Parse(strconv.FormatFloat(float64(bits>>40)/(1<<24), 'g', -1, 64))
		}
		return typ.Bits(bits), nil
	}
}

// splitmix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): equal seeds
// give equal data on every platform.
func splitmix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// readArray reads a file: .npy with type and shape, anything else as raw bytes.
func readArray(name string) (array, error) {
	if strings.HasSuffix(name, ".npy") {
		return readNpy(name)
	}
	data, err := os.ReadFile(name)
	return array{bytes: data}, err
}

// parseByteSize reads a size such as 48K, 1M, 2G or 4096; units are powers of 1024.
func parseByteSize(text string) (int64, error) {
	units := map[byte]int{'K': 10, 'M': 20, 'G': 30, 'T': 40}
	shift, number := 0, text
	if text != "" {
		if s, ok := units[text[len(text)-1]&^0x20]; ok {
			shift, number = s, text[:len(text)-1]
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is no size: want a number with K, M or G", text)
	}
	return n << shift, nil
}
