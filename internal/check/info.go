// Package check judges a parsed module as ptxas does: names, scopes, types, state
// spaces, the form of every instruction, and what version and target allow. What
// it learns stands in side tables (Info); the tree is never changed.
package check

// This file defines the side tables that later stages read.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Info is what the checker knows about one file. It is complete only if Check
// reported no errors; it is not changed afterwards and may be read concurrently.
type Info struct {
	File        *syntax.File
	Version     isa.Version
	Target      isa.Target
	AddressSize int  // 32 or 64; 64 where the module does not say
	Independent bool // .texmode_independent

	// Alone is what there is to say if no other module is linked to a valid one; with Options.WholeProgram
	// that is among the other diagnostics.
	Alone diag.List

	// Hushed is how many undeclared names were not reported, since a statement that could not be parsed may declare them.
	Hushed int

	Objects []*Object // all declared names, in written order; Object.ID indexes it
	Funcs   []*Func   // functions with a body or prototype, in written order

	mem *memory // where the tables are

	byToken []int32    // per token: 1 + index into uses for a name, -1 - index into sels for an opcode: a broken opcode may be a name
	sels    []*isa.Sel // chosen forms
	uses    []Use
}

// Use says what a name in an operand or initialiser stands for.
type Use struct {
	Object  *Object     // nil for a special register
	Index   int32       // number within a family %r<100>; 0 for a single name
	Special isa.Special // valid if Object is nil
}

// Sel returns the form chosen for an instruction, nil if it was rejected.
func (in *Info) Sel(i *syntax.Instruction) *isa.Sel {
	if n := in.byToken[i.Opcode]; n < 0 {
		return in.sels[-1-n]
	}
	return nil
}

// Use returns what the name at a token stands for.
func (in *Info) Use(name syntax.TokenID) (Use, bool) {
	if n := in.byToken[name]; n > 0 {
		return in.uses[n-1], true
	}
	return Use{}, false
}

// ObjectKind says what a name was declared as.
type ObjectKind uint8

// The kinds of declared names.
const (
	Register      ObjectKind = iota
	Variable                 // .global .const .shared .local .tex, and .param inside a body
	Parameter                // of a function, memory in .param space; .reg parameters are Registers
	Function                 // kernel or device function
	AliasName                // .alias
	Label                    // of a statement
	BranchTargets            // label: .branchtargets
	CallTargets              // label: .calltargets
	Prototype                // label: .callprototype
	poisoned                 // its declaration is wrong, so its uses are not judged
)

var objectKindNames = [...]string{"register", "variable", "parameter", "function", "alias", "label",
	"branch target list", "call target list", "call prototype", "name"}

// String names the kind in a message.
func (k ObjectKind) String() string { return objectKindNames[k] }

// Object is one declared name, or a family %r<100> of them.
type Object struct {
	ID   int
	Kind ObjectKind
	Name string         // without the number for a family
	Tok  syntax.TokenID // where it is declared

	Count   int32    // members of a family; 0 for a single name
	Type    isa.Type // of registers, of elements of variables and parameters
	Vector  uint8    // elements of a vector type: 1, 2, 4 or 8
	Space   Space
	Bank    uint8       // .const[n]
	Dims    []int64     // of arrays; the first is 0 where it was left open
	Align   int64       // bytes, as given or natural
	Linkage syntax.Word // WordExtern, WordVisible, WordWeak, WordCommon or WordNone
	Managed bool
	Unified bool
	Ptr     *syntax.Ptr // of a kernel parameter

	Unusable bool // its type is none of variables; ptxas takes the declaration, as long as nothing uses it

	Decl  *syntax.Variables  // of registers, variables and parameters
	Var   *syntax.Declarator // the declarator within Decl
	Func  *Func              // Function: itself; others: the function around it, nil at module scope
	Alias *Object            // AliasName: the function it stands for
	Sig   *Signature         // Function, Prototype; of a list once a call names it: that of its functions
	List  []*Object          // BranchTargets, CallTargets: what it names; Variable: functions its initialiser names
	Stmt  syntax.Stmt        // Label: the label statement; Prototype, Targets: the directive
}

// Elements is the number of elements that a variable has, vectors counted by
// component; 0 if the first dimension is open.
func (o *Object) Elements() int64 {
	n := int64(max(o.Vector, 1))
	for _, d := range o.Dims {
		n *= d
	}
	return n
}

// Size is the bytes of a variable or parameter.
func (o *Object) Size() int64 { return o.Elements() * int64(o.Type.Bytes()) }

// Space is a state space (5.1).
type Space = isa.Space

// The state spaces of declarations.
const (
	Reg    = isa.RegSpace
	SReg   = isa.SregSpace
	Const  = isa.ConstSpace
	Global = isa.GlobalSpace
	Local  = isa.LocalSpace
	Param  = isa.ParamSpace
	Shared = isa.SharedSpace
	Tex    = isa.TexSpace
)

// spaceOf maps the words of declarations to spaces.
var spaceOf = map[syntax.Word]Space{
	syntax.WordReg: Reg, syntax.WordSreg: SReg, syntax.WordConst: Const, syntax.WordGlobal: Global,
	syntax.WordLocal: Local, syntax.WordParam: Param, syntax.WordShared: Shared, syntax.WordTex: Tex,
}

// Func is one function: its definition, or its prototype where the module has no more.
type Func struct {
	Object *Object
	Node   *syntax.Function // the definition if there is one
	Entry  bool
	Sig    *Signature

	// What the body says of things that only the whole module shows.
	Open   bool // it names an .extern function, other than in a call of one that exists without a definition
	Shared bool // it declares or names variables in .shared
	Moves  bool // it has setmaxnreg
}

// Signature is what a call has to agree with (9.7.12.5): of a function or a .callprototype.
type Signature struct {
	Params, Rets []*Object
	Variadic     bool // the last parameter is an array of unknown size
	NoReturn     bool
}
