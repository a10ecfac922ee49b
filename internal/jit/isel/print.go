package isel

// This file writes a function as text, for who reads what a target has selected. It does not read back.

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Legend says how the text of a function is read.
const Legend = `// %g is a number, %x a vector, %k a mask in a register of its own; constants stand where they are read.
// /m: may be read from memory; (tied): the result takes this register, or the value is copied there first.
// global is where memory of the device begins, state what the machine and the code tell each other, frame the code's own.
// name(…) stands for several machine instructions. Behind "changes" are registers for what it computes on the way,
// behind "early" those that it writes before it has read all it reads. Behind "//" is what an instruction is selected for.
`

// remarks is the column of what an instruction is selected for.
const remarks = 64

// String writes the function, a line for each instruction.
func (f *Func) String() string { return f.Text(func(*Inst) string { return "" }) }

// Text is String with what each instruction was selected for, where that is another thing than for the one before it.
func (f *Func) Text(reason func(*Inst) string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "func %s\n", f.Name)
	for _, b := range f.Blocks {
		fmt.Fprintf(&text, "%s:\n", f.Head(b))
		last := ""
		for _, i := range b.Insts {
			line, why := "  "+f.Line(i), reason(i)
			if why != "" && why != last {
				line = fmt.Sprintf("%-*s // %s", remarks, line, why)
			}
			last = why
			text.WriteString(line + "\n")
		}
	}
	return text.String()
}

// Head is what is known of a block: its level of loops, whether it is cold, its parameters.
func (f *Func) Head(b *Block) string {
	text := fmt.Sprintf("b%d level %d", b.ID, b.Level)
	if b.Cold {
		text += " cold"
	}
	return text + "(" + strings.Join(f.names(b.Params), ", ") + ")"
}

// Line is an instruction as text.
func (f *Func) Line(i *Inst) string { return i.text(f.names) }

// String is an instruction as text, for who does not have its function: registers are numbers.
func (i *Inst) String() string {
	return i.text(func(list []VReg) (names []string) {
		for _, v := range list {
			names = append(names, fmt.Sprintf("%%%d", v))
		}
		return names
	})
}

// text is what is defined, the operation on what is used, what is changed, and where it leads.
func (i *Inst) text(names func([]VReg) []string) string {
	uses := names(i.Uses)
	if i.Fold > 0 && uses[i.Fold-1][0] == '%' {
		uses[i.Fold-1] += "/m"
	}
	text := i.Op.Text(uses)
	if len(i.Defs) > 0 {
		text = strings.Join(names(i.Defs), ", ") + " = " + text
	}
	if len(i.Temps) > 0 {
		text += " changes " + strings.Join(names(i.Temps), ", ")
	}
	if i.Early {
		text += " early"
	}
	if i.To != nil {
		text += fmt.Sprintf(" to b%d(%s)", i.To.ID, strings.Join(names(i.Args), ", "))
	}
	return text
}

func (f *Func) names(list []VReg) (names []string) {
	for _, v := range list {
		k, ok := f.Const(v)
		if ok {
			names = append(names, k.text(f.class[v]))
			continue
		}
		names = append(names, fmt.Sprintf("%%%c%d", "gxk"[f.class[v]], v))
	}
	return names
}

// text writes a constant: a number, or what lanes hold.
func (k *Const) text(c Class) string {
	low := int64(binary.LittleEndian.Uint64(k[:]))
	switch {
	case c == General:
		return number(low)
	case c == Mask && uint32(low) == 0:
		return "{none}"
	case c == Mask && uint32(low) == 0xffffffff:
		return "{all}"
	}
	var words, wides []int64
	for at := 0; at < len(k); at += 4 {
		words = append(words, int64(int32(binary.LittleEndian.Uint32(k[at:]))))
	}
	for at := 0; at < len(k); at += 8 {
		wides = append(wides, int64(binary.LittleEndian.Uint64(k[at:])))
	}
	if text := series(period(words)); text != "" {
		return text
	}
	if text := series(period(wides)); text != "" && (wides[0] == wides[1] || slices.Max(wides) < 1<<32) {
		return text + ".64"
	}
	return "{" + list(period(words)) + "}"
}

// period is what lanes are again and again, half of them at least: a constant of a narrow vector fills a wide one.
func period(lanes []int64) []int64 {
	if half := len(lanes) / 2; slices.Equal(lanes[:half], lanes[half:]) {
		return lanes[:half]
	}
	return lanes
}

// series writes lanes that hold the same, or grow by the same from one to the next; else it is empty.
func series(lanes []int64) string {
	for i := 2; i < len(lanes); i++ {
		if lanes[i]-lanes[i-1] != lanes[1]-lanes[0] {
			return ""
		}
	}
	if lanes[0] == lanes[1] {
		return "{" + number(lanes[0]) + "}"
	}
	return "{" + list(lanes[:2]) + ", …}"
}

func list(lanes []int64) string {
	var names []string
	for _, n := range lanes {
		names = append(names, number(n))
	}
	return strings.Join(names, ", ")
}

// number writes a small number in digits, and bits otherwise.
func number(n int64) string {
	switch {
	case n > -1<<16 && n < 1<<16:
		return fmt.Sprint(n)
	case n == int64(int32(n)):
		return fmt.Sprintf("%#x", uint32(n))
	}
	return fmt.Sprintf("%#x", uint64(n))
}
