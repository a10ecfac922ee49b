package x86

// form is one way to say an instruction: a line of data/*.x86, see data/NOTATION.md.
type form struct {
	reg, mem shape      // kinds of operands, with slot M a register, and memory; or noShape
	operand  [4]operand // in the order of the manual
	r, v, m  uint8      // positions of the operands in ModRM.reg, vvvv, and ModRM.rm or the opcode; 4: none
	is4      uint8      // position of the operand in an immediate's bits 7:4; 4: none
	imm      byte       // class of the immediate, 'S' for is4, 0 for none
	prefix   uint8      // 0, 1: 66, 2: f3, 3: f2
	opmap    uint8      // 0: one byte, 1: 0f, 2: 0f38, 3: 0f3a
	opcode   uint8
	digit    uint8 // 0 to 7: ModRM.reg; from c0 up: the whole ModRM byte; noDigit
	flags    flags
	sizes    uint8 // of general registers, bit n for Size n; 0: a vector form
	vex      uint8 // widths with a VEX encoding, bit n for Width n
	evex     uint8 // widths with an EVEX encoding
	vexW     uint8 // VEX.W
	evexW    uint8
	needs    [3]Feature // general form or VEX at 128 bits; VEX at 256 bits; EVEX (AVX512VL apart)
}

const noDigit = 8

// flags of a form.
type flags uint16

const (
	hasLock   flags = 1 << iota // LOCK is allowed with a memory destination
	hasCond                     // the condition is added to the opcode
	noRexW                      // 64 bits without REX.W
	isVexGPR                    // VEX encoding of general registers; VEX.W by size
	isScalar                    // one element: EVEX ignores the width
	hasRound                    // an embedded rounding is allowed
	hasSAE                      // SAE is allowed
	noMask                      // no write mask
	mustMask                    // a write mask must be given
	vexRegs                     // memory needs EVEX
	hasPinned                   // an operand can be one register only: rax, cl
	hasMirror                   // the next form exchanges the registers, for a shorter VEX prefix
)

// operand says where an operand is encoded, which registers it can be, and how it looks in memory.
type operand struct {
	slot  byte // R ModRM.reg, N vvvv, M ModRM.rm, S imm8[7:4], O opcode[2:0], A is rax, C is cl, I immediate
	class byte // registers: v h q e of the width, its half, quarter, eighth; x y; k; s of the size; 1 2 4 8 general, of so many bytes; 0 none. Immediates: b j z 8 1
	mem   byte // bytes in memory: v h q e s as above, or a number; a: an address; 0: cannot be memory
	bcast byte // bytes of an element that can be broadcast
	scale byte // disp8 is multiplied by this, where it is not the bytes in memory
	index byte // gathers and scatters: class of the index
}

// shape packs the kinds of up to four operands, four bits each, the first lowest.
type shape uint16

// kinds of operands in a shape.
const (
	kVec shape = iota + 1
	kReg
	kK
	kMem
	kImm
)

// noShape is the shape of no instruction.
const noShape shape = 0xffff

// at returns the kind of operand i, 0 behind the last.
func (s shape) at(i int) shape { return s >> (4 * i) & 15 }

// opInfo is what is known of an Op: its name and its forms in allForms.
type opInfo struct {
	name     string
	first, n uint16
}

// Op names an instruction. The mnemonic may have several forms, chosen by the operands; where
// operands alone do not say which is meant, as for a comparison into a mask register, the data
// adds a letter: VPCMPEQDK.
type Op uint16

// forms returns the forms of op, first choice first.
func (op Op) forms() []form {
	if int(op) >= len(ops) {
		return nil
	}
	o := &ops[op]
	return allForms[o.first : o.first+o.n]
}

// String returns the mnemonic.
func (op Op) String() string {
	if int(op) >= len(ops) {
		return "(no instruction)"
	}
	return ops[op].name
}

// vectorBytes returns the bytes that a class or memory letter stands for at width w; other
// values are the number itself.
func vectorBytes(letter byte, w Width) int {
	switch letter {
	case 'v':
		return 16 << w
	case 'h':
		return 8 << w
	case 'q':
		return 4 << w
	case 'e':
		return 2 << w
	case 'x':
		return 16
	case 'y':
		return 32
	}
	return int(letter)
}
