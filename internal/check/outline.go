package check

// This file remembers what was accepted: compilers write the same opcode with operands of the same kinds over and
// over, and where nothing but these kinds decides, the form is the same, too. The reference implementation of accepted is
// isa.Forms.Match.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// outline is all that the matcher sees of operands that are registers, whole numbers, _, and vectors, pairs and
// addresses of these: 16 bits for each part, four in a word, from the low end.
type outline [outlineWords]uint64

const (
	outlineWords = 3
	maxParts     = 4*outlineWords - 1 // the last 16 bits are about the statement
)

// A part has its type, or for a list its length, in the low 8 bits; above are flags, and in the top 4 bits its class,
// which is not 0.
const (
	partTwo    = 1 << (8 + iota) // two components
	partFour                     // four
	partNot                      // !p
	partOffset                   // a displacement follows
)

const (
	partRegister = (1 + iota) << 12
	partNumber
	partSink
	partAddress // of one part
	partVector
	partPair
)

// About the statement.
const (
	outlineEntry   = 1 << 48
	outlineGuarded = 1 << 49
)

// outliner makes an outline.
type outliner struct {
	c     *checker
	out   outline
	parts int
}

// outline describes the operands of s; ok is false if they are of other kinds, or too many. It reports nothing but
// what resolving a name does.
func (c *checker) outline(s *syntax.Instruction) (o outline, ok bool) {
	r := outliner{c: c}
	if !r.list(s.Operands) {
		return o, false
	}
	last := &r.out[outlineWords-1]
	if c.fn.Entry {
		*last |= outlineEntry
	}
	if s.Guard != syntax.NoToken {
		*last |= outlineGuarded
	}
	return r.out, true
}

func (r *outliner) add(part uint64) bool {
	if r.parts == maxParts {
		return false
	}
	r.out[r.parts/4] |= part << (r.parts % 4 * 16)
	r.parts++
	return true
}

func (r *outliner) list(operands []syntax.Operand) bool {
	for i := range operands {
		if !r.operand(&operands[i]) {
			return false
		}
	}
	return true
}

func (r *outliner) operand(o *syntax.Operand) bool {
	switch o.Kind {
	case syntax.OperandName:
		return r.name(o)
	case syntax.OperandConstant:
		return r.c.small(o.Expr) && r.add(partNumber)
	case syntax.OperandAddress:
		return len(o.Elems) == 1 && !o.Elems[0].Not && r.add(partAddress) && r.operand(&o.Elems[0])
	case syntax.OperandVector:
		return !slices.ContainsFunc(o.Elems, func(e syntax.Operand) bool { return e.Not }) && r.nested(partVector, o.Elems)
	case syntax.OperandPair:
		return r.nested(partPair, o.Elems)
	}
	return false
}

func (r *outliner) nested(class uint64, elems []syntax.Operand) bool {
	return len(elems) <= maxParts && r.add(class|uint64(len(elems))) && r.list(elems)
}

// small reports whether e is a whole number of few digits, or its negative.
func (c *checker) small(e *syntax.Expr) bool {
	if e.Kind == syntax.ExprUnary && c.file.Kind(e.Token) == syntax.Minus {
		e = e.X
	}
	_, ok := c.file.Tokens[e.Token].Small()
	return ok && e.Kind == syntax.ExprInt
}

// name describes a register, or _.
func (r *outliner) name(o *syntax.Operand) bool {
	c := r.c
	switch c.file.Word(o.Name) {
	case syntax.WordSink:
		return !o.Not && !o.Neg && r.add(partSink)
	case syntax.WordWarpSize:
		return false
	}
	u, ok := c.use(o.Name)
	if !ok || u.Object == nil || u.Object.Kind != Register || o.Neg || o.Field != syntax.NoToken {
		return false
	}
	part := partRegister | uint64(u.Object.Type)
	switch u.Object.Vector {
	case 2:
		part |= partTwo
	case 4:
		part |= partFour
	case 8:
		part |= partTwo | partFour
	}
	if o.Not {
		part |= partNot
	}
	if o.Expr != nil {
		if !c.small(o.Expr) {
			return false
		}
		part |= partOffset
	}
	return r.add(part)
}

// accepted are the outlines that led to a form last, for one sequence of opcode and modifiers.
type accepted struct {
	outlines [4]outline
	sels     [4]*isa.Sel
	next     uint8
}

// find returns the form of an outline, nil if it is not remembered.
func (a *accepted) find(o *outline) *isa.Sel {
	for i := range a.outlines {
		if a.outlines[i] == *o {
			return a.sels[i]
		}
	}
	return nil
}

func (a *accepted) add(o *outline, sel *isa.Sel) {
	a.outlines[a.next], a.sels[a.next] = *o, sel
	a.next = (a.next + 1) % uint8(len(a.outlines))
}

// plainSel reports whether nothing is to be done for a form beside recording it.
func (c *checker) plainSel(sel *isa.Sel) bool {
	if c.inCall || c.inBranch || len(sel.Entry.Unique()) > 0 || len(sel.Entry.Until()) > 0 {
		return false
	}
	for _, at := range sel.Roles {
		if at.Space == isa.ParamSpace {
			return false
		}
	}
	return true
}
