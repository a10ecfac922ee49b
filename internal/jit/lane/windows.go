package lane

import (
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// windows are addresses of shared and local memory as generic ones, and of the CTAs of a cluster (9.7.9.20 to 9.7.9.24).
var windows = map[uop.Op]Lowering{
	uop.FromShared: moved(ssa.Add, mem.SharedWindow), uop.ToShared: moved(ssa.Sub, mem.SharedWindow),
	uop.FromLocal: moved(ssa.Add, mem.LocalWindow), uop.ToLocal: moved(ssa.Sub, mem.LocalWindow),
	uop.IsShared: inWindow(mem.SharedWindow), uop.IsLocal: inWindow(mem.LocalWindow),
	uop.FromKernel: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		whole := or(f, in[0], and(f, in[1], f.Wide(^uint64(1<<32-1))))
		return f.Sel(f.Cmp(ssa.LtU, in[0], f.Wide(1<<32)), whole, in[0])
	},
	uop.CtaRank32: func(f *ssa.Func, in []ssa.Value) ssa.Value { return shr(f, in[0], mem.RankShift) },
	uop.CtaRank64: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return low(f, shr(f, trunc(f, in[0]), mem.RankShift), mem.RankBits)
	},
	uop.Mapa32: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return or(f, low(f, in[0], mem.RankShift), shl(f, in[1], mem.RankShift))
	},
	uop.Mapa64: func(f *ssa.Func, in []ssa.Value) ssa.Value {
		const ranks = (1<<mem.RankBits - 1) << mem.RankShift
		return f.Bin(ssa.Add, and(f, in[0], f.Wide(^uint64(ranks))), shl(f, zext(f, in[1]), mem.RankShift))
	},
}

func moved(c ssa.Code, by uint64) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value { return f.Bin(c, in[0], f.Wide(by)) }
}

func inWindow(start uint64) Lowering {
	return func(f *ssa.Func, in []ssa.Value) ssa.Value {
		return f.Cmp(ssa.LtU, f.Bin(ssa.Sub, in[0], f.Wide(start)), f.Wide(mem.WindowSize))
	}
}
