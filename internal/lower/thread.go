package lower

// This file lowers registers and local memory at module scope that functions share (7.1.1; PTX before 3.0): both lie in local
// memory at offsets that are the same for all frames of a thread, below the frames of its kernel. A statement works on
// copies in registers of its function, loaded before it and stored behind it; other threads see nothing of either.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// slotBytes is the room of a register there.
const slotBytes = 16

// shareThread places what kernels and functions share. Where there are kernels alone, each has its own (registers, sharedLocal).
func (l *lowerer) shareThread() {
	for _, f := range l.info.Funcs {
		l.shares = l.shares || !f.Entry && f.Node.Body != nil
	}
	if !l.shares {
		return
	}
	for _, o := range l.info.Objects {
		local := o.Kind == check.Variable && o.Space == check.Local
		if !ofModule(o) || !local && o.Kind != check.Register {
			continue
		}
		v := l.newVar(o)
		if !local {
			v.Space, v.Type, v.Vec, v.Align = ir.SpaceLocal, bitsType(8), 1, slotBytes
			v.Size = slotBytes * max(int64(o.Count), 1) * max(int64(o.Vector), 1)
			v.Dims = []int64{v.Size}
		}
		v.Name = unique(l.names, o.Name)
		l.thread.place(v)
		l.vars[o.ID] = v
		l.m.Vars = append(l.m.Vars, v)
	}
	l.thread.size = alignUp(l.thread.size, slotBytes)
}

// touched is a register at module scope that the statement being lowered names.
type touched struct {
	reg  ir.Reg
	slot ir.Operand
}

// touch loads a shared register in front of the statement that names it first.
func (b *bodyLowerer) touch(k regKey, r ir.Reg) {
	for _, t := range b.touches {
		if t.reg == r {
			return
		}
	}
	at := int64(k.index)*max(int64(k.object.Vector), 1) + int64(k.comp)
	t := touched{r, ir.Operand{Kind: ir.OpMem, Reg: ir.NoReg, Var: b.vars[k.object.ID], Imm: uint64(at * slotBytes)}}
	b.touches = append(b.touches, t)
	here := ir.Operand{Kind: ir.OpReg, Reg: r}
	if typ := b.f.Regs[r].Type; typ.Kind() != isa.Predicate {
		b.emit(localAccess(isa.Ld, typ), here, t.slot)
		return
	}
	word := b.temporary(bitsType(32))
	b.emit(localAccess(isa.Ld, bitsType(32)), word, t.slot)
	b.emit(predicateForm(isa.Setp, ".ne"), here, word, ir.Operand{Kind: ir.OpImm})
}

// settle stores what the statement has written.
func (b *bodyLowerer) settle(in *ir.Inst) {
	for _, t := range b.touches {
		if !in.IsBranch() && !in.IsReturn() && (!in.IsCall() || b.returned(in, t.reg)) {
			b.keep(t)
		}
	}
	b.touches = b.touches[:0]
}

// returned reports whether a register is a result of a call: others may have been changed by the function.
func (b *bodyLowerer) returned(in *ir.Inst, r ir.Reg) bool {
	for i := range in.Call.Rets {
		if o := &in.Call.Rets[i]; o.Kind == ir.OpReg && o.Reg == r {
			return true
		}
	}
	for i := range b.behind {
		if o := &b.behind[i].Ops[0]; o.Kind == ir.OpReg && o.Reg == r {
			return true
		}
	}
	return false
}

func (b *bodyLowerer) keep(t touched) {
	here := ir.Operand{Kind: ir.OpReg, Reg: t.reg}
	if typ := b.f.Regs[t.reg].Type; typ.Kind() != isa.Predicate {
		b.emit(localAccess(isa.St, typ), t.slot, here)
		return
	}
	word := b.temporary(bitsType(32))
	b.emit(predicateForm(isa.Selp, ""), word, ir.Operand{Kind: ir.OpImm, Imm: 1}, ir.Operand{Kind: ir.OpImm}, here)
	b.emit(localAccess(isa.St, bitsType(32)), t.slot, word)
}

// localAccess is the form of ld or st for a register and local memory.
func localAccess(id isa.ID, reg isa.Type) *isa.Sel {
	ops := []isa.Shape{{Kind: isa.ShapeReg, Type: reg},
		{Kind: isa.ShapeAddr, Elems: []isa.Shape{{Kind: isa.ShapeReg, Type: bitsType(64)}}}}
	if id == isa.St {
		ops[0], ops[1] = ops[1], ops[0]
	}
	return matched(ops, isa.Table().Entry(id).Opcode[0], ".local", bitsType(reg.Bits()).String())
}

// predicateForm is setp from a word, or selp to one.
func predicateForm(id isa.ID, mode string) *isa.Sel {
	pred, word, zero := isa.Shape{Kind: isa.ShapeReg, Type: isa.PredType()}, isa.Shape{Kind: isa.ShapeReg, Type: bitsType(32)}, isa.Shape{Kind: isa.ShapeImm}
	ops := []isa.Shape{pred, word, zero}
	if id == isa.Selp {
		ops = []isa.Shape{word, zero, zero, pred}
	}
	return matched(ops, strings.Fields(isa.Table().Entry(id).Opcode[0]+" "+mode+" .u32")...)
}

func matched(ops []isa.Shape, tokens ...string) *isa.Sel {
	sel, _ := isa.Table().Match(&isa.Query{Tokens: tokens, Version: isa.Latest, Target: isa.MustTarget("sm_90"), Operands: ops})
	return sel
}

// joinThreads makes room in every kernel for what the threads of all modules share, one module behind the other.
func joinThreads(modules []*ir.Module) {
	sizes, total := make([]int64, len(modules)), int64(0)
	for i, m := range modules {
		for _, v := range m.Vars {
			if v.Space == ir.SpaceLocal {
				sizes[i] = max(sizes[i], alignUp(v.Offset+v.Size, slotBytes))
				v.Offset += total
			}
		}
		total += sizes[i]
	}
	for i, m := range modules {
		for _, f := range m.Funcs {
			if more := total - sizes[i]; f.Entry && more > 0 {
				f.CallBytes += more
				for _, v := range f.Locals {
					if v.Space == ir.SpaceParam {
						v.Offset += more
					}
				}
			}
		}
	}
}
