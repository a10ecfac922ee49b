package async

// Floats of eight bits, which are reduced byte by byte: multimem.ld_reduce and fabric.try_pullred.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var (
	e4m3Types  = []isa.Mod{isa.M_e4m3, isa.M_e4m3x2, isa.M_e4m3x4}
	smallTypes = append([]isa.Mod{isa.M_e5m2, isa.M_e5m2x2, isa.M_e5m2x4}, e4m3Types...)
)

// tinyReduction reduces the bytes of elements.
type tinyReduction struct {
	num.Small
	op isa.Mod
}

// newTinyReduction reads the statement.
func newTinyReduction(b *sem.Build) *tinyReduction {
	t := &tinyReduction{op: b.Sel.Get(isa.C_op)}
	t.Type, t.Wide, t.Saturate = num.E5M2, b.Sel.Has(isa.M_acc_f16), b.Assume(assume.SmallSum) == 0
	if slices.Contains(e4m3Types, b.Sel.Get(isa.C_type)) {
		t.Type = num.E4M3
	}
	return t
}

func planMultimemSmall(b *sem.Build) {
	o := newMultimemOp(b, &b.In.Ops[1], &b.In.Ops[0], machine.Load)
	o.tiny = newTinyReduction(b)
	b.Does(uop.MultimemLoad)
}

// combine reduces the elements of the copies, of so many bytes each.
func (t *tinyReduction) combine(list []uint64, size int) (out uint32) {
	bytes := make([]uint32, len(list))
	for k := range size {
		for i, v := range list {
			bytes[i] = uint32(v>>(8*k)) & 0xff
		}
		out |= t.fold(bytes) << (8 * k)
	}
	return out
}

func (t *tinyReduction) fold(list []uint32) uint32 {
	switch t.op {
	case isa.M_min:
		return t.Min(list)
	case isa.M_max:
		return t.Max(list)
	}
	return t.Sum(list)
}
