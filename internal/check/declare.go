package check

// This file checks declarations of registers and variables (5.4).

import (
	"math/bits"
	"strconv"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// moduleVariables checks a declaration at module scope, where registers, local and
// param variables cannot stand (ptxas: "not allowed with ABI").
func (c *checker) moduleVariables(s *syntax.Variables) {
	space := spaceOf[c.file.Word(s.Space)]
	if c.emptyDeclaration(s, space) {
		return
	}
	switch space {
	case SReg:
		c.specialVariable(s)
	case Tex:
		c.textureVariable(s)
	case Param:
		c.poison(s)
		c.errorf(diag.WrongSpace, c.at(s.Space), "a param variable cannot stand at module scope; declare it inside a function")
	case Reg, Local: // of old versions, whose functions share them (7.1.1)
		if part := isa.LookupDirective(c.text(s.Space)).Part("module"); !part.Available(c.info.Version, c.info.Target) {
			c.poison(s)
			c.errorf(diag.WrongSpace, c.at(s.Space), "since .version %v a %v variable cannot stand at module scope; declare it inside a function", part.Until[0].Version, space)
			return
		}
		c.variables(s, space)
	default:
		c.variables(s, space)
	}
}

// bodyVariables checks a declaration inside a function: without linkage.
func (c *checker) bodyVariables(s *syntax.Variables) {
	if s.Linkage != syntax.NoToken {
		c.poison(s)
		c.errorf(diag.BadLinkage, c.at(s.Linkage), "%s belongs to module scope, not inside a function", c.text(s.Linkage))
		return
	}
	space := spaceOf[c.file.Word(s.Space)]
	if c.emptyDeclaration(s, space) {
		return
	}
	switch space {
	case SReg:
		c.specialVariable(s)
	case Tex:
		c.textureVariable(s)
	case Param:
		c.bodyParams(s)
	default:
		c.variables(s, space)
	}
}

// bodyParams checks .param in a body: arguments and results of calls, or in a kernel without a list of
// parameters, which came with 1.4, these (5.1.6).
func (c *checker) bodyParams(s *syntax.Variables) {
	if listed := isa.LookupDirective(".entry").Part("parameters"); !c.fn.Entry || listed.Available(c.info.Version, c.info.Target) {
		c.admitPart(s.Space, ".param", "body")
		c.variables(s, Param)
		return
	}
	before := len(c.info.Objects)
	c.variables(s, Param)
	for _, o := range c.info.Objects[before:] {
		o.Kind = Parameter
		c.fn.Sig.Params = append(c.fn.Sig.Params, o)
	}
	c.parameterBytes(c.fn.Node, c.fn)
}

// textureVariable: the .tex space is of old versions (5.1.8).
func (c *checker) textureVariable(s *syntax.Variables) {
	if !c.admit(s.Space) {
		c.poison(s)
		return
	}
	for i := range s.Vars {
		if t, ok := isa.LookupType(c.text(s.Type)); !ok || t.Kind() != isa.Unsigned || t.Bits() < 32 || len(s.Vars[i].Dims) > 0 {
			c.errorf(diag.WrongSpace, c.at(s.Vars[i].Name), "a .tex variable is a single .u32 or .u64")
		}
	}
	if c.fn != nil {
		c.errorf(diag.WrongSpace, c.at(s.Space), ".tex variables stand at module scope")
	}
	c.variables(s, Tex)
}

func (c *checker) specialVariable(s *syntax.Variables) {
	c.poison(s)
	c.errorf(diag.WrongSpace, c.at(s.Space), "special registers are predefined and cannot be declared")
}

// literal reads an integer literal, or WARP_SZ, where the grammar has no expressions.
func (c *checker) literal(tok syntax.TokenID) (int64, bool) {
	if n, ok := c.file.Tokens[tok].Small(); ok {
		return n, true
	}
	e := syntax.Expr{Range: syntax.Range{First: tok, Last: tok}, Kind: syntax.ExprInt, Token: tok}
	if c.file.Kind(tok) == syntax.Ident {
		e.Kind = syntax.ExprName
	}
	v, ok := c.constant(&e)
	return int64(v.Bits), ok && v.Integer()
}

// variables declares every declarator of s.
func (c *checker) variables(s *syntax.Variables, space Space) {
	proto, ok := c.declaration(s, space)
	if !ok {
		c.poison(s)
		return
	}
	for i := range s.Vars {
		o := proto
		c.declarator(s, &s.Vars[i], &o)
	}
}

// declaration reads what all declarators of s share.
func (c *checker) declaration(s *syntax.Variables, space Space) (Object, bool) {
	o := Object{Kind: Variable, Space: space, Decl: s, Func: c.fn, Vector: 1, Ptr: s.Ptr, Linkage: c.file.Word(s.Linkage)}
	if space == Reg {
		o.Kind = Register
	}
	var ok bool
	if o.Type, ok = c.declaredType(s, space); !ok {
		return o, false
	}
	o.Unusable = !c.prototype && c.unusual(o.Type, space)
	if s.Vector != syntax.NoToken {
		if o.Vector, ok = c.vector(s, o.Type); !ok {
			return o, false
		}
	}
	if s.Bank != syntax.NoToken {
		o.Bank, ok = c.bank(s.Bank)
	}
	o.Align = int64(o.Type.Bytes()) * int64(o.Vector)
	if s.Align != syntax.NoToken {
		o.Align = c.alignments(s)
	}
	c.attributes(s, &o)
	return o, ok && o.Align > 0 && c.spaceAllows(s, &o)
}

// declaredType reads the type of a declaration; registers and memory allow different ones (5.2, 5.3).
func (c *checker) declaredType(s *syntax.Variables, space Space) (isa.Type, bool) {
	tok := s.Type
	t, ok := isa.LookupType(c.text(tok))
	switch {
	case ok && c.untold(s, t, space):
		return t, c.typeGate(s, t)
	case !ok || !declarable(t):
		c.errorf(diag.UnknownType, c.at(tok), "%s is no type that a variable can have", c.text(tok))
	case t.String() == ".samplerref" && !c.info.Independent && !isArray(s):
		c.errorf(diag.WrongSpace, c.at(tok), "a .samplerref needs .target texmode_independent; else the texture holds the sampler")
	case t == isa.PredType() && space != Reg:
		c.errorf(diag.WrongSpace, c.at(tok), "a .pred variable is a register, it cannot live in .%v", space)
	case !holdsOpaque(t, space):
		c.errorf(diag.WrongSpace, c.at(tok), "%s variables live in .global or .param, not in %v", c.text(tok), space)
	default:
		c.typeGate(s, t)
		return t, true
	}
	return t, false
}

// typeGate judges the gate of a declaration's type. ptxas 13.5 has none for vectors, nor for arrays of .b128 and of textures.
func (c *checker) typeGate(s *syntax.Variables, t isa.Type) bool {
	if t.Since() == nil || s.Vector != syntax.NoToken || (t.Bits() == 128 || t.Opaque()) && isArray(s) {
		return true
	}
	return c.since(s.Type, t.String(), nil, t.Since())
}

// untold tells where ptxas 13.5 does not ask whether a variable can have a type: in prototypes, and of arrays
// that are shared or parameters of functions. Such a variable cannot be used; ptxas dies on it.
func (c *checker) untold(s *syntax.Variables, t isa.Type, space Space) bool {
	kernel := c.fn != nil && c.fn.Entry
	switch {
	case c.prototype:
		return declarable(t) || t.Parsed() && s.Vector == syntax.NoToken
	case !isArray(s) || space != Shared && space != Param || kernel:
		return false
	case t.Opaque():
		return space == Shared || c.fn.Sig == nil // which is being read
	}
	open := s.Vars[0].Dims[0].Size == nil
	return t.Parsed() && s.Vector == syntax.NoToken && (space == Param || !open)
}

// unusual tells a type that variables in a space cannot have.
func (c *checker) unusual(t isa.Type, space Space) bool {
	return !declarable(t) || !holdsOpaque(t, space) || t.Opaque() && space == Param && !c.fn.Entry
}

// holdsOpaque: textures, samplers and surfaces are in .global, or parameters (5.3).
func holdsOpaque(t isa.Type, space Space) bool {
	return !t.Opaque() || space == Global || space == Param || space == Tex
}

// isArray reports whether all that is declared are arrays.
func isArray(s *syntax.Variables) bool {
	for i := range s.Vars {
		if len(s.Vars[i].Dims) == 0 {
			return false
		}
	}
	return len(s.Vars) > 0
}

// declarable tells a fundamental type (5.2.1) from the formats that only instructions name.
func declarable(t isa.Type) bool {
	return t.Opaque() || t == isa.PredType() || t.AcceptsRegister(t, false)
}

// vector reads .v2 or .v4: at most 128 bits together (5.4.2).
func (c *checker) vector(s *syntax.Variables, t isa.Type) (uint8, bool) {
	n := map[syntax.Word]uint8{syntax.WordV2: 2, syntax.WordV4: 4}[c.file.Word(s.Vector)]
	if n == 0 {
		c.errorf(diag.BadVectorType, c.at(s.Vector), "a variable has 2 or 4 elements in a vector, not %s", c.text(s.Vector))
		return 0, false
	}
	if t.Opaque() {
		c.errorf(diag.BadVectorType, c.at(s.Vector), "there are no vectors of %v", t)
		return 0, false
	}
	if int(n)*t.Bits() > 128 || t == isa.PredType() {
		c.errorf(diag.BadVectorType, c.at(s.Vector), "%s %s has %d bits; a vector has at most 128",
			c.text(s.Vector), c.text(s.Type), int(n)*t.Bits())
		return 0, false
	}
	return n, true
}

// bank reads .const[n]: banks 0 to 10 (5.1.3).
func (c *checker) bank(tok syntax.TokenID) (uint8, bool) {
	if !c.admitAs(tok, isa.LookupDirective(".const[bank]")) {
		return 0, false
	}
	n, err := strconv.ParseUint(c.text(tok), 0, 8)
	if err != nil || n > 10 {
		c.errorf(diag.WrongSpace, c.at(tok), "constant bank %s does not exist: want 0 to 10", c.text(tok))
		return 0, false
	}
	if n > 0 {
		c.admitPart(tok, ".const[bank]", "bank>0")
	}
	return uint8(n), true
}

// alignments reads .align, of which the largest counts (ptxas 13.5); 0 after an error.
func (c *checker) alignments(s *syntax.Variables) int64 {
	largest := c.alignment(s.Align)
	for _, tok := range s.MoreAligns {
		n := c.alignment(tok)
		if n == 0 || largest == 0 {
			return 0
		}
		largest = max(largest, n)
	}
	return largest
}

// alignment reads a power of two, in bytes; 0 after an error.
func (c *checker) alignment(tok syntax.TokenID) int64 {
	n, ok := c.literal(tok)
	if !ok || n <= 0 || n > maxAlign || n&(n-1) != 0 {
		d := c.errorf(diag.BadAlignment, c.at(tok), "alignment %s is no power of two", c.text(tok))
		if ok && n > 0 && n < maxAlign {
			up := strconv.Itoa(1 << bits.Len64(uint64(n)))
			d.Fixes = []diag.Fix{{Label: "write " + up, Edits: []diag.Edit{{Span: c.at(tok), New: up}}}}
		}
		return 0
	}
	return n
}

// maxAlign keeps sums of sizes and alignments small.
const maxAlign = 1 << 30

func (c *checker) attributes(s *syntax.Variables, o *Object) {
	for i := range s.Attributes {
		a := &s.Attributes[i]
		c.admit(a.Name)
		switch c.file.Word(a.Name) {
		case syntax.WordManaged:
			o.Managed = true
			if len(a.Args) > 0 {
				c.errorf(diag.BadAttribute, c.file.Span(a.Range), ".managed takes no arguments")
			}
		case syntax.WordUnified:
			o.Unified = true
			c.readUnified(a)
		default:
			c.errorf(diag.BadAttribute, c.at(a.Name), "unknown attribute %s", c.text(a.Name))
		}
		if o.Space != Global && !c.prototype {
			c.errorf(diag.BadAttribute, c.at(a.Name), "%s is for .global variables", c.text(a.Name))
		}
	}
}

// readUnified checks .unified(uuid1, uuid2) of a variable or function (5.4.8).
func (c *checker) readUnified(a *syntax.Attribute) {
	c.unified = append(c.unified, a.Name)
	if len(a.Args) != 2 {
		c.errorf(diag.BadAttribute, c.file.Span(a.Range), ".unified takes two numbers, which name the object: .unified(1, 2)")
	}
}

// functionAttributes checks .attribute of a function, which knows .unified alone (11.2.2).
func (c *checker) functionAttributes(s *syntax.Function, entry bool) {
	for i := range s.Attributes {
		switch a := &s.Attributes[i]; {
		case i > 0:
			c.errorf(diag.BadAttribute, c.at(a.Name), "a function takes one attribute")
		case entry:
			c.errorf(diag.BadAttribute, c.at(a.Name), "a kernel takes no attributes")
		case c.file.Word(a.Name) != syntax.WordUnified:
			c.errorf(diag.BadAttribute, c.at(a.Name), "a function takes the attribute .unified alone, not %s", c.text(a.Name))
		default:
			c.readUnified(a)
		}
	}
}

// spaceAllows checks linkage against the state space (11.6).
func (c *checker) spaceAllows(s *syntax.Variables, o *Object) bool {
	c.linkage(s.Linkage)
	if o.Linkage == syntax.WordCommon && o.Type.Opaque() {
		c.errorf(diag.BadLinkage, c.at(s.Linkage), ".common is not for variables of type %v", o.Type)
		return false
	}
	if o.Linkage == syntax.WordCommon && o.Space != Global {
		c.errorf(diag.BadLinkage, c.at(s.Linkage), ".common variables live in .global, not in %v", o.Space)
		return false
	}
	if s.Ptr != nil {
		c.errorf(diag.BadParameter, c.file.Span(s.Ptr.Range), ".ptr is for kernel parameters")
		return false
	}
	return true
}

// linkage judges the gates of .weak and others.
func (c *checker) linkage(tok syntax.TokenID) {
	if tok != syntax.NoToken {
		c.admit(tok)
	}
}

// declarator completes one name of a declaration and enters it.
func (c *checker) declarator(s *syntax.Variables, v *syntax.Declarator, o *Object) {
	o.Tok, o.Var = v.Name, v
	o.Name = c.text(v.Name)
	if o.Kind == Register && len(v.Dims) > 0 {
		c.errorf(diag.BadArraySize, c.file.Span(v.Dims[0].Range), "registers have no arrays; a family is written %s<n>", o.Name)
		c.poisonName(v)
		return
	}
	if v.Count != syntax.NoToken && !c.familyCount(v, o) || !c.dims(v, o) {
		c.poisonName(v)
		return
	}
	c.placed(s, v, o)
	c.banked(v, o)
	c.complete(v, o)
	stored := c.enter(o)
	if v.Init != nil && stored != nil {
		c.initialiser(v, stored)
	}
}

// familyCount reads the n of name<n>; a family of none is accepted and empty.
func (c *checker) familyCount(v *syntax.Declarator, o *Object) bool {
	n, ok := c.literal(v.Count)
	if !ok || n < 0 || n > maxFamily {
		c.errorf(diag.BadParameterRange, c.at(v.Count), "%s<%s>: want a count up to %d", o.Name, c.text(v.Count), maxFamily)
		return false
	}
	o.Count = int32(n)
	return true
}

// maxFamily bounds %r<n>, so that hostile input cannot ask for unbounded tables.
const maxFamily = 1 << 24

// maxBytes bounds one variable; device memory is far smaller.
const maxBytes = 1 << 40

// dims reads array dimensions; only the first may be open (5.4.3).
func (c *checker) dims(v *syntax.Declarator, o *Object) bool {
	total := int64(o.Type.Bytes()) * int64(o.Vector)
	for i, d := range v.Dims {
		n, ok := c.dim(d)
		if !ok {
			return false
		}
		if n > 0 && total > maxBytes/n {
			c.errorf(diag.BadArraySize, c.file.Span(d.Range), "%s has more than 2^40 bytes", o.Name)
			return false
		}
		if n == 0 && i > 0 {
			c.errorf(diag.BadArraySize, c.file.Span(d.Range), "only the first dimension can be open")
			return false
		}
		total *= max(n, 1)
		o.Dims = append(o.Dims, n) // o has none yet that others share
	}
	return true
}

// dim reads one dimension: a literal or WARP_SZ, no expression; 0 if it is open (ptxas 13.5).
func (c *checker) dim(d syntax.Dim) (int64, bool) {
	if d.Size == nil {
		return 0, true
	}
	n, ok := int64(0), d.Size.Kind == syntax.ExprInt || d.Size.Kind == syntax.ExprName
	if ok {
		n, ok = c.literal(d.Size.Token)
	}
	if !ok || n < 0 {
		c.errorf(diag.BadArraySize, c.file.Span(d.Size.Range), "the size of an array is a number or WARP_SZ, not %s", c.file.RangeText(d.Size.Range))
		return 0, false
	}
	return n, true
}

// placed checks what a declaration inside a function cannot be: opaque, and in .param space
// what cannot be passed to a function.
func (c *checker) placed(s *syntax.Variables, v *syntax.Declarator, o *Object) {
	switch scalar := len(o.Dims) == 0; {
	case c.fn != nil && o.Type.Opaque():
		c.errorf(diag.WrongSpace, c.at(s.Type), "%v variables stand at module scope, or are parameters of a kernel", o.Type)
	case o.Space != Param:
	case scalar && (o.Vector > 1 || o.Type.Kind() == isa.Packed):
		c.errorf(diag.WrongSpace, c.at(s.Type), "what a call passes is a scalar or an array of bytes")
	case !scalar && o.Elements() == 0:
		c.errorf(diag.BadArraySize, c.at(v.Name), "%s has no size", o.Name)
	case o.Align > maxParamAlign:
		c.errorf(diag.BadAlignment, c.at(v.Name), "what a call passes is aligned to %d bytes at most", maxParamAlign)
	}
}

// banked: banks above 0 are for arrays that are open and .extern (5.1.3.1).
func (c *checker) banked(v *syntax.Declarator, o *Object) {
	if o.Bank > 0 && (o.Linkage != syntax.WordExtern || len(o.Dims) == 0 || o.Dims[0] != 0) {
		c.errorf(diag.WrongSpace, c.at(v.Name), "%s is in bank %d; banks above 0 hold .extern arrays without size", o.Name, o.Bank)
	}
}

// complete closes an open dimension by its initialiser and refuses what stays open.
func (c *checker) complete(v *syntax.Declarator, o *Object) {
	if len(o.Dims) == 0 || o.Dims[0] != 0 || o.Kind != Variable {
		return
	}
	switch {
	case o.Bank > 0:
	case v.Init != nil && v.Init.Expr == nil && len(v.Init.List) > 0:
		o.Dims[0] = int64(len(v.Init.List))
	case o.Linkage != syntax.WordExtern && o.Space != Param:
		c.errorf(diag.BadArraySize, c.at(v.Name), "%s has no size; only .extern arrays can be open", o.Name)
	}
}

// enter adds o to the innermost scope and the object list; nil if the name is taken.
// A definition that completes an earlier declaration joins it.
func (c *checker) enter(o *Object) *Object {
	if len(c.scopes.open) == 1 {
		if _, special := isa.LookupSpecial(o.Name); special {
			c.errorf(diag.ReservedName, c.at(o.Tok), "%s is a special register; only a function can reuse its name", o.Name)
			return nil
		}
	}
	if c.reserved(o.Tok) {
		c.errorf(diag.ReservedName, c.at(o.Tok), "%s is reserved", o.Name)
		return nil
	}
	if other := c.clash(o); other != nil {
		if o.Kind == Variable && c.completes(other, o) {
			return other
		}
		d := c.errorf(diag.Redeclared, c.at(o.Tok), "%s is already declared as a %v", o.Name, other.Kind)
		c.declaredHere(d, other)
		return nil
	}
	stored := c.mem.newObject()
	*stored = *o
	stored.ID = len(c.info.Objects)
	c.info.Objects = append(c.info.Objects, stored)
	c.scopes.declare(c.file.Word(o.Tok), stored)
	return stored
}

// reserved tells the names that cannot be declared (4.4, facts: ptxas 13.5).
func (c *checker) reserved(name syntax.TokenID) bool {
	switch c.file.Word(name) {
	case syntax.WordSink, syntax.WordWarpSize, syntax.WordFunctionName, syntax.WordInlinedAt:
		return true
	}
	return false
}

// clash finds what is in o's way in the innermost scope: the same name, a family that
// holds it, or for a new family a single name among its members.
func (c *checker) clash(o *Object) *Object {
	top := &c.scopes.open[len(c.scopes.open)-1]
	if o.Count == 0 {
		if other := top.names[c.file.Word(o.Tok)]; other != nil {
			return other
		}
		other, _ := top.member(o.Name)
		return other
	}
	if other := top.families[o.Name]; other != nil {
		return other
	}
	if low, ok := top.lowestMember(o.Name); ok && low.number < o.Count {
		return low.object
	}
	return nil
}

// completes lets a .visible definition follow an .extern declaration of the same
// variable (11.6.1), and reports how the two differ.
func (c *checker) completes(old, o *Object) bool {
	extern := o.Linkage == syntax.WordExtern
	if old.Kind != Variable || old.Linkage != syntax.WordExtern && !extern || old.Linkage == syntax.WordNone || o.Linkage == syntax.WordNone {
		return false
	}
	if old.Type != o.Type || old.Space != o.Space || old.Vector != o.Vector || !sameDims(old.Dims, o.Dims) {
		d := c.errorf(diag.PrototypeMismatch, c.at(o.Tok), "%s was declared with another type", o.Name)
		c.declaredHere(d, old)
		return true
	}
	if id := old.ID; !extern || old.Linkage == syntax.WordExtern && old.Size() == 0 {
		*old = *o
		old.ID = id
	}
	return true
}

// sameDims compares dimensions; an open first one agrees with any.
func sameDims(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (i > 0 || a[0] != 0 && b[0] != 0) {
			return false
		}
	}
	return true
}
