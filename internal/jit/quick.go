package jit

// The quick tier: code by copying and patching. Each instruction is a copy of a template (quick_template.go) in which
// its operands' places are filled in: rows are read from the register block and written there, nothing stays in
// registers from one instruction to the next, and nothing is looked for. That takes a tenth of the time of Compile, and
// the code runs some times faster than the interpreter; the machine has it replaced when it has run for long
// (machine.Native.Quick). It is for warps of 32 lanes that stay together: where lanes part, it leaves. There are no
// batches, so it also leaves at barriers.

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// quickMu guards the templates and what each compilation notes in them. A compilation takes microseconds.
var quickMu sync.Mutex

// quick is one function while it is compiled.
type quick struct {
	*templates
	code  *machine.Code
	opt   Options
	plan  []*template // by pc; nil: the instruction is left to the interpreter
	x     quickInst
	offs  []uint32 // of all instructions, each with its guard first
	first []int32  // by pc: in offs
	buf   []byte
	start []int32 // by pc: where its code begins
	far   []farTo
	tails [numTails]int32
	pools []*poolUse
	out   *Compiled

	unsafe error // a place that is filled in and is none
}

// farTo is a 32-bit distance to the code of an instruction, or to a tail.
type farTo struct{ at, to int32 }

// CompileQuick makes such code and hands it over; its bytes are lost behind that.
func CompileQuick(code *machine.Code, f *ir.Func, opt Options, use func(*Compiled) error) error {
	if code.Insts == nil || code.Interpreted {
		return ErrNothing
	}
	if err := opt.possible(); err != nil {
		return err
	}
	quickMu.Lock()
	defer quickMu.Unlock()
	q := quicks.Get().(*quick)
	defer q.free()
	q.begin(code, opt)
	for pc := range code.Insts {
		q.find(f, int32(pc))
	}
	if q.out.Leaves == len(code.Insts) {
		return ErrNothing
	}
	for b := range f.Blocks {
		q.block(f.Blocks[b].First, f.Blocks[b].End)
	}
	if q.finish(); q.unsafe != nil {
		return fmt.Errorf("the quick tier: %w", q.unsafe)
	}
	return use(q.out)
}

// quicks are those that nobody uses, for their memory.
var quicks = sync.Pool{New: func() any { return new(quick) }}

func (q *quick) begin(code *machine.Code, opt Options) {
	n := len(code.Insts)
	q.code, q.opt, q.templates = code, opt, templatesOf(opt.vectors() == AVX512)
	q.plan, q.first, q.start = slices.Grow(q.plan[:0], n)[:n], slices.Grow(q.first[:0], n)[:n], slices.Grow(q.start[:0], n)[:n]
	q.buf, q.far, q.pools, q.offs = q.buf[:0], q.far[:0], q.pools[:0], q.offs[:0]
	entries := make([]int32, 2*n)
	q.out = &Compiled{Entries: entries[:n:n], Bounds: entries[n:], Batch: Batch{Batch: -1, Out: -1, Start: -1, Again: -1, Begin: -1}}
	for pc := range n {
		q.out.Entries[pc], q.out.Bounds[pc] = -1, -1
	}
}

func (q *quick) free() {
	for _, p := range q.pools {
		p.used = false
	}
	clear(q.plan)
	q.out, q.code, q.opt, q.unsafe = nil, nil, Options{}, nil
	quicks.Put(q)
}

// find finds the template of an instruction.
func (q *quick) find(f *ir.Func, pc int32) {
	in, x := &q.code.Insts[pc], &q.x
	x.take(f, pc, in)
	q.plan[pc], q.first[pc] = nil, int32(len(q.offs))
	q.offs = append(q.offs, in.Guard&^1)
	x.operands(func(off *uint32) { q.offs = append(q.offs, *off) })
	if offs := q.offs[q.first[pc]:]; len(offs) <= maxOperands && in.Flags&machine.Watched == 0 && (q.opt.leave == nil || !q.opt.leave(pc)) {
		q.plan[pc] = q.of(x, offs[1:])
	}
	switch t := q.plan[pc]; {
	case t == nil:
		q.out.Leaves++
	case t.bounded:
		q.out.Bounds[pc] = int32(q.out.NumBounds)
		q.out.NumBounds++
	}
}

// block assembles the instructions of a block, divided where some are left to the interpreter.
func (q *quick) block(from, to int32) {
	for from < to {
		end := from
		for end < to && q.plan[end] != nil {
			end++
		}
		if end > from {
			q.segment(from, end)
		}
		if end < to {
			q.start[end] = int32(len(q.buf))
			q.put(q.leaves, &values{pc: end})
			end++
		}
		from = end
	}
}

// segment assembles instructions that are counted together.
func (q *quick) segment(from, to int32) {
	q.out.Entries[from] = 0
	q.start[from] = int32(len(q.buf))
	q.put(q.counts, &values{steps: to - from})
	for pc := from; pc < to; pc++ {
		if pc > from {
			q.start[pc] = int32(len(q.buf))
		}
		in := &q.code.Insts[pc]
		v := values{off: q.offs[q.first[pc]:], imm: in.Imm, pc: pc, undo: to - pc, bound: q.out.Bounds[pc], to: int32(in.Imm)}
		q.put(q.plan[pc], &v)
	}
}

// values are what is filled into the copy of a template.
type values struct {
	off   []uint32 // of the operands, the guard first
	imm   uint64
	pc    int32
	undo  int32
	bound int32
	steps int32
	to    int32 // where a branch goes
}

// put copies a template.
func (q *quick) put(t *template, v *values) {
	at := len(q.buf)
	q.buf = append(q.buf, t.code...)
	d := q.buf[at:]
	for i := range t.patches {
		p := &t.patches[i]
		place := d[p.at:]
		switch {
		case p.what < maxOperands:
			q.verify(within(int32(v.off[p.what]+uint32(p.delta)), int64(q.code.FrameBytes), "the register block"))
			binary.LittleEndian.PutUint32(place, v.off[p.what]+uint32(p.delta))
		case p.what == patchImm64:
			binary.LittleEndian.PutUint64(place, v.imm+uint64(p.delta))
		default:
			if p.what == patchBound {
				q.verify(within(v.bound, int64(q.out.NumBounds), "the table of bounds"))
			}
			binary.LittleEndian.PutUint32(place, v.number(p.what)+uint32(p.delta))
		}
	}
	for _, o := range t.outside {
		q.far = append(q.far, farTo{int32(at) + o.at, o.to.resolve(v.to)})
	}
	if t.pool != nil {
		q.pooled(t, int32(at))
	}
}

// verify keeps the first mistake of what is filled in.
func (q *quick) verify(err error) {
	if q.unsafe == nil {
		q.unsafe = err
	}
}

// number is what is filled in besides operands.
func (v *values) number(what uint8) uint32 {
	switch what {
	case patchImm:
		return uint32(v.imm)
	case patchPC:
		return uint32(v.pc)
	case patchUndo:
		return uint32(v.undo)
	case patchTo:
		return uint32(v.to)
	case patchSteps:
		return uint32(v.steps)
	}
	return uint32(v.bound) * boundsSize
}

// resolve is the target of a distance: a tail as -1 less its number, or a pc.
func (o outsideTo) resolve(pc int32) int32 {
	if o == toTarget {
		return pc
	}
	return -1 - int32(o)
}

// poolUse is a pool of constants that templates share, and where it is in the running compilation.
type poolUse struct {
	bytes []byte
	align int
	used  bool
	reads []poolRead
}

// poolRead is a distance into a pool, of a template's copy at base.
type poolRead struct{ at, base int32 }

func (q *quick) pooled(t *template, base int32) {
	p := t.pool
	if !p.used {
		p.used, p.reads = true, p.reads[:0]
		q.pools = append(q.pools, p)
	}
	for _, at := range t.pooled {
		p.reads = append(p.reads, poolRead{base + at, base})
	}
}

// finish assembles what is entered from outside and what is reached by distances, and fills those in.
func (q *quick) finish() {
	for pc, e := range q.out.Entries {
		if e == 0 {
			q.out.Entries[pc] = int32(len(q.buf))
			q.put(q.enters, &values{to: int32(pc)})
		}
	}
	for i := range q.tails {
		q.tails[i] = int32(len(q.buf))
		q.put(q.tail[i], &values{})
	}
	for _, d := range q.far {
		to := int32(0)
		if d.to < 0 {
			to = q.tails[-1-d.to]
		} else {
			to = q.start[d.to]
		}
		binary.LittleEndian.PutUint32(q.buf[d.at:], uint32(to-d.at-4))
	}
	for _, p := range q.pools {
		for len(q.buf)&(p.align-1) != 0 {
			q.buf = append(q.buf, 0xcc)
		}
		start := int32(len(q.buf))
		q.buf = append(q.buf, p.bytes...)
		for _, r := range p.reads {
			place := q.buf[r.at:]
			binary.LittleEndian.PutUint32(place, binary.LittleEndian.Uint32(place)+uint32(start-r.base))
		}
	}
	q.out.Bytes = q.buf
}
