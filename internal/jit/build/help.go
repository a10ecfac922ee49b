package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has the interpreter execute what there is no operation for, in the middle of the code: what the instruction reads is brought to
// the warp's register block, its handler executes it for the lanes that run, and what it has written is brought back from there
// (machine/nativehelp.go). Where the lanes do not simply go on behind it the code leaves in front of it. Registers of 128 bits have no
// values here: they stay in the register block, and whatever reads or writes one is executed so.

// helps says that a region has an instruction that is executed so.
type helps struct{}

// helped has the running instruction executed so, which has been refused for a reason that stands if it cannot be.
func (p *path) helped(pc int32, guard ssa.Value, why Refusal) {
	switch {
	case !p.mayHelp(pc):
		panic(why)
	case p.group != nil:
		p.wholeWarp()
	case len(p.home) > 0: // variables are not where they were when the region began
		panic(helps{})
	}
	lanes := p.mask
	for _, m := range p.waiting {
		lanes = p.Or(lanes, m)
	}
	e := p.block.Add(&ssa.Effect{Kind: ssa.Helper, PC: pc, Mask: p.mask, Args: []ssa.Value{lanes}, State: p.state(pc), Homes: p.given(pc)})
	if p.isNone(e.Mask) {
		return
	}
	p.words = words{}
	back := p.block.Add(&ssa.Effect{Kind: ssa.Resume})
	p.eachWritten(pc, func(g ir.Reg, h ssa.Home) {
		back.Homes = append(back.Homes, h)
		p.NewResult(p.block, back, typeOf(p.fn.Regs[g].Width()), h.Kind == ssa.Slot)
	})
	for i, h := range back.Homes {
		p.put(h.Off, back.Results[i], guard)
	}
}

// mayHelp tells whether an instruction can be executed so: not what calls, waits or moves lanes, or frees memory of which bounds are known.
func (b *builder) mayHelp(pc int32) bool {
	in := &b.code.Insts[pc]
	return b.opt.Helpers && in.Op.Reach() <= uop.ReachClock && in.Op != uop.CallRuntime
}

// given are the variables that an instruction reads, and the special registers that differ between CTAs.
func (p *path) given(pc int32) []ssa.Home {
	l := homeList{path: p, seen: map[uint32]bool{}}
	p.fn.EachReg(&p.fn.Insts[pc], func(g ir.Reg, a ir.Access) {
		if a == ir.Read {
			l.add(pc, g)
		}
	})
	return append(l.list, p.specialHomes()...)
}

// eachWritten visits the registers that an instruction writes and that live behind it, with where it does: beside those of 128 bits.
func (p *path) eachWritten(pc int32, visit func(ir.Reg, ssa.Home)) {
	seen, live := map[uint32]bool{}, p.liveAt(pc+1)
	p.fn.EachReg(&p.fn.Insts[pc], func(g ir.Reg, a ir.Access) {
		off, w := p.rowOf[g], p.fn.Regs[g].Width()
		if a != ir.Write || off == noRow || w == ir.W128 || !live.Has(int(g)) {
			return
		}
		h := ssa.Home{Kind: ssa.Row, Off: off}
		if s := p.slotOf(off, pc+1); w == ir.WPred {
			h.Kind = ssa.Pred
		} else if s != nil && p.code.Insts[pc].Flags&machine.WritesScalar != 0 {
			h = ssa.Home{Kind: ssa.Slot, Off: s.Slot}
		}
		if !seen[h.Off] {
			seen[h.Off] = true
			visit(g, h)
		}
	})
}

// written lists the variables that an instruction may write, executed by its handler or not.
func (b *builder) written(pc int32) (offs []uint32) {
	b.fn.EachReg(&b.fn.Insts[pc], func(g ir.Reg, a ir.Access) {
		off := b.rowOf[g]
		if a != ir.Write || off == noRow {
			return
		}
		offs = append(offs, off)
		for _, s := range b.ofRow[off] {
			if s.Width != regs.Pred {
				offs = append(offs, s.Slot)
			}
		}
	})
	return offs
}

// clearLocal clears the local memory of a warp that begins, if there is any that instructions name: handlers take it that it is done.
func (p *path) clearLocal() {
	if !p.namesRoom() {
		return
	}
	if len(p.fn.Blocks[0].Preds) > 0 {
		refuse("local memory of a kernel whose beginning is in a loop")
	}
	p.block.Add(&ssa.Effect{Kind: ssa.Clear, N: 32 * int64(p.code.RoomUsed), Homes: []ssa.Home{{Kind: ssa.Row, Off: p.code.FrameBytes}}})
}

// namesRoom tells whether the room behind the register block is local memory that instructions name.
func (b *builder) namesRoom() bool {
	return b.code.LocalRoom != 0 && slices.ContainsFunc(b.code.Insts, namesLocal)
}

// namesLocal tells whether an instruction accesses local memory by name, or makes an address in it.
func namesLocal(in machine.Inst) bool {
	switch sem.OperationOf(&in).Kind {
	case sem.OpLoadLocal, sem.OpStoreLocal, sem.OpAddressLocal, sem.OpAddressParam:
		return true
	}
	return false
}

// bytesOf are those of a row.
var bytesOf = [ir.NumWidths]uint32{ir.W32: 4 * 32, ir.W64: 8 * 32, ir.W128: 2 * 8 * 32}

// refuseWide refuses what registers of 128 bits in the register block do not allow: that one is read before it is written, when it is not
// known to be 0, and that other lanes have another register there.
func (b *builder) refuseWide() {
	for g := range b.fn.Regs {
		off := b.rowOf[g]
		if b.fn.Regs[g].Width() != ir.W128 || off == noRow {
			continue
		}
		if b.liveAt(0).Has(g) {
			refuse("a register of 128 bits that is read before it is written")
		}
		for h := range b.fn.Regs {
			if at := b.rowOf[h]; h != g && at != noRow && at+bytesOf[b.fn.Regs[h].Width()] > off && at < off+bytesOf[ir.W128] {
				refuse("a register of 128 bits that has the place of another one")
			}
		}
	}
}
