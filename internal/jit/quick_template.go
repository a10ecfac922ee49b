package jit

// Templates of the quick tier. What an instruction becomes is assembled once a process, by the compiler's own emitter,
// with places and displacements that stand for themselves: each is a number that nothing else has, so wherever one
// turns up in the code, its place is known (x86.Piece).

import (
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// template is code with places to be filled in.
type template struct {
	code    []byte
	patches []patch
	outside []outsideRef
	pool    *poolUse // nil: it reads no constants
	pooled  []int32
	bounded bool // it is an access with an entry in the bounds table
}

// patch is a number in the code: what it is, and what is added to it.
type patch struct {
	at, delta int32
	what      uint8 // the number of an operand, or one of those below
}

// What is filled in besides operands.
const (
	patchImm = maxOperands + iota
	patchImm64
	patchPC
	patchUndo
	patchTo
	patchSteps
	patchBound
)

// outsideRef is a distance to other code.
type outsideRef struct {
	at int32
	to outsideTo
}

// outsideTo is other code: a tail, or the target of a branch.
type outsideTo int32

const (
	toLeave  outsideTo = iota // leave at a pc
	toPart                    // the same since lanes part
	toFuel                    // since the fuel is used
	toPoll                    // since the machine wants to know
	numTails                  // tails are above
	toTarget outsideTo = numTails
)

// tailFlags are the flags of the place with which tails leave.
var tailFlags = [numTails]abi.PlaceFlags{toPart: abi.Parted, toFuel: abi.FuelOut, toPoll: abi.Polled}

// templates are those of one width.
type templates struct {
	opt    Options
	evex   bool
	stand  stand
	forms  map[form]*template // nil: the instruction is left to the interpreter
	pools  map[string]*poolUse
	leaves *template // leaves at an instruction that is not compiled
	counts *template // counts a segment
	enters *template // is entered from outside
	tail   [numTails]*template
}

// templatesMade are those without and with AVX-512, guarded by quickMu.
var templatesMade [2]*templates

func templatesOf(evex bool) *templates {
	t := &templatesMade[bit(evex)]
	if *t == nil {
		*t = newTemplates(evex)
	}
	return *t
}

func newTemplates(evex bool) *templates {
	t := &templates{opt: Options{Vectors: AVX2, Whole: true}, evex: evex, forms: map[form]*template{}, pools: map[string]*poolUse{}}
	if evex {
		t.opt.Vectors = AVX512
	}
	t.leaves = t.control(func(c *compiler) { c.quickLeave(toLeave, symbolPC, 0) })
	t.counts = t.control(func(c *compiler) { c.RI(x86.ADD, x86.S64, rSteps, symbolSteps) })
	t.enters = t.control(func(c *compiler) {
		c.loadContext()
		c.Jmp(c.quick.outside[toTarget])
	})
	for i := range t.tail {
		t.tail[i] = t.control(func(c *compiler) { c.wholeTail(tailFlags[i]) })
	}
	return t
}

// Symbols stand for what is filled in. Those of operands are so far apart that displacements inside rows cannot be
// mistaken, and too large for shorter encodings.
const (
	symbolOperand = 0x13500000 // + 1<<20 for each
	symbolStep    = 1 << 20
	symbolSpan    = 512 // bytes behind a place that code may name
	symbolPC      = 0x61000001
	symbolUndo    = 0x62000001
	symbolSteps   = 0x63000001
	symbolTo      = 0x64000001
	symbolBound   = 0x1400000 // in the bounds table
	symbolWide    = 0x7a5a5a5a5a5a5a00
)

// boundsSize is the size of an entry of the bounds table.
const boundsSize = uint32(unsafe.Sizeof(abi.Bounds{}))

// symbolImm are displacements that stand for those of a class.
var symbolImm = [...]int64{immNone: 0, immNear: 0xa55a00, immNearDown: -0xa55a00, immFar: 0x65000000, immFarDown: -0x65000000, immWide: symbolWide}

// quickMarks are the symbols besides operands, with how far behind one numbers count from it.
var quickMarks = [...]struct {
	what uint8
	from int64
	span int64
}{
	{patchPC, symbolPC, 1}, {patchUndo, symbolUndo, 1}, {patchSteps, symbolSteps, 1}, {patchTo, symbolTo, 1},
	{patchBound, symbolBound * int64(boundsSize), int64(boundsSize)}, {patchImm64, symbolWide, 1},
	{patchImm, symbolImm[immNear], 64}, {patchImm, symbolImm[immNearDown], 64}, {patchImm, symbolImm[immFar], 64}, {patchImm, symbolImm[immFarDown], 64},
}

// symbolAt says what a number in code stands for.
func symbolAt(v int64) (what uint8, delta int32, ok bool) {
	if d := v - symbolOperand; d >= 0 && d < maxOperands*symbolStep && d%symbolStep < symbolSpan {
		return uint8(d / symbolStep), int32(d % symbolStep), true
	}
	for _, m := range quickMarks {
		if d := v - m.from; d >= 0 && d < m.span {
			return m.what, int32(d), true
		}
	}
	return 0, 0, false
}

func isSymbol(v int64) bool {
	_, _, ok := symbolAt(v)
	return ok
}

// symbol is the place that stands for an operand.
func symbol(k int) uint32 { return symbolOperand + uint32(k)*symbolStep }

// quickCode is what the emitter knows when it assembles a template: the labels of other code.
type quickCode struct {
	outside [numTails + 1]x86.Label
}

// of returns the template of an instruction, nil if there is none; offs are its operands.
func (t *templates) of(x *quickInst, offs []uint32) *template {
	k, ok := x.form(offs)
	if !ok {
		return nil
	}
	made, ok := t.forms[k]
	if !ok {
		made = t.make(x, k)
		t.forms[k] = made
	}
	return made
}

// make assembles the template of a form.
func (t *templates) make(x *quickInst, k form) *template {
	switch k.kind {
	case sem.OpBranch:
		return t.control(func(c *compiler) { c.quickBranch(k) })
	case sem.OpReturn:
		if !k.entry {
			return nil
		}
		return t.control(func(c *compiler) { c.quickExit(k) })
	case sem.OpExit:
		return t.control(func(c *compiler) { c.quickExit(k) })
	}
	return t.assembled(symbolic(x, k), func(c *compiler) bool {
		c.planOf(0)
		s := &c.steps[0]
		if s.leaves || s.op.Scalar && k.kind == sem.OpUnpack { // elements of slots are rare
			return false
		}
		if c.bounds[0] >= 0 {
			c.bounds[0] = symbolBound
		}
		c.instruction(0, 0, false)
		for i := range s.op.Spread {
			c.spreadSlots([]*regs.Scalar{&s.op.Spread[i]})
		}
		return true
	})
}

// control assembles a template that is no instruction's.
func (t *templates) control(body func(c *compiler)) *template {
	return t.assembled(&quickInst{in: &machine.Inst{Guard: machine.NoGuard}, text: &ir.Inst{}}, func(c *compiler) bool {
		body(c)
		return true
	})
}

// stand is where templates are assembled, one behind the other: a function of one instruction.
type stand struct {
	c      compiler
	r      region
	e      emitter
	quick  quickCode
	code   machine.Code
	f      ir.Func
	insts  [1]machine.Inst
	texts  [1]ir.Inst
	steps  [1]step
	ops    [1]sem.Operation
	segs   [1]segment
	bounds [1]int32
	known  constants
}

// begin makes an instruction the only one.
func (b *stand) begin(x *quickInst, opt Options, evex bool) *compiler {
	b.insts[0], b.texts[0], b.steps[0], b.ops[0], b.segs[0], b.bounds[0] = *x.in, *x.text, step{op: &b.ops[0]}, x.op, segment{end: 1}, -1
	b.code = machine.Code{Insts: b.insts[:]}
	b.f = ir.Func{Insts: b.texts[:], Entry: true}
	b.r = region{mem: scratches.Get().(*scratch), code: &b.code, f: &b.f, wide512: evex, known: &b.known,
		insts: b.insts[:], ops: b.ops[:], bounds: b.bounds[:], segs: b.segs[:], steps: b.steps[:]}
	b.e = emitter{Asm: assemblers.Get().(*x86.Asm), evex: evex, free: b.e.free[:0], freeK: append(b.e.freeK[:0], x86.K6, x86.K5)}
	for v := 15 + 16*int(bit(evex)); v >= 0; v-- {
		b.e.free = append(b.e.free, x86.Vec(v))
	}
	b.c = compiler{region: &b.r, emitter: &b.e, opt: opt, quick: &b.quick, stubs: b.c.stubs[:0]}
	b.c.aside = b.c.later
	b.c.MarkIf(isSymbol)
	b.c.Watch(b.c.verify)
	b.c.proofs = newProofs(1)
	for i := range b.quick.outside {
		b.quick.outside[i] = b.c.NewLabel()
	}
	return &b.c
}

// assembled is the template of an instruction alone in its function; nil if that cannot be.
func (t *templates) assembled(x *quickInst, body func(c *compiler) bool) *template {
	c := t.stand.begin(x, t.opt, t.evex)
	defer c.giveBack()
	if !body(c) || c.short {
		return nil
	}
	c.passedBy()
	p, err := c.Piece()
	if c.verifyTouched(); err != nil || c.short || c.unsafe != nil {
		return nil
	}
	return t.template(p, c)
}

// passedBy assembles the cold code of a template, which is passed by.
func (c *compiler) passedBy() {
	if len(c.stubs) == 0 {
		return
	}
	past := c.NewLabel()
	c.Jmp(past)
	for len(c.stubs) > 0 {
		s := c.stubs[0]
		c.stubs = c.stubs[1:]
		s()
	}
	c.Bind(past)
}

// template makes one of its code.
func (t *templates) template(p *x86.Piece, c *compiler) *template {
	made := &template{code: p.Code, pooled: p.Pooled, bounded: c.bounds[0] >= 0, patches: make([]patch, len(p.Marks))}
	for i, m := range p.Marks {
		what, delta, _ := symbolAt(m.Value)
		made.patches[i] = patch{m.At, delta, what}
	}
	for _, o := range p.Outside {
		for i, l := range c.quick.outside {
			if l == o.Label {
				made.outside = append(made.outside, outsideRef{o.At, outsideTo(i)})
			}
		}
	}
	if len(made.outside) != len(p.Outside) {
		return nil
	}
	if len(p.Pool) > 0 {
		u := t.pools[string(p.Pool)]
		if u == nil {
			u = &poolUse{bytes: p.Pool}
			t.pools[string(p.Pool)] = u
		}
		u.align = max(u.align, p.Align)
		made.pool = u
	}
	return made
}

// symbolic is an instruction whose operands stand for themselves.
func symbolic(x *quickInst, k form) *quickInst {
	y, in := *x, *x.in
	y.in = &in
	if in.Ext != nil {
		ext := *in.Ext
		ext.Dst, ext.Src = append([]uint32(nil), ext.Dst...), append([]uint32(nil), ext.Src...)
		in.Ext = &ext
	}
	m, cvt := &y.op.Memory, &y.op.Convert
	m.At, cvt.From = append([]uint32(nil), m.At...), append([]uint32(nil), cvt.From...)
	y.op.Spread = append([]regs.Scalar(nil), y.op.Spread...)
	n, seen := 0, [maxOperands]uint32{}
	y.operands(func(off *uint32) {
		n++
		if *off == machine.NoGuard {
			return
		}
		at := n
		if k.same != 0 {
			seen[n] = *off
			at = 1 + slices.Index(seen[1:], *off)
		}
		*off = symbol(at)
	})
	in.D, in.A, in.B, in.C = y.d[0], y.d[1], y.d[2], y.d[3]
	if k.kind == sem.OpLane || k.kind == sem.OpCompare {
		in.Imm = uint64(y.d[4])
	}
	if k.kind == sem.OpLoad || k.kind == sem.OpStore || k.kind == sem.OpAtomic || k.kind == sem.OpCas {
		in.Imm = uint64(symbolImm[k.imm])
	}
	if k.guard != 0 {
		in.Guard = symbol(0) | uint32(k.guard-1)
	}
	return &y
}
