package generate

// This file changes operands. A change is one of text: what it makes of the operand is for the
// judges to read.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

var (
	anyPart      = regexp.MustCompile(`.`)
	registerPart = regexp.MustCompile(`^!?-?%[a-z0-9]+_\d+$`)
	scalarPart   = regexp.MustCompile(`^[^\[\]{}()|]+$`)
	variablePart = regexp.MustCompile(`^v_\w+$`)
)

// otherRegister replaces a register by one of another type.
func otherRegister(g *Generator, s *Statement) string {
	i, p := g.drawPart(s, registerPart)
	if i < 0 {
		return ""
	}
	types := registerTypes(s.Version, s.Target)
	t := types[g.r.IntN(len(types))]
	s.put(i, p, fmt.Sprintf("%s%d", registerPrefix(t), firstMutant))
	return fmt.Sprintf("operand %d a %v register", i, t)
}

// constants are the integers at which ranges end and types overflow, and literals of every kind.
var constants = []string{
	"0", "1", "2", "3", "4", "5", "7", "8", "9", "15", "16", "17", "24", "31", "32", "33", "63", "64", "65", "96", "127", "128", "255", "256", "257",
	"512", "1024", "65535", "65536", "1048576", "2147483647", "4294967295", "4294967296", "18446744073709551615", "-1", "-2", "-8", "-16", "0x1F", "1U",
	"1.5", "0f3F800000", "0d3FF0000000000000",
}

// constantOperand replaces a scalar by a constant, constants first.
func constantOperand(g *Generator, s *Statement) string {
	i, p := g.drawPart(s, constantPart)
	if i < 0 || g.r.IntN(3) == 0 {
		i, p = g.drawPart(s, scalarPart)
	}
	if i < 0 {
		return ""
	}
	text := constants[g.r.IntN(len(constants))]
	s.put(i, p, text)
	return fmt.Sprintf("operand %d the constant %s", i, text)
}

var constantPart = regexp.MustCompile(`^-?[0-9]`)

// kinds are operands of every kind: what it is, and a text in which T stands for the prefix of
// registers of some type.
var kinds = []struct{ what, text string }{
	{"a register", "T40"},
	{"a predicate", "%pred_40"},
	{"a negated predicate", "!%pred_40"},
	{"a negative register", "-T40"},
	{"a sink", "_"},
	{"a special register", "%tid.x"},
	{"a special register", "%laneid"},
	{"a special register", "%clock64"},
	{"a vector special register", "%ctaid"},
	{"a label", label},
	{"a variable", "v_global"},
	{"a variable", "v_shared"},
	{"a variable with a number", "v_global+4"},
	{"a variable with a number", "v_shared+8"},
	{"an address", "[%u64_40]"},
	{"an address", "[%u64_40+16]"},
	{"an address", "[%u32_40]"},
	{"an address", "[v_global]"},
	{"an address", "[v_shared+4]"},
	{"an address", "[v_const]"},
	{"an address", "[16]"},
	{"an address", "[T40]"},
	{"an address", "[%f32_40]"},
	{"an address", "[%f64_40]"},
	{"an address and a vector", "[%u64_40, {%b32_40}]"},
	{"a vector of one", "{T40}"},
	{"a vector of two", "{T40, T41}"},
	{"a vector of four", "{T40, T41, T42, T43}"},
	{"a vector with a sink", "{T40, _}"},
	{"a vector with a constant", "{T40, 1}"},
	{"a vector that begins with a constant", "{1, T40}"},
	{"a vector that begins with a constant", "{0, %b16_40}"},
	{"a special register with a number", "%tid+1"},
	{"a special register with a number", "%laneid+1"},
	{"a pair", "T40|%pred_40"},
	{"a pair", "%pred_40|%pred_41"},
	{"in parentheses", "(T40)"},
	{"a constant", "1"},
	{"a constant", "1.5"},
	{"WARP_SZ", "WARP_SZ"},
	{"a part of a register", "%b32_40.b0"},
}

// otherKind replaces an operand or a part of one by something else.
func otherKind(g *Generator, s *Statement) string {
	i, p := g.drawPart(s, anyPart)
	if i < 0 {
		return ""
	}
	k := kinds[g.r.IntN(len(kinds))]
	prefix := registerPrefix(g.likelyType(s))
	s.put(i, p, strings.ReplaceAll(k.text, "T", prefix))
	return fmt.Sprintf("operand %d %s", i, k.what)
}

// likelyType draws a type that the statement has registers of, else .b32.
func (g *Generator) likelyType(s *Statement) isa.Type {
	var types []isa.Type
	for t := range registersOf(s.Text()) {
		types = append(types, t)
	}
	slices.Sort(types)
	if len(types) == 0 {
		t, _ := isa.LookupType(".b32")
		return t
	}
	return types[g.r.IntN(len(types))]
}

func dropOperand(g *Generator, s *Statement) string {
	if len(s.Operands) == 0 {
		return ""
	}
	i := g.r.IntN(len(s.Operands))
	s.Operands = slices.Delete(s.Operands, i, i+1)
	return fmt.Sprintf("without operand %d", i)
}

func repeatOperand(g *Generator, s *Statement) string {
	if len(s.Operands) == 0 {
		return ""
	}
	i := g.r.IntN(len(s.Operands))
	s.Operands = slices.Insert(s.Operands, i, s.Operands[i])
	return fmt.Sprintf("operand %d twice", i)
}

// extraOperand adds a register, a predicate or a constant behind the last operand.
func extraOperand(g *Generator, s *Statement) string {
	texts := []string{"%b32_40", "%u64_40", "%pred_40", "0", "1"}
	text := texts[g.r.IntN(len(texts))]
	s.Operands = append(s.Operands, Operand{Text: text})
	return text + " more"
}

func swapOperands(g *Generator, s *Statement) string {
	if len(s.Operands) < 2 {
		return ""
	}
	i := g.r.IntN(len(s.Operands) - 1)
	s.Operands[i], s.Operands[i+1] = s.Operands[i+1], s.Operands[i]
	return fmt.Sprintf("operands %d and %d swapped", i, i+1)
}

// vectorPart is a list in braces.
var vectorPart = regexp.MustCompile(`^\{[^{}]*\}$`)

// changeVector makes a vector longer or shorter by one, or of half or twice the length; a single element
// loses its braces.
func changeVector(g *Generator, s *Statement) string {
	i, p := g.drawPart(s, vectorPart)
	if i < 0 {
		return ""
	}
	text := s.Operands[i].Text[p.from:p.to]
	elems := strings.Split(strings.Trim(text, "{}"), ", ")
	switch n := len(elems); g.r.IntN(4) {
	case 0:
		elems = append(elems, elems[n-1])
	case 1:
		elems = elems[:n-1]
	case 2:
		elems = elems[:n/2]
	default:
		elems = slices.Concat(elems, elems)
	}
	if len(elems) == 0 {
		s.put(i, p, strings.Trim(text, "{}"))
		return fmt.Sprintf("operand %d without braces", i)
	}
	s.put(i, p, "{"+strings.Join(elems, ", ")+"}")
	return fmt.Sprintf("operand %d of length %d", i, len(elems))
}

var vectorModifiers = []string{".v2", ".v4", ".v8", ".x1", ".x2", ".x4", ".x8", ".x16", ".x32", ".x64", ".x128"}

// changeVectorModifier replaces a modifier that is a length, and leaves the operands.
func changeVectorModifier(g *Generator, s *Statement) string {
	i := g.modifierWhere(s, func(m string) bool { return slices.Contains(vectorModifiers, m) })
	if i == 0 {
		if s.has(".v2") || g.r.IntN(2) == 0 {
			return ""
		}
		return g.insert(s, vectorModifiers[g.r.IntN(3)])
	}
	return s.replace(i, vectorModifiers[g.r.IntN(len(vectorModifiers))])
}

func (s *Statement) has(m string) bool { return slices.Contains(s.Tokens, m) }

var spaces = []string{
	".const", ".global", ".local", ".param", ".param::entry", ".param::func", ".shared", ".shared::cta", ".shared::cluster", ".tex", ".reg",
}

// changeSpace replaces, adds or drops a state space.
func changeSpace(g *Generator, s *Statement) string {
	i := g.modifierWhere(s, func(m string) bool { return slices.Contains(spaces, m) })
	m := spaces[g.r.IntN(len(spaces))]
	switch {
	case i == 0 && g.r.IntN(3) == 0:
		return g.insert(s, m)
	case i == 0:
		return ""
	case g.r.IntN(4) == 0:
		old := s.Tokens[i]
		s.Tokens = slices.Delete(s.Tokens, i, i+1)
		return "without " + old
	}
	return s.replace(i, m)
}

// otherVariable names a variable of another space, or one instead of a register in brackets.
func otherVariable(g *Generator, s *Statement) string {
	i, p := g.drawPart(s, variablePart)
	if i < 0 {
		i, _ = g.drawPart(s, regexp.MustCompile(`^\[`))
		if i < 0 {
			return ""
		}
		p = parts(s.Operands[i].Text)[1]
	}
	names := []string{"v_global", "v_shared", "v_const", "v_local", "v_param", parameter}
	if s.Version.Before(isa.V(2, 0)) || s.Target.Before(isa.MustTarget("sm_20")) {
		names = names[:4] // parameters in memory came with sm_20
	}
	name := names[g.r.IntN(len(names))]
	s.put(i, p, name)
	return fmt.Sprintf("operand %d of %s", i, name)
}
