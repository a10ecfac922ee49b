package lower

// This file lowers functions: signature, frame and performance directives.

import (
	"strconv"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// bodyLowerer holds one function's lowering.
type bodyLowerer struct {
	*lowerer
	fn     *check.Func
	f      *ir.Func
	names  map[string]int // of variables, and prototypes
	taken  map[string]int // of registers; nil until an inner scope declares some
	regs   map[regKey]ir.Reg
	body   ir.Body
	labels map[*check.Object]ir.BlockID // label → index of body.Labels
	sigs   map[*check.Object]*ir.Sig
	frame  area // .param area
	locals area
	loc    ir.LocID
	asm    asmLines
	ops    slab[ir.Operand]

	locally map[*check.Object]*ir.Var // .local variables of the module, in this kernel's frame
	touches []touched                 // shared registers of the statement being lowered
	refused isa.Oddity                // why the statement being lowered is not executed
	pos     diag.Pos                  // of the statement being lowered
	behind  []ir.Inst                 // what follows the statement being lowered
}

// regKey names one register: a member of a family, a component of a vector.
type regKey struct {
	object *check.Object
	index  int32
	comp   int8
}

type cachedReg struct {
	regKey
	reg ir.Reg
}

// function lowers one function or declaration.
func (l *lowerer) function(fn *check.Func) error {
	b := &bodyLowerer{lowerer: l, fn: fn, f: l.funcs[fn.Object.ID], names: map[string]int{},
		regs: map[regKey]ir.Reg{}, locally: map[*check.Object]*ir.Var{},
		labels: map[*check.Object]ir.BlockID{}, sigs: map[*check.Object]*ir.Sig{}}
	b.f.Variadic, b.f.NoReturn = fn.Sig.Variadic, fn.Sig.NoReturn
	b.f.Rets = b.params(fn.Sig.Rets, b.f)
	b.f.Params = b.params(fn.Sig.Params, b.f)
	if b.f.ParamBytes = b.frame.size; b.f.Entry {
		b.frame = area{b.thread.size} // the parameter block lies elsewhere
	}
	b.directives(fn.Node.Directives)
	if fn.Node.Body != nil {
		b.body.Insts = make([]ir.Inst, 0, len(fn.Node.Body.Stmts)+1)
		b.stmts(fn.Node.Body)
		b.addCarry()
	}
	b.f.CallBytes, b.f.LocalBytes = b.frame.size, b.locals.size
	if fn.Node.Body == nil {
		return nil
	}
	return b.f.Build(&b.body, ir.Options{OneRowEach: l.opt.OneRowEach, Quota: l.opt.Quota})
}

// params lays out parameters in the function's frame, or of a prototype where f is nil. A vector in
// registers is as many parameters as it has elements.
func (b *bodyLowerer) params(list []*check.Object, f *ir.Func) []*ir.Param {
	var out []*ir.Param
	for _, o := range list {
		for i := range elements(o) {
			out = append(out, b.registerParam(o, i, f))
		}
		if elements(o) == 0 {
			out = append(out, b.memoryParam(o, f))
		}
	}
	return out
}

// memoryParam is a parameter in .param space.
func (b *bodyLowerer) memoryParam(o *check.Object, f *ir.Func) *ir.Param {
	p := &ir.Param{Var: *b.newVar(o), Reg: ir.NoReg}
	p.Space, p.Func, p.Kernel = ir.SpaceParam, f, f != nil && f.Entry
	if f != nil {
		p.Name = unique(b.names, p.Name)
		if p.Kernel {
			b.frame.place(&p.Var) // as hosts lay out a kernel's arguments
		} else {
			b.frame.placeWords(&p.Var)
		}
		b.vars[o.ID] = &p.Var
	}
	b.pointer(p, o)
	return p
}

// pointer keeps the .ptr attribute (5.1.6.3).
func (b *bodyLowerer) pointer(p *ir.Param, o *check.Object) {
	if o.Ptr == nil {
		return
	}
	p.Ptr, p.PtrAlign = true, 4
	if o.Ptr.Align != syntax.NoToken {
		p.PtrAlign = int(b.integer(o.Ptr.Align))
	}
	switch b.file.Word(o.Ptr.Space) {
	case syntax.WordGlobal:
		p.PtrSpace = ir.SpaceGlobal
	case syntax.WordConst:
		p.PtrSpace = ir.SpaceConst
	case syntax.WordShared:
		p.PtrSpace = ir.SpaceShared
	case syntax.WordLocal:
		p.PtrSpace = ir.SpaceLocal
	}
}

// directives reads performance directives (11.4) and pragmas.
func (b *bodyLowerer) directives(list []syntax.Directive) {
	p := &b.f.Perf
	triples := map[syntax.Word]*[3]int32{
		syntax.WordReqNTid: &p.ReqNTid, syntax.WordMaxNTid: &p.MaxNTid, syntax.WordReqNCTAPerCluster: &p.ReqCluster,
	}
	numbers := map[syntax.Word]*int32{
		syntax.WordMaxNReg: &p.MaxNReg, syntax.WordMinNCTAPerSM: &p.MinNCTA,
		syntax.WordMaxNCTAPerSM: &p.MaxNCTA, syntax.WordMaxClusterRank: &p.MaxClusterRank,
	}
	flags := map[syntax.Word]*bool{
		syntax.WordExplicitCluster: &p.ExplicitCluster, syntax.WordBlocksAreClusters: &p.BlocksAreClusters,
		syntax.WordNoReturn: &b.f.NoReturn,
	}
	for i := range list {
		d := &list[i]
		word := b.file.Word(d.Keyword)
		if t := triples[word]; t != nil {
			*t = [3]int32{1, 1, 1}
			for k := 0; k < min(3, len(d.Args)); k++ {
				t[k] = b.integer(d.Args[k])
			}
		}
		if n := numbers[word]; n != nil && len(d.Args) > 0 {
			*n = b.integer(d.Args[0])
		}
		if flag := flags[word]; flag != nil {
			*flag = true
		}
		if word == syntax.WordPragma {
			b.f.Pragmas = append(b.f.Pragmas, b.strings(d.Args)...)
		}
	}
}

// register returns the register of a key, adding it at its first use.
func (b *bodyLowerer) register(k regKey) ir.Reg {
	r, ok := b.regs[k]
	if !ok {
		r = b.addRegister(k)
	}
	if b.shares && ofModule(k.object) {
		b.touch(k, r)
	}
	return r
}

func (b *bodyLowerer) addRegister(k regKey) ir.Reg {
	name := k.object.Name
	if k.object.Count > 0 {
		name += strconv.Itoa(int(k.index))
	}
	if k.object.Vector > 1 {
		name += componentSuffix[k.comp]
	}
	if b.taken != nil {
		name = unique(b.taken, name)
	}
	r := b.f.AddReg(name, k.object.Type)
	b.regs[k] = r
	return r
}

// shadow makes register names unique from here on: within one scope they are already, so
// it is called when an inner scope declares registers.
func (b *bodyLowerer) shadow() {
	if b.taken != nil {
		return
	}
	b.taken = make(map[string]int, len(b.f.Regs))
	for i := range b.f.Regs {
		b.taken[b.f.Regs[i].Name] = 1
	}
}

var componentSuffix = [...]string{".x", ".y", ".z", ".w", ".4", ".5", ".6", ".7"}

// addCarry gives the function its register for CC.CF if any instruction uses it.
func (b *bodyLowerer) addCarry() {
	for i := range b.body.Insts {
		if b.body.Insts[i].Carry != 0 {
			b.shadow()
			b.f.CC = b.f.AddReg(unique(b.taken, "%cc"), isa.PredType())
			return
		}
	}
}

// slab hands out slices of one element type from large blocks.
type slab[T any] struct{ free []T }

// cut returns n zero elements.
func (s *slab[T]) cut(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		s.free = make([]T, max(n, 512))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}
