package observe

// What an instruction does to the values that dataflow.Values follows (which bits nothing has written, which object a pointer
// is of), as data: a rule for each form that calculates, and from the operands' roles where they are. A form that has no
// rule and works lane by lane mixes everything; what else there is makes new values.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/calls"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// flowLine is the rule of a form: data is the sources, by bit, whose bits or pointer go to the result.
type flowLine struct {
	rule dataflow.FlowRule
	tags dataflow.FlowTags
	data uint8
}

// flowLines are the rules by form. Narrow results of floats and whatever is not here follow FlowAll.
var flowLines = map[isa.ID]flowLine{
	isa.Mov: {dataflow.FlowLinear, dataflow.TagsCopy, 1}, isa.MovPack: {dataflow.FlowLinear, dataflow.TagsCopy, 15},
	isa.Cvta: {dataflow.FlowAll, dataflow.TagsCopy, 1}, isa.CvtaTo: {dataflow.FlowAll, dataflow.TagsCopy, 1}, isa.Mapa: {dataflow.FlowAll, dataflow.TagsCopy, 1},

	isa.And: {dataflow.FlowBitwise, dataflow.TagsNear, 3}, isa.Or: {dataflow.FlowBitwise, dataflow.TagsNear, 3},
	isa.Xor: {dataflow.FlowBitwise, dataflow.TagsNear, 3}, isa.Not: {rule: dataflow.FlowBitwise}, isa.Lop3: {rule: dataflow.FlowBitwise},
	isa.Shl: {rule: dataflow.FlowLinear, data: 1}, isa.Shr: {rule: dataflow.FlowLinear, data: 1},
	isa.ShfL: {rule: dataflow.FlowLinear, data: 3}, isa.ShfR: {rule: dataflow.FlowLinear, data: 3},
	isa.Bfe: {rule: dataflow.FlowLinear, data: 1}, isa.Bfi: {rule: dataflow.FlowLinear, data: 3},
	isa.Brev: {rule: dataflow.FlowLinear, data: 1}, isa.Szext: {rule: dataflow.FlowLinear, data: 1},
	isa.Prmt: {rule: dataflow.FlowLinear, data: 3},

	isa.AddInt: {dataflow.FlowCarry, dataflow.TagsAdd, 3}, isa.SubInt: {dataflow.FlowCarry, dataflow.TagsSub, 3},
	isa.MadLo: {dataflow.FlowCarry, dataflow.TagsAdd, 4}, isa.MadWide: {dataflow.FlowAll, dataflow.TagsAdd, 4},
	isa.MulLo: {rule: dataflow.FlowCarry}, isa.NegInt: {rule: dataflow.FlowCarry},
}

// follower sets up one instruction's flow.
type follower struct {
	*sem.Build
	reg   func(ir.Reg) regs.Shadowed
	carry regs.Shadowed // the flag of extended precision, if the instruction takes or sets it
	out   dataflow.Flow
}

// Follow wraps the handlers of a decoded instruction so that its values can be followed. reg says where a register and its
// shadow are, cc is the register of the carry flag.
func Follow(b *sem.Build, reg func(ir.Reg) regs.Shadowed, cc ir.Reg) {
	f := &follower{Build: b, reg: reg}
	if b.In.Carry != 0 {
		f.carry = reg(cc)
	}
	if b.Scalar {
		f.reg = func(r ir.Reg) regs.Shadowed {
			out := reg(r)
			out.Row, out.Slot = b.Slot(r), true
			return out
		}
	}
	f.results()
	op := b.Out.Op
	f.out.Acts = op.Reach() != uop.ReachRows
	switch {
	case f.memory():
	case f.lanes():
	case op == uop.CallRuntime:
		f.runtime()
	case op == uop.ShuffleUp || op == uop.ShuffleDown || op == uop.ShuffleBfly || op == uop.ShuffleIdx:
		f.shuffle()
	case op == uop.Alloca:
		f.out.Tags = dataflow.TagsAlloca
		f.source(&b.In.Ops[1], b.Out.A, b.Sel.Type(isa.C_type).Bits() > 32)
	}
	if f.out.Acts {
		f.decides(b.In.Ops)
	}
	if b.In.Guard.Reg != ir.NoReg {
		f.out.Guard = f.reg(b.In.Guard.Reg)
	}
	if o := &f.out; len(o.Dst) != 0 || len(o.Decides) != 0 || o.Mem != nil || o.Returns != 0 || o.Guard.Words != 0 && o.Acts {
		dataflow.Flows(b.Out, o)
	}
}

// results lists the registers that the instruction writes.
func (f *follower) results() {
	var visit func(ops []ir.Operand)
	visit = func(ops []ir.Operand) {
		for i := range ops {
			switch o := &ops[i]; o.Kind {
			case ir.OpReg:
				if o.Access != ir.OnlyRead {
					f.out.Dst = append(f.out.Dst, f.parts(o)...)
				}
			case ir.OpSink:
				f.out.Dst = append(f.out.Dst, regs.Shadowed{})
			case ir.OpVec, ir.OpPair:
				visit(o.Elems)
			}
		}
	}
	visit(f.In.Ops)
	if f.In.Call != nil {
		visit(f.In.Call.Rets)
	}
	if f.In.Carry&ir.CarryOut != 0 {
		f.out.Dst = append(f.out.Dst, f.carry)
	}
}

// parts is a register operand as rows of at most 64 bits.
func (f *follower) parts(o *ir.Operand) []regs.Shadowed {
	r := f.reg(o.Reg)
	if f.Bits(o.Reg) > 64 {
		return []regs.Shadowed{r, r.High()}
	}
	return []regs.Shadowed{r}
}

// at is the shadow of a register operand, none of another.
func (f *follower) at(o *ir.Operand) regs.Shadowed {
	if o.Kind != ir.OpReg {
		return regs.Shadowed{}
	}
	return f.reg(o.Reg)
}

// source adds a source whose value is at an offset.
func (f *follower) source(o *ir.Operand, off uint32, wide bool) {
	if o.Kind == ir.OpVec && len(o.Elems) == 1 {
		o = &o.Elems[0]
	}
	a := dataflow.FlowArg{Shadowed: f.at(o), At: off, Wide: wide, Mask: ^uint64(0), Sym: f.symbol(o)}
	a.Slot = f.Scalar
	if at := f.Sel.At(o.Role); at != nil && at.Type != 0 && at.Type.Bits() < 64 {
		a.Mask = 1<<at.Type.Bits() - 1
	}
	a.Data = flowLines[f.Sel.ID()].data>>len(f.out.Args)&1 != 0
	f.out.Args = append(f.out.Args, a)
}

// symbol describes the variable whose address an operand is; nil if it is none, or has no extent.
func (f *follower) symbol(o *ir.Operand) *dataflow.FlowSym {
	v := o.Var
	if v == nil || o.Kind != ir.OpSym && o.Kind != ir.OpMem {
		return nil
	}
	name, _, _ := strings.Cut(v.Name, "~") // lowering makes the names of kernels' variables unique
	s := &dataflow.FlowSym{Name: name}
	if home := f.Home(v); home == sem.HomeDepot {
		s.Space, s.From, s.To = machine.Local, uint64(v.Offset), uint64(v.Offset+v.Size)
		return s
	} else if home != sem.HomeModule {
		return nil
	}
	start := ir.Operand{Kind: ir.OpSym, Var: v}
	at, err := f.Symbol(&start)
	s.Space = variableSpaces[v.Space]
	if err != nil || s.Space == machine.Generic || v.Size <= 0 {
		return nil
	}
	s.From, s.To = at, at+uint64(v.Size)
	return s
}

// variableSpaces are the spaces of variables of the module.
var variableSpaces = map[ir.Space]machine.Space{
	ir.SpaceGlobal: machine.Global, ir.SpaceConst: machine.Global, ir.SpaceShared: machine.Shared,
}

// lanes sets up what works lane by lane; false if it does not.
func (f *follower) lanes() bool {
	b, op := f.Build, sem.OperationOf(f.Build.Out)
	line, ops := flowLines[b.Sel.ID()], b.In.Ops
	f.out.Rule, f.out.Tags = line.rule, line.tags
	f.out.Elem = f.element()
	if b.Sel.ID() == isa.Cvt {
		f.conversion()
		return true
	}
	switch op.Kind {
	case sem.OpLane, sem.OpCarry:
		f.perLane(&op, line.rule)
	case sem.OpLogic:
		f.out.Rule, f.out.Word = dataflow.FlowLogic, op.Word
		f.predicate(&ops[1], b.Out.A)
		f.predicate(&ops[len(ops)-1], b.Out.B)
	case sem.OpMove:
		f.out.Rule = dataflow.FlowLogic
		f.predicate(&ops[1], b.Out.A)
	case sem.OpCompare, sem.OpSet:
		f.compares(&op)
	case sem.OpSelect:
		f.selects(&op)
	case sem.OpUnpack:
		f.out.Rule, f.out.Tags, f.out.Elem = dataflow.FlowUnpack, dataflow.TagsCopy, uint32(b.Out.Imm)
		f.source(&ops[1], b.Out.A, op.Bits == 64)
		f.out.Args[0].Data = true
	case sem.OpConvert: // of packed formats
		if !op.Convert.Plain() {
			return f.anew()
		}
		f.conversion()
	default:
		return f.pieces() || f.anew()
	}
	return true
}

// perLane follows an operation that does the same in each lane.
func (f *follower) perLane(op *sem.Operation, rule dataflow.FlowRule) {
	f.stamped(op.Fn, f.sources())
	if op.Kind == sem.OpCarry || rule == dataflow.FlowNew {
		f.out.Rule = dataflow.FlowAll
	}
	if f.In.Carry&ir.CarryIn != 0 {
		f.out.Args = append(f.out.Args, dataflow.FlowArg{Shadowed: f.carry, At: op.Masks.C, Pred: true})
	}
	if f.Sel.ID() == isa.Setp {
		f.comparison()
	}
	if f.Out.Op == uop.Move32 || f.Out.Op == uop.Move64 {
		f.move()
	}
}

// compares follows a comparison, which may be combined with a predicate.
func (f *follower) compares(op *sem.Operation) {
	f.stamped(op.Fn, f.In.Ops[1:])
	f.comparison()
	f.out.Word = op.Masks.Op
	if len(f.In.Ops) > 3 {
		f.out.With = &dataflow.FlowArg{Shadowed: f.at(&f.In.Ops[3]), At: op.Masks.C, Pred: true, Flip: op.Masks.Flip != 0}
	}
}

// selects follows a choice between two values.
func (f *follower) selects(op *sem.Operation) {
	ops := f.In.Ops
	f.out.Rule, f.out.Tags = dataflow.FlowSelect, dataflow.TagsCopy
	x, y := &ops[1], &ops[2]
	if ops[3].Neg {
		x, y = y, x
	}
	f.source(x, f.Out.A, op.Bits == 64)
	f.source(y, f.Out.B, op.Bits == 64)
	f.predicate(&ops[3], f.Out.C)
}

// pieces sets up what moves its sources, end to end, to its results, end to end: moves, packing and unpacking of 128 bits, and
// moves of vectors. False of others.
func (f *follower) pieces() bool {
	out := f.Build.Out
	switch out.Op {
	case uop.Move128, uop.Unpack128:
		halves := f.halvesOf(&f.In.Ops[1])
		f.piece(halves[0], out.A, 64)
		f.piece(halves[1], out.B, 64)
	case uop.Pack128, uop.MoveVector:
		a, bits := &f.In.Ops[1], uint32(out.Imm)
		if out.Op == uop.Pack128 {
			bits = 128 / uint32(len(out.Ext.Src))
		}
		for i, off := range out.Ext.Src {
			from := a
			if a.Kind == ir.OpVec {
				from = &a.Elems[i]
			}
			f.piece(f.at(from), off, bits)
		}
	default:
		return false
	}
	f.out.Rule, f.out.Tags = dataflow.FlowPieces, dataflow.TagsUnknown
	if id := f.Sel.ID(); id != isa.Mov && id != isa.MovPack && id != isa.MovVector { // a query, whose result is one of the pieces
		f.out.Rule, f.out.Elem = dataflow.FlowAll, 64
	}
	return true
}

// halvesOf are the shadows of an operand of 128 bits.
func (f *follower) halvesOf(o *ir.Operand) (halves [2]regs.Shadowed) {
	if o.Kind == ir.OpReg {
		r := f.reg(o.Reg)
		halves = [2]regs.Shadowed{r, r.High()}
	}
	return halves
}

// piece adds a source of so many bits.
func (f *follower) piece(r regs.Shadowed, off, bits uint32) {
	f.out.Elem = bits
	pred := r.Words != 0 && r.Width == regs.Pred
	f.out.Args = append(f.out.Args, dataflow.FlowArg{Shadowed: r, At: off, Wide: bits > 32, Pred: pred, Mask: ^uint64(0)})
}

// anew follows nothing but addresses: the result is a new value.
func (f *follower) anew() bool {
	f.out.Rule = dataflow.FlowNew
	return f.address()
}

// sources lists the operands that a function of a lane takes.
func (f *follower) sources() []ir.Operand {
	ops := f.In.Ops[1:]
	if len(ops) == 1 && ops[0].Kind == ir.OpVec {
		return ops[0].Elems
	}
	return ops
}

// stamped adds the sources of a function of a lane.
func (f *follower) stamped(fn uop.Op, from []ir.Operand) {
	out := f.Build.Out
	at := [4]uint32{out.A, out.B, out.C, uint32(out.Imm)}
	for i, bits := range fn.Shape().Operands() {
		if i < len(from) {
			f.source(&from[i], at[i], bits == 64)
		}
	}
	f.out.Fn = laneFunction(fn)
	if f.out.Fn == nil && f.out.Rule != dataflow.FlowCarry {
		f.out.Rule = dataflow.FlowAll
	}
}

func (f *follower) predicate(o *ir.Operand, off uint32) {
	f.out.Args = append(f.out.Args, dataflow.FlowArg{Shadowed: f.at(o), At: off, Pred: true, Flip: o.Neg})
}

// move sets up a copy; that of an address of a variable makes a pointer.
func (f *follower) move() {
	f.out.Rule, f.out.Fn = dataflow.FlowLinear, func(x *[4]uint64) uint64 { return x[0] }
	if f.out.Args[0].Sym != nil {
		f.out.Tags = dataflow.TagsSymbol
	}
}

// address sets up the address of a variable in the frame; false if the instruction is something else.
func (f *follower) address() bool {
	if f.Build.Out.Op != uop.AddressLocal {
		return f.Build.Out.Op.Reach() == uop.ReachRows && f.elementwise()
	}
	f.out.Tags, f.out.Args = dataflow.TagsSymbol, []dataflow.FlowArg{{Sym: f.symbol(&f.In.Ops[1])}}
	f.out.Acts = false
	return true
}

// mixing are the operations without a rule of their own that work lane by lane.
var mixing = map[uop.Op]bool{uop.Widened: true, uop.Video: true, uop.MixedElements: true}

// elementwise sets up what mixes its sources lane by lane.
func (f *follower) elementwise() bool {
	if !mixing[f.Build.Out.Op] {
		return false
	}
	f.out.Rule = dataflow.FlowAll
	for i := range f.In.Ops[1:] {
		if o := &f.In.Ops[1+i]; o.Kind == ir.OpReg {
			f.source(o, f.reg(o.Reg).Row, f.Bits(o.Reg) > 32)
		}
	}
	return true
}

// element is the bits of the parts that an instruction computes by themselves.
func (f *follower) element() uint32 {
	t := f.Sel.Type(isa.C_type)
	if t.Kind() != isa.Packed {
		return 64
	}
	name := t.String()
	if i := strings.LastIndexByte(name, 'x'); i >= 0 && len(name) == i+2 {
		return uint32(t.Bits()) / uint32(name[i+1]-'0')
	}
	return 64
}

// comparison chooses the rule of setp and set.
func (f *follower) comparison() {
	t := f.Sel.Type(isa.C_type)
	if f.Sel.ID() != isa.Setp {
		t = f.Sel.Type(isa.C_stype)
	}
	whole := t != 0 && (t.Kind() == isa.Bits || t.Kind() == isa.Unsigned || t.Kind() == isa.Signed)
	switch {
	case !whole || f.out.Fn == nil:
		f.out.Rule = dataflow.FlowTest
	case f.Sel.Has(isa.M_eq) || f.Sel.Has(isa.M_ne):
		f.out.Rule = dataflow.FlowEqual
	default:
		f.out.Rule, f.out.Signed = dataflow.FlowOrder, t.Kind() == isa.Signed
	}
}

// conversion sets up cvt: whole numbers move bits, two sources become the halves of the result.
func (f *follower) conversion() {
	ops := f.In.Ops
	to, from := f.Sel.Type(isa.C_dtype), f.Sel.Type(isa.C_atype)
	f.out.Rule = dataflow.FlowAll
	for i := 1; i < len(ops); i++ {
		if o := &ops[i]; o.Kind == ir.OpReg {
			f.source(o, f.reg(o.Reg).Row, f.Bits(o.Reg) > 32)
		}
	}
	args := f.out.Args
	switch {
	case len(args) == 2 && to != 0 && to.Kind() == isa.Packed && to.Bits() <= 32:
		half := uint64(1)<<(to.Bits()/2) - 1
		args[0].Data, args[1].Data = true, true
		f.out.Rule, f.out.Fn = dataflow.FlowLinear, func(x *[4]uint64) uint64 {
			return half<<(to.Bits()/2)*truth(x[0] != 0) | half*truth(x[1] != 0)
		}
	case len(args) == 1 && wholeNumber(to) && wholeNumber(from) && !f.Sel.Has(isa.M_sat):
		args[0].Data = true
		cut := 64 - min(from.Bits(), to.Bits())
		signed := from.Kind() == isa.Signed
		f.out.Rule, f.out.Fn = dataflow.FlowLinear, func(x *[4]uint64) uint64 {
			if signed {
				return uint64(int64(x[0]<<cut) >> cut)
			}
			return x[0] << cut >> cut
		}
		if from.Bits() >= 32 && to.Bits() >= 32 {
			f.out.Tags = dataflow.TagsCopy
		}
	}
}

func wholeNumber(t isa.Type) bool {
	return t != 0 && (t.Kind() == isa.Unsigned || t.Kind() == isa.Signed || t.Kind() == isa.Bits)
}

func truth(b bool) uint64 { return uint64(sem.Bit(b)) }

// memory sets up loads, stores and atomic operations; false of others.
func (f *follower) memory() bool {
	ops := f.In.Ops
	var space isa.Mod
	m := &dataflow.FlowMem{}
	var address *ir.Operand
	var values []ir.Operand
	switch id := f.Sel.ID(); {
	case id == isa.Ld || id == isa.Ldu || id == isa.LdNc:
		f.out.Rule, m.Kind, address, values = dataflow.FlowLoad, machine.Load, &ops[1], sem.Elements(&ops[0])
		if f.out.Acts = f.Sel.Has(isa.M_volatile) || f.Sel.Get(isa.C_sem) != 0; !f.out.Acts {
			values = sem.Accessed(values)
		}
		space = f.Sel.Get(isa.C_ss)
		if id == isa.LdNc {
			space = isa.M_global
		}
	case id == isa.St:
		f.out.Rule, m.Kind, address, values = dataflow.FlowStore, machine.Store, &ops[0], sem.Elements(&ops[1])
		space = f.Sel.Get(isa.C_ss)
	case f.isAtomic():
		f.out.Rule, m.Kind = dataflow.FlowAtomic, machine.Atomic
		address, values = f.atomicOperands()
		space = f.Sel.Get(isa.C_space)
		m.Swaps = f.Sel.Get(isa.C_op) == isa.M_exch
	default:
		return false
	}
	t := touch{}
	t.Space = sem.SpaceOf(space)
	t.place(f.Build, address)
	t.size = nil
	m.Space, m.Kernel, m.Resolve, m.Sym = t.Space, t.by == uop.ByKernel, t.addresses, f.symbol(address)
	if t.by != uop.ByRow64 && t.by != uop.ByRow32 && t.Space != machine.Local {
		m.One = t.one
	}
	if address.Reg != ir.NoReg {
		m.Base = f.reg(address.Reg)
	}
	ty := f.Sel.Type(isa.C_type)
	m.Elem, m.Signed = uint32(ty.Bytes()), ty.Kind() == isa.Signed
	for i := range values {
		f.element128(m, &values[i])
	}
	if m.Elem == 16 {
		m.Elem = 8
	}
	f.out.Mem = m
	return true
}

// element128 adds an element, one of 128 bits as its halves.
func (f *follower) element128(m *dataflow.FlowMem, o *ir.Operand) {
	r := f.at(o)
	row := dataflow.FlowArg{Shadowed: r, Wide: r.Width == regs.Row64, Mask: ^uint64(0), Sym: f.symbol(o)}
	m.Regs, m.Rows = append(m.Regs, r), append(m.Rows, row)
	if m.Elem == 16 {
		if r.Words != 0 {
			r = r.High()
		}
		row.Shadowed = r
		m.Regs, m.Rows = append(m.Regs, r), append(m.Rows, row)
	}
}

// valued reports whether what the instruction does to memory follows from its flow.
func valued(b *sem.Build) bool {
	f := follower{Build: b}
	id := b.Sel.ID()
	return id == isa.Ld || id == isa.Ldu || id == isa.LdNc || id == isa.St || f.isAtomic()
}

// isAtomic reports whether the instruction updates memory at once.
func (f *follower) isAtomic() bool {
	switch f.Build.Out.Op {
	case uop.AtomicUpdate, uop.AtomicCas, uop.AtomicCas32, uop.AtomicCas128, uop.AtomicExchange128:
		return true
	}
	return false
}

// atomicOperands finds the address, and the first value behind it; all of them decide but the one that is swapped in.
func (f *follower) atomicOperands() (address *ir.Operand, values []ir.Operand) {
	ops := f.In.Ops
	for i := range ops {
		if ops[i].Kind != ir.OpMem {
			continue
		}
		rest := ops[i+1:]
		if f.Sel.Get(isa.C_op) != isa.M_exch {
			for k := range rest {
				f.decide(&rest[k])
			}
		}
		return &ops[i], sem.Elements(&rest[0])
	}
	return &ops[0], nil
}

// decides lists the registers of addresses, masks and targets.
func (f *follower) decides(ops []ir.Operand) {
	for i := range ops {
		o := &ops[i]
		switch {
		case o.Kind == ir.OpMem:
			if o.Reg != ir.NoReg {
				f.out.Decides = append(f.out.Decides, f.reg(o.Reg))
			}
			f.decides(o.Elems)
		case o.Role == isa.R_membermask || deciding[f.Build.Out.Op]:
			f.decide(o)
		}
	}
	if c := f.In.Call; c != nil && c.Callee == nil {
		f.decide(&c.Target)
	}
}

// deciding are the operations all of whose sources decide.
var deciding = map[uop.Op]bool{uop.BranchTable: true, uop.BarrierSync: true}

// decide adds a source that decides.
func (f *follower) decide(o *ir.Operand) {
	if o.Kind == ir.OpReg && o.Access != ir.OnlyWrite {
		f.out.Decides = append(f.out.Decides, f.parts(o)...)
	}
}

// shuffle sets up shfl.
func (f *follower) shuffle() {
	f.out.Rule, f.out.Tags = dataflow.FlowShuffle, dataflow.TagsCopy
	f.source(&f.In.Ops[1], f.Build.Out.A, false)
	f.out.Shuffle = ShuffleLane(f.Build.Out.Op)
	for _, o := range f.In.Ops[2:4] {
		f.decide(&o)
	}
}

// ShuffleLane finds, before it executes on rows, the lane whose value a lane takes in a shuffle; nil of another operation.
func ShuffleLane(op uop.Op) func(w *machine.Warp, in *machine.Inst, lane int) (from int, ok bool) {
	source := sem.ShuffleSource(op)
	if source == nil {
		return nil
	}
	return func(w *machine.Warp, in *machine.Inst, i int) (int, bool) {
		b, c := w.R32(in.B)[i], w.R32(in.C)[i]
		return source(i, int(b&31), int(c>>8&31), int(c&31))
	}
}

// runtime sets up a call that the runtime answers.
func (f *follower) runtime() {
	f.out.Rule = dataflow.FlowRuntime
	if off, bytes, ok := calls.Result(f.Build.Out); ok {
		f.out.Returns, f.out.Bytes = 1+off, bytes
	}
}

// laneFunction is the function of a lane on 64-bit words; nil where no rule needs it.
func laneFunction(op uop.Op) func(x *[4]uint64) uint64 {
	switch fn := sem.Function(op).(type) {
	case func(uint32) uint32:
		return func(x *[4]uint64) uint64 { return uint64(fn(uint32(x[0]))) }
	case func(uint32, uint32) uint32:
		return func(x *[4]uint64) uint64 { return uint64(fn(uint32(x[0]), uint32(x[1]))) }
	case func(uint32, uint32, uint32) uint32:
		return func(x *[4]uint64) uint64 { return uint64(fn(uint32(x[0]), uint32(x[1]), uint32(x[2]))) }
	case func(uint32, uint32, uint32, uint32) uint32:
		return func(x *[4]uint64) uint64 { return uint64(fn(uint32(x[0]), uint32(x[1]), uint32(x[2]), uint32(x[3]))) }
	case func(uint32, uint32, uint32, uint32) uint64:
		return func(x *[4]uint64) uint64 { return fn(uint32(x[0]), uint32(x[1]), uint32(x[2]), uint32(x[3])) }
	case func(uint32, uint32) uint64:
		return func(x *[4]uint64) uint64 { return fn(uint32(x[0]), uint32(x[1])) }
	case func(uint64) uint64:
		return func(x *[4]uint64) uint64 { return fn(x[0]) }
	case func(uint64, uint64) uint64:
		return func(x *[4]uint64) uint64 { return fn(x[0], x[1]) }
	case func(uint64, uint32) uint64:
		return func(x *[4]uint64) uint64 { return fn(x[0], uint32(x[1])) }
	case func(uint64, uint32, uint32) uint64:
		return func(x *[4]uint64) uint64 { return fn(x[0], uint32(x[1]), uint32(x[2])) }
	case func(uint64, uint64, uint32, uint32) uint64:
		return func(x *[4]uint64) uint64 { return fn(x[0], x[1], uint32(x[2]), uint32(x[3])) }
	case func(uint32, uint32) bool:
		return func(x *[4]uint64) uint64 { return truth(fn(uint32(x[0]), uint32(x[1]))) }
	case func(uint64, uint64) bool:
		return func(x *[4]uint64) uint64 { return truth(fn(x[0], x[1])) }
	}
	return nil
}
