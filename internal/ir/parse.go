package ir

// This file reads the text form that Print writes. It is for tests and for people who look
// at stages, so it stops at the first error.

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// Parse reads a module from its text form and fills the facts of its functions.
func Parse(text string) (*Module, error) {
	p := &parser{m: &Module{Locs: make([]Loc, 1)}, vars: map[string]*Var{}, funcs: map[string]*Func{}}
	lines := strings.Split(text, "\n")
	for _, step := range []func([]string){p.declare, p.define} {
		for n, line := range lines {
			p.line = n + 1
			words, err := split(line)
			if err == nil && len(words) > 0 {
				err = p.try(step, words)
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
		}
	}
	for _, f := range p.m.Funcs {
		if err := f.Finish(Options{}); err != nil {
			return nil, err
		}
	}
	return p.m, nil
}

type parser struct {
	m     *Module
	line  int
	vars  map[string]*Var
	funcs map[string]*Func

	f     *Func // being read
	sig   *Sig
	regs  map[string]Reg
	frame map[string]*Var
}

// syntaxError is how the reading functions give up; try turns it into an error.
type syntaxError string

func (p *parser) try(step func([]string), words []string) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case syntaxError:
			err = errors.New(string(e))
		default:
			panic(e)
		}
	}()
	step(words)
	return nil
}

func fail(format string, args ...any) { panic(syntaxError(fmt.Sprintf(format, args...))) }

// split cuts a line into words: quoted strings stay whole, a comment ends it.
func split(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimLeft(line, " \t") {
		if line[0] == '"' {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			words, line = append(words, q), line[len(q):]
			continue
		}
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		words, line = append(words, line[:end]), line[end:]
	}
	return words, nil
}

// declare enters the names of functions and module variables, so that any line may use them.
func (p *parser) declare(w []string) {
	switch w[0] {
	case "var":
		v := &Var{Name: w[1], Vec: 1}
		p.vars[v.Name] = v
		p.m.Vars = append(p.m.Vars, v)
	case "func":
		f := NewFunc(w[1])
		p.funcs[f.Name] = f
		p.m.Funcs = append(p.m.Funcs, f)
	}
}

func (p *parser) define(w []string) {
	args := &words{w[1:]}
	switch w[0] {
	case "module":
		p.module(args)
	case "file":
		p.m.Files = append(p.m.Files, args.quoted())
	case "loc":
		p.loc(args)
	case "alias":
		p.m.Aliases = append(p.m.Aliases, Alias{Name: args.next(), To: p.funcNamed(args.next())})
	case "var":
		p.variable(p.vars[args.next()], args, nil)
	case "func":
		p.function(args)
	case "pragma":
		p.pragma(args.quoted())
	default:
		if p.f == nil {
			fail("%q outside a function", w[0])
		}
		p.inFunction(w[0], args, w)
	}
}

func (p *parser) inFunction(key string, args *words, all []string) {
	switch key {
	case "end":
		p.f = nil
	case "perf":
		p.perf(args)
	case "ret":
		if p.isParam(args) {
			p.f.Rets = append(p.f.Rets, p.param(args))
			return
		}
		p.inst(all)
	case "param":
		p.f.Params = append(p.f.Params, p.param(args))
	case "sig":
		p.sig = &Sig{Name: args.next(), Variadic: args.flag("variadic"), NoReturn: args.flag("noreturn")}
		p.f.Sigs = append(p.f.Sigs, p.sig)
	case "sigret":
		p.sig.Rets = append(p.sig.Rets, p.param(args))
	case "sigparam":
		p.sig.Params = append(p.sig.Params, p.param(args))
	case "local":
		v := &Var{Name: args.next(), Func: p.f}
		p.variable(v, args, nil)
		p.frame[v.Name] = v
		p.f.Locals = append(p.f.Locals, v)
	case "shared":
		for len(args.w) > 0 {
			p.f.Shared = append(p.f.Shared, p.varNamed(args.next()))
		}
	case "frame":
		args.want("params")
		p.f.ParamBytes = args.int()
		args.want("call")
		p.f.CallBytes = args.int()
		args.want("locals")
		p.f.LocalBytes = args.int()
		args.want("shared")
		p.f.SharedBytes = args.int()
	case "reg":
		p.register(args)
	case "cc":
		p.f.CC = p.reg(args.next())
	case "block":
		p.block(args)
	default:
		p.inst(all)
	}
}

// isParam tells a `ret` line of a parameter from a ret instruction, which has a position.
func (p *parser) isParam(args *words) bool {
	return len(args.w) > 0 && !strings.HasPrefix(args.w[0], "@")
}

// words is the rest of a line.
type words struct{ w []string }

func (a *words) next() string {
	if len(a.w) == 0 {
		fail("line ends too early")
	}
	s := a.w[0]
	a.w = a.w[1:]
	return s
}

// name reads a name, which is - where there is none.
func (a *words) name() string {
	if a.flag("-") {
		return ""
	}
	return a.next()
}

func (a *words) want(word string) {
	if s := a.next(); s != word {
		fail("%q, want %q", s, word)
	}
}

func (a *words) flag(word string) bool {
	if len(a.w) > 0 && a.w[0] == word {
		a.w = a.w[1:]
		return true
	}
	return false
}

func (a *words) int() int64 {
	s := a.next()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		fail("%q is no number", s)
	}
	return n
}

func (a *words) i32() int32 { return int32(a.int()) }

func (a *words) quoted() string {
	s, err := strconv.Unquote(a.next())
	if err != nil {
		fail("bad string")
	}
	return s
}

func (p *parser) module(a *words) {
	p.m.Name = a.quoted()
	a.want("version")
	p.m.Version = parseVersion(a.next())
	a.want("target")
	p.m.Target = parseTarget(a.next())
}

func (p *parser) pragma(s string) {
	if p.f != nil {
		p.f.Pragmas = append(p.f.Pragmas, s)
	} else {
		p.m.Pragmas = append(p.m.Pragmas, s)
	}
}

func (p *parser) loc(a *words) {
	if n := a.int(); n != int64(len(p.m.Locs)) {
		fail("loc %d, want %d", n, len(p.m.Locs))
	}
	var l Loc
	a.want("file")
	l.File = a.i32()
	a.want("line")
	l.Line = a.i32()
	a.want("col")
	l.Col = a.i32()
	if a.flag("at") {
		l.InlinedAt = LocID(a.i32())
	}
	if a.flag("fn") {
		l.Function = a.quoted()
	}
	p.m.Locs = append(p.m.Locs, l)
}

// named finds a word in a table of names.
func named[T ~uint8](names []string, word string) (T, bool) {
	for i, n := range names {
		if n == word {
			return T(i), true
		}
	}
	return 0, false
}

// variable reads the attributes of a variable; of a parameter those it does not know go to
// extra.
func (p *parser) variable(v *Var, a *words, extra func(key string)) {
	var ok1, ok2 bool
	v.Space, ok1 = named[Space](spaceNames[:], a.next())
	v.Linkage, ok2 = named[Linkage](linkageNames[:], a.next())
	if !ok1 || !ok2 {
		fail("bad space or linkage of %s", v.Name)
	}
	for len(a.w) > 0 {
		key := a.next()
		if !p.varField(v, key, a) {
			if extra == nil {
				fail("unknown attribute %q", key)
			}
			extra(key)
		}
	}
}

func (p *parser) varField(v *Var, key string, a *words) bool {
	switch key {
	case "type":
		v.Type = parseType(a.next())
	case "align":
		v.Align = int(a.int())
	case "size":
		v.Size = a.int()
	case "vec":
		v.Vec = uint8(a.int())
	case "bank":
		v.Bank = uint8(a.int())
	case "offset":
		v.Offset = a.int()
	case "pos":
		v.Pos = diag.Pos(a.int())
	case "dims":
		for len(a.w) > 0 && a.w[0][0] >= '0' && a.w[0][0] <= '9' {
			v.Dims = append(v.Dims, a.int())
		}
	case "managed":
		v.Managed = true
	case "unified":
		v.Unified = true
	case "dynamic":
		v.Dynamic = true
	case "of":
		v.Func = p.funcNamed(a.next())
	case "init":
		v.Init = unhex(a.next())
	case "field":
		v.Fields = append(v.Fields, Field{a.next(), a.int()})
	case "reloc":
		v.Relocs = append(v.Relocs, p.reloc(a))
	default:
		return false
	}
	return true
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		fail("%v", err)
	}
	return b
}

func (p *parser) reloc(a *words) Reloc {
	r := Reloc{Off: a.int()}
	a.want("bytes")
	r.Bytes = uint8(a.int())
	a.want("shift")
	r.Shift = uint8(a.int())
	a.want("add")
	r.Add = a.int()
	r.Generic = a.flag("generic")
	if a.flag("func") {
		r.Func = p.funcNamed(a.next())
		return r
	}
	a.want("var")
	r.Var = p.varNamed(a.next())
	return r
}

func (p *parser) varNamed(s string) *Var {
	if v := p.vars[s]; v != nil {
		return v
	}
	fail("no variable %s", s)
	return nil
}

func (p *parser) funcNamed(s string) *Func {
	if f := p.funcs[s]; f != nil {
		return f
	}
	fail("no function %s", s)
	return nil
}

func (p *parser) function(a *words) {
	p.f = p.funcs[a.next()]
	p.sig, p.regs, p.frame = nil, map[string]Reg{}, map[string]*Var{}
	p.f.Defined = true
	for len(a.w) > 0 {
		key := a.next()
		if l, ok := named[Linkage](linkageNames[:], key); ok {
			p.f.Linkage = l
			continue
		}
		switch key {
		case "entry":
			p.f.Entry = true
		case "variadic":
			p.f.Variadic = true
		case "noreturn":
			p.f.NoReturn = true
		case "declared":
			p.f.Defined = false
		case "unit":
			p.f.Unit = int(a.int())
		case "pos":
			p.f.Pos = diag.Pos(a.int())
		default:
			fail("unknown attribute %q", key)
		}
	}
}

func (p *parser) perf(a *words) {
	d := &p.f.Perf
	key := a.next()
	for _, n := range d.numbers() {
		if n.name == key {
			*n.at = a.i32()
			return
		}
	}
	triple := func() [3]int32 { return [3]int32{a.i32(), a.i32(), a.i32()} }
	switch key {
	case "reqntid":
		d.ReqNTid = triple()
	case "maxntid":
		d.MaxNTid = triple()
	case "reqcluster":
		d.ReqCluster = triple()
	case "explicitcluster":
		d.ExplicitCluster = true
	case "blocksareclusters":
		d.BlocksAreClusters = true
	default:
		fail("unknown directive %q", key)
	}
}

func (p *parser) param(a *words) *Param {
	q := &Param{Var: Var{Name: a.name()}, Reg: NoReg}
	p.variable(&q.Var, a, func(key string) {
		switch key {
		case "reg":
			q.Reg = p.addReg(a.next(), q.Type)
		case "inreg":
			q.Reg = 0
		case "ptr":
			q.Ptr = true
			q.PtrSpace, _ = named[Space](spaceNames[:], a.next())
			q.PtrAlign = int(a.int())
		default:
			fail("unknown attribute %q", key)
		}
	})
	if p.sig == nil {
		q.Func, q.Kernel = p.f, p.f.Entry
		p.frame[q.Name] = &q.Var
	}
	return q
}

// register enters a register; those of parameters are there already.
func (p *parser) register(a *words) {
	p.sig = nil
	p.addReg(a.next(), parseType(a.next()))
}

func (p *parser) addReg(name string, t isa.Type) Reg {
	if r, ok := p.regs[name]; ok {
		return r
	}
	r := Reg(len(p.f.Regs))
	p.regs[name] = r
	p.f.Regs = append(p.f.Regs, NewReg(name, t))
	return r
}

func (p *parser) reg(name string) Reg {
	r, ok := p.regs[name]
	if !ok {
		fail("no register %s", name)
	}
	return r
}

func (p *parser) block(a *words) {
	p.sig = nil
	label := a.name()
	n := int32(len(p.f.Insts))
	p.f.Blocks = append(p.f.Blocks, Block{Label: label, First: n, End: n})
}
