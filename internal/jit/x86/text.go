package x86

import (
	"fmt"
	"strconv"
	"strings"
)

// Listing is what was assembled, in text that GNU as reads after .intel_syntax noprefix.
type Listing struct {
	Lines []Line
}

// Line is an instruction, a label with its colon, a constant as a directive, or a note behind "#".
type Line struct {
	At   int // offset of the code
	Text string
}

// List makes the assembler keep a listing of what follows, and returns it.
func (a *Asm) List() *Listing {
	if a.listing == nil {
		a.listing = &Listing{}
	}
	return a.listing
}

// Note puts a remark into the listing, if there is one.
func (a *Asm) Note(text string) {
	if a.listing != nil {
		a.listing.add(len(a.buf), "# "+text)
	}
}

// String prints a line for each: notes and labels at the margin, instructions behind their offset.
func (l *Listing) String() string {
	var b strings.Builder
	for _, x := range l.Lines {
		switch {
		case x.Text[0] == '#' || x.Text[len(x.Text)-1] == ':':
			fmt.Fprintf(&b, "%s\n", x.Text)
		default:
			fmt.Fprintf(&b, "  %6x  %s\n", x.At, x.Text)
		}
	}
	return b.String()
}

func (l *Listing) add(at int, text string) { l.Lines = append(l.Lines, Line{at, text}) }

// appendText appends the text of in as f says it.
func appendText(b []byte, f *form, in *inst, d *deco) []byte {
	if d.lock {
		b = append(b, "lock "...)
	}
	b = append(b, in.op.String()...)
	if f.flags&hasCond != 0 {
		b = append(b, in.cond.String()...)
	}
	for i := range f.operand {
		o := &f.operand[i]
		if o.slot == 0 {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, ' ')
		if o.slot == 'I' {
			b = appendRounding(b, d)
			b = strconv.AppendInt(b, in.imm, 10)
			continue
		}
		b = appendOperand(b, o, in, i)
		if i == 0 {
			b = appendMask(b, d)
		}
	}
	if d.round != 0 && f.imm == 0 {
		b = appendRounding(append(b, ", "...), d)
		b = b[:len(b)-2]
	}
	return b
}

// appendMask appends the write mask, which stands behind the destination.
func appendMask(b []byte, d *deco) []byte {
	if d.k != 0 {
		b = append(b, " {k"...)
		b = append(b, '0'+byte(d.k), '}')
	}
	if d.zero {
		b = append(b, "{z}"...)
	}
	return b
}

// appendRounding appends the rounding, which stands behind the last source and before an immediate.
func appendRounding(b []byte, d *deco) []byte {
	if d.round == 0 {
		return b
	}
	return append(b, roundingNames[min(int(d.round), len(roundingNames)-1)]...)
}

var roundingNames = [...]string{"", "{rn-sae}, ", "{rd-sae}, ", "{ru-sae}, ", "{rz-sae}, ", "{sae}, "}

// jccNames are the jumps by condition; the condition's own name stands behind the j.
var jccNames = [16]string{"jo", "jno", "jb", "jae", "je", "jne", "jbe", "ja", "js", "jns", "jp", "jnp", "jl", "jge", "jle", "jg"}

// String returns the condition as mnemonics have it: "ne".
func (c Cond) String() string { return jccNames[c&15][1:] }

// appendOperand appends operand i, o in f.
func appendOperand(b []byte, o *operand, in *inst, i int) []byte {
	switch in.shape.at(i) {
	case kMem:
		return appendMem(b, o, in)
	case kK:
		return append(b, 'k', '0'+in.n[i])
	case kVec:
		return appendVec(b, vectorBytes(o.class, Width(in.w)), in.n[i])
	}
	bytes := o.class - '0'
	if o.class == 's' {
		bytes = 1 << in.w
	}
	return append(b, regName(Reg(in.n[i]), int(bytes))...)
}

// appendVec appends a vector register of so many bytes: xmm, ymm or zmm.
func appendVec(b []byte, bytes int, n uint8) []byte {
	name := byte('x')
	switch bytes {
	case 32:
		name = 'y'
	case 64:
		name = 'z'
	}
	return strconv.AppendUint(append(b, name, 'm', 'm'), uint64(n), 10)
}

// legacyNames are the names of the first eight registers behind their prefix of the size.
var legacyNames = [...]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}

// regName returns the name of r as an operand of so many bytes.
func regName(r Reg, bytes int) string {
	if r >= R8 {
		suffix := map[int]string{1: "b", 2: "w", 4: "d", 8: ""}[bytes]
		return "r" + strconv.Itoa(int(r)) + suffix
	}
	name := legacyNames[r]
	switch bytes {
	case 1:
		if r < RSP {
			return name[:1] + "l"
		}
		return name + "l"
	case 4:
		return "e" + name
	case 8:
		return "r" + name
	}
	return name
}

// String returns the name of all 64 bits of r.
func (r Reg) String() string {
	if r > R15 {
		return "(no register)"
	}
	return regName(r, 8)
}

// pointers are the names of sizes in memory.
var pointers = map[int]string{1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "xmmword", 32: "ymmword", 64: "zmmword"}

// appendMem appends the memory operand.
func appendMem(b []byte, o *operand, in *inst) []byte {
	bytes := 0
	switch {
	case in.m.bcast:
		bytes = int(o.bcast)
	case o.mem == 's':
		bytes = 1 << in.w
	case o.mem != 'a':
		bytes = vectorBytes(o.mem, Width(in.w))
	}
	if name := pointers[bytes]; name != "" {
		b = append(append(b, name...), " ptr "...)
	}
	b = in.m.appendAddress(b, o, Width(in.w))
	if in.m.bcast {
		b = append(b, "{1to"...)
		b = strconv.AppendInt(b, int64(vectorBytes(o.mem, Width(in.w))/bytes), 10)
		b = append(b, '}')
	}
	return b
}

// appendAddress appends [base+index*scale+disp].
func (m *Mem) appendAddress(b []byte, o *operand, w Width) []byte {
	if m.Rip == 0 && m.Base == NoReg && !m.indexed() {
		b = append(b, "ds:"...) // as takes a number alone for no address before {1to8} or {k1}
	}
	b = append(b, '[')
	plus := ""
	if m.Rip != 0 {
		b = append(append(b, "rip+"...), m.Rip.String()...)
		plus = "+"
	} else if m.Base != NoReg {
		b = append(b, m.Base.String()...)
		plus = "+"
	}
	if m.Rip == 0 && m.indexed() {
		b = append(b, plus...)
		if m.vsib {
			b = appendVec(b, vectorBytes(o.index, w), uint8(m.Index))
		} else {
			b = append(b, m.Index.String()...)
		}
		b = append(b, '*', '0'+m.Scale)
		plus = "+"
	}
	if m.Disp != 0 || plus == "" {
		if m.Disp >= 0 {
			b = append(b, plus...)
		}
		b = strconv.AppendInt(b, int64(m.Disp), 10)
	}
	return append(b, ']')
}
