package sem

// Extended precision, 9.7.2: the carry flag CC.CF of each lane is a bit of a predicate.

import (
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func carryLines() []Line {
	return []Line{
		{isa.AddCc, Of(isa.M_u32, isa.M_s32), carry(lane(uop.AddC32)), ""},
		{isa.AddCc, Of(isa.M_u64, isa.M_s64), carry(lane(uop.AddC64)), ""},
		{isa.Addc, Of(isa.M_u16, isa.M_s16), carry(lane(uop.AddC16)), ""},
		{isa.Addc, Of(isa.M_u32, isa.M_s32), carry(lane(uop.AddC32)), ""},
		{isa.Addc, Of(isa.M_u64, isa.M_s64), carry(lane(uop.AddC64)), ""},
		{isa.SubCc, Of(isa.M_u32, isa.M_s32), assumption(assume.CarryOfSub, complement(lane(uop.SubC32)), carry(lane(uop.SubBorrow32))), ""},
		{isa.SubCc, Of(isa.M_u64, isa.M_s64), assumption(assume.CarryOfSub, complement(lane(uop.SubC64)), carry(lane(uop.SubBorrow64))), ""},
		{isa.Subc, Of(isa.M_u16, isa.M_s16), assumption(assume.CarryOfSub, complement(lane(uop.SubC16)), carry(lane(uop.SubBorrow16))), ""},
		{isa.Subc, Of(isa.M_u32, isa.M_s32), assumption(assume.CarryOfSub, complement(lane(uop.SubC32)), carry(lane(uop.SubBorrow32))), ""},
		{isa.Subc, Of(isa.M_u64, isa.M_s64), assumption(assume.CarryOfSub, complement(lane(uop.SubC64)), carry(lane(uop.SubBorrow64))), ""},

		{isa.MadLoCc, Of(isa.M_u32, isa.M_s32), carry(lane(uop.MadLoC32)), ""},
		{isa.MadLoCc, Of(isa.M_u64, isa.M_s64), carry(lane(uop.MadLoC64)), ""},
		{isa.MadHiCc, Of(isa.M_u32), carry(lane(uop.MadHiCU32)), ""},
		{isa.MadHiCc, Of(isa.M_s32), carry(lane(uop.MadHiCS32)), ""},
		{isa.MadHiCc, Of(isa.M_u64), carry(lane(uop.MadHiCU64)), ""},
		{isa.MadHiCc, Of(isa.M_s64), carry(lane(uop.MadHiCS64)), ""},
		{isa.MadcLo, Of(isa.M_u16, isa.M_s16), carry(lane(uop.MadLoC16)), ""},
		{isa.MadcLo, Of(isa.M_u32, isa.M_s32), carry(lane(uop.MadLoC32)), ""},
		{isa.MadcLo, Of(isa.M_u64, isa.M_s64), carry(lane(uop.MadLoC64)), ""},
		{isa.MadcHi, Of(isa.M_u16), carry(lane(uop.MadHiCU16)), ""},
		{isa.MadcHi, Of(isa.M_s16), carry(lane(uop.MadHiCS16)), ""},
		{isa.MadcHi, Of(isa.M_u32), carry(lane(uop.MadHiCU32)), ""},
		{isa.MadcHi, Of(isa.M_s32), carry(lane(uop.MadHiCS32)), ""},
		{isa.MadcHi, Of(isa.M_u64), carry(lane(uop.MadHiCU64)), ""},
		{isa.MadcHi, Of(isa.M_s64), carry(lane(uop.MadHiCS64)), ""},
	}
}

// ptxas takes 16-bit types where no carry is written, so the carry out is never read.

func addC16(a, b, cin uint32) (d, cout uint32) { return num.Add16(a+cin, b), 0 }
func subC16(a, b, cin uint32) (d, cout uint32) { return num.Add16(a+cin, ^b), 0 }

func subBorrow16(a, b, bin uint32) (d, bout uint32) { return num.Sub16(a-bin, b), 0 }

func madLoC16(a, b, c, cin uint32) (d, cout uint32)  { return num.MadLo16(a, b, c+cin), 0 }
func madHiCU16(a, b, c, cin uint32) (d, cout uint32) { return num.MadHiU16(a, b, c+cin), 0 }
func madHiCS16(a, b, c, cin uint32) (d, cout uint32) { return num.MadHiS16(a, b, c+cin), 0 }

// carryDo is a lane function whose last operand and result are the carry.
type carryDo struct {
	laneDo
	first uint64 // predicate that comes in where the statement takes no carry
}

func carry(l laneDo) carryDo { return carryDo{laneDo: l} }

// complement is for subtraction as the sum of a and ~b, with a carry that comes in. Between subtractions its
// flag does what the borrow does.
func complement(l laneDo) carryDo { return carryDo{l, 1<<32 - 1} }

// Reads: .cc is in ir.Inst.Carry.
func (carryDo) Reads(_ *isa.Sel, m isa.Mod) bool { return m == isa.M_cc }

// Plan puts the offsets of the two flags into the immediate, carry in below carry out.
func (c carryDo) Plan(b *Build) {
	in, out := b.Const(regs.Pred, c.first), b.Scratch(regs.Pred)
	if b.In.Carry&ir.CarryIn != 0 {
		in = b.Carry()
	}
	if b.In.Carry&ir.CarryOut != 0 {
		out = b.Carry()
	}
	b.Out.Imm = uint64(out)<<32 | uint64(in)
	c.laneDo.Plan(b)
}
