package jit

// Where compiled code is left. There are many such places and most are never reached, so each is a few
// instructions that say which it is; what is the same for all stands in a tail of its own, and rows that are
// kept in another form are written by the machine (abi.Rows).

import (
	"slices"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// exitTails are the code that exits share, by the flags of their place; 0: not needed so far.
type exitTails struct {
	full, part [2 * abi.Parted]x86.Label
	pending    x86.Label // appends the pending lanes to the RDX places that are there, and returns
}

// exit leaves for the interpreter before an instruction, with undo instructions that were counted
// and not executed.
func (c *compiler) exit(pc int32, masked bool, undo int32) {
	c.title("leave before %d", pc)
	if c.quick != nil {
		c.quickLeave(toLeave, symbolPC, symbolUndo)
		return
	}
	if masked {
		c.partExit(pc, undo, 0)
	} else {
		c.fullExit(pc, undo, 0)
	}
}

// whole assembles what stands for code for some lanes that is not wanted: their way out.
func (c *compiler) whole(i int) {
	s := &c.segs[i]
	c.Bind(s.part)
	c.Bind(s.stay)
	c.partExit(s.first, 0, abi.Parted)
}

// fullExit returns with one place, whose rows the machine settles.
func (c *compiler) fullExit(pc, undo int32, flags abi.PlaceFlags) {
	c.exitAt(pc, undo)
	c.fullLeave(flags)
}

// fullLeave is fullExit where exitAt has said where.
func (c *compiler) fullLeave(flags abi.PlaceFlags) {
	if c.tails.full[flags] == 0 {
		c.tails.full[flags] = c.later(func() { c.fullTail(flags) })
	}
	c.Jmp(c.tails.full[flags])
}

// partExit returns with the running lanes at pc (none if there are none) and all that are pending.
func (c *compiler) partExit(pc, undo int32, flags abi.PlaceFlags) {
	c.exitAt(pc, undo)
	c.partLeave(flags)
}

// partLeave is partExit where exitAt has said where.
func (c *compiler) partLeave(flags abi.PlaceFlags) {
	if c.tails.part[flags] == 0 {
		c.tails.part[flags] = c.later(func() { c.partTail(flags) })
	}
	c.Jmp(c.tails.part[flags])
}

// exitAt tells a tail where the lanes are: pc in EAX, and in ECX what is not to be counted.
func (c *compiler) exitAt(pc, undo int32) {
	c.MovImm(x86.RAX, uint64(pc))
	c.MovImm(x86.RCX, uint64(undo))
}

func (c *compiler) fullTail(flags abi.PlaceFlags) {
	c.wholeTail(flags | abi.Unsettled)
}

// wholeTail returns with one place of all lanes, where exitAt has said.
func (c *compiler) wholeTail(flags abi.PlaceFlags) {
	c.RR(x86.SUB, x86.S64, rSteps, x86.RCX)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placePC), x86.RAX)
	c.MI(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeMask), -1)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeFuel), rFuel)
	c.MI(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeFlags), int32(flags))
	c.MI(x86.MOV, x86.S32, ctxN, 1)
	c.storeRows(c.allRows())
	c.flushSteps()
	c.ret()
}

func (c *compiler) partTail(flags abi.PlaceFlags) {
	c.RR(x86.POPCNT, x86.S32, x86.RDX, rMask)
	c.RR(x86.IMUL, x86.S64, x86.RDX, x86.RCX)
	c.MR(x86.SUB, x86.S64, ctxSteps, x86.RCX)
	c.MR(x86.SUB, x86.S64, ctxOps, x86.RDX)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placePC), x86.RAX)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeMask), rMask)
	c.MR(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeFuel), rFuel)
	c.MI(x86.MOV, x86.S32, placeAt(rCtx, placesBase, placeFlags), int32(flags))
	c.MovImm(x86.RDX, 1)
	c.leaveAll()
}

// leaveAll appends the pending lanes to the RDX places that are there, and returns.
func (c *compiler) leaveAll() {
	if c.tails.pending == 0 {
		c.tails.pending = c.later(c.leavePending)
	}
	c.Jmp(c.tails.pending)
}

// allRows are the resident rows.
func (c *compiler) allRows() (list []uint32) {
	for i := range c.row {
		list = append(list, c.row[i].off)
	}
	return list
}

// leftRows knows what a region keeps in another form than rows, and little else: it lives as long as the
// code does. It is safe for concurrent use.
type leftRows struct {
	f      *ir.Func
	offset func(ir.Reg) uint32
	starts []int32 // of segments
	made   []*pattern
	global map[ir.Reg]*pattern
	lazy   []ir.Reg
	found  []atomic.Pointer[abi.Rows] // by pc
}

func (r *region) leftRows() *leftRows {
	l := &leftRows{f: r.f, offset: decode.RowOffsets(r.f), global: r.global, lazy: r.lazyRegs,
		made: make([]*pattern, len(r.steps)), found: make([]atomic.Pointer[abi.Rows], len(r.steps)+1)}
	for i := range r.segs {
		l.starts = append(l.starts, r.segs[i].first)
	}
	for pc := range r.steps {
		if l.made[pc] = r.steps[pc].made; l.made[pc] != nil {
			l.made[pc].from = nil // the compiler's memory, which others will have
		}
	}
	for _, p := range r.global {
		p.from = nil
	}
	return l
}

// at is a machine.Native's Rows.
func (l *leftRows) at(pc int32) *abi.Rows {
	if rows := l.found[pc].Load(); rows != nil {
		return rows
	}
	rows, live := &abi.Rows{}, l.f.LiveAt(pc)
	for _, g := range l.lazy {
		if l.f.Rows.Of[g] >= 0 && live.Has(int(g)) {
			rows.NaNs = append(rows.NaNs, l.offset(g))
		}
	}
	now := l.before(pc)
	live.Each(func(g int) {
		p := l.global[ir.Reg(g)]
		if p == nil {
			p = now[ir.Reg(g)]
		}
		if p != nil {
			rows.Numbers = append(rows.Numbers, p.native())
		}
	})
	l.found[pc].Store(rows)
	return rows
}

// before has the patterns of pc's segment whose rows are not written.
func (l *leftRows) before(pc int32) map[ir.Reg]*pattern {
	i, ok := slices.BinarySearch(l.starts, pc)
	if ok || i == 0 {
		return nil
	}
	now := map[ir.Reg]*pattern{}
	for at := l.starts[i-1]; at < pc; at++ {
		followPattern(l.writes(at), l.made[at], l.global, now)
	}
	return now
}

// writes are the registers that an instruction writes.
func (l *leftRows) writes(pc int32) (list []ir.Reg) {
	l.f.EachReg(&l.f.Insts[pc], func(g ir.Reg, a ir.Access) {
		if a == ir.Write {
			list = append(list, g)
		}
	})
	return list
}

// native says the same to the machine.
func (p *pattern) native() abi.Numbers {
	return abi.Numbers{Row: p.off, Wide: p.typ == tX, Own: p.base == rRegs, At: uint32(p.at), Lanes: uint32(p.w), Line: uint32(p.row), Step: uint64(p.step), Hop: uint64(p.hop)}
}
