package ir

// This file reads instruction lines of the text form.

import (
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// inst reads: {@{!}p} opcode operands {(rets) callee (args)} {-> b1, b2} @pos loc
func (p *parser) inst(w []string) {
	if len(p.f.Blocks) == 0 {
		fail("instruction before the first block")
	}
	in := Inst{Guard: Unguarded}
	if g, ok := strings.CutPrefix(w[0], "@"); ok {
		g, in.Guard.Neg = strings.CutPrefix(g, "!")
		in.Guard.Reg = p.reg(g)
		w = w[1:]
	}
	if n := len(w); n > 2 && strings.HasPrefix(w[n-2], "@") {
		pos, loc := &words{[]string{w[n-2][1:]}}, &words{w[n-1:]}
		in.Pos, in.Loc = diag.Pos(pos.int()), LocID(loc.i32())
		w = w[:n-2]
	}
	o := &operands{p: p, s: strings.Join(w[1:], " ")}
	if strings.HasPrefix(o.s, "(") {
		in.Call = o.call()
	} else if o.s != "" && !strings.HasPrefix(o.s, "->") {
		in.Ops = o.list()
	}
	in.Targets = o.targets()
	if o.s != "" {
		fail("%q behind the instruction", o.s)
	}
	p.choose(&in, w[0])
	p.f.Insts = append(p.f.Insts, in)
	p.f.Blocks[len(p.f.Blocks)-1].End++
}

// operands reads from the front of s.
type operands struct {
	p *parser
	s string
}

func (o *operands) skip(token string) bool {
	rest, ok := strings.CutPrefix(o.s, token)
	if ok {
		o.s = strings.TrimLeft(rest, " ")
	}
	return ok
}

func (o *operands) want(token string) {
	if !o.skip(token) {
		fail("%q, want %q", o.s, token)
	}
}

// word takes the text up to a delimiter.
func (o *operands) word() string {
	end := strings.IndexAny(o.s, " ,|]}>()+-")
	if end < 0 {
		end = len(o.s)
	}
	w := o.s[:end]
	o.s = strings.TrimLeft(o.s[end:], " ")
	if w == "" {
		fail("operand expected at %q", o.s)
	}
	return w
}

func (o *operands) list() []Operand {
	var list []Operand
	for {
		list = append(list, o.operand())
		if !o.skip(",") {
			return list
		}
	}
}

func (o *operands) operand() Operand {
	a := o.single()
	if o.skip("|") {
		return Operand{Kind: OpPair, Elems: []Operand{a, o.single()}}
	}
	return a
}

func (o *operands) single() Operand {
	switch c := o.s; {
	case o.skip("["):
		return o.address()
	case o.skip("{"):
		list := o.list()
		o.want("}")
		return Operand{Kind: OpVec, Elems: list}
	case o.skip("&"):
		return o.symbol()
	case o.skip("<"):
		s := Operand{Kind: OpSpec}
		s.Special, s.Comp = parseSpecial(o.word())
		o.want(">")
		return s
	case strings.HasPrefix(c, "0x"):
		return o.immediate()
	}
	neg := o.skip("!")
	switch w := o.word(); w {
	case "_":
		return Operand{Kind: OpSink}
	case "none":
		return Operand{}
	default:
		name, selector, _ := strings.Cut(w, ":")
		return Operand{Kind: OpReg, Neg: neg, Reg: o.p.reg(name), Selector: selector}
	}
}

func (o *operands) immediate() Operand {
	digits, typ, typed := strings.Cut(o.word(), ":")
	n, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		fail("%v", err)
	}
	if !typed {
		return Operand{Kind: OpImm, Imm: n}
	}
	return Operand{Kind: OpImm, Imm: n, Type: parseType(typ)}
}

// disp reads +n or -n, or nothing.
func (o *operands) disp() uint64 {
	neg := strings.HasPrefix(o.s, "-")
	if !o.skip("+") && !o.skip("-") {
		return 0
	}
	n, err := strconv.ParseUint(o.word(), 10, 64)
	if err != nil {
		fail("%v", err)
	}
	if neg {
		return -n
	}
	return n
}

// symbol reads behind the &: .name is of the frame.
func (o *operands) symbol() Operand {
	a := Operand{Kind: OpSym, Reg: NoReg}
	name, frame := strings.CutPrefix(o.word(), ".")
	switch {
	case frame:
		if a.Var = o.p.frame[name]; a.Var == nil {
			fail("no variable %s in the frame", name)
		}
	case o.p.funcs[name] != nil:
		a.Func = o.p.funcs[name]
	default:
		a.Var = o.p.varNamed(name)
	}
	a.Imm = o.disp()
	return a
}

func (o *operands) address() Operand {
	a := Operand{Kind: OpMem, Reg: NoReg}
	switch {
	case o.skip("&"):
		a = o.symbol()
		a.Kind = OpMem
	case o.s != "" && (o.s[0] == '-' || o.s[0] >= '0' && o.s[0] <= '9'):
		if o.s[0] != '-' {
			o.s = "+" + o.s
		}
		a.Imm = o.disp()
	default:
		a.Reg = o.p.reg(o.word())
		a.Imm = o.disp()
	}
	if o.skip(",") {
		a.Elems = o.list()
	}
	o.want("]")
	return a
}

func (o *operands) call() *Call {
	c := &Call{Rets: o.group()}
	if o.skip("&") {
		c.Callee = o.p.funcNamed(o.word())
	} else {
		c.Target = o.single()
	}
	c.Args = o.group()
	if o.skip("sig ") {
		name := o.word()
		for _, s := range o.p.f.Sigs {
			if s.Name == name {
				c.Sig = s
			}
		}
	}
	if o.skip("table ") {
		for more := true; more; more = o.skip(",") {
			c.Table = append(c.Table, o.p.funcNamed(o.word()))
		}
	}
	return c
}

// group reads operands in parentheses.
func (o *operands) group() []Operand {
	o.want("(")
	if o.skip(")") {
		return nil
	}
	list := o.list()
	o.want(")")
	return list
}

func (o *operands) targets() []BlockID {
	if !o.skip("->") {
		return nil
	}
	var list []BlockID
	for more := true; more; more = o.skip(",") {
		n, err := strconv.Atoi(strings.TrimPrefix(o.word(), "b"))
		if err != nil {
			fail("%v", err)
		}
		list = append(list, BlockID(n))
	}
	return list
}
