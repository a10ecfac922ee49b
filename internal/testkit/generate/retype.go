package generate

// This file declares the registers of an operand with another type.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Registers lists the operands that are registers or vectors of registers alone.
func (s *Statement) Registers() (list []int) {
	for i := range s.Operands {
		shape := &s.Operands[i].Shape
		elems := shape.Elems
		if shape.Kind == isa.ShapeReg {
			elems = []isa.Shape{*shape}
		}
		others := func(e isa.Shape) bool { return e.Kind != isa.ShapeReg || e.Neg }
		if (shape.Kind == isa.ShapeReg || shape.Kind == isa.ShapeVec) && len(elems) > 0 && !slices.ContainsFunc(elems, others) {
			list = append(list, i)
		}
	}
	return list
}

// Retyped is the statement with the registers of an operand declared with another type.
func (s *Statement) Retyped(i int, t isa.Type) *Statement {
	m := *s
	m.Operands = slices.Clone(s.Operands)
	o := &m.Operands[i]
	d := drawer{s: &m, used: map[string]int{registerPrefix(t): firstMutant}}
	m.Mutation = fmt.Sprintf("operand %d a %v register", i, t)
	if o.Shape.Kind == isa.ShapeReg {
		o.Text, o.Shape, _ = d.newRegister(t)
		return &m
	}
	var texts []string
	o.Shape.Elems = slices.Clone(o.Shape.Elems)
	for k := range o.Shape.Elems {
		var text string
		text, o.Shape.Elems[k], _ = d.newRegister(t)
		texts = append(texts, text)
	}
	o.Text = "{" + strings.Join(texts, ", ") + "}"
	return &m
}
