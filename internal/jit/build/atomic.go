package build

import (
	"ptxvm.invalid/ptxvm/internal/jit/lane"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has atomic operations (9.7.13.5, 9.7.13.6): lane by lane in ascending order, as the interpreter has them, or once for all lanes
// where these update one element and do not ask what was there. Shared memory belongs to the thread of the host that runs the CTA.

// updates are what functions of an old value and an operand do. Halves have none: the interpreter executes them.
var updates = map[uop.Op]ssa.Update{
	uop.Add32: ssa.UpdateAdd, uop.And32: ssa.UpdateAnd, uop.Or32: ssa.UpdateOr, uop.Xor32: ssa.UpdateXor,
	uop.Add64: ssa.UpdateAdd, uop.And64: ssa.UpdateAnd, uop.Or64: ssa.UpdateOr, uop.Xor64: ssa.UpdateXor,
	uop.MinS32: ssa.UpdateMinS, uop.MaxS32: ssa.UpdateMaxS, uop.MinU32: ssa.UpdateMinU, uop.MaxU32: ssa.UpdateMaxU,
	uop.MinS64: ssa.UpdateMinS, uop.MaxS64: ssa.UpdateMaxS, uop.MinU64: ssa.UpdateMinU, uop.MaxU64: ssa.UpdateMaxU,
	uop.AtomExch32: ssa.UpdateExch, uop.AtomExch64: ssa.UpdateExch, uop.AtomIncU32: ssa.UpdateInc, uop.AtomDecU32: ssa.UpdateDec,
	uop.AddF32: ssa.UpdateAddF, uop.AddF64: ssa.UpdateAddF, uop.AtomAddGlobalF32: ssa.UpdateAddFlat,
}

// atomic builds one.
func (p *path) atomic(pc int32, op *sem.Operation, guard ssa.Value) {
	in, m := &p.code.Insts[pc], &op.Memory
	u := updates[op.Fn]
	if op.Kind == sem.OpCas {
		u = ssa.UpdateCas
	}
	if u == ssa.NoUpdate || m.Elem < 4 || m.Space == machine.Local {
		refuse("%v of this kind", in.Op)
	}
	a := &ssa.Access{Elem: uint8(m.Elem), Count: 1, Align: uint8(m.Align), Bits: []uint8{0}, Disp: int64(in.Imm)}
	e := &ssa.Effect{Kind: ssa.Atomic, Access: a, Update: u, Locked: m.Space != machine.Shared, PC: pc, Mask: p.And(p.mask, guard)}
	t := lane.TypeOf(m.Bits[0])
	for _, off := range m.At {
		e.Args = append(e.Args, p.read(pc, off, t, false))
	}
	dst := uint32(machine.NoGuard)
	if len(in.Ext.Dst) > 0 && p.lives(in.Ext.Dst[0], pc+1) {
		dst, a.Bits[0] = in.Ext.Dst[0], uint8(m.Bits[0])
	}
	p.addressOf(pc, a, m)
	if dst == machine.NoGuard && a.Index == 0 && a.Step == 0 {
		p.once(e)
	}
	p.access(e)
	p.words = words{}
	if dst != machine.NoGuard {
		p.put(dst, p.NewResult(p.block, e, t, false), guard)
	}
}

// once has lanes that update one element do it together, if that can be.
func (p *path) once(e *ssa.Effect) {
	if v := p.Combine(e.Update, e.Mask, e.Args[0]); v != 0 {
		e.Kind, e.Args[0], e.Mask = ssa.AtomicOnce, v, p.Any(e.Mask)
	}
}
