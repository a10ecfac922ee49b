package inlineasm

// This file makes statements of PTX out of a template: operands become registers with names that PTX allows, %0.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// statements returns the text with its operands in their places, and which of its bytes stand for constants whose value the
// source does not show: such a byte is the digit 1.
func (a *Asm) statements() (out text, unknown []bool) {
	in := &a.text
	put := func(s string, from, to int) { // s stands for bytes from to to
		place := in.span(from, to)
		for i := range len(s) {
			out.add(s[i], place.Start, place.End)
		}
	}
	for i := 0; i < len(in.bytes); {
		n, word, constant := a.substitute(i)
		if n == 0 {
			n, word = 1, string(in.bytes[i])
		}
		put(word, i, i+n)
		for len(unknown) < len(out.bytes) {
			unknown = append(unknown, constant)
		}
		i += n
	}
	return out, unknown
}

// mark begins what stands for an operand.
func (a *Asm) mark() byte {
	if a.language == Python {
		return '$'
	}
	return '%'
}

// operandName is %12, %[name] or ${3:c} behind the mark, %= for a number of its own, %% for the mark.
var operandName = regexp.MustCompile(`^(?:(\d+)|\[(\w+)\]|\{(\d+)(?::\w+)?\}|(=|\{:uid\})|([%$]))`)

// substitute returns how many bytes from i on stand for something else, what that is, and whether it is a constant whose value
// is not known; 0 if none do.
func (a *Asm) substitute(i int) (n int, word string, unknown bool) {
	if a.text.bytes[i] != a.mark() {
		return 0, "", false
	}
	m := operandName.FindStringSubmatch(string(a.text.bytes[i+1 : min(len(a.text.bytes), i+64)]))
	if m == nil {
		return 0, "", false
	}
	n = 1 + len(m[0])
	switch {
	case m[5] != "":
		if m[5][0] != a.mark() {
			return 0, "", false
		}
		return n, m[5], false
	case a.bare:
		return 0, "", false
	case m[4] != "":
		return n, "0", false
	}
	number := a.number(m[1]+m[3], m[2])
	if number < 0 {
		return 0, "", false
	}
	if a.Operands[number].Constraint != "n" {
		return n, "%" + strconv.Itoa(number), false
	}
	if value := strings.TrimRight(a.Operands[number].Value, "uUlL"); isInteger(value) {
		return n, value, false
	}
	return n, "1", true
}

// number is the operand that a number or name means, -1 if there is none.
func (a *Asm) number(digits, name string) int {
	if digits != "" {
		if n, err := strconv.Atoi(digits); err == nil && n < len(a.Operands) {
			return n
		}
		return -1
	}
	for i := range a.Operands {
		if a.Operands[i].Name == name {
			return i
		}
	}
	return -1
}

func isInteger(s string) bool {
	_, err := strconv.ParseInt(s, 0, 64)
	return err == nil
}

// registerTypes are the registers that constraints ask for. What NVIDIA's compilers name by f is an .f32 register in C++; LLVM
// makes .b32 ones, which accept more.
var registerTypes = map[Language]map[string]string{
	CPP:    {"h": ".b16", "r": ".b32", "l": ".b64", "q": ".b128", "f": ".f32", "d": ".f64"},
	Python: {"b": ".pred", "c": ".b16", "h": ".b16", "r": ".b32", "l": ".b64", "q": ".b128", "f": ".b32", "d": ".b64"},
}

// Kernel is the kernel that the statements stand in; the source has no such name.
const Kernel = "inline_assembly"

// module returns a module that holds the statements, and where in it they begin. why says what keeps it from being made, "" if
// nothing does.
func (a *Asm) module(d dialect, body []byte) (text []byte, begin int, why string) {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %v\n.target %v\n.address_size %d\n.visible .entry %s()\n{\n", d.version, d.target, d.bits, Kernel)
	for i, o := range a.Operands {
		if o.Constraint == "n" {
			continue
		}
		t := registerTypes[a.language][o.Constraint]
		if t == "" {
			return nil, 0, "the constraint \"" + o.Constraint + "\" is none of a register or number"
		}
		b.WriteString(".reg " + t + " %" + strconv.Itoa(i) + ";\n")
	}
	begin = b.Len()
	b.Write(body)
	b.WriteString("\n}\n")
	return []byte(b.String()), begin, ""
}
