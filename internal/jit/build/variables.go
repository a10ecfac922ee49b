package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// This file knows the variables of decoded code: offsets of rows, slots and predicates in the register block, and where they live.

type variables struct {
	code   *machine.Code
	fn     *ir.Func
	consts map[uint32]regs.ConstRow
	regsOf map[uint32][]ir.Reg // that have a row, which share it where they do not live together
	rowOf  []uint32            // by register; noRow for none
	live   []ir.Bits           // by pc, as far as asked
	slots  map[uint32][]*regs.Scalar
	ofRow  map[uint32][]*regs.Scalar
	wide   map[uint32]bool // halves of registers of 128 bits, which are always at home
}

const noRow = ^uint32(0)

func (v *variables) fill(code *machine.Code, fn *ir.Func) {
	*v = variables{code: code, fn: fn, consts: map[uint32]regs.ConstRow{}, regsOf: map[uint32][]ir.Reg{}, rowOf: make([]uint32, len(fn.Regs)),
		live: make([]ir.Bits, len(code.Insts)+1), slots: map[uint32][]*regs.Scalar{}, ofRow: map[uint32][]*regs.Scalar{},
		wide: map[uint32]bool{}}
	for _, c := range code.Consts {
		v.consts[c.Off] = c
	}
	offset := decode.RowOffsets(fn)
	for g := range fn.Regs {
		v.rowOf[g] = noRow
		if fn.Rows.Of[g] >= 0 {
			v.rowOf[g] = offset(ir.Reg(g))
			v.regsOf[v.rowOf[g]] = append(v.regsOf[v.rowOf[g]], ir.Reg(g))
			if fn.Regs[g].Width() == ir.W128 {
				v.wide[v.rowOf[g]], v.wide[v.rowOf[g]+bytesOf[ir.W64]] = true, true
			}
		}
	}
	for i := range code.Scalars {
		s := &code.Scalars[i]
		v.slots[s.Slot] = append(v.slots[s.Slot], s)
		v.ofRow[s.Row] = append(v.ofRow[s.Row], s)
	}
}

// liveAt are the registers that live before an instruction; behind the last none does.
func (v *variables) liveAt(pc int32) ir.Bits {
	if v.live[pc] == nil {
		if int(pc) == len(v.code.Insts) {
			v.live[pc] = ir.NewBits(len(v.fn.Regs))
		} else {
			v.live[pc] = v.fn.LiveAt(pc)
		}
	}
	return v.live[pc]
}

// lives tells whether something reads a variable that an instruction and those behind it have not written before.
func (v *variables) lives(off uint32, pc int32) bool {
	for _, s := range v.slots[off] {
		if s.Width != regs.Pred && s.LiveAt(pc) {
			return true
		}
	}
	live := v.liveAt(pc)
	return slices.ContainsFunc(v.regsOf[off], func(g ir.Reg) bool { return live.Has(int(g)) })
}

// slotOf is the slot that holds the register of a row at an instruction; nil if its row does.
func (v *variables) slotOf(row uint32, pc int32) *regs.Scalar {
	for _, s := range v.ofRow[row] {
		if s.Width != regs.Pred && s.LiveAt(pc) {
			return s
		}
	}
	return nil
}

// isSlot tells whether a variable is a slot.
func (v *variables) isSlot(off uint32) bool {
	list := v.slots[off]
	return len(list) > 0 && list[0].Width != regs.Pred
}

// uniform tells whether decode knows that a predicate is the same for all lanes that run.
func (v *variables) uniform(off uint32, pc int32) bool {
	return slices.ContainsFunc(v.slots[off], func(s *regs.Scalar) bool { return s.Width == regs.Pred && s.LiveAt(pc) })
}

// typeOf is the type of a register.
func typeOf(w ir.Width) ssa.Type {
	switch w {
	case ir.WPred:
		return ssa.M
	case ir.W32:
		return ssa.W
	case ir.W64:
		return ssa.X
	}
	refuse("registers of 128 bits")
	return 0
}

// current is a variable's value for all lanes; one that nothing has written is 0.
func (p *path) current(off uint32, t ssa.Type) ssa.Value {
	v, ok := p.now(off)
	switch {
	case !ok:
		return p.Const(t, 0)
	case p.TypeOf(v) == ssa.X && t == ssa.W:
		return p.Make(ssa.Trunc, ssa.W, 0, v)
	case p.TypeOf(v) != t:
		return p.Const(t, 0) // of another register, which lived here before
	}
	return v
}

// slotNumber is a slot's value as a number: of a float that is the same in all lanes any of them has it, so the least.
func (b *builder) slotNumber(v ssa.Value) ssa.Value {
	switch {
	case b.IsNum(v):
		return v
	case !b.Info[v].Uni:
		refuse("some lanes write a slot")
	case b.TypeOf(v) == ssa.W:
		return b.Make(ssa.Least, ssa.W, 0, v)
	case b.TypeOf(v) == ssa.X:
		half := func(n uint64) ssa.Value {
			word := b.Make(ssa.Trunc, ssa.W, 0, b.Bin(ssa.Shr, v, b.Wide(n)))
			return b.Make(ssa.Zext, ssa.X, 0, b.Make(ssa.Least, ssa.W, 0, word))
		}
		return b.Bin(ssa.Or, half(0), b.Bin(ssa.Shl, half(32), b.Wide(32)))
	}
	refuse("some lanes write a slot")
	return 0
}

// homes are the variables that live at one of some places and are not at home, with their values, and the special registers that differ
// between CTAs.
func (p *path) homes(pcs []int32) []ssa.Home {
	list := slices.DeleteFunc(p.homesOf(pcs), func(h ssa.Home) bool { return p.isHome(h, h.Value) })
	return append(list, p.specialsLeft()...)
}

// living are the variables that live at one of some places, without the special registers.
func (p *path) living(pcs ...int32) []ssa.Home {
	special := map[uint32]bool{}
	for _, h := range p.specialHomes() {
		special[h.Off] = true
	}
	return slices.DeleteFunc(p.homesOf(pcs), func(h ssa.Home) bool { return special[h.Off] })
}

// homesOf are the variables that live at one of some places.
func (p *path) homesOf(pcs []int32) []ssa.Home {
	l := homeList{path: p, seen: map[uint32]bool{}}
	for _, pc := range pcs {
		p.liveAt(pc).Each(func(g int) { l.add(pc, ir.Reg(g)) })
	}
	return l.list
}

// homeList are variables where they are at home, each once.
type homeList struct {
	*path
	list []ssa.Home
	seen map[uint32]bool
}

// add adds a register that lives before an instruction. What has 128 bits is always at home.
func (l *homeList) add(pc int32, g ir.Reg) {
	off, w := l.rowOf[g], l.fn.Regs[g].Width()
	if off == noRow || w == ir.W128 {
		return
	}
	kind := ssa.Row
	if w == ir.WPred {
		kind = ssa.Pred
	}
	s := l.slotOf(off, pc)
	if s == nil || kind == ssa.Pred {
		l.put(kind, off, l.current(off, typeOf(w)))
		return
	}
	v := l.current(s.Slot, typeOf(w))
	l.put(ssa.Slot, s.Slot, v)
	if s.Spread && !l.seen[off] {
		if l.TypeOf(v) == ssa.X && s.Width == regs.Row32 {
			v = l.Make(ssa.Trunc, ssa.W, 0, v)
		}
		l.put(ssa.Row, off, l.fromLane(v, int64(s.Stride), l.firstLane()))
	}
}

func (l *homeList) put(k ssa.HomeKind, off uint32, v ssa.Value) {
	if l.seen[off] || (k == ssa.Pred) != (l.TypeOf(v) == ssa.M) {
		return
	}
	if k == ssa.Slot {
		v = l.slotNumber(v)
	}
	l.seen[off] = true
	l.list = append(l.list, ssa.Home{Kind: k, Off: off, Value: v})
}
