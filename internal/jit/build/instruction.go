package build

import (
	"ptxvm.invalid/ptxvm/internal/jit/lane"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has the instructions that stay in their block.

// writes lists the variables that an instruction writes.
func (b *builder) writes(pc int32) (offs []uint32) {
	in := &b.code.Insts[pc]
	op := sem.OperationOf(in)
	switch op.Kind {
	case sem.OpLane, sem.OpSelect, sem.OpConvert, sem.OpMove, sem.OpLogic:
		offs = append(offs, in.D)
	case sem.OpCompare:
		offs = append(offs, op.Masks.P, op.Masks.Q)
	case sem.OpSetpPair:
		offs = append(offs, op.Masks.P, op.Masks.Q)
	case sem.OpSet, sem.OpSetEach:
		offs = append(offs, op.Masks.D)
	case sem.OpUnpack:
		offs = append(offs, in.Ext.Dst...)
	case sem.OpLoad:
		offs = append(offs, op.Memory.At...)
	case sem.OpVote, sem.OpBallot, sem.OpActive:
		offs = append(offs, in.D)
	case sem.OpShuffle:
		if offs = append(offs, in.D); b.isPair(pc) {
			offs = append(offs, op.Warp.Pair)
		}
	case sem.OpElect:
		offs = append(offs, in.D, op.Warp.Pair)
	default:
		offs = b.written(pc)
	}
	for _, s := range op.Spread {
		offs = append(offs, s.Row)
	}
	return offs
}

// read is the value of a variable before an instruction, as a type.
func (p *path) read(pc int32, off uint32, t ssa.Type, scalar bool) ssa.Value {
	if c, ok := p.consts[off]; ok {
		return p.Const(t, c.Value)
	}
	if !scalar && t != ssa.M {
		if s := p.slotOf(off, pc); s != nil && s.Stride == 0 && !s.Spread {
			off = s.Slot
		}
	}
	v, ok := p.env[off]
	switch {
	case p.wide[off]:
		refuse("registers of 128 bits")
	case !ok && p.strict:
		panic(notPure{})
	case !ok && off >= p.code.RegBytes:
		v = p.specialAt(off)
	case !ok:
		return p.Const(t, 0) // registers are 0 when a warp begins
	}
	switch {
	case p.TypeOf(v) == ssa.X && t == ssa.W:
		return p.Make(ssa.Trunc, ssa.W, 0, v)
	case p.TypeOf(v) != t:
		refuse("pc %d reads a register of another type", pc)
	}
	return v
}

// put writes a result where a guard holds.
func (p *path) put(off uint32, v, guard ssa.Value) {
	if off == machine.NoGuard {
		return
	}
	if p.wide[off] {
		refuse("registers of 128 bits")
	}
	if !p.isFull(guard) {
		old, ok := p.env[off]
		if !ok || p.TypeOf(old) != p.TypeOf(v) {
			old = p.Const(p.TypeOf(v), 0)
		}
		v = p.Sel(guard, v, old)
	}
	if p.isSlot(off) {
		p.slotNumber(v)
	}
	p.write(off, v)
}

// instruction builds one that neither branches nor exits.
func (p *path) instruction(pc int32) {
	in := &p.code.Insts[pc]
	op := sem.OperationOf(in)
	guard := p.guard(pc)
	if in.Flags&machine.Watched != 0 {
		refuse("watched instructions")
	}
	p.running, p.at = p, pc
	p.mayRun(&op)
	defer func() { p.running = nil }()
	p.known(pc, guard, func() {
		if p.opt.Help != nil && p.opt.Help(pc) && p.mayHelp(pc) {
			refuse("it is the interpreter's")
		}
		p.does(pc, &op, guard)
	})
	p.excluded(guard)
	p.spread(&op)
	p.follow(pc, &op)
}

// spread writes the rows of slots that have both.
func (p *path) spread(op *sem.Operation) {
	for _, s := range op.Spread {
		if v, ok := p.env[s.Slot]; ok {
			if p.TypeOf(v) == ssa.X && s.Width == regs.Row32 {
				v = p.Make(ssa.Trunc, ssa.W, 0, v)
			}
			p.write(s.Row, p.fromLane(v, int64(s.Stride), p.firstLane()))
		}
	}
}

// known builds something. If that is refused the interpreter executes the running instruction, or the code leaves in front of it where
// what is not known need not be a reason to refuse the kernel.
func (p *path) known(pc int32, guard ssa.Value, build func()) {
	effects := len(p.block.Effects)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Refusal:
			if p.block.Effects = p.block.Effects[:effects]; !p.opt.Some {
				p.helped(pc, guard, r)
				return
			}
			p.unknown[pc] = p.mayHelp(pc)
			p.block.Add(&ssa.Effect{Kind: ssa.Leave, Mask: p.Any(p.mask), State: p.state(pc), PC: pc})
		default:
			panic(r)
		}
	}()
	build()
}

// does builds what an instruction does where a guard holds.
func (p *path) does(pc int32, op *sem.Operation, guard ssa.Value) {
	in := &p.code.Insts[pc]
	switch op.Kind {
	case sem.OpNothing:
	case sem.OpFence:
		p.fence(true)
	case sem.OpLane:
		p.put(in.D, p.lane(pc, op.Fn, op.Scalar), guard)
	case sem.OpCompare:
		p.compare(pc, op, guard)
	case sem.OpSet:
		t := p.lane(pc, op.Fn, op.Scalar)
		p.put(op.Masks.D, p.Sel(p.combined(pc, op, t), p.Const(ssa.W, in.Imm), p.Word(0)), guard)
	case sem.OpMove:
		p.put(in.D, p.predicate(pc, in.A, in.Imm != 0), guard)
	case sem.OpLogic:
		p.put(in.D, p.logic(pc, op), guard)
	case sem.OpSelect:
		t, m := lane.TypeOf(op.Bits), p.predicate(pc, in.C, false)
		if op.Scalar && !p.IsNum(m) {
			m = p.Any(m) // it is the same in all lanes
		}
		p.put(in.D, p.Sel(m, p.read(pc, in.A, t, op.Scalar), p.read(pc, in.B, t, op.Scalar)), guard)
	case sem.OpUnpack:
		p.unpack(pc, op, guard)
	case sem.OpSetpPair:
		m := p.compareParts(pc, op, 16)
		p.put(op.Masks.P, m[0], guard)
		p.put(op.Masks.Q, m[1], guard)
	case sem.OpSetEach:
		v := p.Word(0)
		for k, m := range p.compareParts(pc, op, op.Bits) {
			v = p.Bin(ssa.Or, v, p.Sel(m, p.Word(op.Masks.Yes<<(k*op.Bits)), p.Word(0)))
		}
		p.put(op.Masks.D, v, guard)
	case sem.OpCarry:
		p.carry(pc, op, guard)
	case sem.OpConvert:
		p.put(in.D, p.converted(pc, op), guard)
	case sem.OpAddressLocal: // the kernel's frame begins at 0
		p.put(in.D, p.Const(lane.TypeOf(int(in.B)), in.Imm+uint64(p.code.ParamBytes)), guard)
	case sem.OpLoad, sem.OpStore:
		p.memory(pc, op, guard)
	case sem.OpLoadLocal, sem.OpStoreLocal:
		p.localAccess(pc, op, guard)
	case sem.OpAtomic, sem.OpCas:
		p.atomic(pc, op, guard)
	case sem.OpVote, sem.OpBallot, sem.OpElect, sem.OpActive, sem.OpWarpSync, sem.OpShuffle, sem.OpRedux, sem.OpMatchAny, sem.OpMatchAll:
		p.across(pc, op, guard)
	default:
		refuse("%v", in.Op)
	}
}

// lane is the result of a function of a lane.
func (p *path) lane(pc int32, fn uop.Op, scalar bool) ssa.Value {
	return p.function(fn, p.operands(pc, fn, scalar))
}

func (p *path) function(fn uop.Op, in []ssa.Value) ssa.Value {
	lower := lane.Of(fn)
	if lower == nil {
		refuse("%v", fn)
	}
	v := lower(p.Func, in)
	if v == 0 {
		refuse("%v of these operands", fn)
	}
	return v
}

// operands are those of a function of a lane.
func (p *path) operands(pc int32, fn uop.Op, scalar bool) (args []ssa.Value) {
	in := &p.code.Insts[pc]
	offs := [4]uint32{in.A, in.B, in.C, uint32(in.Imm)}
	for i, bits := range fn.Shape().Operands() {
		args = append(args, p.read(pc, offs[i], lane.TypeOf(int(bits)), scalar))
	}
	return args
}

// carry is a function of a lane with a carry.
func (p *path) carry(pc int32, op *sem.Operation, guard ssa.Value) {
	lower := lane.WithCarry(op.Fn)
	if lower == nil {
		refuse("%v", op.Fn)
	}
	v, out := lower(p.Func, p.operands(pc, op.Fn, op.Scalar), p.predicate(pc, op.Masks.C, false))
	p.put(p.code.Insts[pc].D, v, guard)
	p.put(op.Masks.P, out, guard)
}

// converted is a value, or some, as another type.
func (p *path) converted(pc int32, op *sem.Operation) ssa.Value {
	c := &op.Convert
	var args []ssa.Value
	for k, off := range c.From {
		args = append(args, p.read(pc, off, lane.TypeOf(c.FromBits[k]), op.Scalar))
	}
	v := lane.Converted(p.Func, &c.Packing, args, c.To)
	if v == 0 {
		refuse("%v", p.code.Insts[pc].Op)
	}
	return v
}

// predicate is one, or where it does not hold.
func (p *path) predicate(pc int32, off uint32, not bool) ssa.Value {
	v := p.read(pc, off, ssa.M, false)
	if not {
		return p.Not(v)
	}
	return v
}

func (p *path) compare(pc int32, op *sem.Operation, guard ssa.Value) {
	t := p.lane(pc, op.Fn, op.Scalar)
	first, second := p.combined(pc, op, t), p.combined(pc, op, p.Not(t))
	p.put(op.Masks.P, first, guard)
	p.put(op.Masks.Q, second, guard)
}

// combined is the result of a comparison with the predicate that it is combined with.
func (p *path) combined(pc int32, op *sem.Operation, t ssa.Value) ssa.Value {
	if op.Masks.Op == uop.WordFirst {
		return t
	}
	return p.word(op.Masks.Op, t, p.predicate(pc, op.Masks.C, op.Masks.Flip != 0))
}

// compareParts compares the parts of words, the lowest first, each combined as the whole would be.
func (p *path) compareParts(pc int32, op *sem.Operation, bits int) (list []ssa.Value) {
	words := p.operands(pc, op.Fn, op.Scalar)
	for k := range 32 / bits {
		var in []ssa.Value
		for _, w := range words {
			w = p.Bin(ssa.Shl, w, p.Word(uint32(32-bits*(k+1))))
			in = append(in, p.Bin(map[bool]ssa.Code{true: ssa.Sar, false: ssa.Shr}[op.Masks.Signed], w, p.Word(uint32(32-bits))))
		}
		list = append(list, p.combined(pc, op, p.function(op.Fn, in)))
	}
	return list
}

// logic is an operation on predicates.
func (p *path) logic(pc int32, op *sem.Operation) ssa.Value {
	in := &p.code.Insts[pc]
	a := p.predicate(pc, in.A, uint32(in.Imm) != 0)
	switch op.Word {
	case uop.WordNot:
		return p.Not(a)
	case uop.WordFirst:
		return a
	}
	return p.word(op.Word, a, p.predicate(pc, in.B, in.Imm>>32 != 0))
}

func (p *path) word(op uop.WordOp, a, b ssa.Value) ssa.Value {
	switch op {
	case uop.WordAnd:
		return p.And(a, b)
	case uop.WordOr:
		return p.Or(a, b)
	case uop.WordXor:
		return p.Bin(ssa.Xor, a, b)
	}
	refuse("an operation on predicates")
	return 0
}

// unpack writes the parts of a register.
func (p *path) unpack(pc int32, op *sem.Operation, guard ssa.Value) {
	in := &p.code.Insts[pc]
	part := uint64(in.Imm)
	v := p.read(pc, in.A, lane.TypeOf(op.Bits), op.Scalar)
	var list []ssa.Value
	for k := range in.Ext.Dst {
		e := p.Bin(ssa.Shr, v, p.Const(p.TypeOf(v), uint64(k)*part))
		if p.TypeOf(e) == ssa.X && part <= 32 {
			e = p.Make(ssa.Trunc, ssa.W, 0, e)
		}
		if part < 32 {
			e = p.Bin(ssa.And, e, p.Word(1<<part-1))
		}
		list = append(list, e)
	}
	for k, off := range in.Ext.Dst {
		p.put(off, list[k], guard)
	}
}
