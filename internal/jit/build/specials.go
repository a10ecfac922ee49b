package build

import (
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
)

// This file has the special registers.

func special(name string) isa.Special { s, _ := isa.LookupSpecial(name); return s }

var (
	tid, ntid, ctaid, nctaid, laneid = special("%tid"), special("%ntid"), special("%ctaid"), special("%nctaid"), special("%laneid")
	maskEq, maskLt, maskLe           = special("%lanemask_eq"), special("%lanemask_lt"), special("%lanemask_le")
	maskGt, maskGe                   = special("%lanemask_gt"), special("%lanemask_ge")
	warpid, clusterid                = special("%warpid"), special("%clusterid")

	sharedAt, globalAt = unsafe.Offsetof(abi.State{}.SharedHost), unsafe.Offsetof(abi.State{}.GlobalHost)

	paramsAt = unsafe.Offsetof(abi.State{}.Params)

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
		case s.Reg == ctaid || s.Reg == clusterid: // there are no clusters
			v = p.ctaid[s.Comp]
		case s.Reg == nctaid && s.Comp < 2:
			v = p.Make(ssa.Field, ssa.W, uint64(gridAt)+8*uint64(s.Comp))
		case s.Reg == specials.KernelParams:
			v = p.Make(ssa.Field, ssa.X, uint64(paramsAt))
		case s.Reg == warpid:
			v = p.warp
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
		v = p.Bin(ssa.Add, v, p.Const(p.TypeOf(v), s.Add))
		switch wide := s.Width == regs.Row64 || s.Width == regs.Slot64; {
		case wide && p.TypeOf(v) == ssa.W:
			v = p.Make(ssa.Zext, ssa.X, 0, v)
		case !wide && p.TypeOf(v) == ssa.X:
			v = p.Make(ssa.Trunc, ssa.W, 0, v)
		}
		if s.Width != regs.Pred {
			p.env[s.Off] = v
		}
	}
}

// specialAt brings a special register from the warp's register block, where the machine has put it, if it does not change with the CTA. Nothing keeps
// it: an instruction that is refused takes back what it has brought.
func (p *path) specialAt(off uint32) ssa.Value {
	i := slices.IndexFunc(p.code.Specials, func(s specials.Ref) bool { return s.Off == off })
	if i < 0 {
		refuse("what lies at offset %d", off)
	}
	s := &p.code.Specials[i]
	if c := s.Class(); c != specials.PerLaunch && c != specials.PerWarp && c != specials.PerLane {
		refuse("special register %v", s.Reg)
	}
	h, t := ssa.Home{Kind: ssa.Slot, Off: off}, ssa.W
	switch s.Width {
	case regs.Row32, regs.Row64:
		h.Kind = ssa.Row
	case regs.Pred:
		h.Kind, t = ssa.Pred, ssa.M
	}
	if s.Width == regs.Row64 || s.Width == regs.Slot64 {
		t = ssa.X
	}
	e := p.block.Add(&ssa.Effect{Kind: ssa.Resume, Homes: []ssa.Home{h}, N: int64(p.firstLane())})
	return p.NewResult(p.block, e, t, h.Kind == ssa.Slot)
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

// specialsLeft are those of specialHomes that the warp's register block does not have yet: at a cut it has all.
func (p *path) specialsLeft() []ssa.Home {
	if p.atCut {
		return nil
	}
	return p.specialHomes()
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
