package ssa

// This file reads the text form.

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a function that String has written, or that is written by hand in the same form. Blocks may be named before they
// come; values may have any numbers, as long as operands of pure operations have smaller ones than their users.
func Parse(text string) (f *Func, err error) {
	p := &parser{f: New("", 0), blocks: map[string]*Block{}}
	p.f.Copies = nil
	defer func() {
		if e, ok := recover().(syntaxError); ok {
			f, err = nil, fmt.Errorf("line %d: %s", p.at, string(e))
		}
	}()
	for line := range strings.Lines(text) {
		p.at++
		line, _, _ = strings.Cut(line, "//")
		if p.words = fields(line); len(p.words) > 0 {
			p.line()
		}
	}
	p.finish()
	return p.f, nil
}

type syntaxError string

type parser struct {
	f      *Func
	at     int
	words  []string
	blocks map[string]*Block
	block  *Block
	order  bool // the block has operations with a place
}

// fields parts a line into words; parentheses, commas and colons only part.
func fields(line string) []string {
	return strings.Fields(strings.NewReplacer("(", " ", ")", " ", ",", " ", ":", " ").Replace(line))
}

func (p *parser) fail(format string, a ...any) { panic(syntaxError(fmt.Sprintf(format, a...))) }

func (p *parser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

func (p *parser) next() string {
	if len(p.words) == 0 {
		p.fail("the line ends too early")
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// take takes a word if it comes next.
func (p *parser) take(w string) bool {
	if p.peek() != w {
		return false
	}
	p.next()
	return true
}

func (p *parser) number() int64 {
	w := p.next()
	n, err := strconv.ParseInt(strings.TrimPrefix(w, "#"), 0, 64)
	if err != nil {
		p.fail("%s is no number", w)
	}
	return n
}

// value is a value that may come later.
func (p *parser) value() Value {
	w := p.next()
	n, err := strconv.ParseUint(strings.TrimPrefix(w, "v"), 10, 20)
	if err != nil || w[0] != 'v' {
		p.fail("%s is no value", w)
	}
	for uint64(len(p.f.Ops)) <= n {
		p.f.Ops, p.f.Info = append(p.f.Ops, Op{}), append(p.f.Info, Info{Block: -1})
	}
	return Value(n)
}

func (p *parser) line() {
	switch w := p.next(); {
	case w == "func":
		p.f.Name = p.next()
	case w == "copy":
		p.copy()
	case w == "warps":
		p.f.Warps = int(p.number())
		p.expect("in")
		p.f.Warp = p.value()
	case w == "shared":
		p.expect("bounds")
		p.f.Shared = 1 + int32(p.number())
	case w == "chosen":
		p.expect("bounds")
		p.f.Chosen = append(p.f.Chosen, int32(p.number()))
	case w == "waits":
		p.f.Waits = true
	case w == "table":
		p.table()
	case w == "check":
		p.check()
	case w == "state":
		p.state()
	case w == "float":
	case w == "return":
	case w == "goto":
		p.edge()
	case w == "if":
		p.inside().Cond = p.value()
		p.edge()
		if !p.take("else") {
			p.fail("else is missing")
		}
		p.edge()
	case w[0] == 'b' && p.isLabel(w):
		p.header(w)
	default:
		p.words = append([]string{w}, p.words...)
		p.statement()
	}
	if len(p.words) > 0 {
		p.fail("%s is too much", p.words[0])
	}
}

func (p *parser) isLabel(w string) bool { _, err := strconv.Atoi(w[1:]); return err == nil }

func (p *parser) inside() *Block {
	if p.block == nil {
		p.fail("this belongs into a block")
	}
	return p.block
}

func (p *parser) expect(words ...string) {
	for _, w := range words {
		if !p.take(w) {
			p.fail("%s is missing", w)
		}
	}
}

func (p *parser) copy() {
	p.number()
	var c Copy
	p.expect("lanes")
	c.Lanes = int(p.number())
	if p.take("of") {
		c.Of = uint16(p.number())
		p.expect("from")
		c.From = p.value()
	}
	c.Cold = p.take("cold")
	p.f.Copies = append(p.f.Copies, c)
}

func (p *parser) table() {
	p.number()
	var t []uint64
	for len(p.words) > 0 {
		t = append(t, uint64(p.number()))
	}
	p.f.Tables = append(p.f.Tables, t)
}

func (p *parser) check() {
	p.number()
	var c Check
	p.expect("bounds")
	c.Bounds = int32(p.number())
	p.expect("lo")
	c.Lo = p.number()
	p.expect("hi")
	c.Hi = p.number()
	p.expect("align")
	c.Align = uint8(p.number())
	c.Store = p.take("store")
	p.f.Checks = append(p.f.Checks, c)
}

func (p *parser) state() {
	p.number()
	var s State
	for len(p.words) > 0 {
		switch w := p.next(); w {
		case "pc":
			s.PC = int32(p.number())
		case "mask":
			s.Mask = p.value()
		case "undo":
			s.Undo = p.number()
		case "fuelout":
			s.FuelOut = true
		case "restart":
			s.Restart = true
		case "place":
			l := Place{PC: int32(p.number()), Mask: p.value()}
			if p.take("fuel") {
				l.Fuel = p.value()
			}
			s.Places = append(s.Places, l)
		default:
			kind := indexOf(homeNames[:], w)
			if kind < 0 {
				p.fail("a state has no %s", w)
			}
			off := uint32(p.number())
			s.Homes = append(s.Homes, Home{HomeKind(kind), off, p.value()})
		}
	}
	p.f.States = append(p.f.States, s)
}

func indexOf(list []string, w string) int {
	for i, n := range list {
		if n == w {
			return i
		}
	}
	return -1
}

func (p *parser) blockNamed(w string) *Block {
	b := p.blocks[w]
	if b == nil {
		id, _ := strconv.Atoi(w[1:])
		b = &Block{ID: id}
		p.blocks[w] = b
	}
	return b
}

func (p *parser) header(w string) {
	b := p.blockNamed(w)
	if b.ID != len(p.f.Blocks) {
		p.fail("%s is not the next block", w)
	}
	p.f.Blocks = append(p.f.Blocks, b)
	p.block, p.order = b, false
	if p.take("level") {
		b.Level = int8(p.number())
	}
	if p.take("lanes") {
		b.Lanes = int(p.number())
	}
	b.Cold = p.take("cold")
	for len(p.words) > 0 {
		b.Params = append(b.Params, p.leaf(Param, b))
	}
}

// leaf is the definition of a parameter or result.
func (p *parser) leaf(c Code, b *Block) Value {
	v := p.value()
	if p.f.Ops[v] != (Op{}) {
		p.fail("v%d is there already", v)
	}
	num := p.take("num")
	t, n := p.typed(p.next())
	p.f.Ops[v] = Op{Code: c, Type: t, Copy: n}
	p.f.Info[v] = Info{Uni: num, Num: num, Level: b.Level, Block: int32(b.ID)}
	return v
}

// typed reads w@1: a type in a copy.
func (p *parser) typed(w string) (Type, uint16) {
	w, copied, ok := strings.Cut(w, "@")
	n := 0
	if ok {
		n, _ = strconv.Atoi(copied)
	}
	for _, t := range []Type{W, X, M} {
		if t.String() == w {
			return t, uint16(n)
		}
	}
	p.fail("%s is no type", w)
	return 0, 0
}

func (p *parser) edge() {
	b := p.inside()
	e := b.Jump(p.blockNamed(p.next()))
	for len(p.words) > 0 && p.peek() != "else" {
		e.Args = append(e.Args, p.value())
	}
}

// finish looks each value's properties up that a text does not say, and makes the operations known.
func (p *parser) finish() {
	if p.f.Copies == nil {
		p.f.Copies = []Copy{{Lanes: 32}}
	}
	for w, b := range p.blocks {
		if b.ID >= len(p.f.Blocks) || p.f.Blocks[b.ID] != b {
			p.fail("there is no %s", w)
		}
	}
	for v := range p.f.Ops {
		o := &p.f.Ops[v]
		if int(o.Copy) >= len(p.f.Copies) {
			p.fail("v%d is of copy %d, which there is not", v, o.Copy)
		}
		if o.Code > Result {
			p.f.Info[v] = p.f.infoOf(o)
			p.f.index.add(p.f.Ops, Value(v))
		}
	}
}
