package jit

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// Compiled is the machine code of one function: position independent, to be called with an
// abi.State in RDI at one of its entries.
type Compiled struct {
	Bytes     []byte
	Entries   []int32 // by pc: offset of the code that starts there, -1 for none
	Bounds    []int32 // by pc: entry of the bounds table, -1 for none
	NumBounds int
	Batch     Batch
	Leaves    int // instructions that are left to the interpreter
	Helped    int // those that its handlers execute without leaving
	Needs     x86.Feature
	Listing   string
}

// Batch is where machine.Native's Batch, Out, Start, Again, Begin, Warps, Resumes and Wholes are in the code, -1 for none.
type Batch struct {
	Batch, Out, Start      int32
	Again, Begin           int32
	Warps, Resumes, Wholes []int32
}

// ErrNothing says that compiled code would do nothing.
var ErrNothing = errors.New("no instruction of this function can be compiled")

// Compile makes machine code for the converged variant of a function. It fails with ErrBudget if that takes too long.
// Vectors other than Best may be a set that this processor lacks: such code can be read, and NewEngine refuses to run it.
func Compile(code *machine.Code, f *ir.Func, opt Options) (out *Compiled, err error) {
	if code.Insts == nil || code.Interpreted {
		return nil, ErrNothing
	}
	if opt.Vectors == Best {
		if err := opt.possible(); err != nil {
			return nil, err
		}
		opt.Vectors = opt.vectors()
	}
	e, r := newEffort(len(code.Insts), &opt), &relief{residents: residentsOf(opt.Vectors)}
	defer e.end(&opt, &err)
	if f.LiveAtStarts(maxFound) > maxFound {
		return nil, ErrBudget // the cursor of liveness goes through what lives at the start of each block
	}
	for {
		c := newCompiler(code, f, opt, e, r)
		out, again, err := c.attempt(&opt)
		c.giveBack()
		if !again {
			return out, err
		}
	}
}

// attempt assembles the function; again says that what has run out for it is to be had in the next attempt.
func (c *compiler) attempt(opt *Options) (out *Compiled, again bool, err error) {
	c.assembleOrEnd()
	switch {
	case len(c.shortages) == 0:
		out, err = c.finish()
		return out, false, err
	case !c.relief.relieve(c.shortages, len(c.insts)):
		return nil, false, fmt.Errorf("%s needs more vector registers than there are", c.f.Name)
	}
	return nil, true, nil
}

// assembleOrEnd assembles the function, or as far as it takes to know that fewer rows can be in registers.
func (c *compiler) assembleOrEnd() {
	defer func() {
		if p := recover(); p != nil && p != errFewer {
			panic(p)
		}
	}()
	c.assemble()
	c.settleShort()
}

// giveBack gives back the memory of a compilation.
func (c *compiler) giveBack() {
	c.Reset()
	assemblers.Put(c.Asm)
	c.mem.free()
}

// compiler assembles one region.
type compiler struct {
	*region
	*emitter
	opt       Options
	stubs     []func() // cold code, assembled at the end
	entry     []x86.Label
	listing   *x86.Listing
	worked    int      // bytes of code that effort knows of
	at        shortage // the instruction that is being assembled
	shortages []shortage
	wasFree   []x86.Vec // when at began
	wasFreeK  []x86.K
	counted   *Counted // nil: nobody counts
	tails     exitTails
	toHelp    helpGates
	nobody    x86.Label // nobody is left
	routines  map[routine]x86.Label
	home      residentRows           // row outside of loops
	helps     [2]map[int32]x86.Label // by pc: what stands behind a segment (behindSegment), for whole warps and for some lanes
	batch     batch
	quick     *quickCode // nil: it is no template
	proofs    proofs
	unsafe    error // what has no proof
}

// bytesPerInst is more code than most instructions come to.
const bytesPerInst = 384

// assemblers are those whose code has been copied: their memory is used again.
var assemblers = sync.Pool{New: func() any { return x86.New(nil) }}

func newCompiler(code *machine.Code, f *ir.Func, opt Options, spent *effort, rel *relief) *compiler {
	spent.spend(instUnits * len(f.Insts))
	r := newRegion(code, f, opt, spent, rel)
	opt.begin("registers")
	e := &emitter{Asm: assemblers.Get().(*x86.Asm), evex: r.wide512, freeK: []x86.K{x86.K6, x86.K5}}
	e.Grow(bytesPerInst * len(f.Insts))
	c := &compiler{region: r, emitter: e, opt: opt}
	if c.counted = opt.counted; opt.List || c.counted != nil {
		c.listing = e.List()
	}
	c.counted.begin(f.Name)
	c.proofs = newProofs(len(f.Insts))
	c.Watch(c.verify)
	if opt.spoil != nil {
		opt.spoil(c)
	}
	c.aside = c.later
	resident := r.allocate(e, min(rel.residents[0], r.mostResidents()))
	rel.taken, c.home = resident, c.row
	all := 16
	if r.wide512 {
		all = 32
	}
	for v := all - 1; v >= resident; v-- {
		e.free = append(e.free, x86.Vec(v))
	}
	return c
}

// assemble emits the entries, both versions of all segments and the stubs.
func (c *compiler) assemble() {
	c.entry = make([]x86.Label, len(c.insts))
	for i := range c.segs {
		s := &c.segs[i]
		s.full, s.part = c.NewLabel(), c.NewLabel()
	}
	c.newBatch()
	c.opt.begin("all lanes")
	for i := range c.segs {
		c.fullSegment(i)
	}
	c.opt.begin("some lanes")
	c.proofs.version = partVersion
	for i := range c.segs {
		if c.opt.Whole {
			c.whole(i)
		} else {
			c.partSegment(i)
		}
	}
	c.proofs.version = wholeVersion
	c.opt.begin("entries")
	for i := range c.segs {
		c.entryStub(i)
	}
	c.opt.begin("batches")
	c.batchCode()
	c.opt.begin("cold code")
	for len(c.stubs) > 0 {
		s := c.stubs[0]
		c.stubs = c.stubs[1:]
		s()
		c.work()
	}
	c.proofs.version = wholeVersion
}

func (c *compiler) finish() (*Compiled, error) {
	c.opt.begin("finish")
	defer c.opt.begin("")
	out := &Compiled{Bounds: c.bounds, NumBounds: c.nbound, Needs: c.Asm.Needs()}
	for pc := range c.insts {
		off := int32(-1)
		if l := c.entry[pc]; l != 0 {
			off = int32(c.Offset(l))
		}
		out.Entries = append(out.Entries, off)
		switch {
		case c.tabled(int32(pc)):
		case c.helped(int32(pc)):
			out.Helped++
		case c.steps[pc].leaves:
			out.Leaves++
		}
	}
	out.Batch = c.batchOffsets()
	if out.Leaves+out.Helped == len(c.insts) {
		return nil, ErrNothing
	}
	if c.verifyTouched(); c.unsafe != nil {
		return nil, c.unsafe
	}
	var err error
	if out.Bytes, err = c.Finish(); err != nil {
		return nil, err
	}
	out.Bytes = bytes.Clone(out.Bytes)
	if c.listing != nil {
		out.Listing = c.listing.String()
	}
	return out, nil
}

// later assembles cold code behind the rest and returns its label.
func (c *compiler) later(body func()) x86.Label {
	l, at, version := c.NewLabel(), c.at, c.proofs.version
	c.stubs = append(c.stubs, func() {
		c.settleShort()
		c.at = at
		c.title("aside")
		c.Bind(l)
		c.proofs.version = version
		body()
	})
	return l
}

// entryStub enters a segment from outside.
func (c *compiler) entryStub(i int) {
	s := &c.segs[i]
	if s.first == s.end && c.steps[s.first].leaves && !c.helped(s.first) && !c.tabled(s.first) {
		return // it would leave at once
	}
	l := c.NewLabel()
	c.title("enter at %d", s.first)
	c.entry[s.first] = l
	c.Bind(l)
	c.loadContext()
	c.warpStub(i)
}

// loadContext fills the registers that code has while it runs.
func (c *compiler) loadContext() {
	c.RM(x86.MOV, x86.S64, rRegs, ctxRegs)
	c.RM(x86.MOV, x86.S32, rMask, ctxMask)
	c.RM(x86.MOV, x86.S32, rFuel, ctxFuel)
	c.Zero(rSteps)
	c.Zero(rPending)
	c.loadConstants()
}

// loadConstants loads what no warp changes: the resident constants, and the way to global memory.
func (c *compiler) loadConstants() {
	c.RM(x86.MOV, x86.S64, rArena, ctxGlobalHost)
	for _, b := range c.bcast {
		if !b.key.slot {
			c.loadValue(b.key, b.v)
		}
	}
}

// eachRegister visits the registers of a resident row with their place in memory.
func (c *compiler) eachRegister(off uint32, visit func(v x86.Vec, m x86.Mem)) {
	bytes := c.full().Bytes()
	row, _ := c.row.of(off)
	for i := range 128 / bytes {
		visit(x86.Vec(row+i), c.regs(off+uint32(i*bytes)))
	}
}

func (c *compiler) loadValue(k bcastKey, v x86.Vec) {
	switch {
	case k.slot:
		c.broadcast(c.full(), k.typ, v, c.regs(uint32(k.value)))
	case k.typ == tX:
		c.broadcast(c.full(), tX, v, c.Const64(k.value))
	default:
		c.broadcast(c.full(), tW, v, c.Const32(uint32(k.value)))
	}
}

// storeRows writes resident rows home.
func (c *compiler) storeRows(list []uint32) {
	for _, off := range list {
		if off < c.code.RegBytes || off >= c.code.FrameBytes {
			c.eachRegister(off, func(v x86.Vec, m x86.Mem) { c.store(c.full(), m, v) })
		}
	}
}

// spreadRows writes the rows of slots that are live at a pc, where code for full warps
// is left.
func (c *compiler) spreadRows(pc int32) {
	c.spreadSlots(c.spreads(pc))
}

func (c *compiler) spreadSlots(list []*regs.Scalar) {
	for _, s := range list {
		t := tW
		if s.Width == regs.Row64 {
			t = tX
		}
		row := c.rowAt(s.Row, t)
		c.callRoutine(routine{what: routineSpreads, slot: s.Slot, off: s.Row, row: row}, func() { c.spreadSlot(s, t, row) })
	}
}

// spreadSlot writes the row of a slot, to registers if it has some.
func (c *compiler) spreadSlot(s *regs.Scalar, t typ, row int) {
	v := c.alloc()
	c.broadcast(c.full(), t, v, c.regs(s.Slot))
	if row >= 0 {
		for i := range 128 / c.full().Bytes() {
			c.copy(c.full(), x86.Vec(row+i), v)
		}
	} else {
		for at := 0; at < 4*t.bits(); at += c.full().Bytes() {
			c.store(c.full(), c.regs(s.Row+uint32(at)), v)
		}
	}
	c.release(temp(v))
}
