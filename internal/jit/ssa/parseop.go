package ssa

// This file reads operations and effects.

import "strings"

// codeByName finds an operation.
var codeByName = func() map[string]Code {
	m := map[string]Code{}
	for c := Each; c < numCodes; c++ {
		m[defs[c].name] = c
	}
	return m
}()

// statement is an operation, or an effect with its results.
func (p *parser) statement() {
	at := indexOf(p.words, "=")
	if at < 0 {
		p.effect(nil)
		return
	}
	if at+1 == len(p.words) {
		p.fail("nothing is behind =")
	}
	if word, _, _ := strings.Cut(p.words[at+1], "."); codeByName[word] != Invalid {
		p.op()
		return
	}
	b := p.inside()
	var results []Value
	for p.peek() != "=" {
		results = append(results, p.leaf(Result, b))
	}
	p.next()
	p.effect(results)
}

func (p *parser) op() {
	v := p.value()
	p.expect("=")
	word, typ, _ := strings.Cut(p.next(), ".")
	o := Op{Code: codeByName[word]}
	o.Type, o.Copy = p.typed(typ)
	for len(p.words) > 0 && p.peek()[0] == 'v' && o.N < 3 {
		*[]*Value{&o.A, &o.B, &o.C}[o.N] = p.value()
		o.N++
	}
	if defs[o.Code].imm {
		o.Imm = uint64(p.number())
	}
	if p.f.Ops[v] != (Op{}) {
		p.fail("v%d is there already", v)
	}
	p.f.Ops[v] = o
	if p.block != nil {
		if !p.order {
			p.order = true
			for _, e := range p.block.Effects {
				p.block.Order = append(p.block.Order, Item{Effect: e})
			}
		}
		p.block.Order = append(p.block.Order, Item{Value: v})
	}
}

func (p *parser) effect(results []Value) {
	b, e := p.inside(), &Effect{Results: results}
	w := p.next()
	kind := indexOf(kindNames[:], w)
	if kind < 0 {
		p.fail("%s is no operation and no effect", w)
	}
	if e.Kind = Kind(kind); e.Kind == Load || e.Stores() {
		e.Access = &Access{}
	}
	for len(p.words) > 0 {
		p.part(e, p.next())
	}
	b.Add(e)
	if p.order {
		b.Order = append(b.Order, Item{Effect: e})
	}
}

// part is a word of an effect with its value.
func (p *parser) part(e *Effect, w string) {
	switch w {
	case "n":
		e.N = p.number()
	case "update":
		if e.Update = updateNamed(p.next()); e.Update == 0 {
			p.fail("there is no such update")
		}
	case "locked":
		e.Locked = true
	case "state":
		e.State = StateID(p.number())
	case "pc":
		e.PC = int32(p.number())
	case "mask":
		e.Mask = p.value()
	case "arg":
		e.Args = append(e.Args, p.value())
	case "entry":
		e.Entry = int32(p.number())
	default:
		if kind := indexOf(homeNames[:], w); kind >= 0 && (e.Kind == Barrier || e.Kind == Resume || e.Kind == Helper || e.Kind == Keep) {
			h := Home{Kind: HomeKind(kind), Off: uint32(p.number())}
			if e.Kind != Resume {
				h.Value = p.value()
			}
			e.Homes = append(e.Homes, h)
			return
		}
		if e.Access == nil {
			p.fail("%s has no %s", e.Kind, w)
		}
		p.accessPart(e.Access, w)
	}
}

func (p *parser) accessPart(a *Access, w string) {
	switch w {
	case "elem":
		a.Elem = uint8(p.number())
	case "count":
		a.Count = uint8(p.number())
	case "align":
		a.Align = uint8(p.number())
	case "base":
		a.Base = p.value()
	case "index":
		a.Index = p.value()
	case "step":
		a.Step = p.number()
	case "disp":
		a.Disp = p.number()
	case "bounds":
		a.Bounds = int32(p.number())
	case "check":
		a.Check = CheckID(p.number())
	case "upto":
		a.Upto = CheckID(p.number())
	case "low":
		a.Low = p.value()
	case "high":
		a.High = p.value()
	case "runs":
		a.Runs = p.value()
	case "signed":
		a.Signed = true
	case "bits":
		a.Bits = append(a.Bits, uint8(p.number()))
	default:
		p.fail("an access has no %s", w)
	}
}
