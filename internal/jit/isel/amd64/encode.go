package amd64

import (
	"bytes"
	"fmt"
	"sync"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/regalloc"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file makes bytes of instructions with places.

// Code is a function in instructions.
type Code struct {
	*isel.Func
	isa     *Target
	frame   frame
	does    does
	memory  *memory
	trace   *Trace
	reasons reasons
}

// Options are for tests.
type Options struct {
	Check  bool   // what the register allocator has made is replayed
	Trace  *Trace // where what is made is written down; nil: nowhere
	Forced bool   // the code leaves with the state whose number is in the first word of abi.State's Save
}

// Compile makes machine code of a placed function that is entered at its start: void(state *NativeState, how uint64).
func Compile(f *ssa.Func, t *Target, o Options) ([]byte, error) {
	c, err := Select(f, t, o)
	if err != nil {
		return nil, err
	}
	defer c.Free()
	if o.Trace != nil {
		o.Trace.Selected = c.Text()
	}
	r := regalloc.Allocate(c.Func, t.Registers())
	defer r.Free()
	if o.Check {
		if err := regalloc.Check(r); err != nil {
			return nil, err
		}
	}
	return c.Encode(r)
}

// encoder is the assembler with what all instructions know.
type encoder struct {
	x       *x86.Asm
	isa     *Target
	frame   frame
	size    int32 // of the frame
	labels  []x86.Label
	done    x86.Label
	gate    x86.Label   // 0: no instruction is the interpreter's
	next    *isel.Block // behind the running one
	late    []late
	asides  []func()
	tails   []tailAtLabel
	homes   *regalloc.Result
	does    does
	listing *x86.Listing // nil: none is kept
	classOf func(isel.VReg) isel.Class

	code    code // the instruction that is written
	running *op  // and what it does
}

// late is a way to a block on which values move, behind all blocks.
type late struct {
	at    x86.Label
	to    *isel.Block
	moves []regalloc.Move
}

// aside has something written behind all blocks: what is seldom executed. It asks for nothing of the running instruction.
func (c *code) aside(write func()) { c.e.asides = append(c.e.asides, write) }

// code is an instruction that is encoded.
type code struct {
	*x86.Asm
	*isel.Inst
	Defs, Uses, Temps []regalloc.Loc
	pushed            int32           // bytes on the stack below the frame
	Edge              []regalloc.Move // in order, where it leads elsewhere
	e                 *encoder
	done              x86.Label
}

// assemblers are those that are not in use, with room for as much code as they have made.
var assemblers = sync.Pool{New: func() any { return x86.New(nil) }}

// Encode makes bytes of the function with places.
func (o *Code) Encode(r *regalloc.Result) ([]byte, error) {
	size := int32(o.frame.slots() + o.isa.bytes()*r.Slots)
	if o.does.help {
		size += o.isa.kept()
	}
	if size > abi.Frame {
		return nil, Refusal(fmt.Sprintf("a frame of %d bytes", size))
	}
	x := assemblers.Get().(*x86.Asm)
	defer assemblers.Put(x)
	x.Reset()
	e := &encoder{x: x, isa: o.isa, frame: o.frame, size: size, homes: r, does: o.does, classOf: o.ClassOf}
	e.listing = o.trace.list(x)
	e.write(o)
	x.Note("constants")
	image, err := x.Finish()
	if e.listing != nil {
		o.trace.Listing, o.trace.Slots = e.listing.String(), o.frame.slots()
	}
	return bytes.Clone(image), err
}

// write writes all there is of the function.
func (e *encoder) write(o *Code) {
	if e.done = e.x.NewLabel(); e.does.help {
		e.gate = e.x.NewLabel()
	}
	e.labels = make([]x86.Label, 0, len(o.Blocks))
	for range o.Blocks {
		e.labels = append(e.labels, e.x.NewLabel())
	}
	e.x.Watch(e.watch)
	e.code = code{Asm: e.x, e: e, done: e.done}
	e.x.Note("entry")
	e.code.enter(e.size)
	for i, b := range o.Blocks {
		if e.next = nil; i+1 < len(o.Blocks) {
			e.next = o.Blocks[i+1]
		}
		e.block(b, e.homes.Blocks[i])
	}
	e.code.Inst = nil
	e.x.Note("aside of the way from warp to warp")
	for _, write := range e.asides {
		write()
	}
	e.x.Note("moves on the way to cold blocks")
	for _, l := range e.late {
		e.x.Bind(l.at)
		e.move(l.moves)
		e.x.Jmp(e.labels[l.to.ID])
	}
	if e.does.help {
		e.x.Note("the way to the interpreter")
		e.code.writeGate()
	}
	e.x.Note("ends of exits")
	e.code.writeTails()
	e.x.Note("return")
	e.x.Bind(e.done)
	e.code.finish()
}

func (e *encoder) block(b *isel.Block, steps []regalloc.Step) {
	e.head(b)
	e.x.Bind(e.labels[b.ID])
	for _, p := range b.Params {
		if l := e.homes.Params[p]; l.IsReg() {
			e.store(p, l)
		}
	}
	if begin := e.homes.Begin; begin != nil {
		e.move(begin[b.ID])
	}
	c := &e.code
	for i := range steps {
		s := &steps[i]
		e.line(s.Inst)
		moves, edge := e.homes.Moves(s)
		e.move(moves)
		c.Inst, c.Edge = s.Inst, edge
		c.Defs, c.Uses, c.Temps = e.homes.Locs(s)
		e.running = s.Inst.Op.(*op)
		c.write()
		e.running = nil
		for i, d := range s.Inst.Defs {
			e.store(d, c.Defs[i])
		}
	}
}

// store writes a value to its home, if it has one.
func (e *encoder) store(v isel.VReg, from regalloc.Loc) {
	if home := e.homes.Home[v]; home != regalloc.None {
		e.moveOne(regalloc.Move{Value: v, To: home, From: from})
	}
}

// write encodes the instruction.
func (c *code) write() {
	o := c.Inst.Op.(*op)
	w := x86.Width(o.size)
	if o.masked {
		c.underMask(o)
	}
	switch o.form {
	case formRun:
		o.run(c)
	case formV:
		c.writeV(o.code, w)
	case formVI:
		c.writeVI(o.code, w, uint8(o.imm))
	case formFMA:
		c.writeFMA(o)
	case formLoad:
		c.VM(o.code, w, c.v(0), c.mem(&o.mem))
	case formLoadV:
		c.VVM(o.code, w, c.v(0), c.uv(0), c.mem(&o.mem))
	case formLoadVI:
		c.VVMI(o.code, w, c.v(0), c.uv(0), c.mem(&o.mem), uint8(o.imm))
	case formStore:
		c.MV(o.code, w, c.mem(&o.mem), c.uv(0))
	case formALU:
		c.writeALU(o)
	case formRR:
		if size := x86.Size(o.size); c.inMemory(0) {
			c.RM(o.code, size, c.g(0), c.at(0))
		} else {
			c.RR(o.code, size, c.g(0), c.u(0))
		}
	case formLoadR:
		c.RM(o.code, x86.Size(o.size), c.g(0), c.mem(&o.mem))
	case formTied:
		c.writeTied(o.code, w)
	case formK, formKI, formKV, formKVI, formLoadKVI:
		c.writeK(o, w)
	case formJump:
		c.jump()
	case formCmp:
		c.writeCmp(o)
	default:
		panic("BUG: a form without an encoding")
	}
}

// writeV encodes an operation of vectors.
func (c *code) writeV(code x86.Op, w x86.Width) {
	switch n := c.operands(); {
	case n == 1 && c.inMemory(0):
		c.VM(code, w, c.v(0), c.at(0))
	case n == 1:
		c.VV(code, w, c.v(0), c.uv(0))
	case n == 2 && c.inMemory(1):
		c.VVM(code, w, c.v(0), c.uv(0), c.at(1))
	case n == 2:
		c.VVV(code, w, c.v(0), c.uv(0), c.uv(1))
	case c.inMemory(1):
		c.VVMV(code, w, c.v(0), c.uv(0), c.at(1), c.uv(2))
	default:
		c.VVVV(code, w, c.v(0), c.uv(0), c.uv(1), c.uv(2))
	}
}

func (c *code) writeVI(code x86.Op, w x86.Width, imm uint8) {
	switch n := c.operands(); {
	case n == 1 && c.inMemory(0):
		c.VMI(code, w, c.v(0), c.at(0), imm)
	case n == 1:
		c.VVI(code, w, c.v(0), c.uv(0), imm)
	case c.inMemory(1):
		c.VVMI(code, w, c.v(0), c.uv(0), c.at(1), imm)
	default:
		c.VVVI(code, w, c.v(0), c.uv(0), c.uv(1), imm)
	}
}

// Forms of fused multiply-add: 213 is d = b·d + c, 231 is d = a·b + d, 132 is d = d·b + c.
var (
	fma132 = [2]x86.Op{x86.VFMADD132PS, x86.VFMADD132PD}
	fma213 = [2]x86.Op{x86.VFMADD213PS, x86.VFMADD213PD}
	fma231 = [2]x86.Op{x86.VFMADD231PS, x86.VFMADD231PD}
)

// writeFMA encodes a·b + c, where b may be in memory, by the form of which the result has an operand's register. The
// uses are a, c, b.
func (c *code) writeFMA(o *op) {
	w, d, a, add := c.width(), c.v(0), c.uv(0), c.uv(1)
	at, inMemory := x86.Mem{}, true
	switch {
	case o.mem.kind != noMem:
		at = c.mem(&o.mem)
	case c.inMemory(2):
		at = c.at(2)
	default:
		inMemory = false
	}
	switch {
	case inMemory && d == a && d != add:
		c.VVM(fma132[o.imm], w, d, add, at)
	case inMemory:
		c.moveVector(d, add)
		c.VVM(fma231[o.imm], w, d, a, at)
	case d == a && d != add:
		c.VVV(fma213[o.imm], w, d, c.uv(2), add)
	case d == c.uv(2) && d != add:
		c.VVV(fma213[o.imm], w, d, a, add)
	default:
		c.moveVector(d, add)
		c.VVV(fma231[o.imm], w, d, a, c.uv(2))
	}
}

func (c *code) moveVector(to, from x86.Vec) {
	if to != from {
		c.VV(x86.VMOVAPS, c.width(), to, from)
	}
}

// writeALU encodes an operation of numbers: by lea where a sum has another register than its operands.
func (c *code) writeALU(o *op) {
	size, d, a := x86.Size(o.size), c.g(0), c.u(0)
	if o.has {
		switch {
		case o.code == x86.IMUL:
			c.RRI(x86.IMUL, size, d, a, int32(o.imm))
		case o.code == x86.ADD && d != a:
			c.RM(x86.LEA, size, d, x86.At(a, int32(o.imm)))
		default:
			c.move(d, a)
			c.RI(o.code, size, d, int32(o.imm))
		}
		return
	}
	switch b := x86.Reg(c.Uses[1]); {
	case c.inMemory(1):
		c.move(d, a)
		c.RM(o.code, size, d, c.at(1))
	case d == a:
		c.RR(o.code, size, d, b)
	case d == b && o.code == x86.SUB:
		c.R(x86.NEG, size, d)
		c.RR(x86.ADD, size, d, a)
	case d == b:
		c.RR(o.code, size, d, a)
	case o.code == x86.ADD:
		c.RM(x86.LEA, size, d, x86.AtIndex(a, b, 1, 0))
	default:
		c.move(d, a)
		c.RR(o.code, size, d, b)
	}
}

// writeCmp compares and jumps.
func (c *code) writeCmp(o *op) {
	size := x86.Size(o.size)
	switch {
	case o.has && o.imm == 0:
		c.RR(x86.TEST, size, c.u(0), c.u(0))
	case o.has:
		c.RI(x86.CMP, size, c.u(0), int32(o.imm))
	case c.inMemory(1):
		c.RM(x86.CMP, size, c.u(0), c.at(1))
	default:
		c.RR(x86.CMP, size, c.u(0), c.u(1))
	}
	c.leave(o.cond)
}

// jump ends a block.
func (c *code) jump() {
	c.e.move(c.Edge)
	if c.Inst.To != c.e.next {
		c.Jmp(c.e.labels[c.Inst.To.ID])
	}
}

// exit is the label of where the instruction leads.
func (c *code) exit() x86.Label {
	if len(c.Edge) == 0 {
		return c.e.labels[c.Inst.To.ID]
	}
	l := late{c.NewLabel(), c.Inst.To, c.Edge}
	c.e.late = append(c.e.late, l)
	return l.at
}

// leave goes where the instruction leads on a condition.
func (c *code) leave(cond x86.Cond) {
	if len(c.Edge) == 0 || c.Inst.To.Cold {
		c.Jcc(cond, c.exit())
		return
	}
	on := c.NewLabel()
	c.Jcc(cond.Not(), on)
	c.e.move(c.Edge)
	c.Jmp(c.e.labels[c.Inst.To.ID])
	c.Bind(on)
}

// Proofs of operands in memory that are no access of the function.
const (
	ofParams = -1 - iota // the kernel's parameters
	ofWarp               // the batch's warps
	ofPlaces             // where lanes stand
	ofRows               // the running warp's variables
	ofShared             // the CTA's shared memory
	ofBounds             // the table of bounds
	ofTested             // an address that the instruction itself has tested
	ofTable              // a table of constants, by an index that is below its length
)

// watch looks at operands in memory: what is not the code's own is by a proof, and within what the access touches that
// it names.
func (e *encoder) watch(m x86.Mem) error {
	if err := e.watchFrame(m); err != nil {
		return err
	}
	own := m.Rip != 0 || m.Base == x86.RSP && m.Disp >= 0 && m.Disp < e.size || m.Base == rState
	if own || m.Proof < 0 {
		return nil
	}
	if m.Proof == 0 || int(m.Proof) > len(e.frame.accesses) {
		return fmt.Errorf("nothing says that this place may be touched")
	}
	a := e.frame.accesses[m.Proof-1]
	lo, hi := a.Disp+a.least, a.Disp+a.most+a.Bytes()
	if a.Index == 0 || a.Runs != 0 {
		step := a.Step
		if a.Runs != 0 {
			step = int64(a.Elem)
		}
		last := int64(a.lanes-1) * step
		lo, hi = min(lo, lo+last), max(hi, hi+last)
	}
	if d := int64(m.Disp); (m.Base == rGlobal || a.Index != 0 || m.Scattered()) && (d < lo || d >= hi) {
		return fmt.Errorf("%d is not between %d and %d, which was tested", d, lo, hi)
	}
	return nil
}
