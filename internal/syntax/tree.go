package syntax

// This file defines the tree. Nodes are plain structs of token numbers, named after the
// grammar; above each stands its concrete syntax. Opcodes, modifiers, types and names
// stay unresolved words.

// Range is the first and the last token of a node. Trivia before and after belong to none.
type Range struct{ First, Last TokenID }

// Extent returns the tokens of a node.
func (r Range) Extent() Range { return r }

// Stmt is a statement of a module or a body: one of the pointer types below.
type Stmt interface {
	Extent() Range
	stmt()
}

// Bad is what could not be parsed; it was reported.
type Bad struct{ Range }

// ---- module directives (11.1, 11.2.3, 11.5, 11.8)

// Version is
//
//	.version major.minor
type Version struct {
	Range
	Number TokenID // a Float, or an Int
}

// Target is
//
//	.target name, …
type Target struct {
	Range
	Names []TokenID
}

// AddressSize is
//
//	.address_size 64
type AddressSize struct {
	Range
	Size TokenID // Int
}

// FileDirective is
//
//	.file index "name" {, timestamp, size}
type FileDirective struct {
	Range
	Index, Name     TokenID
	Timestamp, Size TokenID // NoToken if absent
}

// Pragma is
//
//	.pragma "string", … ;
type Pragma struct {
	Range
	Strings []TokenID
}

// Alias is
//
//	.alias name, aliasee;
type Alias struct {
	Range
	Name, Aliasee TokenID
}

// Section is
//
//	.section .name { lines }
type Section struct {
	Range
	Name  TokenID // a DotWord, or an Ident
	Lines []SectionLine
}

// SectionLine is a label or a line of data:
//
//	label:
//	.b8 value, …
//
// There may be millions of values, so that the tree does not hold them: File.SectionValue reads them.
type SectionLine struct {
	Range
	Label  TokenID // NoToken for data
	Type   TokenID // .b8 .b16 .b32 .b64
	Packed bool    // lines of .b8 with numbers from 0 to 255, of a packed file
}

// SectionValue is one of
//
//	n   -n   label   label+n   label1-label2   .section   .section+n
type SectionValue struct {
	Neg bool
	A   TokenID // Int, Ident or DotWord
	Op  TokenID // Plus or Minus, NoToken if A stands alone
	B   TokenID // Int, or Ident for a difference
}

// DwarfLine is a line of the debug data of versions before 2.0; its tokens are not
// interpreted (11.5.1):
//
//	@@DWARF …
type DwarfLine struct{ Range }

// IntermediateSource is (9.4: 11.5.6)
//
//	.nv_intermediate_source_section { .code_block { … } … }
type IntermediateSource struct {
	Range
	Blocks []CodeBlock
}

// CodeBlock is
//
//	.code_block { .ir_name: "name" .sourceFileName: n .source_begin text .source_end }
type CodeBlock struct {
	Range
	Name, File, Text TokenID // String, Int, RawText; NoToken if absent
}

// ---- variables (5.4)

// Variables is a declaration, also of a parameter (then with one declarator and
// without semicolon):
//
//	{linkage} .space{[bank]} {.align n} {.attribute(…)} {.vn} .type {.ptr …} declarator, … ;
type Variables struct {
	Range
	Linkage    TokenID // .extern .visible .weak .common, or NoToken
	Space      TokenID
	Bank       TokenID   // Int of .const[n], or NoToken
	Align      TokenID   // Int after .align, or NoToken
	MoreAligns []TokenID // of further ones, which ptxas takes
	Vector     TokenID   // .v2 .v4 .v8, or NoToken
	Type       TokenID
	Attributes []Attribute
	Ptr        *Ptr         // of kernel parameters, else nil
	Vars       []Declarator // may be empty: .global .u32;
}

// Ptr is the attribute of a pointer parameter (5.1.6.3):
//
//	.ptr {.space} {.align n}   .align n
type Ptr struct {
	Range
	Space TokenID // or NoToken
	Align TokenID // Int, or NoToken
}

// Attribute is (5.4.8)
//
//	.name   .name(n, …)
type Attribute struct {
	Range
	Name TokenID
	Args []TokenID // Int
}

// Declarator is
//
//	name   name<count>   name[dim]…   name = init
type Declarator struct {
	Range
	Name  TokenID // may be _ in a prototype
	Count TokenID // Int of name<count>, or NoToken
	Dims  []Dim
	Init  *Init // or nil
}

// Dim is one dimension of an array; Size is nil for [].
type Dim struct {
	Range
	Size *Expr
}

// Init is an initialiser: an expression, a list in braces, or a field of an opaque type.
//
//	expr   { init, … }   field = expr
type Init struct {
	Range
	Field TokenID // or NoToken
	Expr  *Expr   // nil for a list
	List  []Init
}

// ---- functions (11.2)

// Function is a kernel or device function, or its prototype:
//
//	{linkage} .entry name {(params)} directives {body | ;}
//	{linkage} .func {.attribute(…)} {(returns)} name {(params)} directives {body | ;}
type Function struct {
	Range
	Linkage    TokenID // or NoToken
	Keyword    TokenID // .entry or .func
	Attributes []Attribute
	Returns    *Params // nil if absent
	Name       TokenID
	Params     *Params // nil if absent
	Directives []Directive
	Body       *Block // nil for a prototype
}

// Params is
//
//	( declaration, … )
type Params struct {
	Range
	List []Variables
}

// Directive is what stands between the head of a function and its body (11.4, 11.7, 11.8):
//
//	.maxntid 16, 16   .noreturn   .pragma "nounroll";   .language "ptx"
type Directive struct {
	Range
	Keyword TokenID
	Args    []TokenID // Int or String
}

// ---- statements of a body

// Block is
//
//	{ statements }
type Block struct {
	Range // the braces
	Stmts []Stmt
}

// Label is
//
//	name:
type Label struct {
	Range
	Name TokenID
}

// Loc is a source position for the instructions that follow (11.5.4):
//
//	.loc file line column {, function_name label{+n}, inlined_at file line column}
//	.loc_intermediate file line column
type Loc struct {
	Range
	Keyword         TokenID
	File, Line, Col TokenID
	Inlined         *Inlined   // or nil
	Packed          *PackedLoc // of a packed file, instead of the fields above; else nil
}

// Inlined is the second half of a Loc.
type Inlined struct {
	Function        TokenID // label, or DotWord of a section; NoToken if absent
	Offset          TokenID // Int, or NoToken
	File, Line, Col TokenID // of the call
}

// Targets is a list of branch or call targets (11.3.1, 11.3.2):
//
//	label: .branchtargets name, name<count>, … ;
//	label: .calltargets name, … ;
type Targets struct {
	Range
	Label   TokenID
	Keyword TokenID
	Names   []TargetName
}

// TargetName is a name, or a family name0 … name(count-1).
type TargetName struct {
	Name, Count TokenID // Count is NoToken for a single name
}

// Prototype is (11.3.3)
//
//	label: .callprototype {(returns)} _ {(params)} directives ;
type Prototype struct {
	Range
	Label      TokenID
	Keyword    TokenID
	Returns    *Params
	Params     *Params
	Directives []Directive
}

// Instruction is (4.3.2)
//
//	{@{!}guard} opcode{.modifier}… operand, … ;
type Instruction struct {
	Range
	Guard    TokenID // predicate name, or NoToken
	GuardNot bool    // @!p
	Opcode   TokenID
	Bank     TokenID // Int of .const[n], or NoToken
	Suffix   TokenID // of an address operand: the .unified of [a].unified, or NoToken
	Mods     []TokenID
	Operands []Operand
}

// OperandKind says which fields of an Operand hold.
type OperandKind uint8

// The kinds of operands.
const (
	OperandBad      OperandKind = iota
	OperandName                 // name   name.x   name+expr
	OperandConstant             // constant expression
	OperandVector               // { a, b, … }
	OperandAddress              // [ a ]   [ a, {b, c} ]   [ a ].suffix
	OperandPair                 // d|p
	OperandList                 // ( a, b )
	OperandIndex                // name[ a ]
)

var operandKindNames = [...]string{"bad operand", "name", "constant", "vector", "address", "pair", "list", "array element"}

// String describes the kind in a message.
func (k OperandKind) String() string { return operandKindNames[k] }

// Operand is one operand, or a part of one.
type Operand struct {
	Range
	Kind  OperandKind
	Not   bool      // !name
	Neg   bool      // -name
	Name  TokenID   // Name, Index
	Field TokenID   // Name: .x; Address: suffix such as .unified; else NoToken
	Expr  *Expr     // Constant: the value; Name: what is added, or nil
	Elems []Operand // Vector, Address, Pair (two), List, Index (one)
}

// Constant returns the constant expression that o is, or nil. A single constant in
// parentheses counts: only its place in a call makes (5) a list.
func (o *Operand) Constant() *Expr {
	switch {
	case o.Kind == OperandConstant:
		return o.Expr
	case o.Kind == OperandList && len(o.Elems) == 1:
		return o.Elems[0].Constant()
	}
	return nil
}

// ---- constant expressions (4.5.4, 5.4.4)

// ExprKind says which fields of an Expr hold.
type ExprKind uint8

// The kinds of expressions.
const (
	ExprBad    ExprKind = iota
	ExprInt             // Token is the literal
	ExprFloat           // Token is a Float or HexFloat
	ExprName            // Token is a name: WARP_SZ, or a symbol in an initialiser
	ExprUnary           // Token is the operator, X its operand
	ExprBinary          // Token is the operator between X and Y
	ExprCond            // X ? Y : Z
	ExprParen           // (X)
	ExprCast            // (.s64)X, Token is the type
	ExprCall            // generic(X), Token is the name
	ExprMask            // 0xff00(X), Token is the literal
)

var exprKindNames = [...]string{"bad", "int", "float", "name", "unary", "binary", "cond", "paren", "cast", "call", "mask"}

// String names the kind in a dump.
func (k ExprKind) String() string { return exprKindNames[k] }

// Expr is a node of a constant expression.
type Expr struct {
	Range
	Kind    ExprKind
	Token   TokenID
	X, Y, Z *Expr
}

func (*Bad) stmt()                {}
func (*Version) stmt()            {}
func (*Target) stmt()             {}
func (*AddressSize) stmt()        {}
func (*FileDirective) stmt()      {}
func (*Pragma) stmt()             {}
func (*Alias) stmt()              {}
func (*Section) stmt()            {}
func (*DwarfLine) stmt()          {}
func (*IntermediateSource) stmt() {}
func (*Variables) stmt()          {}
func (*Function) stmt()           {}
func (*Block) stmt()              {}
func (*Label) stmt()              {}
func (*Loc) stmt()                {}
func (*Targets) stmt()            {}
func (*Prototype) stmt()          {}
func (*Instruction) stmt()        {}
