package x86

// Reg is a general register.
type Reg uint8

// The general registers. NoReg in a memory operand stands for none.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	NoReg Reg = 0xff
)

// Vec is a vector register, 0 to 31; how much of it an instruction touches is said by its width.
// Registers from 16 up need AVX-512.
type Vec uint8

// K is a mask register of AVX-512. K0 cannot be a write mask.
type K uint8

// The mask registers.
const (
	K0 K = iota
	K1
	K2
	K3
	K4
	K5
	K6
	K7
)

// Width is how much of vector registers an instruction works on. Scalar instructions have W128.
type Width uint8

// The widths.
const (
	W128 Width = iota // xmm
	W256              // ymm
	W512              // zmm
)

// Bytes returns the bytes of a vector: 16, 32, 64.
func (w Width) Bytes() int { return 16 << w }

// Size is how much of general registers an instruction works on.
type Size uint8

// The sizes.
const (
	S8 Size = iota
	S16
	S32
	S64
)

// Bytes returns the bytes of an operand: 1, 2, 4, 8.
func (s Size) Bytes() int { return 1 << s }

// Cond is a condition of Jcc, Setcc and Cmov, by the flags.
type Cond uint8

// The conditions. B, AE, BE, A compare unsigned; L, GE, LE, G signed; P is set after a
// comparison of floats with a NaN.
const (
	O Cond = iota
	NO
	B
	AE
	E
	NE
	BE
	A
	S
	NS
	P
	NP
	L
	GE
	LE
	G
)

// Not returns the opposite condition.
func (c Cond) Not() Cond { return c ^ 1 }

// Rounding is an embedded rounding of AVX-512; each suppresses exceptions. SAE only does that.
type Rounding uint8

// The roundings, in the order of their encoding behind the first.
const (
	noRounding Rounding = iota
	RN                  // to nearest, ties to even
	RD                  // down
	RU                  // up
	RZ                  // toward zero
	SAE                 // as the instruction or MXCSR says
)
