package build

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// This file has the special registers.

func special(name string) isa.Special { s, _ := isa.LookupSpecial(name); return s }

var (
	tid, ntid, ctaid, nctaid, laneid = special("%tid"), special("%ntid"), special("%ctaid"), special("%nctaid"), special("%laneid")
	maskEq, maskLt, maskLe           = special("%lanemask_eq"), special("%lanemask_lt"), special("%lanemask_le")
	maskGt, maskGe                   = special("%lanemask_gt"), special("%lanemask_ge")

	sharedAt, globalAt = unsafe.Offsetof(abi.State{}.SharedHost), unsafe.Offsetof(abi.State{}.GlobalHost)

	gridAt = unsafe.Offsetof(abi.State{}.Batch) + unsafe.Offsetof(abi.Batch{}.Grid)
)

// specials gives the variables of special registers their values. Of those that have none here the first read refuses.
func (p *path) specials() {
	size := [3]int32{p.shape.BlockX, p.shape.BlockY, p.shape.BlockZ}
	for _, s := range p.code.Specials {
		if s.Comp > 2 {
			continue
		}
		var v ssa.Value
		switch {
		case s.Reg == tid:
			v = p.tid[s.Comp]
		case s.Reg == ntid:
			v = p.Word(uint32(size[s.Comp]))
		case s.Reg == ctaid:
			v = p.ctaid[s.Comp]
		case s.Reg == nctaid && s.Comp < 2:
			v = p.Make(ssa.Field, ssa.W, uint64(gridAt)+8*uint64(s.Comp))
		case s.Reg == laneid:
			v = p.Strided(p.Word(0), 1)
		case s.Reg == maskEq || s.Reg == maskLt || s.Reg == maskLe || s.Reg == maskGt || s.Reg == maskGe:
			v = p.laneMask(s.Reg)
		default:
			if _, changes := s.CTAPart(); changes {
				refuse("special register %v", s.Reg)
			}
			continue
		}
		v = p.Bin(ssa.Add, v, p.Const(ssa.W, s.Add))
		if s.Width == regs.Row64 || s.Width == regs.Slot64 {
			v = p.Make(ssa.Zext, ssa.X, 0, v)
		}
		if s.Width != regs.Pred {
			p.env[s.Off] = v
		}
	}
}

// laneMask are the bits of a lane, of those below or above it, with it or without.
func (p *path) laneMask(r isa.Special) ssa.Value {
	upTo := func(bit uint32) ssa.Value {
		return p.Bin(ssa.Sub, p.Bin(ssa.Shl, p.Word(bit), p.Strided(p.Word(0), 1)), p.Word(1))
	}
	others := func(v ssa.Value) ssa.Value { return p.Bin(ssa.Xor, v, p.Word(^uint32(0))) }
	switch r {
	case maskEq:
		return p.Bin(ssa.Shl, p.Word(1), p.Strided(p.Word(0), 1))
	case maskLt:
		return upTo(1)
	case maskLe:
		return upTo(2)
	case maskGt:
		return others(upTo(2))
	}
	return others(upTo(1))
}

// specialHomes are the variables of special registers that differ between CTAs: who leaves has those of its CTA.
func (p *path) specialHomes() (list []ssa.Home) {
	for _, s := range p.code.Specials {
		if _, changes := s.CTAPart(); !changes {
			continue
		}
		v, ok := p.env[s.Off]
		if !ok {
			refuse("special register %v", s.Reg)
		}
		kind := ssa.Slot
		if s.Width == regs.Row32 || s.Width == regs.Row64 {
			kind = ssa.Row
		}
		list = append(list, ssa.Home{Kind: kind, Off: s.Off, Value: v})
	}
	return list
}
