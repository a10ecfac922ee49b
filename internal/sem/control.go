package sem

// Control flow, 9.7.12: the machine moves the lanes.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func controlLines() []Line {
	return []Line{
		{isa.Bra, nil, Plan(planBranch), ""},
		{isa.BrxIdx, nil, Plan(planBranchTable), ""},
		{isa.Ret, nil, Plan(func(b *Build) { b.Does(uop.Return) }), ""},
		{isa.Exit, nil, Plan(func(b *Build) { b.Does(uop.Exit) }), ""},
	}
}

// planBranch: decode has put the targets into To and the reconvergence pc into D.
func planBranch(b *Build) {
	b.Out.Imm = uint64(b.Targets()[0])
	b.Out.D = b.Reconvergence()
	b.Does(uop.Branch)
}

// branch takes the lanes that the guard left.
func branch(w *machine.Warp, in *machine.Inst) machine.State {
	return w.Branch(in, w.Mask, int32(in.Imm))
}

// brx.idx index, list: 9.7.12.4.
func planBranchTable(b *Build) {
	b.Ext().To = b.Targets()
	b.Out.D = b.Reconvergence()
	b.Out.A = b.Src(&b.In.Ops[0], 32)
	b.Does(uop.BranchTable)
}

func branchTable(w *machine.Warp, in *machine.Inst) machine.State {
	index := w.R32(in.A)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if int(index[i]) >= len(in.Ext.To) {
			return w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: 1 << i, Value: uint64(index[i]), Want: uint64(len(in.Ext.To))})
		}
	}
	return w.BranchTable(in, index)
}

func ret(w *machine.Warp, in *machine.Inst) machine.State  { return w.Ret(in) }
func exit(w *machine.Warp, in *machine.Inst) machine.State { return w.Exit(in) }
