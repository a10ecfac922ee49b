package image

// References to surfaces, textures and samplers (5.3): where the lanes have their handles.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// reference is an operand that names a surface, texture or sampler.
type reference struct {
	by uop.Addressing // ByRow64, ByKernel, ByConst
	at uint64         // a row of handles, an offset in the kernel's parameters, the handle
}

// newReference finds the handle of an operand: a variable or parameter of the type, or a register.
func newReference(b *sem.Build, a *ir.Operand) reference {
	switch {
	case a.Kind == ir.OpReg || a.Kind == ir.OpMem && a.Reg != ir.NoReg:
		return reference{uop.ByRow64, uint64(b.Src(&ir.Operand{Kind: ir.OpReg, Reg: a.Reg}, 64))}
	case a.Kind == ir.OpImm:
		return reference{uop.ByConst, a.Imm}
	case a.Var == nil:
		b.Fail("BUG: a reference without name")
		return reference{}
	case b.Home(a.Var) == sem.HomeKernelParam:
		return reference{uop.ByKernel, a.Imm + uint64(a.Var.Offset)}
	}
	addr, err := b.Symbol(a)
	if err != nil {
		b.Fail("%w", err)
	}
	return reference{uop.ByConst, addr}
}

// of returns the handles; row is nil if all lanes have one.
func (r reference) of(w *machine.Warp, in *machine.Inst) (one uint64, row *[32]uint64) {
	switch r.by {
	case uop.ByRow64:
		return 0, w.R64(uint32(r.at))
	case uop.ByConst:
		return r.at, nil
	}
	return sem.KernelHandle(w, in, r.at), nil
}
