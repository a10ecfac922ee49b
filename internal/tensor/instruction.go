package tensor

import (
	"fmt"
	"slices"
)

// Kind is the kind of a tcgen05.mma: what its matrices may hold (9.7.16.10).
type Kind uint8

// The kinds.
const (
	KindF16 Kind = iota
	KindTF32
	KindF8F6F4
	KindI8
	KindMXF8F6F4
	KindMXF4
	KindMXF4NVF4
)

// kinds describes the kinds.
var kinds = [...]struct {
	name string
	bits int // of an element of A and B, in tensor memory and unpacked
	k    int // of a dense product
}{
	KindF16: {".kind::f16", 16, 16}, KindTF32: {".kind::tf32", 32, 8}, KindF8F6F4: {".kind::f8f6f4", 8, 32}, KindI8: {".kind::i8", 8, 32},
	KindMXF8F6F4: {".kind::mxf8f6f4", 8, 32}, KindMXF4: {".kind::mxf4", 4, 64}, KindMXF4NVF4: {".kind::mxf4nvf4", 4, 64},
}

func (k Kind) String() string { return kinds[k].name }

// Scaled reports whether blocks of A and B have scale factors.
func (k Kind) Scaled() bool { return k >= KindMXF8F6F4 }

// MatrixElement is the type of an element of A or B.
type MatrixElement uint8

// The types.
const (
	F16 MatrixElement = iota
	BF16
	TF32
	E4M3
	E5M2
	E2M3
	E3M2
	E2M1
	U8
	S8
)

// elementCodes are the types by kind and their number in the descriptor.
var elementCodes = [...]map[uint32]MatrixElement{
	KindF16: {0: F16, 1: BF16}, KindTF32: {2: TF32}, KindF8F6F4: narrowCodes, KindI8: {0: U8, 1: S8},
	KindMXF8F6F4: narrowCodes, KindMXF4: {1: E2M1}, KindMXF4NVF4: {1: E2M1},
}

var narrowCodes = map[uint32]MatrixElement{0: E4M3, 1: E5M2, 3: E2M3, 4: E3M2, 5: E2M1}

// Padded is how elements that are no whole bytes lie in shared memory, unless the kind packs them (9.7.16.10.4.4).
func (e MatrixElement) Padded() Format {
	switch e {
	case E2M3, E3M2:
		return B6x16P32
	case E2M1:
		return B4x16P64
	}
	return Plain
}

// Statement is what an instruction says beside its descriptor.
type Statement struct {
	Kind
	Group  int // CTAs
	Sparse bool
	WS     bool // .ws
	Vector int  // of scaled kinds: the scale factors of a row of 64 elements (32 of mxf8f6f4): 1, 2, 4
	Arch   int
}

// Instruction is a decoded instruction descriptor (9.7.16.4.2).
type Instruction struct {
	Statement
	M, N, K   int
	A, B      MatrixElement
	Half      bool // D is f16; else f32, or s32 of KindI8
	Saturate  bool
	Negate    [2]bool // A, B
	Transpose [2]bool
	Selector  int    // of sparsity metadata
	Scales    [2]int // of A and B: which byte of a word begins the factors
	Format    ScaleFormat
}

// ScaleFormat is that of scale factors.
type ScaleFormat uint8

// The formats, as descriptors number them.
const (
	UE4M3 ScaleFormat = iota
	UE8M0
	UE5M3 // from sm_107
)

// instructionField is a field of the descriptor, with the values that it may have; nil for any.
type instructionField struct {
	name     string
	at, bits uint
	values   []uint32
}

var (
	zero = []uint32{0}
	one  = []uint32{1}
	bit  = []uint32{0, 1}
)

// fields returns the fields of the statement's descriptor besides sparsity and the types of A and B (tables 42 to 44).
func (s *Statement) fields(k96 bool) []instructionField {
	if s.Scaled() {
		return s.scaledFields(k96)
	}
	results := map[Kind][]uint32{KindF16: bit, KindTF32: one, KindF8F6F4: bit, KindI8: {2}}[s.Kind]
	selectors, saturate, negate, shifts := []uint32(nil), zero, bit, zero
	if s.Sparse && kinds[s.Kind].bits == 8 {
		selectors = zero
	}
	if s.Kind == KindI8 {
		saturate, negate = bit, zero
	}
	if s.WS {
		shifts = nil
	}
	return []instructionField{
		{"sparsity selector", 0, 2, selectors}, {"saturate", 3, 1, saturate}, {"type of D", 4, 2, results}, {"reserved", 6, 1, zero},
		{"negate A", 13, 1, negate}, {"negate B", 14, 1, negate}, {"transpose A", 15, 1, bit}, {"transpose B", 16, 1, bit}, {"reserved", 23, 1, zero},
		{"reserved", 29, 1, zero}, {"maximum shift of .ws", 30, 2, shifts},
	}
}

// formats5 is the architecture whose mxf4nvf4 has factors of ue5m3, and of ue4m3 for blocks of 32, too (9.4: 9.7.18.10.7.1).
const formats5 = 107

// scaledFields are those of kinds with scale factors.
func (s *Statement) scaledFields(k96 bool) []instructionField {
	transpose, ids, format, last := bit, []uint32(nil), one, zero
	width := uint(1) // of the scale type
	if s.Kind != KindMXF8F6F4 {
		width, transpose = 2, zero
		switch {
		case k96 && s.Vector == 2:
		case s.Vector == 2 || k96:
			ids = []uint32{0, 2}
		default:
			ids = zero
		}
		if s.Vector == 4 {
			format = bit
		}
		if s.Kind == KindMXF4NVF4 && s.Arch == formats5 {
			format = []uint32{uint32(UE4M3), uint32(UE8M0), uint32(UE5M3)}
		}
		if s.Arch == 103 && !s.Sparse {
			last = bit
		}
	}
	return []instructionField{
		{"reserved", 0, 2, zero}, {"reserved", 3, 1, zero}, {"scale factor id of B", 4, 2, ids}, {"reserved", 6, 1, zero},
		{"negate A", 13, 1, bit}, {"negate B", 14, 1, bit}, {"transpose A", 15, 1, transpose}, {"transpose B", 16, 1, transpose},
		{"scale type", 23, width, format}, {"reserved", 23 + width, 4 - width, zero}, {"scale factor id of A", 29, 2, ids}, {"K = 96", 31, 1, last},
	}
}

// DecodeInstruction reads an instruction descriptor. The error names the first field that holds what it may not.
func DecodeInstruction(d uint32, s Statement) (Instruction, error) {
	in := Instruction{Statement: s, K: kinds[s.Kind].k}
	get := func(at, bits uint) uint32 { return field(uint64(d), at, bits) }
	wrong := func(name string, at, bits uint, format string, args ...any) (Instruction, error) {
		return in, fmt.Errorf("instruction descriptor %#08x: bits %d to %d (%s) are %d; "+format, append([]any{d, at, at + bits - 1, name, get(at, bits)}, args...)...)
	}
	k96 := s.Scaled() && s.Kind != KindMXF8F6F4 && get(31, 1) == 1
	for _, f := range s.fields(k96) {
		if v := get(f.at, f.bits); f.values != nil && !slices.Contains(f.values, v) {
			return wrong(f.name, f.at, f.bits, "%s takes %s", s, list(f.values))
		}
	}
	if sparse := get(2, 1) == 1; sparse != s.Sparse {
		return wrong("sparsity", 2, 1, "they must be %d as the statement is with%s .sp", 1-get(2, 1), map[bool]string{false: "out"}[s.Sparse])
	}
	width := uint(3) // of the type of B
	if in.A = 0; kinds[s.Kind].bits == 4 {
		if width = 2; get(12, 1) != 0 {
			return wrong("reserved", 12, 1, "%s takes 0", s)
		}
	}
	for i, e := range []*MatrixElement{&in.A, &in.B} {
		at, bits := uint(7+3*i), []uint{3, width}[i]
		code, ok := elementCodes[s.Kind][get(at, bits)]
		if *e = code; !ok {
			return wrong("type of "+"AB"[i:i+1], at, bits, "%s takes %s", s, list(codes(s.Kind)))
		}
	}
	in.fill(get, k96)
	return in, in.shape(d)
}

// fill reads the fields that have been checked.
func (in *Instruction) fill(get func(at, bits uint) uint32, k96 bool) {
	in.N = int(get(17, 6)) << 3
	in.Negate, in.Transpose = [2]bool{get(13, 1) == 1, get(14, 1) == 1}, [2]bool{get(15, 1) == 1, get(16, 1) == 1}
	if in.Scaled() {
		in.M, in.Format = int(get(27, 2))<<7, ScaleFormat(get(23, 2))
		in.Scales = [2]int{int(get(29, 2)), int(get(4, 2))}
	} else {
		in.M, in.Half = int(get(24, 5))<<4, in.Kind != KindI8 && get(4, 2) == 0
		in.Selector, in.Saturate = int(get(0, 2)), get(3, 1) == 1
	}
	if k96 {
		in.K = 96
	}
	if in.Sparse {
		in.K *= 2
	}
}

// codes are the numbers of a kind's types.
func codes(k Kind) (list []uint32) {
	for c := range elementCodes[k] {
		list = append(list, c)
	}
	slices.Sort(list)
	return list
}

// list writes numbers: "0, 1 or 2".
func list[T uint32 | int](values []T) string {
	text := ""
	for i, v := range values {
		switch {
		case i == 0:
		case i == len(values)-1:
			text += " or "
		default:
			text += ", "
		}
		text += fmt.Sprint(v)
	}
	return text
}

func (s Statement) String() string {
	text := "tcgen05.mma"
	if s.WS {
		text += ".ws"
	}
	if s.Sparse {
		text += ".sp"
	}
	return fmt.Sprintf("%s.cta_group::%d%v", text, s.Group, s.Kind)
}

// shape checks M and N (table 39), and what the types of D and of transposed matrices demand.
func (in *Instruction) shape(d uint32) error {
	rows := in.rows()
	if !slices.Contains(rows, in.M) {
		return fmt.Errorf("instruction descriptor %#08x: M is %d; %v takes %s", d, in.M, in.Statement, list(rows))
	}
	if columns := in.columns(); !slices.Contains(columns, in.N) {
		text := list(columns)
		if len(columns) > 3 {
			text = fmt.Sprintf("%d to 256 in steps of %d", columns[0], columns[len(columns)-1]-columns[len(columns)-2])
		}
		return fmt.Errorf("instruction descriptor %#08x: N is %d; %v takes %s", d, in.N, in.Statement, text)
	}
	switch {
	case in.Kind == KindF16 && in.Half && (in.A != F16 || in.B != F16):
		return fmt.Errorf("instruction descriptor %#08x: bits 4 to 5 (type of D) are 0, f16, which A and B of f16 alone have", d)
	case in.Transpose[1] && kinds[in.Kind].bits == 8 && in.N%(16*in.Group) != 0:
		return fmt.Errorf("instruction descriptor %#08x: N is %d; with B transposed (bit 16), elements of 8 bits take multiples of %d", d, in.N, 16*in.Group)
	}
	for i, e := range []MatrixElement{in.A, in.B} {
		if in.Transpose[i] && e.Padded() != Plain {
			return fmt.Errorf("instruction descriptor %#08x: bit %d (transpose %c) is 1; elements of 6 and 4 bits cannot be transposed", d, 15+i, "AB"[i])
		}
	}
	return nil
}

// rows are the values of M.
func (in *Instruction) rows() []int {
	switch {
	case in.WS:
		return []int{32, 64, 128}
	case in.Scaled() && in.Group == 1:
		return []int{128}
	case in.Scaled() && (in.Sparse || in.K == 96):
		return []int{256}
	}
	return []int{64 * in.Group, 128 * in.Group}
}

// columns are the values of N.
func (in *Instruction) columns() (list []int) {
	switch {
	case in.WS && in.Sparse:
		return []int{64, 128}
	case in.WS:
		return []int{64, 128, 256}
	}
	for n := 8 * in.Group; n <= 256; n += 8 * in.Group {
		if in.Kind != KindI8 || n <= 32 && in.Group == 1 || n%(16*in.Group) == 0 {
			list = append(list, n)
		}
	}
	return list
}

// Bits is the width of an element of A and B: of its container where it is padded.
func (in *Instruction) Bits() int { return kinds[in.Kind].bits }

// Factors is how many scale factors a row of A has, and a column of B (table 56).
func (in *Instruction) Factors() int {
	if in.K == 96 {
		return in.Vector * 3 / 2
	}
	return in.Vector
}

// Product is where metadata say that the stored elements of A belong.
func (in *Instruction) Product() Product { return Product{K: in.K, Bits: in.Bits(), Sparse: in.Sparse} }

// Atoms says why a matrix cannot be transposed, or not, with a swizzle (table 54); nil if it can.
func (in *Instruction) Atoms(operand int, m *Descriptor) error {
	if !in.Transpose[operand] || in.Kind == KindTF32 == (m.Swizzle == Swizzle128Atom32) {
		return nil
	}
	if in.Kind == KindTF32 {
		return fmt.Errorf("elements of 32 bits are transposed with swizzle 1 (128 bytes with 32-byte atoms) only; it is %d (%s)", m.Swizzle, m.Swizzle)
	}
	return fmt.Errorf("only elements of 32 bits are transposed with swizzle 1 (%s)", m.Swizzle)
}
