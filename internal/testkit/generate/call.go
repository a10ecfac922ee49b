package generate

// This file draws callees: what a function takes and returns, its declaration, and how a call
// may name it: itself, or a pointer with a prototype, a list of targets or a table.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// callee is the function that a call names.
type callee struct {
	rets, args []formal
	registers  bool // parameters are registers, as before PTX 2.0
	prototype  bool // the body declares a prototype
	targets    bool // … a list of targets
	table      bool // the module declares a table of functions
}

// formal is a parameter of a callee.
type formal struct {
	decl string // its type and alignment, ".align 8 .b8"
	size string // "[12]" of an array
	typ  isa.Type
	own  bool // the caller declares memory for it
}

// Names of what calls need.
const (
	calleeName = "callee$"
	tableName  = "table$"
	protoName  = "proto"
	targetList = "targets"
)

// formals are the parameters to draw from (7.1).
var formals = []formal{
	{decl: ".b32"}, {decl: ".u32"}, {decl: ".s32"}, {decl: ".f32"}, {decl: ".b64"}, {decl: ".u64"}, {decl: ".f64"},
	{decl: ".align 4 .b8", size: "[12]"}, {decl: ".align 16 .b8", size: "[16]"}, {decl: ".align 8 .b8", size: "[8]"},
}

// scalars is the number of formals that are no arrays.
const scalars = 7

func (g *Generator) formal(registers bool) formal {
	n := len(formals)
	if registers {
		n = scalars
	}
	f := formals[g.r.IntN(n)]
	f.own = !registers && (f.size != "" || g.r.IntN(2) == 0)
	f.typ, _ = isa.LookupType(f.decl)
	return f
}

// drawCallee draws a signature for the statement's operands.
func (d *drawer) drawCallee(operands []isa.OperandSpec) {
	c := &callee{registers: d.s.Version.Before(isa.V(2, 0)) || d.s.Target.Before(isa.MustTarget("sm_20"))}
	for i, o := range operands {
		switch {
		case o.Bracket != '(':
		case i == 0:
			c.rets = append(c.rets, d.g.formal(c.registers))
		default:
			for range d.g.r.IntN(4) {
				c.args = append(c.args, d.g.formal(c.registers))
			}
		}
	}
	d.s.callee = c
}

// params draws the list of results (the first operand) or of arguments.
func (d *drawer) params(results bool) (string, isa.Shape, bool) {
	if d.s.callee == nil {
		return "", isa.Shape{}, false
	}
	name, list := "a", d.s.callee.args
	if results {
		name, list = "r", d.s.callee.rets
	}
	shape := isa.Shape{Kind: isa.ShapeParams}
	var texts []string
	for i, f := range list {
		text, s := fmt.Sprintf("%s%d", name, i), isa.Shape{Kind: isa.ShapeSym, Space: isa.ParamSpace, Param: isa.CallParam, Type: f.typ}
		if !f.own {
			text, s, _ = d.newRegister(f.typ)
		}
		texts = append(texts, text)
		shape.Elems = append(shape.Elems, s)
	}
	return "(" + strings.Join(texts, ", ") + ")", shape, true
}

// targets names a list of targets: of a branch, or of the call.
func (d *drawer) targets() (string, isa.Shape, bool) {
	shape := isa.Shape{Kind: isa.ShapeTable}
	switch c := d.s.callee; {
	case c == nil:
		return targetList, shape, true
	case d.g.r.IntN(2) == 0:
		c.table = true
		return tableName, shape, true
	default:
		c.targets = true
		return targetList, shape, true
	}
}

// declarations are what a call needs outside of the function, and in its body.
func (c *callee) declarations() (outside, inside []string) {
	outside = []string{".func " + c.signature(calleeName, true) + " { ret; }"}
	if c.table {
		outside = append(outside, ".global .u64 "+tableName+"[1] = { "+calleeName+" };")
	}
	if c.prototype {
		inside = append(inside, protoName+": .callprototype "+c.signature("_", false)+";")
	}
	if c.targets {
		inside = append(inside, targetList+": .calltargets "+calleeName+";")
	}
	for name, list := range map[string][]formal{"r": c.rets, "a": c.args} {
		for i, f := range list {
			if f.own {
				inside = append(inside, fmt.Sprintf(".param %s %s%d%s;", f.decl, name, i, f.size))
			}
		}
	}
	slices.Sort(inside)
	return outside, inside
}

// signature writes (results) name (arguments).
func (c *callee) signature(name string, named bool) string {
	space := ".param"
	if c.registers {
		space = ".reg"
	}
	list := func(letter string, formals []formal) string {
		var out []string
		for i, f := range formals {
			param := "_"
			if named {
				param = fmt.Sprintf("%s%d", letter, i)
			}
			out = append(out, fmt.Sprintf("%s %s %s%s", space, f.decl, param, f.size))
		}
		return "(" + strings.Join(out, ", ") + ")"
	}
	if len(c.rets) > 0 {
		name = list("r", c.rets) + " " + name
	}
	return name + " " + list("a", c.args)
}

// otherCallee changes the callee's signature and leaves the call as it was.
func otherCallee(g *Generator, s *Statement) string {
	if s.callee == nil {
		return ""
	}
	c := *s.callee
	s.callee = &c
	list := &c.args
	if len(c.args) == 0 || len(c.rets) > 0 && g.r.IntN(3) == 0 {
		list = &c.rets
	}
	if len(*list) == 0 {
		c.args = []formal{g.formal(c.registers)}
		c.args[0].own = false
		return "with a parameter more"
	}
	*list = slices.Clone(*list)
	i := g.r.IntN(len(*list))
	f := g.formal(c.registers)
	f.own = (*list)[i].own
	(*list)[i] = f
	return "another parameter"
}
