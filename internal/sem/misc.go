package sem

// Addresses of other spaces, cache hints and the rest: 9.7.9.15 to 9.7.9.24, 9.7.19.

import (
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Launches follow each other, so griddepcontrol has nothing to wait for unless Depend says so; discarded memory may
// hold anything, its old value too.
func miscLines() []Line {
	return []Line{
		{isa.Cvta, Of(isa.M_global, isa.M_const).With(isa.M_u64), Plan(func(b *Build) { b.move(64) }).orScalar(), ""},
		{isa.Cvta, Of(isa.M_param, isa.M_param_entry).With(isa.M_u64), Plan(planCvtaParam).orScalar(), ""},
		{isa.Cvta, Of(isa.M_shared, isa.M_shared_cta, isa.M_shared_cluster).With(isa.M_u64), lane(uop.FromShared), ""},
		{isa.Cvta, Of(isa.M_local).With(isa.M_u64), Plan(planCvtaLocal).orScalar(), ""},
		{isa.CvtaTo, Of(isa.M_global, isa.M_const, isa.M_param, isa.M_param_entry).With(isa.M_u64), Plan(func(b *Build) { b.move(64) }).orScalar(), ""},
		{isa.CvtaTo, Of(isa.M_shared, isa.M_shared_cta, isa.M_shared_cluster).With(isa.M_u64), lane(uop.ToShared), ""},
		{isa.CvtaTo, Of(isa.M_local).With(isa.M_u64), lane(uop.ToLocal), ""},
		{isa.Isspacep, Of(isa.M_global), Plan(planIsspacep(uop.IsGlobal)), ""},
		{isa.Isspacep, Of(isa.M_const), Plan(planIsspacep(uop.IsConst)), ""},
		{isa.Isspacep, Of(isa.M_param, isa.M_param_entry), Plan(planIsspacep(uop.IsParam)), ""},
		{isa.Isspacep, Of(isa.M_shared, isa.M_shared_cta, isa.M_shared_cluster), lane(uop.IsShared), ""},
		{isa.Isspacep, Of(isa.M_local), lane(uop.IsLocal), ""},

		{isa.Mapa, Of(isa.M_u32, isa.M_s32), lane(uop.Mapa32), ""},
		{isa.Mapa, Of(isa.M_u32, isa.M_s32).With(isa.M_shared_cluster), lane(uop.Mapa32), ""},
		{isa.Mapa, Of(isa.M_u64, isa.M_s64), lane(uop.Mapa64), ""},
		{isa.Mapa, Of(isa.M_u64, isa.M_s64).With(isa.M_shared_cluster), lane(uop.Mapa64), ""},
		{isa.Getctarank, Of(isa.M_u32, isa.M_s32), lane(uop.CtaRank32), ""},
		{isa.Getctarank, Of(isa.M_u32, isa.M_s32).With(isa.M_shared_cluster), lane(uop.CtaRank32), ""},
		{isa.Getctarank, Of(isa.M_u64, isa.M_s64), lane(uop.CtaRank64), ""},
		{isa.Getctarank, Of(isa.M_u64, isa.M_s64).With(isa.M_shared_cluster), lane(uop.CtaRank64), ""},

		{isa.MbarrierPendingCount, nil, lane(uop.PendingCount), ""},
		{isa.MbarrierPendingCount, Of(isa.M_layout_v0), lane(uop.PendingCount), ""},

		{isa.Prefetch, nil, Plan((*Build).Nothing, isa.C_space, isa.C_level, isa.C_priority, isa.C_gspace, isa.C_mapspace), ""},
		{isa.Prefetchu, nil, Plan((*Build).Nothing), ""},
		{isa.Applypriority, nil, Plan((*Build).Nothing, isa.C_ss), ""},
		{isa.Discard, nil, Plan((*Build).Nothing, isa.C_ss), ""},

		{isa.Nanosleep, nil, Plan(planNanosleep), ""},
		{isa.Trap, nil, Plan(planTrap), ""},
		{isa.Brkpt, nil, Plan(func(b *Build) { b.Does(uop.Breakpoint) }), ""},
		{isa.Pmevent, nil, Plan((*Build).Nothing).Sees(isa.M_mask), ""},
		{isa.Setmaxnreg, nil, Plan(planRegisters, isa.C_action).Assuming(assume.RegisterPool), ""},
		{isa.Griddepcontrol, nil, Plan((*Build).Nothing, isa.C_action), ""},
	}
}

// Generic addresses of the windows. Global, constant and parameter memory have their own
// addresses as generic ones.

func fromShared(a uint64) uint64 { return mem.SharedWindow + a }
func toShared(a uint64) uint64   { return a - mem.SharedWindow }
func fromLocal(a uint64) uint64  { return mem.LocalWindow + a }
func toLocal(a uint64) uint64    { return a - mem.LocalWindow }
func isShared(a uint64) bool     { return mem.InShared(a) }
func isLocal(a uint64) bool      { return mem.InLocal(a) }

// Constants and kernel parameters are allocations that kernels must not write. What is in no
// window is global, and the window of parameters lies in that of global (6.4.1.1, 9.7.9.19).

func isParam(w *machine.Warp, a uint64) bool {
	return a-w.Params() < uint64(len(w.Launch().Params))
}

func isConst(w *machine.Warp, a uint64) bool {
	v, ok := w.Arena().Find(a)
	return ok && v.ReadOnly && !isParam(w, a)
}

func isGlobal(w *machine.Warp, a uint64) bool {
	return !mem.InShared(a) && !mem.InLocal(a) && !isConst(w, a)
}

// planIsspacep is for the spaces that only the launch can tell apart.
func planIsspacep(op uop.Op) func(*Build) {
	return func(b *Build) {
		ops := b.In.Ops
		width := b.OperandBits(&ops[1], 64)
		b.Out.D, b.Out.A, b.Out.Imm = b.Dst(&ops[0], 1), b.Src(&ops[1], width), uint64(width)
		b.Does(op)
	}
}

func inGlobal(w *machine.Warp, in *machine.Inst) machine.State { return inSpace(w, in, isGlobal) }
func inConst(w *machine.Warp, in *machine.Inst) machine.State  { return inSpace(w, in, isConst) }
func inParam(w *machine.Warp, in *machine.Inst) machine.State  { return inSpace(w, in, isParam) }

func inSpace(w *machine.Warp, in *machine.Inst, is func(*machine.Warp, uint64) bool) machine.State {
	p := uint32(0)
	Each(w.Mask, func(i int) { p |= Bit(is(w, LoadElem(w, in.A, int(in.Imm), i))) << i })
	SetMask(w, in.D, p)
	return machine.Next
}

// 9.7.9.23, 9.7.9.24: the rank of a CTA stands at bit 24 of its shared addresses, and of the generic ones.

func mapa32(a, rank uint32) uint32        { return a&(mem.MaxShared-1) | rank<<mem.RankShift }
func mapa64(a uint64, rank uint32) uint64 { return mem.InRank(a, uint64(rank)) }
func ctaRank32(a uint32) uint32           { return a >> mem.RankShift }
func ctaRank64(a uint64) uint32           { return uint32(a >> mem.RankShift & (1<<mem.RankBits - 1)) }

// pendingCount takes the count out of the state of an arrival.
func pendingCount(state uint64) uint32 { return mem.TokenPending(state) }

// planCvtaLocal: a variable of the frame has its address added at run time.
func planCvtaLocal(b *Build) {
	if b.frameSymbol(&b.In.Ops[0], &b.In.Ops[1], mem.LocalWindow) {
		return
	}
	lane(uop.FromLocal).Plan(b)
}

// planCvtaParam: kernels may move the address of a parameter through a register of 32 bits, as the window of parameters is
// small on hardware. A parameter that is named has its whole address.
func planCvtaParam(b *Build) {
	if b.In.Ops[1].Kind != ir.OpReg {
		b.move(64)
		return
	}
	do := lane(uop.FromKernel)
	b.Out.D, b.Out.A, b.Out.B = b.Dst(&b.In.Ops[0], 64), b.Src(&b.In.Ops[1], 64), b.KernelParam(b.shape(64), 0)
	b.Does(do.op)
}

// fromKernel gives addresses below 2^32 the upper half of the parameters' address.
func fromKernel(a, params uint64) uint64 {
	if a>>32 != 0 {
		return a
	}
	return a | params&^0xffffffff
}

// registersOp is the decode-time constant of setmaxnreg.
type registersOp struct {
	uop.Private
	machine.RegisterChange
}

// Depend gives griddepcontrol its handlers in code for launches that run beside each other.
func Depend(b *Build) {
	if b.Sel.ID() != isa.Griddepcontrol {
		return
	}
	does := (*machine.Warp).LaunchDependents
	if b.Sel.Get(isa.C_action) == isa.M_wait {
		does = (*machine.Warp).AwaitGrids
	}
	b.Out.Full, b.Out.Part = does, does
}

// planRegisters sets up setmaxnreg count.
func planRegisters(b *Build) {
	count, more, _ := Registers(b.In)
	b.Ext().Data = &registersOp{RegisterChange: machine.RegisterChange{Count: count, More: more, Endless: b.Assume(assume.RegisterPool) == 1}}
	b.Does(uop.ChangeRegisters)
}

// Registers reports whether a statement changes the registers of its warp, to how many, and whether by more.
func Registers(in *ir.Inst) (count uint32, more, ok bool) {
	if in.Sel.ID() != isa.Setmaxnreg {
		return 0, false, false
	}
	return uint32(in.Ops[0].Imm), in.Sel.Get(isa.C_action) == isa.M_inc, true
}

func changeRegisters(w *machine.Warp, in *machine.Inst) machine.State {
	return w.ChangeRegisters(in, &in.Ext.Data.(*registersOp).RegisterChange)
}

func planNanosleep(b *Build) {
	b.Out.A = b.Src(&b.In.Ops[0], 32)
	b.Does(uop.Nanosleep)
}

// nanosleep sleeps as long as the lane that sleeps longest.
func nanosleep(w *machine.Warp, in *machine.Inst) machine.State {
	t, most := w.R32(in.A), uint32(0)
	Each(w.Mask, func(i int) { most = max(most, t[i]) })
	return w.Sleep(uint64(most))
}

func planTrap(b *Build) { b.Does(uop.Trap) }

func trap(w *machine.Warp, in *machine.Inst) machine.State {
	return w.Fault(in, &machine.Fault{Kind: faults.Trap, Lanes: w.Mask})
}
