package launchlang

// This file reads DATA and SIZE, what a buffer holds before a launch:
//
//	DATA = @FILE | TYPE:v,v,… | TYPExN[xN…]=VALUE|iota|rand:SEED | ptr:{NAME[±BYTES],…} | struct:{FIELD,…}[,{FIELD,…}…]
//	SIZE = BYTES | TYPExN[xN…]

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/value"
)

// Array is values in memory: an element type, a shape and the bytes. Raw bytes have no type
// and a nil shape.
type Array struct {
	Type  value.Type
	Shape []int
	Bytes []byte
}

// Contents describes what a buffer starts with. Large ones are made only once the device has
// found room for them.
type Contents struct {
	Array              // bytes are nil if they are still to be made
	size   int         // bytes
	fill   elementFunc // nil: zeros
	places []place     // of addresses in the bytes
	unset  bool        // the user says nothing: --sanitize init wants the kernel to write before it reads
}

// elementFunc appends the i-th element.
type elementFunc func(out []byte, i int) ([]byte, error)

// loaded is contents that are there.
func loaded(a Array) Contents { return Contents{Array: a, size: len(a.Bytes)} }

// zero reports whether a fresh buffer needs no writing.
func (c *Contents) zero() bool { return c.Bytes == nil && c.fill == nil }

// Data returns the bytes.
func (c *Contents) Data() ([]byte, error) {
	if c.Bytes != nil || c.size == 0 {
		return c.Bytes, nil
	}
	if c.fill == nil {
		return make([]byte, c.size), nil
	}
	out := make([]byte, 0, c.size)
	var err error
	for i := 0; len(out) < c.size && err == nil; i++ {
		out, err = c.fill(out, i)
	}
	return out, err
}

// ParseData reads DATA.
func ParseData(text string) (Contents, error) {
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		a, err := ReadArray(name)
		return loaded(a), err
	}
	if shape, fill, ok := strings.Cut(text, "="); ok && !strings.HasPrefix(text, "struct:") {
		return parseFilled(shape, fill)
	}
	typeName, list, ok := strings.Cut(text, ":")
	if !ok {
		return Contents{}, fmt.Errorf("want DATA: @FILE, TYPE:v,v,… or TYPExCOUNT=VALUE|iota|rand:SEED%s", dataHint(text))
	}
	switch typeName {
	case "ptr":
		return parseAddresses(list)
	case "struct":
		return parseStructs(list)
	}
	return parseList(typeName, list)
}

// parseType reads an element type.
func parseType(name string) (value.Type, error) {
	typ, err := value.ParseType(name)
	if hint := typeHint(name); err != nil && hint != "" {
		return typ, fmt.Errorf("%q is no type%s", name, hint)
	}
	return typ, err
}

func parseList(typeName, list string) (Contents, error) {
	typ, err := parseType(typeName)
	if err != nil {
		return Contents{}, err
	}
	if strings.HasPrefix(list, "@") {
		return Contents{}, fmt.Errorf("a file has its own type: write %s", list)
	}
	a := Array{Type: typ}
	for i, word := range strings.Split(list, ",") {
		value, err := typ.Parse(strings.TrimSpace(word))
		if err != nil {
			return Contents{}, fmt.Errorf("value %d: %w", i, err)
		}
		a.Bytes = append(a.Bytes, value...)
	}
	a.Shape = []int{len(a.Bytes) / typ.Size()}
	return loaded(a), nil
}

// dataHint is what to write for a shape without values, or a file without its @.
func dataHint(text string) string {
	if c, err := parseShape(text); err == nil && len(c.Shape) > 0 {
		return "; write " + text + "=0"
	}
	if _, err := os.Stat(text); err == nil || strings.HasSuffix(text, ".npy") {
		return "; a file is written @" + text
	}
	return ""
}

// parseSize reads SIZE; the contents are zeros that were not asked for.
func parseSize(text string) (c Contents, err error) {
	if n, err := ParseByteSize(text); err == nil {
		return Contents{size: int(n), unset: true}, nil
	}
	c, err = parseShape(text)
	c.unset = true
	return c, err
}

// parseShape reads TYPExN[xN…].
func parseShape(text string) (Contents, error) {
	words := strings.Split(text, "x")
	if body, sink, ok := strings.Cut(text, ":"); ok {
		return Contents{}, fmt.Errorf("a file that gets the result is written %s:@%s", body, sink)
	}
	if len(words) < 2 {
		return Contents{}, fmt.Errorf("want SIZE: a number of bytes, or TYPExN[xN…] such as f32x1024%s", sizeHint(text))
	}
	typ, err := parseType(words[0])
	if err != nil {
		return Contents{}, err
	}
	c := Contents{Array: Array{Type: typ}, size: typ.Size()}
	for _, word := range words[1:] {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return Contents{}, fmt.Errorf("%q is no extent in %s", word, text)
		}
		if n > 0 && c.size > math.MaxInt/n {
			return Contents{}, fmt.Errorf("%s is more than any memory holds", text)
		}
		c.size *= n
		c.Shape = append(c.Shape, n)
	}
	return c, nil
}

func parseFilled(shape, fill string) (Contents, error) {
	c, err := parseShape(shape)
	if err == nil {
		c.fill, err = filler(c.Type, fill)
	}
	return c, err
}

// filler makes elements: iota counts from 0, rand:SEED draws uniform bits for integers and
// uniform values in [0,1) for floats, anything else is a constant.
func filler(typ value.Type, fill string) (elementFunc, error) {
	if fill == "iota" {
		return counting(typ), nil
	}
	if word, ok := strings.CutPrefix(fill, "rand:"); ok {
		seed, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("rand:%s: the seed is an unsigned number", word)
		}
		return random(typ, seed), nil
	}
	value, err := typ.Parse(fill)
	return func(out []byte, _ int) ([]byte, error) { return append(out, value...), nil }, err
}

func counting(typ value.Type) elementFunc {
	if typ.Float() {
		return func(out []byte, i int) ([]byte, error) { return appendFloat(out, typ, float64(i)) }
	}
	return func(out []byte, i int) ([]byte, error) {
		value, err := typ.Parse(strconv.Itoa(i))
		return append(out, value...), err
	}
}

func random(typ value.Type, seed uint64) elementFunc {
	return func(out []byte, i int) ([]byte, error) {
		bits := splitmix(seed + uint64(i)*0x9e3779b97f4a7c15)
		if typ.Float() {
			return appendFloat(out, typ, float64(bits>>40)/(1<<24))
		}
		out = typ.Append(out, bits)
		for k := 8; k < typ.Size(); k++ { // b128: a second draw
			bits = splitmix(bits)
			out[len(out)-typ.Size()+k] = byte(bits)
		}
		return out, nil
	}
}

func appendFloat(out []byte, typ value.Type, f float64) ([]byte, error) {
	bits, err := typ.FromFloat(f)
	return typ.Append(out, bits), err
}

// splitmix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): equal seeds
// give equal data on every platform.
func splitmix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// formats are endings of files whose bytes are no values, and what to do instead.
var formats = map[string]string{
	".npz": "holds several arrays; numpy.save writes one as .npy", ".csv": "is text; numpy.save writes .npy", ".txt": "is text; numpy.save writes .npy",
	".json": "is text; numpy.save writes .npy", ".png": "is a picture, which --image takes", ".jpg": "is a picture; --image takes .png", ".jpeg": "is a picture; --image takes .png",
	".gif": "is a picture; --image takes .png", ".bmp": "is a picture; --image takes .png", ".pt": "is a pickle of PyTorch; numpy.save writes .npy", ".pth": "is a pickle of PyTorch; numpy.save writes .npy",
	".safetensors": "holds several arrays; numpy.save writes one as .npy", ".h5": "holds several arrays; numpy.save writes one as .npy",
}

// checkFormat refuses a file of values whose name says that its bytes are something else.
func checkFormat(name string) error {
	ending := strings.ToLower(filepath.Ext(name))
	if what, known := formats[ending]; known {
		return fmt.Errorf("%s %s; files of other names, such as .bin, are raw bytes", ending, what)
	}
	return nil
}

// ReadArray reads a file: .npy with type and shape, anything else as raw bytes.
func ReadArray(name string) (Array, error) {
	if err := checkFormat(name); err != nil {
		return Array{}, err
	}
	if strings.HasSuffix(name, ".npy") {
		return readNpy(name)
	}
	data, err := ReadFile(name)
	return Array{Bytes: data}, err
}

// sizeUnits are powers of 1024.
var sizeUnits = map[byte]int{'K': 10, 'M': 20, 'G': 30, 'T': 40}

// sizeHint is the size that a unit written out means, or a type without a count.
func sizeHint(text string) string {
	if _, err := parseType(text); err == nil {
		return fmt.Sprintf("; one element is %sx1", text)
	}
	if hint := typeHint(text); hint != "" {
		return hint
	}
	for _, unit := range []string{"iB", "ib", "IB", "B", "b"} {
		if short, ok := strings.CutSuffix(text, unit); ok {
			if _, err := ParseByteSize(short); err == nil {
				return "; write " + short
			}
		}
	}
	return ""
}

// ParseByteSize reads a size such as 48K, 1M, 2G or 4096.
func ParseByteSize(text string) (int64, error) {
	shift, number := 0, text
	if text != "" {
		if s, ok := sizeUnits[text[len(text)-1]&^0x20]; ok {
			shift, number = s, text[:len(text)-1]
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is no size: want a number of bytes, or one with K, M, G or T%s", text, sizeHint(text))
	}
	return n << shift, nil
}
