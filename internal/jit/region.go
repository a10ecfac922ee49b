package jit

// What a function is for the compiler: segments of instructions that run without leaving, the
// program of each, and the rows that stay in registers.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// segment is a run of instructions [first, end) of one block, entered at its first.
type segment struct {
	first, end int32
	start      bool // of a block: lanes may be pending here
	pending    int  // number in the set of pending segments, -1 if no branch comes here
	full, part x86.Label
}

// step is one instruction for the compiler.
type step struct {
	op     *sem.Operation
	leaves bool // not compiled
	prog   *program
	in     []source
	dst    source

	warp     *warpStep // of a function across lanes
	carry    *program  // what becomes the carry
	upper    *program  // a comparison of the upper halves
	elements []element // of a register that is unpacked
}

// onSlots tells whether an instruction computes one value for all lanes.
func (s *step) onSlots() bool { return s.op.Scalar || s.dst.slot && s.prog != nil }

// region is one function while it is compiled.
type region struct {
	code    *machine.Code
	insts   []machine.Inst
	f       *ir.Func
	wide512 bool // AVX-512
	leave   func(pc int32) bool
	help    func(pc int32) bool
	relief  *relief
	effort  *effort // nil: of a template
	steps   []step
	ops     []sem.Operation // by pc
	segs    []segment
	segAt   map[int32]int
	depth   []int32 // of loops, by pc

	consts map[uint32]regs.ConstRow
	row    residentRows
	offset func(ir.Reg) uint32
	known  *constants
	live   *liveness
	bounds []int32
	nbound int

	mem *scratch
}

// newRegion analyses a function.
func newRegion(code *machine.Code, f *ir.Func, opt Options, spent *effort, rel *relief) *region {
	mem := scratches.Get().(*scratch)
	r := &region{mem: mem, code: code, insts: code.Insts, f: f, wide512: opt.Vectors == AVX512, leave: opt.leave, help: opt.help, relief: rel, effort: spent, segAt: map[int32]int{}, consts: map[uint32]regs.ConstRow{},
		offset: decode.RowOffsets(f)}
	opt.begin("plans")
	r.live = newLiveness(f, r.offset, mem)
	r.live.effort = spent
	for _, c := range code.Consts {
		r.consts[c.Off] = c
	}
	r.depth = mem.int32s.take(len(r.insts))
	for b := range f.Blocks {
		for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
			r.depth[pc] = min(f.Blocks[b].Depth, 6)
		}
	}
	r.known = newConstants(r.live)
	r.bounds = make([]int32, len(r.insts))
	r.steps, r.ops = mem.steps.take(len(r.insts)), mem.operations.take(len(r.insts))
	for pc := range r.insts {
		r.bounds[pc] = -1
		r.plan(int32(pc))
		r.known.define(r, int32(pc))
	}
	r.cut()
	return r
}

// plan finds how an instruction is compiled.
func (r *region) plan(pc int32) {
	r.steps[pc].op, r.ops[pc] = &r.ops[pc], sem.OperationOf(&r.insts[pc])
	r.planOf(pc)
}

// planOf is plan where the operation is known.
func (r *region) planOf(pc int32) {
	in, s := &r.insts[pc], &r.steps[pc]
	ok := false
	switch s.op.Kind {
	case sem.OpLane:
		ok = r.lane(pc, s.op.Fn, in.D, s.op.Scalar)
	case sem.OpCompare:
		ok = r.lane(pc, s.op.Fn, in.D, s.op.Scalar)
	case sem.OpSelect:
		ok = r.selection(pc)
	case sem.OpSet:
		ok = r.set(pc)
	case sem.OpSetpPair:
		ok = r.compareHalves(pc)
	case sem.OpSetEach:
		ok = r.setPacked(pc)
	case sem.OpMove, sem.OpLogic:
		ok = true
	case sem.OpLoad, sem.OpStore:
		ok = r.memory(pc)
	case sem.OpBranch:
		ok = true
	case sem.OpExit:
		ok = true
	case sem.OpReturn:
		ok = r.f.Entry
	case sem.OpBarrier:
		_, ok = r.barrierID(pc)
		ok = ok && r.f.Entry && int(pc)+1 < len(r.insts)
	case sem.OpAtomic, sem.OpCas:
		ok = r.atomic(pc)
	case sem.OpUnpack:
		ok = r.unpack(pc)
	case sem.OpConvert:
		ok = r.convert(pc)
	case sem.OpCarry:
		ok = r.carry(pc)
	case sem.OpLoadLocal, sem.OpStoreLocal:
		ok = r.localAccess(pc)
	case sem.OpAddressLocal, sem.OpAddressParam:
		ok = r.localAddress(pc)
	default:
		ok = r.warp(pc)
	}
	s.leaves = !ok || in.Flags&machine.Watched != 0 || r.leave != nil && r.leave(pc) || r.relief.leaves(pc)
	s.leaves = s.leaves || r.help != nil && r.help(pc) && r.mayHelp(pc)
}

// lane plans a lane function; false if it has no twin here.
func (r *region) lane(pc int32, fn uop.Op, d uint32, scalar bool) bool {
	l := laneOf(fn)
	if l.twin == nil {
		return false
	}
	in := &r.insts[pc]
	offs := [4]uint32{in.A, in.B, in.C, uint32(in.Imm)}
	s := &r.steps[pc]
	s.in = r.mem.sources.take(len(l.in))
	for k, t := range l.in {
		s.in[k] = r.source(pc, offs[k], t, scalar)
	}
	dst := source{typ: l.out, off: d, slot: scalar, row: -1}
	if !distinct(s.in) {
		p := r.newProgram()
		return r.settle(s, p, l.twin(p, r.inputs(p, s.in)), dst)
	}
	width := &l.plain[0]
	if r.wide512 {
		width = &l.plain[1]
	}
	p := width.Load()
	if p == nil {
		p = &program{evex: r.wide512} // it outlives the compilation
		if p.result = l.twin(p, r.inputs(p, s.in)); p.result != none && r.has(p) {
			p.settle()
		}
		width.Store(p)
	}
	if p.need == nil {
		return false
	}
	s.prog, s.dst = p, dst
	return true
}

// newProgram begins a program.
func (r *region) newProgram() *program {
	p := r.mem.programs.one()
	p.evex, p.mem, p.ops = r.wide512, r.mem, r.mem.ops.take(8)[:0]
	return p
}

// inputs are operands as values.
func (r *region) inputs(p *program, in []source) []val {
	vals := r.mem.vals.take(len(in))
	for k := range in {
		vals[k] = r.input(p, in, k)
	}
	return vals
}

// distinct reports whether nothing is known of sources, not even that two are the same.
func distinct(in []source) bool {
	for k := range in {
		if in[k].known || slices.Contains(in[:k], in[k]) {
			return false
		}
	}
	return true
}

// input is operand k as a value: a constant if it is one; sources that are the same are one value.
func (r *region) input(p *program, in []source, k int) val {
	if in[k].known {
		return p.constant(in[k].typ, in[k].value)
	}
	for j := range k {
		if in[j] == in[k] {
			k = j
			break
		}
	}
	return p.input(k, in[k].typ)
}

// settle keeps a program if the machine has its operations.
func (r *region) settle(s *step, p *program, result val, dst source) bool {
	if result == none {
		return false
	}
	p.result = result
	if !r.has(p) {
		return false
	}
	p.settle()
	s.prog, s.dst = p, dst
	return true
}

// has reports whether the machine has the operations of a program.
func (r *region) has(p *program) bool {
	need := needed(p)
	for i := range p.ops {
		if need[i] && !supports(r.wide512, &p.ops[i]) {
			return false
		}
	}
	return true
}

// source finds what an offset that an instruction reads is.
func (r *region) source(pc int32, off uint32, t typ, scalar bool) source {
	s := source{typ: t, off: off, row: -1, slot: scalar && t != tM}
	if t == tM {
		return s
	}
	if c, ok := r.consts[off]; ok {
		return s.fixed(c.Value)
	}
	if !scalar {
		if slot, ok := r.slotOf(pc, off, t); ok {
			s.slot, s.off = true, slot
		}
	}
	if v, ok := r.known.slots[s.off]; ok && s.slot {
		return s.fixed(v)
	}
	return s
}

// fixed is a source whose value is known.
func (s source) fixed(value uint64) source {
	s.slot, s.known, s.value = false, true, value
	if s.typ == tW {
		s.value &= 0xffffffff
	}
	return s
}

// slotOf is the slot of the uniform register whose row is read.
func (r *region) slotOf(pc int32, row uint32, t typ) (slot uint32, ok bool) {
	for i := range r.code.Scalars {
		c := &r.code.Scalars[i]
		if c.Row == row && c.Width != regs.Pred && (c.Width == regs.Row64) == (t == tX) && c.LiveAt(pc) {
			return c.Slot, true
		}
	}
	return 0, false
}

// selection plans selp as a program.
func (r *region) selection(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	t := tW
	if s.op.Bits == 64 {
		t = tX
	}
	p := r.newProgram()
	s.in = []source{r.source(pc, in.A, t, s.op.Scalar), r.source(pc, in.B, t, s.op.Scalar), {typ: tM, off: in.C, row: -1}}
	a, b := r.input(p, s.in, 0), r.input(p, s.in, 1)
	return r.settle(s, p, p.sel(p.input(2, tM), a, b), source{typ: t, off: in.D, slot: s.op.Scalar, row: -1})
}

// cut divides the code into segments: at block starts, around instructions that leave, and
// behind barriers and exits of some lanes.
func (r *region) cut() {
	for b := range r.f.Blocks {
		blk := &r.f.Blocks[b]
		at, start := blk.First, true
		for pc := blk.First; pc < blk.End; pc++ {
			s := &r.steps[pc]
			some := s.op.Kind == sem.OpExit || s.op.Kind == sem.OpReturn || s.op.Kind == sem.OpBarrier
			if !s.leaves && !some {
				continue
			}
			end := pc
			if some && !s.leaves {
				end = pc + 1
			}
			r.addSegment(at, end, start)
			at, start = pc+1, false
		}
		if at < blk.End {
			r.addSegment(at, blk.End, start)
		}
	}
	n := 0
	for i := range r.segs {
		r.segs[i].pending = -1
		if r.segs[i].start && len(r.f.Blocks[r.live.blockOf[r.segs[i].first]].Preds) > 0 {
			r.segs[i].pending = n
			n++
		}
	}
}

func (r *region) addSegment(from, to int32, start bool) {
	r.segAt[from] = len(r.segs)
	r.segs = append(r.segs, segment{first: from, end: to, start: start})
}

// liveRows has the resident rows that matter before an instruction: those of registers that are
// live there, and those that the machine fills.
func (r *region) liveRows(pc int32) []uint32 {
	live := r.live.at(pc)
	var list []uint32
	for i := range r.row {
		if off := r.row[i].off; off >= r.code.RegBytes && off < r.code.FrameBytes || r.live.holds(live, off) {
			list = append(list, off)
		}
	}
	return list
}

// spreads has the slots whose rows others than compiled code would read at an instruction.
func (r *region) spreads(pc int32) (list []*regs.Scalar) {
	for i := range r.code.Scalars {
		if s := &r.code.Scalars[i]; s.Spread && s.Width != regs.Pred && s.LiveAt(pc) {
			list = append(list, s)
		}
	}
	return list
}
