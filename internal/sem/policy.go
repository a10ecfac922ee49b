package sem

// Cache policies, 9.7.9.18. A policy says what caches should keep, which no result shows; but programs hand its bits about, compare
// them with constants of their own (CUTLASS's EVICT_FIRST) and make them on the host. The manual calls them opaque; their layout is
// that of libcu++ (cuda/__annotated_ptr/access_property_encoding.h), their arithmetic that of the code ptxas 13.5 emits:
//
//	share  4 bits at 52   sixteenths of the accesses with the primary priority, less one
//	range  7 bits at 37   blocks; 7 bits at 44: the first; 4 bits at 52: the binary logarithm of their size, less 12
//	both   1 bit at 56    the secondary priority; 2 bits at 57: the primary one; 2 bits at 59: the kind

import (
	"cmp"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func policyLines() []Line {
	classes := []isa.Class{isa.C_primary, isa.C_secondary}
	return []Line{
		{isa.CreatepolicyRange, nil, Plan(planPolicyRange, append(classes, isa.C_ss)...), ""},
		{isa.CreatepolicyFractional, nil, Plan(planPolicyShare, classes...).orScalar(), ""},
		{isa.CreatepolicyCvt, nil, Plan(func(b *Build) { b.move(64) }).orScalar(), ""},
	}
}

// Where the fields of a policy begin, and its kinds.
const (
	policyBlocks     = 37
	policyFirst      = 44
	policyShareAt    = 52
	policySecondary  = 56
	policyPrimary    = 57
	policyKind       = 59
	policyOfShare    = 2 << policyKind
	policyOfRange    = 3 << policyKind
	policyMostBlocks = 127
	policyLeastBlock = 12         // the binary logarithm of 4 KiB
	policyFullShare  = 0x417fd70a // 15.99 as .f32
	policyWhole      = 0x3f800000 // 1.0
)

// policyPriority is the number of each priority.
var policyPriority = map[isa.Mod]uint64{
	isa.M_L2_evict_unchanged: 0, isa.M_L2_evict_first: 1, isa.M_L2_evict_last: 2, isa.M_L2_evict_normal: 3,
}

// priorities is both priorities in their place.
func priorities(sel *isa.Sel) uint64 {
	return policyPriority[sel.Get(isa.C_primary)]<<policyPrimary | policyPriority[sel.Get(isa.C_secondary)]<<policySecondary
}

// planPolicyShare sets up createpolicy.fractional: a constant, as compilers write it, is moved. All accesses are meant where no
// fraction is given.
func planPolicyShare(b *Build) {
	all := ir.Operand{Kind: ir.OpImm, Imm: policyWhole}
	fraction := cmp.Or(b.In.Op(isa.R_fraction), &all)
	b.Out.D = b.Dst(&b.In.Ops[0], 64)
	if fraction.Kind == ir.OpImm {
		b.Out.A = b.Constant(policyShare(uint32(fraction.Imm), priorities(b.Sel)), 64)
		b.copyOf(64)
		return
	}
	do := lane(uop.PolicyShare)
	b.Out.A, b.Out.B = b.Src(fraction, 32), b.Constant(priorities(b.Sel), 64)
	b.Does(do.op)
}

// policyShare is the policy of a fraction; of one beyond 1.0 four bits are left.
func policyShare(fraction uint32, priorities uint64) uint64 {
	sixteenths := uint64(num.CvtRziU32F32(num.MulF32(fraction, policyFullShare)))
	return policyOfShare | priorities | sixteenths&15<<policyShareAt
}

// policyOp is the decode-time constant of createpolicy.range.
type policyOp struct {
	uop.Private
	from           Address
	primary, total uint32 // rows: bytes
	priorities     uint64
}

func planPolicyRange(b *Build) {
	b.Out.D = b.Dst(&b.In.Ops[0], 64)
	b.Ext().Data = &policyOp{
		from: b.AddressAt(b.In.Op(isa.R_a)), priorities: priorities(b.Sel),
		primary: b.Src(b.In.Op(isa.R_primary_size), 32), total: b.Src(b.In.Op(isa.R_total_size), 32),
	}
	b.Does(uop.PolicyRange)
}

func makePolicyRange(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*policyOp)
	var from [32]uint64
	o.from.Lanes(w, &from, 0)
	d, primary, total := w.R64(in.D), w.R32(o.primary), w.R32(o.total)
	Each(w.Mask, func(i int) { d[i] = policyRange(from[i], primary[i], total[i], o.priorities) })
	return machine.Next
}

// policyRange is the policy of a range of total bytes around the primary ones. No more than 128 blocks make up the whole range, so
// their size follows from its binary logarithm, which is that of the function unit: a little more than a power of two counts as one.
// A range of no bytes has no priorities.
func policyRange(from uint64, primary, total uint32, priorities uint64) uint64 {
	if total == 0 {
		return policyOfRange
	}
	log := num.CvtRpiU32F32(num.Lg2ApproxF32(num.CvtF32U32(total)))
	block := uint32(max(int32(log)-7, policyLeastBlock))
	first := from >> block
	blocks := (from+uint64(primary-1+1<<block))>>block - first
	return policyOfRange | priorities | uint64(block-policyLeastBlock)&15<<policyShareAt |
		first&policyMostBlocks<<policyFirst | min(blocks, policyMostBlocks)<<policyBlocks
}
