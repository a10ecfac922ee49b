package check

// This file checks functions: signatures, prototypes against definitions, and the
// directives between head and body (11.2, 11.4, 11.7, 11.8).

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// function checks a kernel or device function and declares its name at module scope.
func (c *checker) function(s *syntax.Function) {
	fn := &Func{Node: s, Entry: c.file.Word(s.Keyword) == syntax.WordEntry}
	c.functionParts(s, fn)
	o := &Object{Kind: Function, Name: c.text(s.Name), Tok: s.Name, Func: fn, Linkage: c.file.Word(s.Linkage)}
	c.scopes.push()
	c.fn = fn
	if fn.Entry && s.Returns != nil {
		c.errorf(diag.BadParameter, c.file.Span(s.Returns.Range), "a kernel has no return value")
	}
	fn.Sig = c.signature(s.Returns, s.Params, fn.Entry)
	o.Sig = fn.Sig
	c.functionAttributes(s, fn.Entry)
	c.parameterBytes(s, fn)
	c.directives(s.Directives, fn, headPlace(fn))
	// The name is known inside the body, so that a function can call itself.
	c.fn = nil
	c.declareFunction(o, s)
	c.fn = o.Func
	if s.Body != nil {
		before := len(c.info.Objects)
		c.body(s.Body)
		c.summarize(c.fn, c.info.Objects[before:])
	}
	c.fn = nil
	c.scopes.pop()
}

// functionParts judges the gates of what a function's head has.
func (c *checker) functionParts(s *syntax.Function, fn *Func) {
	if fn.Entry && s.Params != nil && len(s.Params.List) > 0 {
		c.admitPart(s.Name, ".entry", "parameters")
	}
	if len(s.Attributes) > 0 {
		c.admitPart(s.Attributes[0].Name, ".func", ".attribute")
	}
	if fn.Entry && s.Body == nil && len(s.Directives) > 0 {
		c.errorf(diag.BadPerformanceDirective, c.at(s.Directives[0].Keyword), "a kernel that is only declared has no directives")
	}
}

// declareFunction enters the name into module scope, or joins it with an earlier prototype.
func (c *checker) declareFunction(o *Object, s *syntax.Function) {
	c.linkage(s.Linkage)
	if s.Body != nil && o.Linkage == syntax.WordExtern {
		c.errorf(diag.BadLinkage, c.at(s.Linkage), "%s has a body, so it cannot be .extern", o.Name)
	}
	if o.Linkage == syntax.WordCommon {
		c.errorf(diag.BadLinkage, c.at(s.Linkage), ".common is for variables in .global")
	}
	inner := c.scopes.open
	c.scopes.open = inner[:1]
	defer func() { c.scopes.open = inner }()
	old := c.scopes.open[0].names[c.file.Word(s.Name)]
	if old == nil {
		if stored := c.enter(o); stored != nil {
			stored.Func.Object = stored
			c.info.Funcs = append(c.info.Funcs, stored.Func)
		}
		return
	}
	c.joinPrototype(old, o, s)
}

// joinPrototype lets a definition follow its prototypes and compares them.
func (c *checker) joinPrototype(old, o *Object, s *syntax.Function) {
	var d *diag.Diagnostic
	switch {
	case old.Kind != Function || old.Func.Entry != o.Func.Entry:
		d = c.errorf(diag.Redeclared, c.at(s.Name), "%s is already declared as a %v", o.Name, old.Kind)
	case old.Func.Node.Body != nil:
		d = c.errorf(diag.Redeclared, c.at(s.Name), "%s is already defined", o.Name)
	case linkageClash(old.Linkage, o.Linkage):
		d = c.errorf(diag.PrototypeMismatch, c.at(s.Name), "%s was declared with another linkage", o.Name)
	default:
		if why := signatureDiff(old.Sig, o.Sig); why != "" {
			d = c.errorf(diag.PrototypeMismatch, c.at(s.Name), "%s was declared with %s", o.Name, why)
		}
	}
	if d != nil {
		c.declaredHere(d, old)
		return
	}
	if s.Body != nil {
		o.Func.Object = old
		*old.Func = *o.Func
		o.Func = old.Func
		c.fn = old.Func
		old.Sig, old.Tok = o.Sig, o.Tok
	}
	if o.Linkage != syntax.WordNone {
		old.Linkage = o.Linkage
	}
}

// linkageClash reports whether a second declaration contradicts the first: .extern and
// .weak stay what they are, .visible may be left out (ptxas 13.5).
func linkageClash(old, now syntax.Word) bool {
	if old == now {
		return false
	}
	plain := func(w syntax.Word) bool { return w == syntax.WordNone || w == syntax.WordVisible }
	return !plain(old) || !plain(now)
}

// signatureDiff says how two signatures differ; "" if they agree. Names do not count.
func signatureDiff(a, b *Signature) string {
	switch {
	case len(a.Params) != len(b.Params):
		return "another number of parameters"
	case len(a.Rets) != len(b.Rets):
		return "another number of return values"
	}
	for i := range a.Params {
		if !sameParameter(a.Params[i], b.Params[i]) {
			return "other parameter types"
		}
	}
	for i := range a.Rets {
		if !sameParameter(a.Rets[i], b.Rets[i]) {
			return "another return type"
		}
	}
	return ""
}

// sameParameter compares type, extent and space.
func sameParameter(a, b *Object) bool {
	return a.Type == b.Type && a.Space == b.Space && a.Vector == b.Vector && a.Elements() == b.Elements() && a.Align == b.Align
}

// signature declares parameters and return values in the function's scope.
func (c *checker) signature(rets, params *syntax.Params, entry bool) *Signature {
	sig := &Signature{}
	if rets != nil {
		sig.Rets = c.parameters(rets, false)
		c.sizedResults(sig.Rets)
		if len(sig.Rets) > 1 && anyMemory(sig.Rets) {
			c.errorf(diag.BadParameter, c.file.Span(rets.Range), "several return values need .reg parameters")
		}
	}
	if params != nil {
		sig.Params = c.parameters(params, entry)
		if n := len(sig.Params); n > 0 {
			sig.Variadic = len(sig.Params[n-1].Dims) > 0 && sig.Params[n-1].Dims[0] == 0
		}
	}
	return sig
}

// sizedResults: what a function returns has a size.
func (c *checker) sizedResults(rets []*Object) {
	for _, r := range rets {
		if r.Kind == Parameter && len(r.Dims) > 0 && r.Elements() == 0 {
			c.errorf(diag.BadParameter, c.file.Span(r.Decl.Range), "a result needs a size")
		}
	}
}

func anyMemory(params []*Object) bool {
	for _, p := range params {
		if p.Kind == Parameter {
			return true
		}
	}
	return false
}

func (c *checker) parameters(list *syntax.Params, entry bool) []*Object {
	var out []*Object
	for i := range list.List {
		if o := c.parameter(&list.List[i], entry, i == len(list.List)-1); o != nil {
			out = append(out, o)
		}
	}
	return out
}

// parameter checks one parameter: in .param space, or for device functions in .reg.
func (c *checker) parameter(s *syntax.Variables, entry, last bool) *Object {
	space := spaceOf[c.file.Word(s.Space)]
	if space != Param && (entry || space != Reg) {
		c.poison(s)
		c.errorf(diag.BadParameter, c.at(s.Space), "a parameter lives in .param space, not in %s", c.text(s.Space))
		return nil
	}
	ptr := s.Ptr
	bare := *s
	bare.Ptr = nil
	o, ok := c.declaration(&bare, space)
	if !ok || len(s.Vars) != 1 {
		c.poison(s)
		return nil
	}
	o.Decl, o.Ptr = s, ptr
	if space == Param {
		o.Kind = Parameter
		if !entry {
			c.admitPart(s.Space, ".param", "function")
		}
	}
	if o.Type.Opaque() && !entry && !c.prototype && !isArray(s) {
		c.errorf(diag.BadParameter, c.at(s.Type), "only kernels take parameters of type %v", o.Type)
	}
	if ptr != nil {
		c.pointer(ptr, entry)
	}
	return c.parameterName(s, &o, entry, last)
}

func (c *checker) parameterName(s *syntax.Variables, o *Object, entry, last bool) *Object {
	v := &s.Vars[0]
	o.Var, o.Tok = v, v.Name
	if !c.dims(v, o) {
		c.poisonName(v)
		return nil
	}
	span := c.file.Span(s.Range)
	if v.Init != nil || v.Count != syntax.NoToken {
		c.errorf(diag.BadParameter, c.file.Span(v.Range), "a parameter is one name, without a value")
	}
	if o.Kind == Register && len(o.Dims) > 0 && !c.prototype {
		c.errorf(diag.BadParameter, span, "a parameter in a register is no array")
	}
	if o.Kind == Parameter && len(o.Dims) == 0 && o.Type.Kind() == isa.Packed && !c.prototype {
		c.errorf(diag.WrongSpace, c.at(s.Type), "a parameter cannot have type %v; declare .b32", o.Type)
	}
	if o.Kind == Parameter && !entry && o.Align > maxParamAlign && !c.prototype {
		c.errorf(diag.BadAlignment, span, "a parameter of a function is aligned to %d bytes at most", maxParamAlign)
	}
	if len(o.Dims) > 1 {
		c.errorf(diag.BadParameter, span, "a parameter has one dimension at most")
	}
	open := len(o.Dims) > 0 && o.Dims[0] == 0
	if open && !entry {
		c.admitPart(v.Name, ".param", "name[]")
	}
	switch {
	case open && o.Kind == Register:
		c.errorf(diag.BadParameter, span, "a parameter in a register has a size")
	case open && entry:
		c.errorf(diag.BadParameter, span, "a kernel parameter needs a size")
	case open && !last:
		c.errorf(diag.BadParameter, span, "only the last parameter can be an array without size")
	case o.Vector > 1 && o.Kind == Parameter && len(o.Dims) == 0 && !c.declared():
		c.errorf(diag.BadParameter, span, "a parameter in .param space cannot have a vector type; use an aligned array")
	}
	sink := c.file.Word(v.Name) == syntax.WordSink
	if sink && !entry && !c.prototype {
		c.errorf(diag.BadParameter, c.at(v.Name), "a parameter needs a name; only .callprototype takes _")
		return nil
	}
	if v.Name == syntax.NoToken || sink {
		return c.unnamed(o)
	}
	o.Name = c.text(v.Name)
	if c.declared() && !c.reserved(o.Tok) && c.clash(o) != nil { // nothing refers to the names of a declaration
		return c.unnamed(o)
	}
	return c.enter(o)
}

// unnamed keeps a parameter that no name leads to.
func (c *checker) unnamed(o *Object) *Object {
	o.ID = len(c.info.Objects)
	c.info.Objects = append(c.info.Objects, o)
	return o
}

// declared reports whether the parameters being read are those of a declaration: a .callprototype, or a function without a body.
func (c *checker) declared() bool { return c.prototype || c.fn != nil && c.fn.Node.Body == nil }

// maxParamAlign bounds the alignment of what is passed to a function (ptxas 13.5).
const maxParamAlign = 128

// pointer checks .ptr {.space} {.align n}, which only kernel parameters take (5.1.6.3).
func (c *checker) pointer(p *syntax.Ptr, entry bool) {
	if !entry && !c.prototype {
		c.errorf(diag.BadParameter, c.file.Span(p.Range), ".ptr is for kernel parameters")
	}
	switch space := spaceOf[c.file.Word(p.Space)]; space {
	case isa.Generic, Const, Global, Local, Shared:
	default:
		c.errorf(diag.BadParameter, c.at(p.Space), "a pointer leads to .const .global .local or .shared, not to %s", c.text(p.Space))
	}
	c.admit(p.First)
	if p.Align != syntax.NoToken {
		c.alignment(p.Align)
	}
}

// parameterBytes bounds the parameters of a kernel: 4352 bytes, 32,764 from 8.1 and sm_70 on (11.2.1).
func (c *checker) parameterBytes(s *syntax.Function, fn *Func) {
	if !fn.Entry {
		return
	}
	limit := int64(4352)
	if !c.info.Version.Before(isa.V(8, 1)) && !c.info.Target.Before(isa.MustTarget("sm_70")) {
		limit = 32764
	}
	total := int64(0)
	for _, p := range fn.Sig.Params {
		total = (total+p.Align-1)/p.Align*p.Align + p.Size()
	}
	if total > limit {
		c.errorf(diag.TooManyParameters, c.at(s.Name), "the parameters of %s take %d bytes; at most %d", c.text(s.Name), total, limit)
	}
}
