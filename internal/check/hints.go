package check

// This file adds to a finding what people do next: the instruction that converts, loads or replaces.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// hint adds a way out to findings that alone say only what is wrong.
func (c *checker) hint(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) {
	label := ""
	switch m.Kind {
	case isa.GatePast:
		label = c.synchronous()
	case isa.OperandCount:
		d.Msg += missingOperands(s, m)
	case isa.OperandWidth, isa.OperandType:
		label = c.conversion(d, m)
	case isa.OperandSpace, isa.OperandKind:
		label = c.symbolHint(m)
	}
	if label != "" {
		d.Fixes = append(d.Fixes, diag.Fix{Label: label})
	}
}

// synchronous names the form with .sync of an instruction that went when that came (9.7.9.5, 9.7.13.8).
func (c *checker) synchronous() string {
	forms := c.isa.Forms(slices.Insert(slices.Clone(c.tokens), 1, ".sync"), c.query.Suffix)
	if forms.Entry() == nil {
		return ""
	}
	return "use " + forms.Text()
}

// missingOperands names the operands that the form has behind those of the statement.
func missingOperands(s *syntax.Instruction, m *isa.Mismatch) string {
	names := operandNames(m.Form())
	if len(names) <= len(s.Operands) || m.Want != strconv.Itoa(len(names)) {
		return ""
	}
	return "; missing: " + strings.Join(names[len(s.Operands):], ", ")
}

// optionalPart is what a form's text has in braces among operands and a statement may leave out.
var optionalPart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[,|.][^{}]*\}`) })

// operandNames lists the operands that a form's text has, without optional ones.
func operandNames(form string) (names []string) {
	_, list, _ := strings.Cut(strings.TrimSuffix(form, ";"), " ")
	list = optionalPart().ReplaceAllString(list, "")
	depth, start := 0, 0
	for i, r := range list + "," {
		switch {
		case strings.ContainsRune("[({", r):
			depth++
		case strings.ContainsRune("])}", r):
			depth--
		case r == ',' && depth == 0:
			names = append(names, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return names
}

// conversion names the instruction that makes the type that an operand has into the one that it should have.
func (c *checker) conversion(d *diag.Diagnostic, m *isa.Mismatch) string {
	shape := c.operandShape(m)
	if d.Code != diag.OperandWidth && d.Code != diag.OperandType || shape == nil || shape.Kind != isa.ShapeReg || m.Operand == 0 {
		return ""
	}
	at := strings.LastIndex(m.Want, " .")
	if at < 0 {
		return ""
	}
	want, ok := isa.LookupType(m.Want[at+1:])
	if !ok || !scalar(want) || !scalar(shape.Type) {
		return ""
	}
	have := shape.Type
	switch float, was := want.Kind() == isa.Float, have.Kind() == isa.Float; {
	case float && was:
		return fmt.Sprintf("convert it first: cvt%v%v", want, have)
	case float || was:
		return fmt.Sprintf("convert its value with cvt, or take its bits with mov.b%d", have.Bits())
	case want.Bits() != have.Bits():
		return fmt.Sprintf("convert it first: cvt.u%d.u%d, or with its sign cvt.s%d.s%d", want.Bits(), have.Bits(), want.Bits(), have.Bits())
	}
	return ""
}

// scalar tells the types of numbers that cvt knows, bits included.
func scalar(t isa.Type) bool {
	return isa.Bits <= t.Kind() && t.Kind() <= isa.Float && t.Bits() >= 16 && t.Bits() <= 64
}

// readOnlyConstants is for instructions that do not take constant memory (5.1.3).
const readOnlyConstants = "ld.const alone reads constant memory, the host writes it; declare .global what kernels write"

// symbolHint says how to get at the value of a parameter, which is in memory, and what constant memory is for.
func (c *checker) symbolHint(m *isa.Mismatch) string {
	shape := c.operandShape(m)
	if shape != nil && shape.Kind == isa.ShapeAddr && len(shape.Elems) > 0 {
		shape = &shape.Elems[0]
	}
	switch {
	case shape == nil || shape.Kind != isa.ShapeSym:
		return ""
	case m.Kind == isa.OperandSpace && shape.Space == isa.ConstSpace:
		return readOnlyConstants
	case shape.Param != isa.KernelParam && shape.Param != isa.FunctionParam:
		return ""
	case m.Kind == isa.OperandSpace:
		return "load the pointer first: ld.param.u64"
	}
	return "load it first: ld.param" + shape.Type.String()
}
