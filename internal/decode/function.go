package decode

// Decoding one function in both variants.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/observe"
	"ptxvm.invalid/ptxvm/internal/quota"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/table"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// unit is the code of one kernel while it is decoded.
type unit struct {
	d     *Decoder
	quota *quota.Quota
	key   programKey
	lines map[*isa.Sel]*sem.Line
	codes map[*ir.Func]*machine.Code
	pins  bool // observed: asynchronous operations write registers
	keeps bool // the launch reports what a CTA leaves behind, and it may
	holds bool // lanes may end with operations that have not been submitted

	depends []assume.Assumption // what some statements of their lines depend on

	waiting map[*ir.Func]bool // functions that have been asked whether they wait
}

// function is one function while it is decoded.
type function struct {
	*unit
	*layout
	f        *ir.Func
	block    []ir.BlockID // by pc
	classes  *ir.Solution
	scalar   []bool // by pc: executes once, on scalar slots, in the converged variant
	spread   []bool // by register: row-wise readers want the row of a uniform register
	inLoop   []bool // as loops tells; nil until it is asked
	waitsAt  before // what may be part of waiting for another thread
	storesAt before // what stores
	pc       int32  // being decoded
	onSlots  bool   // the instruction being decoded runs on scalar slots
}

// function decodes f into its Code.
func (u *unit) function(f *ir.Func) error {
	return u.analyse(f).emit(u.codes[f])
}

// analyse solves the classes and places the registers.
func (u *unit) analyse(f *ir.Func) *function {
	x := &function{unit: u, f: f, block: make([]ir.BlockID, len(f.Insts))}
	for b := range f.Blocks {
		for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
			x.block[pc] = ir.BlockID(b)
		}
	}
	u.quota.Enter("classes")
	x.classes = f.Solve(u.key.shape, func(pc int32) bool { return !x.canBeScalar(pc) })
	u.quota.Enter("scalars")
	x.chooseScalars()
	x.layout = newLayout(f, x.key.watch.Values, x.uniform)
	return x
}

// line is what executes an instruction.
func (x *function) line(pc int32) *sem.Line { return x.lines[x.f.Insts[pc].Sel] }

// canBeScalar reports whether an instruction can run on scalar slots, which hold 64 bits.
func (x *function) canBeScalar(pc int32) bool {
	fits := x.line(pc).Do.Scalar()
	x.f.EachReg(&x.f.Insts[pc], func(r ir.Reg, _ ir.Access) {
		fits = fits && x.f.Regs[r].Width() != ir.W128
	})
	return fits
}

// registerCalls reports whether parameters or results are registers: the old calling style,
// which passes rows.
func registerCalls(f *ir.Func) bool {
	for _, list := range [][]*ir.Param{f.Params, f.Rets} {
		for _, p := range list {
			if p.Reg != ir.NoReg {
				return true
			}
		}
	}
	return false
}

func (x *function) uniform(r ir.Reg) bool { return x.classes.Regs[r].Kind == ir.Uniform }

// chooseScalars finds what runs on scalar slots: whatever defines uniform registers. Their
// rows are written too if anything else reads them.
func (x *function) chooseScalars() {
	x.scalar, x.spread = make([]bool, len(x.f.Insts)), make([]bool, len(x.f.Regs))
	for pc := range x.f.Insts {
		in := &x.f.Insts[pc]
		defines, uniform := false, true
		x.f.EachReg(in, func(r ir.Reg, a ir.Access) {
			if a == ir.Write {
				defines, uniform = true, uniform && x.uniform(r)
			}
		})
		x.scalar[pc] = defines && uniform && x.canBeScalar(int32(pc))
		if !x.scalar[pc] {
			x.f.EachReg(in, func(r ir.Reg, a ir.Access) {
				x.spread[r] = x.spread[r] || a == ir.Read && x.uniform(r)
			})
		}
	}
}

// emit fills the code.
func (x *function) emit(code *machine.Code) error {
	f := x.f
	split, err := x.variant(false)
	if err != nil {
		return err
	}
	var insts []machine.Inst
	if !registerCalls(f) && !x.rowsOnly() {
		if insts, err = x.variant(true); err != nil {
			return err
		}
		x.quota.Enter("scalar slots")
		code.Scalars = x.scalarSlots()
	}
	named := f
	if f.Entry {
		named = x.key.kernel // f may be another with functions in place
	}
	code.Func = &machine.FuncInfo{Name: f.Name, Entry: f.Entry, Addr: x.d.where.Func(named), Origin: &origin{f, x.classes}}
	code.Insts, code.Split = insts, split
	code.RegBytes, code.FrameBytes = x.regBytes, x.take(0, blockAlign)
	code.Slots, code.SlotsEnd = x.slots, x.slotsEnd
	code.Consts, code.Specials = x.consts, x.specials
	if x.key.watch.Values {
		code.GuardShadow, code.Unwritten = x.shadow[ir.WPred].poison-x.first[ir.WPred], x.unwritten()
	}
	code.ParamBytes, code.LocalBytes = up16(f.CallBytes), uint32(f.LocalBytes)
	if f.Entry && code.ParamBytes+code.LocalBytes != 0 && insts != nil && !slices.ContainsFunc(insts, stacks) {
		code.LocalRoom = machine.LocalRoomFor(code.ParamBytes + code.LocalBytes)
		if code.RoomUsed = (code.ParamBytes + code.LocalBytes + 3) &^ 3; slices.ContainsFunc(insts, makesFrames) {
			code.RoomUsed = code.LocalRoom
		}
	}
	return nil
}

// stacks reports whether an instruction makes its own frame longer or shorter.
func stacks(in machine.Inst) bool {
	return in.Op == uop.StackSave || in.Op == uop.StackRestore || in.Op == uop.Alloca
}

// makesFrames reports whether an instruction makes frames behind its own.
func makesFrames(in machine.Inst) bool { return in.Op == uop.CallDirect || in.Op == uop.CallIndirect }

// rowsOnly reports whether those who look on want registers to be where they are named: in rows.
func (x *function) rowsOnly() bool {
	return x.pins || x.key.watch.Trace || x.key.watch.Numbers || x.key.watch.Step
}

// unwritten lists the registers that the function may read before it writes them, but for parameters.
func (x *function) unwritten() (list []regs.Shadowed) {
	for _, r := range x.f.EntryLive() {
		if !x.isParamReg(r) {
			list = append(list, flowHalves(x.flowReg(r), x.f.Regs[r].Width())...)
		}
	}
	return list
}

// flowHalves is a register as rows of at most 64 bits.
func flowHalves(r regs.Shadowed, w ir.Width) []regs.Shadowed {
	if w != ir.W128 {
		return []regs.Shadowed{r}
	}
	return []regs.Shadowed{r, r.High()}
}

func (x *function) isParamReg(r ir.Reg) bool {
	return slices.ContainsFunc(x.f.Params, func(p *ir.Param) bool { return p.Reg == r })
}

// up16 keeps the parts of a frame's local memory aligned for every access.
func up16(n int64) uint32 { return uint32(n+15) &^ 15 }

// What an instruction takes in a variant: about so many bytes, and steps of a quota.
const codeBytes, instSteps = 200, 64

// variant decodes every instruction.
func (x *function) variant(converged bool) ([]machine.Inst, error) {
	x.quota.Enter("decode")
	x.quota.Take(codeBytes * len(x.f.Insts))
	insts := make([]machine.Inst, len(x.f.Insts))
	for pc := range insts {
		x.quota.Spend(instSteps)
		x.pc, x.onSlots = int32(pc), converged && x.scalar[pc]
		if err := x.inst(&insts[pc]); err != nil {
			return nil, err
		}
	}
	for b := range x.f.Blocks {
		insts[x.f.Blocks[b].First].Flags |= machine.BlockStart
	}
	return insts, nil
}

// inst decodes the instruction at x.pc.
func (x *function) inst(out *machine.Inst) error {
	in := &x.f.Insts[x.pc]
	out.Guard = machine.NoGuard
	b := &sem.Build{Frame: x, In: in, Sel: in.Sel, Out: out, Scalar: x.onSlots, SM1x: x.key.sm1x, Assumptions: x.key.assumptions}
	if in.Inlined {
		b.Nothing()
	} else {
		x.line(x.pc).Do.Plan(b)
		x.depends = append(x.depends, b.Depends...)
	}
	if b.Err == nil {
		table.Whole().Prepare(b)
	}
	if b.Err != nil {
		e := &UnsupportedError{Kernel: x.key.kernel.Name}
		e.add(x.f, in.Sel, in.Pos, b.Err)
		return e
	}
	if in.Guard.Reg != ir.NoReg {
		out.Guard = x.row(in.Guard.Reg)
		if in.Guard.Neg {
			out.Guard |= 1
		}
	}
	if x.onSlots {
		out.Flags |= machine.WritesScalar
		b.Spread(x.spreads(in))
	}
	if in.IsBranch() && x.quiet(in) {
		out.Flags |= machine.QuietLoop
	}
	if x.key.watch.Depends {
		sem.Depend(b)
	}
	if x.key.watch.wants(events.WantsTold) {
		observe.Observe(b, x.rowUses(in), x.key.watch.Observe)
	}
	if x.key.watch.Values {
		observe.Follow(b, x.flowReg, x.f.CC)
	}
	if x.key.watch.wants(events.WantsUse) && (in.Sel.Entry.Effects.Has(^ir.Quiet) || out.Op == uop.Mbarrier) {
		out.Flags |= machine.Watched
	}
	if x.key.watch.wants(events.WantsLoops) && x.loops()[x.pc] {
		observe.Prove(b)
	}
	x.keeps = x.keeps || x.key.watch.wants(events.WantsLeft) && leavesBehind[out.Op]
	x.holds = x.holds || out.Op == uop.FabricAsync
	if x.key.watch.Numbers {
		observe.Numbers(b, x.operandRow)
	}
	if x.key.watch.Trace {
		machine.Traced(out, x.tracedRows(in), observe.ShuffleLane(out.Op))
	}
	if x.key.watch.Step {
		machine.Stepped(out)
	}
	return nil
}

// leavesBehind are the operations, beside asynchronous ones, without which a CTA leaves nothing behind.
var leavesBehind = map[uop.Op]bool{uop.Mbarrier: true, uop.MbarrierMulticast: true, uop.TensorAlloc: true}

// operandRow is where a register is, and its name.
func (x *function) operandRow(r ir.Reg) dataflow.Operand {
	return dataflow.Operand{Row: x.registerRow(r), Name: x.f.Regs[r].Name}
}

// tracedRows lists the rows of an instruction's registers in the order of ir.Func.EachReg.
func (x *function) tracedRows(in *ir.Inst) (list []regs.Row) {
	x.f.EachReg(in, func(r ir.Reg, a ir.Access) {
		row := x.registerRow(r)
		row.Write = a == ir.Write
		list = append(list, row)
	})
	return list
}

// rowUses lists the rows that an instruction of a kernel with asynchronous operations on registers
// reads and writes; what such an operation itself touches late is checked when it is issued.
func (x *function) rowUses(in *ir.Inst) (list []machine.RowUse) {
	if !x.pins {
		return nil
	}
	x.f.EachReg(in, func(r ir.Reg, a ir.Access) {
		use := machine.RowUse{From: x.row(r), Kind: machine.Load}
		if use.To = use.From + rowBytes[x.rowShape(r)]; x.f.Regs[r].Width() == ir.W128 {
			use.To += rowBytes[regs.Row64]
		}
		if a == ir.Write {
			use.Kind = machine.Store
		}
		if x.f.Regs[r].Bits > 1 && !in.Late(a) {
			list = append(list, use)
		}
	})
	return list
}

// pinning reports whether an asynchronous operation in a function writes registers.
func pinning(f *ir.Func) (yes bool) {
	for pc := range f.Insts {
		in := &f.Insts[pc]
		if sem.StartsAsync(in.Sel) {
			f.EachReg(in, func(_ ir.Reg, a ir.Access) { yes = yes || a == ir.Write })
		}
	}
	return yes
}

// spreads lists the uniform registers that an instruction defines and whose rows are read.
func (x *function) spreads(in *ir.Inst) (list []regs.Scalar) {
	x.f.EachReg(in, func(r ir.Reg, a ir.Access) {
		if a == ir.Write && x.spread[r] && x.slot[r] != noSlot {
			list = append(list, regs.Scalar{Slot: x.slot[r], Row: x.row(r), Width: x.rowShape(r)})
		}
	})
	return list
}

func (x *function) rowShape(r ir.Reg) regs.Width {
	if x.f.Regs[r].Width() == ir.W32 {
		return regs.Row32
	}
	return regs.Row64
}

// waits reports whether an instruction may be part of waiting for another thread, or a function that it calls.
func (u *unit) waits(in *ir.Inst) bool {
	if !in.IsCall() || in.Call.Callee == nil || !in.Call.Callee.Defined {
		return in.Waits()
	}
	f := in.Call.Callee
	waits, known := u.waiting[f]
	if !known {
		u.waiting[f] = false // if it calls itself
		waits = slices.ContainsFunc(f.Insts, func(in ir.Inst) bool { return u.waits(&in) })
		u.waiting[f] = waits
	}
	return waits
}
