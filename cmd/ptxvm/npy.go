package main

// This file reads and writes NumPy's .npy format, versions 1 to 3: a magic, a
// header that is a Python dict, and dense data. Fortran order and big-endian data
// are converted on reading; what is written is C order and little-endian.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
)

const npyMagic = "\x93NUMPY"

var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([<>|=])([?a-zA-Z])(\d+)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([\d,\s]*)\)`)
)

// npyKinds maps NumPy's kind letter and size to the PTX type that a buffer of it has.
var npyKinds = map[string]string{
	"u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64", "b1": "u8",
	"i1": "s8", "i2": "s16", "i4": "s32", "i8": "s64",
	"f2": "f16", "f4": "f32", "f8": "f64",
}

// npyWritten is npyKinds backwards; bits, bf16 and the narrow formats become unsigned integers.
var npyWritten = map[string]string{
	"u8": "|u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "s8": "|i1", "s16": "<i2", "s32": "<i4", "s64": "<i8",
	"f16": "<f2", "f32": "<f4", "f64": "<f8",
}

func readNpy(name string) (array, error) {
	raw, err := readFile(name)
	if err != nil {
		return array{}, err
	}
	a, err := decodeNpy(raw)
	if err != nil {
		return array{}, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

func decodeNpy(raw []byte) (array, error) {
	header, data, err := splitNpy(raw)
	if err != nil {
		return array{}, err
	}
	descr, fortran, shape := npyDescr.FindStringSubmatch(header), npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return array{}, fmt.Errorf("the .npy header %q holds no plain dtype (structured and object arrays are not read)", header)
	}
	name, known := npyKinds[descr[2]+descr[3]]
	if !known {
		return array{}, fmt.Errorf("dtype %s%s has no PTX type", descr[2], descr[3])
	}
	typ, err := ptxvm.ParseScalarType(name)
	if err != nil {
		return array{}, err
	}
	a := array{typ: typ, bytes: slices.Clone(data)}
	if a.shape, err = npyExtents(shape[1]); err != nil {
		return array{}, err
	}
	if want := a.count() * typ.Size(); len(data) != want {
		return array{}, fmt.Errorf("shape (%s) of %s needs %d bytes, the file holds %d", shape[1], name, want, len(data))
	}
	if descr[1] == ">" {
		swapBytes(a.bytes, typ.Size())
	}
	if fortran[1] == "True" {
		a.bytes = fromFortran(a.bytes, a.shape, typ.Size())
	}
	return a, nil
}

// splitNpy cuts a file into header text and data.
func splitNpy(raw []byte) (string, []byte, error) {
	if len(raw) < 12 || string(raw[:6]) != npyMagic {
		return "", nil, fmt.Errorf("is no .npy file: the magic \\x93NUMPY is missing")
	}
	start, size := 10, int(binary.LittleEndian.Uint16(raw[8:]))
	if raw[6] >= 2 {
		start, size = 12, int(binary.LittleEndian.Uint32(raw[8:]))
	}
	if size > len(raw)-start {
		return "", nil, fmt.Errorf("the .npy header is cut off")
	}
	return string(raw[start : start+size]), raw[start+size:], nil
}

// npyExtents reads the shape; that of a scalar is empty, which is not nil.
func npyExtents(text string) ([]int, error) {
	shape, count := []int{}, 1
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue // behind the last comma
		}
		n, err := strconv.Atoi(word)
		if err != nil || n > 0 && count > maxNpy/n {
			return nil, fmt.Errorf("shape (%s) is more than any file holds", text)
		}
		shape, count = append(shape, n), count*n
	}
	return shape, nil
}

// maxNpy bounds the elements of an array, so that their bytes do not overflow.
const maxNpy = 1 << 48

func swapBytes(data []byte, size int) {
	for i := 0; i+size <= len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// fromFortran reorders column-major data to row-major: walks the result in order
// and finds each element's place with the first index running fastest.
func fromFortran(data []byte, shape []int, size int) []byte {
	out := make([]byte, 0, len(data))
	index := make([]int, len(shape))
	for range len(data) / size {
		from, stride := 0, 1
		for d, n := range shape {
			from += index[d] * stride
			stride *= n
		}
		out = append(out, data[from*size:(from+1)*size]...)
		for d := len(shape) - 1; d >= 0; d-- {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}

// encodeNpy writes version 1.0, the header padded so that the data begin at a multiple of 64.
func encodeNpy(a array) []byte {
	extents := make([]string, len(a.shape))
	for i, n := range a.shape {
		extents[i] = strconv.Itoa(n)
	}
	shape := strings.Join(extents, ", ")
	if len(a.shape) == 1 {
		shape += ","
	}
	if a.shape == nil { // raw bytes
		shape = strconv.Itoa(len(a.bytes)) + ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", a.npyDescr(), shape)
	pad := 63 - (10+len(header))%64
	header += strings.Repeat(" ", pad) + "\n"
	var out bytes.Buffer
	out.WriteString(npyMagic + "\x01\x00")
	out.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	out.WriteString(header)
	out.Write(a.bytes)
	return out.Bytes()
}

// npyDescr is the dtype that a is written with; types NumPy lacks become unsigned
// integers of their size, 128-bit ones pairs of them.
func (a array) npyDescr() string {
	if a.shape == nil {
		return "|u1"
	}
	if d, ok := npyWritten[a.typ.Name()]; ok {
		return d
	}
	switch a.typ.Size() {
	case 1:
		return "|u1"
	case 2:
		return "<u2"
	case 4:
		return "<u4"
	case 8:
		return "<u8"
	}
	return fmt.Sprintf("|V%d", a.typ.Size())
}

// count is the number of elements; raw bytes count as bytes.
func (a array) count() int {
	n := 1
	for _, e := range a.shape {
		n *= e
	}
	return n
}
