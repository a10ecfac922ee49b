package isa

// This file declares operands as the matcher sees them.

import "strings"

// ShapeKind says what an operand is.
type ShapeKind uint8

// The kinds of operands.
const (
	ShapeNone       ShapeKind = iota
	ShapeReg                  // a register; Type; Neg for !p
	ShapeImm                  // a constant; Float, Hex, Value
	ShapeSink                 // _
	ShapeVec                  // {Elems}
	ShapeAddr                 // [Elems]: of each part its base, without displacement
	ShapePair                 // Elems[0] | Elems[1]
	ShapeParams               // (Elems)
	ShapeSym                  // a variable; Space, Type
	ShapeFunc                 // a function
	ShapeLabel                // a code label
	ShapeTable                // a .branchtargets or .calltargets label, or a table variable of functions
	ShapeProto                // a .callprototype label
	ShapeSpecial              // a special register; Special, Type
	ShapeTexref               // a variable or parameter of type .texref
	ShapeSamplerref           // .samplerref
	ShapeSurfref              // .surfref
	NumShapeKinds
)

var shapeNames = [NumShapeKinds]string{
	"nothing", "register", "constant", "sink", "vector", "address", "pair", "parameter list", "variable",
	"function", "label", "table of targets", "call prototype", "special register",
	"texture reference", "sampler reference", "surface reference",
}

func (k ShapeKind) String() string { return shapeNames[k] }

// Space is a state space (5.1).
type Space uint8

// The state spaces. Generic is the absence of one.
const (
	Generic Space = iota
	RegSpace
	SregSpace
	ConstSpace
	GlobalSpace
	LocalSpace
	ParamSpace
	SharedSpace
	TexSpace
	TensorSpace // tensor memory, tmem in the data
	NumSpaces
)

var spaceNames = [NumSpaces]string{"generic", "reg", "sreg", "const", "global", "local", "param", "shared", "tex", "tmem"}

func (s Space) String() string { return spaceNames[s] }

// LookupSpace returns the space of a word such as ".shared::cta", "shared" or "tmem".
func LookupSpace(word string) (Space, bool) {
	word, _, _ = strings.Cut(strings.TrimPrefix(word, "."), "::")
	for s, name := range spaceNames {
		if name == word {
			return Space(s), true
		}
	}
	return 0, false
}

// ParamKind says whose parameter a .param variable is.
type ParamKind uint8

// The kinds of .param variables.
const (
	NotParam      ParamKind = iota
	KernelParam             // of an entry function
	FunctionParam           // of a device function
	ReturnParam             // a device function's returned value
	CallParam               // declared in a body, for calls
)

// Shape is an operand.
type Shape struct {
	Kind     ShapeKind
	Type     Type      // declared type of a register, variable or special register
	Space    Space     // of a variable
	Param    ParamKind // of a .param variable
	Special  Special   // of ShapeSpecial, with its component in Type
	Lanes    uint8     // of a vector register or a whole vector special register: 2 or 4
	Part     bool      // a component of a vector register
	Neg      bool      // !p
	Minus    bool      // -r
	Selector string    // of a register, with its point: .b0 of r.b0; empty: all of it
	Float    bool      // the constant is a floating-point literal
	Hex      bool      // the literal is 0f… or 0d…
	Double   bool      // the literal is 0d…
	Offset   bool      // a displacement follows the name
	Unified  bool      // the variable was declared with .attribute(.unified)
	Value    int64     // of an integer constant
	Elems    []Shape
}

// sortSet is a set of the operand sorts of the notation.
type sortSet uint32

const (
	sortReg sortSet = 1 << iota
	sortImm
	sortPred
	sortNotPred // a predicate that may be negated
	sortSink
	sortAddr
	sortParams
	sortFunction
	sortTexref
	sortSamplerref
	sortSurfref
	sortCallTable
	sortCallTargets
	sortCallPrototype
	sortBranchTargets
	sortLabel
	sortSpecial
	sortVar
	sortVec
)

var sortByName = map[string]sortSet{
	"reg": sortReg, "imm": sortImm, "pred": sortPred, "!pred": sortPred | sortNotPred, "_": sortSink, "addr": sortAddr,
	"params": sortParams, "function": sortFunction, "texref": sortTexref, "samplerref": sortSamplerref,
	"surfref": sortSurfref, "calltable": sortCallTable, "calltargets": sortCallTargets,
	"callprototype": sortCallPrototype, "branchtargets": sortBranchTargets, "label": sortLabel,
	"special": sortSpecial, "variable": sortVar, "vec": sortVec,
}

// sortsOf says what each kind of operand is in the notation.
var sortsOf = [NumShapeKinds]sortSet{
	ShapeReg: sortReg, ShapeImm: sortImm, ShapeSink: sortSink, ShapeAddr: sortAddr,
	ShapeParams: sortParams, ShapeFunc: sortFunction, ShapeLabel: sortLabel,
	ShapeTable: sortCallTable | sortCallTargets | sortBranchTargets, ShapeProto: sortCallPrototype,
	ShapeSpecial: sortSpecial, ShapeTexref: sortTexref, ShapeSamplerref: sortSamplerref,
	ShapeSurfref: sortSurfref, ShapeSym: sortVar, ShapeVec: sortVec,
}

// sorts says what an operand is in the notation.
func (s *Shape) sorts() sortSet {
	if s.Kind == ShapeReg && s.Type == thePrelude.pred {
		return sortPred | sortNotPred
	}
	return sortsOf[s.Kind]
}
