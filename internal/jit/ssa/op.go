package ssa

import "math/bits"

// Type is what a value holds for each lane.
type Type uint8

// The types.
const (
	None Type = iota
	W         // 32 bits
	X         // 64 bits
	M         // a truth value
)

// Bits is the width of a type.
func (t Type) Bits() int { return [...]int{None: 0, W: 32, X: 64, M: 1}[t] }

// String is the suffix of an operation's name.
func (t Type) String() string { return [...]string{None: "none", W: "w", X: "x", M: "m"}[t] }

// Value is a value of a function: the index of the operation that makes it. 0 is none.
type Value uint32

// Code is what an operation does.
type Code uint8

// The operations. Counts of shifts from the width on shift everything out. Floats are rounded to nearest. NaNs of f32 have any payload
// until Canon makes them PTX's; those of f64 are the first operand that is one, quieted (of a product's factors either), or if there is
// none the processor's.
const (
	Invalid Code = iota
	Param        // of a block
	Result       // of an effect
	Each         // lane i is entry i of table Imm (Func.Tables)
	Const        // Imm, as a number and in every lane
	Field        // a number in the state of compiled code, at offset Imm; it does not change while the code runs
	Arg          // a number in the kernel's parameters, at offset Imm
	Strided      // number A + lane·Imm
	Bcast        // number A in every lane
	Any          // number: A holds in a lane
	All          // number: A holds in all lanes
	Ballot       // number: bit i is A in lane i
	Least        // number: the least lane of A, signed
	Most         // number: the largest lane of A, signed
	Sum          // number: all lanes of A, added
	AndAll       // number: the bits that all lanes of A have
	OrAll        // number: the bits that a lane of A has
	XorAll       // number: the bits that an odd number of lanes of A have
	Runs         // number: each lane of A is one more than the one before; none wraps
	Inside       // number: what check Imm says holds of address A
	Rows         // number: the address of what lies Imm bytes behind the start of the register block of warp A

	Add
	Sub
	Mul
	MulHiU
	MulHiS
	And
	Or
	Xor
	MinS
	MaxS
	MinU
	MaxU
	DivU // by 0: all ones, and RemU the same
	RemU
	Shl
	Shr
	Sar
	Popc
	Zext
	Sext
	Trunc
	Eq
	Ne
	LtS
	LeS
	LtU
	LeU
	Select // A ? B : C
	Not
	Shuffle // lane i of the result is lane B&31 of A; of groups that are whole warps
	Perm    // byte i of the result is byte Imm>>4i&15 of A (0 to 3) and B (4 to 7)
	Dot16   // the products of the halves of A and B, signed, added
	MulHi16 // each half is the high half of the product of A's and B's, unsigned
	Lookup  // a word of table Imm (package unit), by the low bits of A

	FAdd
	FSub
	FMul
	FDiv
	FFma
	FSqrt
	FMin   // A < B ? A : B
	FMax   // A > B ? A : B
	FRound // to an integral value, as Imm says (Rounding)
	FEq
	FLt
	FLe
	FUnord
	Canon // the canonical NaN of f32 for every NaN
	I2F
	U2F
	F2I // truncated; a NaN and what has no place in a signed word are 1<<31
	F2D // f32 to f64
	D2F
	I2D
	D2I // f64 as F2I
	H2F // the f16 in the low bits to f32
	F2H // f32 to f16 in the low bits, zeros above, rounded as Imm says

	FAdd2 // of the two f32 in 64 bits
	FSub2
	FMul2
	FFma2
	Canon2
	numCodes
)

// Rounding is how a value is rounded that has no place in its format.
type Rounding = uint64

// The roundings: Imm of operations that have one.
const (
	Nearest Rounding = iota // to even
	Down
	Up
	Zero
)

// Codes is the number of codes.
const Codes = int(numCodes)

// def is a line of the table of operations. The shape is the types of the result and the operands: T is any type and N any but
// M, the same in all places.
type def struct {
	name  string
	shape string // result, then operands
	num   bool   // general registers compute it if all operands are numbers
	imm   bool   // has an immediate
	eval  func(t Type, a, b uint64) uint64
}

// defs is the table of operations: builder, text and verifier read it.
var defs = [numCodes]def{
	Invalid: {name: "invalid"},
	Param:   {name: "param", shape: "T"},
	Result:  {name: "result", shape: "T"},
	Each:    {name: "each", shape: "T", imm: true},
	Const:   {name: "const", shape: "T", num: true, imm: true},
	Field:   {name: "field", shape: "T", num: true, imm: true},
	Arg:     {name: "arg", shape: "T", num: true, imm: true},
	Strided: {name: "strided", shape: "NN", imm: true},
	Bcast:   {name: "bcast", shape: "TT"},
	Any:     {name: "any", shape: "MM", num: true},
	All:     {name: "all", shape: "MM", num: true},
	Ballot:  {name: "ballot", shape: "WM", num: true},
	Least:   {name: "least", shape: "WW", num: true},
	Most:    {name: "most", shape: "WW", num: true},
	Sum:     {name: "sum", shape: "WW", num: true},
	AndAll:  {name: "andall", shape: "WW", num: true},
	OrAll:   {name: "orall", shape: "WW", num: true},
	XorAll:  {name: "xorall", shape: "WW", num: true},
	Runs:    {name: "runs", shape: "MW", num: true},
	Inside:  {name: "inside", shape: "MX", num: true, imm: true},
	Rows:    {name: "rows", shape: "XW", num: true, imm: true},

	Add:     {name: "add", shape: "NNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return a + b }},
	Sub:     {name: "sub", shape: "NNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return a - b }},
	Mul:     {name: "mul", shape: "NNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return a * b }},
	MulHiU:  {name: "mulhiu", shape: "WWW", num: true, eval: func(_ Type, a, b uint64) uint64 { return a * b >> 32 }},
	MulHiS:  {name: "mulhis", shape: "WWW", num: true, eval: func(_ Type, a, b uint64) uint64 { return uint64(signed(W, a) * signed(W, b) >> 32) }},
	And:     {name: "and", shape: "TTT", num: true, eval: func(_ Type, a, b uint64) uint64 { return a & b }},
	Or:      {name: "or", shape: "TTT", num: true, eval: func(_ Type, a, b uint64) uint64 { return a | b }},
	Xor:     {name: "xor", shape: "TTT", num: true, eval: func(_ Type, a, b uint64) uint64 { return a ^ b }},
	MinS:    {name: "mins", shape: "NNN", num: true, eval: func(t Type, a, b uint64) uint64 { return uint64(min(signed(t, a), signed(t, b))) }},
	MaxS:    {name: "maxs", shape: "NNN", num: true, eval: func(t Type, a, b uint64) uint64 { return uint64(max(signed(t, a), signed(t, b))) }},
	MinU:    {name: "minu", shape: "NNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return min(a, b) }},
	MaxU:    {name: "maxu", shape: "NNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return max(a, b) }},
	DivU:    {name: "divu", shape: "NNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return quotient(a, b, false) }},
	RemU:    {name: "remu", shape: "NNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return quotient(a, b, true) }},
	Shl:     {name: "shl", shape: "NNN", num: true, eval: shl},
	Shr:     {name: "shr", shape: "NNN", num: true, eval: shr},
	Sar:     {name: "sar", shape: "NNN", num: true, eval: sar},
	Popc:    {name: "popc", shape: "NN", num: true, eval: func(_ Type, a, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }},
	Zext:    {name: "zext", shape: "XW", num: true, eval: func(_ Type, a, _ uint64) uint64 { return a }},
	Sext:    {name: "sext", shape: "XW", num: true, eval: func(_ Type, a, _ uint64) uint64 { return uint64(signed(W, a)) }},
	Trunc:   {name: "trunc", shape: "WX", num: true, eval: func(_ Type, a, _ uint64) uint64 { return a }},
	Eq:      {name: "eq", shape: "MNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return bit(a == b) }},
	Ne:      {name: "ne", shape: "MNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return bit(a != b) }},
	LtS:     {name: "lts", shape: "MNN", num: true, eval: func(t Type, a, b uint64) uint64 { return bit(signed(t, a) < signed(t, b)) }},
	LeS:     {name: "les", shape: "MNN", num: true, eval: func(t Type, a, b uint64) uint64 { return bit(signed(t, a) <= signed(t, b)) }},
	LtU:     {name: "ltu", shape: "MNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return bit(a < b) }},
	LeU:     {name: "leu", shape: "MNN", num: true, eval: func(_ Type, a, b uint64) uint64 { return bit(a <= b) }},
	Select:  {name: "select", shape: "TMTT", num: true},
	Not:     {name: "not", shape: "MM", num: true, eval: func(_ Type, a, _ uint64) uint64 { return a ^ 1 }},
	Shuffle: {name: "shuffle", shape: "WWW"},
	Perm:    {name: "perm", shape: "WWW", num: true, imm: true},
	Dot16:   {name: "dot16", shape: "WWW", eval: dot16},
	MulHi16: {name: "mulhi16", shape: "WWW", eval: mulHi16},
	Lookup:  {name: "lookup", shape: "WW", imm: true},

	FAdd:   {name: "fadd", shape: "NNN"},
	FSub:   {name: "fsub", shape: "NNN"},
	FMul:   {name: "fmul", shape: "NNN"},
	FDiv:   {name: "fdiv", shape: "NNN"},
	FFma:   {name: "ffma", shape: "NNNN"},
	FSqrt:  {name: "fsqrt", shape: "NN"},
	FMin:   {name: "fmin", shape: "NNN"},
	FMax:   {name: "fmax", shape: "NNN"},
	FRound: {name: "fround", shape: "NN", imm: true},
	FEq:    {name: "feq", shape: "MNN"},
	FLt:    {name: "flt", shape: "MNN"},
	FLe:    {name: "fle", shape: "MNN"},
	FUnord: {name: "funord", shape: "MNN"},
	Canon:  {name: "canon", shape: "WW"},
	I2F:    {name: "i2f", shape: "WW"},
	U2F:    {name: "u2f", shape: "WW"},
	F2I:    {name: "f2i", shape: "WW"},
	F2D:    {name: "f2d", shape: "XW"},
	D2F:    {name: "d2f", shape: "WX"},
	I2D:    {name: "i2d", shape: "XW"},
	D2I:    {name: "d2i", shape: "WX"},
	H2F:    {name: "h2f", shape: "WW"},
	F2H:    {name: "f2h", shape: "WW", imm: true},
	FAdd2:  {name: "fadd2", shape: "XXX"},
	FSub2:  {name: "fsub2", shape: "XXX"},
	FMul2:  {name: "fmul2", shape: "XXX"},
	FFma2:  {name: "ffma2", shape: "XXXX"},
	Canon2: {name: "canon2", shape: "XX"},
}

// String is the operation's name in text.
func (c Code) String() string { return defs[c].name }

// Comparison tells whether the result is a truth value about two operands.
func (c Code) Comparison() bool { return len(defs[c].shape) == 3 && defs[c].shape[0] == 'M' }

// Narrows tells whether lanes of 64 bits become words.
func (c Code) Narrows() bool { return defs[c].shape == "WX" }

// Widens tells whether words become lanes of 64 bits.
func (c Code) Widens() bool { return defs[c].shape == "XW" }

// reduces tells whether the result is a number that follows from lanes.
func (c Code) reduces() bool {
	return c >= Any && c <= Runs
}

// isFloat tells whether the bits of a NaN operand do not matter.
func (c Code) isFloat() bool { return c >= FAdd && c <= FUnord }

// commutes tells whether operands may be exchanged.
func (c Code) commutes() bool {
	switch c {
	case Add, Mul, MulHiU, MulHiS, And, Or, Xor, MinS, MaxS, MinU, MaxU, Eq, Ne, Dot16, MulHi16:
		return true
	}
	return false
}

func signed(t Type, v uint64) int64 {
	if t == W {
		return int64(int32(v))
	}
	return int64(v)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func quotient(a, b uint64, rest bool) uint64 {
	switch {
	case b == 0:
		return ^uint64(0)
	case rest:
		return a % b
	}
	return a / b
}

func shl(t Type, a, n uint64) uint64 {
	if n >= uint64(t.Bits()) {
		return 0
	}
	return a << n
}

func shr(t Type, a, n uint64) uint64 {
	if n >= uint64(t.Bits()) {
		return 0
	}
	return a >> n
}

func sar(t Type, a, n uint64) uint64 { return uint64(signed(t, a) >> min(n, uint64(t.Bits()-1))) }

func dot16(_ Type, a, b uint64) uint64 {
	product := func(n int) int64 { return int64(int16(a>>n)) * int64(int16(b>>n)) }
	return uint64(product(0) + product(16))
}

func mulHi16(_ Type, a, b uint64) uint64 {
	high := func(n int) uint64 { return (a >> n & 0xffff) * (b >> n & 0xffff) >> 16 }
	return high(0) | high(16)<<16
}

// cut keeps the bits that a type has.
func cut(t Type, v uint64) uint64 {
	switch t {
	case W:
		return v & 0xffffffff
	case M:
		return v & 1
	}
	return v
}

// Op is a pure operation; its index is the value.
type Op struct {
	Code    Code
	Type    Type
	N       uint8 // operands
	Copy    uint16
	A, B, C Value
	Imm     uint64
}

// Operands are the values it reads.
func (o *Op) Operands() []Value { return []Value{o.A, o.B, o.C}[:o.N] }

// Map is the operation with other operands.
func (o Op) Map(f func(Value) Value) Op {
	for _, p := range []*Value{&o.A, &o.B, &o.C}[:o.N] {
		*p = f(*p)
	}
	return o
}
