package launchlang

// This file reads and writes NumPy's .npy format, versions 1 to 3: a magic, a
// header that is a Python dict, and dense data. Fortran order and big-endian data
// are converted on reading; what is written is C order and little-endian.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/value"
)

const npyMagic = "\x93NUMPY"

var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([<>|=])([?a-zA-Z])(\d+)'`)
	npyNamed   = regexp.MustCompile(`'descr'\s*:\s*'(\w+)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([\d,\s]*)\)`)
)

// npyKinds maps NumPy's kind letter and size to the PTX type that a buffer of it has.
var npyKinds = map[string]string{
	"u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64", "b1": "u8",
	"i1": "s8", "i2": "s16", "i4": "s32", "i8": "s64",
	"f2": "f16", "f4": "f32", "f8": "f64",
	"V1": "b8", "V2": "b16", "V4": "b32", "V8": "b64", // what numpy.save makes of types that it does not know
}

// npyNames maps the names of ml_dtypes to PTX types; int4 and uint4 have a byte each there, too.
var npyNames = map[string]string{
	"bfloat16": "bf16", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "float8_e8m0fnu": "ue8m0",
	"float6_e2m3fn": "e2m3", "float6_e3m2fn": "e3m2", "float4_e2m1fn": "e2m1", "int4": "s8", "uint4": "u8",
}

// npyWritten is npyKinds and npyNames backwards; bits become unsigned integers.
var npyWritten = map[string]string{
	"u8": "|u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "s8": "|i1", "s16": "<i2", "s32": "<i4", "s64": "<i8",
	"f16": "<f2", "f32": "<f4", "f64": "<f8",
	"bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "ue8m0": "float8_e8m0fnu",
	"e2m3": "float6_e2m3fn", "e3m2": "float6_e3m2fn", "e2m1": "float4_e2m1fn",
}

func readNpy(name string) (Array, error) {
	raw, err := ReadFile(name)
	if err != nil {
		return Array{}, err
	}
	a, err := DecodeNpy(raw)
	if err != nil {
		return Array{}, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

func DecodeNpy(raw []byte) (Array, error) {
	header, data, err := splitNpy(raw)
	if err != nil {
		return Array{}, err
	}
	descr, fortran, shape := npyType(header), npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return Array{}, fmt.Errorf("the .npy header %q holds no plain dtype (structured and object arrays are not read)", header)
	}
	typ, err := descr.scalar()
	if err != nil {
		return Array{}, err
	}
	a := Array{Type: typ, Bytes: slices.Clone(data)}
	if a.Shape, err = npyExtents(shape[1]); err != nil {
		return Array{}, err
	}
	if want := a.count() * typ.Size(); len(data) != want {
		return Array{}, fmt.Errorf("shape (%s) of %s needs %d bytes, the file holds %d", shape[1], typ.Name(), want, len(data))
	}
	if descr.big {
		swapBytes(a.Bytes, typ.Size())
	}
	if fortran[1] == "True" {
		a.Bytes = fromFortran(a.Bytes, a.Shape, typ.Size())
	}
	return a, nil
}

// npyDtype is what a header says of the elements.
type npyDtype struct {
	name string // u4, or bfloat16
	big  bool   // big-endian
}

// npyType reads the dtype, nil if it is none of a plain number.
func npyType(header string) *npyDtype {
	if m := npyDescr.FindStringSubmatch(header); m != nil {
		return &npyDtype{m[2] + m[3], m[1] == ">"}
	}
	if m := npyNamed.FindStringSubmatch(header); m != nil {
		return &npyDtype{name: m[1]}
	}
	return nil
}

// scalar is the PTX type.
func (d *npyDtype) scalar() (value.Type, error) {
	name := cmp.Or(npyKinds[d.name], npyNames[d.name])
	if name == "" {
		return value.Type{}, fmt.Errorf("dtype %s has no PTX type", d.name)
	}
	return value.ParseType(name)
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

// EncodeNpy writes version 1.0, the header padded so that the data begin at a multiple of 64.
func EncodeNpy(a Array) []byte {
	extents := make([]string, len(a.Shape))
	for i, n := range a.Shape {
		extents[i] = strconv.Itoa(n)
	}
	shape := strings.Join(extents, ", ")
	if len(a.Shape) == 1 {
		shape += ","
	}
	if a.Shape == nil { // raw bytes
		shape = strconv.Itoa(len(a.Bytes)) + ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", a.npyDescr(), shape)
	pad := 63 - (10+len(header))%64
	header += strings.Repeat(" ", pad) + "\n"
	var out bytes.Buffer
	out.WriteString(npyMagic + "\x01\x00")
	out.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	out.WriteString(header)
	out.Write(a.Bytes)
	return out.Bytes()
}

// npyDescr is the dtype that a is written with; types NumPy lacks become unsigned
// integers of their size, 128-bit ones pairs of them.
func (a Array) npyDescr() string {
	if a.Shape == nil {
		return "|u1"
	}
	if d, ok := npyWritten[a.Type.Name()]; ok {
		return d
	}
	switch a.Type.Size() {
	case 1:
		return "|u1"
	case 2:
		return "<u2"
	case 4:
		return "<u4"
	case 8:
		return "<u8"
	}
	return fmt.Sprintf("|V%d", a.Type.Size())
}

// count is the number of elements; raw bytes count as bytes.
func (a Array) count() int {
	n := 1
	for _, e := range a.Shape {
		n *= e
	}
	return n
}
