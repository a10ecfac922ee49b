package jit

// What is live where. Code is assembled block by block, and asks about many instructions of each: what is live
// before one follows from what is live before its neighbour, so a cursor that moves through the block answers.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
)

// liveness answers questions about one function.
type liveness struct {
	f       *ir.Func
	effort  *effort // may be nil
	mem     *scratch
	uses    *accesses
	blockOf []ir.BlockID // by instruction
	entry   ir.Bits      // live before the first instruction
	rowOf   []uint32     // by register: offset of its row, noRow for none
	regsOf  rowRegs

	found  []ir.Reg // what was found of blocks: what is live at their starts, and whose being live an instruction changes
	starts []part   // by block; the zero part if nothing has been found of it
	turns  []part   // by instruction

	outOf ir.BlockID // out is of this block
	out   []bool     // by row: one of its registers is live behind it

	block ir.BlockID // where the cursor is
	pc    int32
	live  ir.Bits // before pc
	held  []int32 // by row: how many of its registers that are
}

// part is a part of a list.
type part struct{ from, to int32 }

const noRow = ^uint32(0)

// maxFound is how much of what was found is kept.
const maxFound = 1 << 22

func newLiveness(f *ir.Func, offset func(ir.Reg) uint32, mem *scratch) *liveness {
	n := len(f.Insts)
	l := &liveness{f: f, uses: newAccesses(f, mem), blockOf: make([]ir.BlockID, n), rowOf: mem.words.take(len(f.Regs)), starts: mem.parts.take(len(f.Blocks)), turns: mem.parts.take(n),
		found: append(mem.live[:0], 0), mem: mem, block: -1, live: ir.NewBits(len(f.Regs))}
	for b := range f.Blocks {
		for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
			l.blockOf[pc] = ir.BlockID(b)
		}
	}
	for g := range f.Regs {
		l.rowOf[g] = noRow
		if f.Rows.Of[g] >= 0 {
			l.rowOf[g] = offset(ir.Reg(g))
		}
	}
	l.regsOf = newRowRegs(l.rowOf, mem)
	l.held, l.out, l.outOf = mem.int32s.take(len(l.regsOf.first)), mem.bools.take(len(l.regsOf.first)), -1
	l.entry = f.LiveAt(0)
	return l
}

// at returns the registers that are live before an instruction, until the next question.
func (l *liveness) at(pc int32) ir.Bits {
	if b := l.blockOf[pc]; b != l.block {
		l.enter(b)
	}
	for ; l.pc < pc; l.pc++ {
		l.turn(l.pc)
	}
	for l.pc > pc {
		l.pc--
		l.turn(l.pc)
	}
	return l.live
}

// turn passes an instruction, in either direction.
func (l *liveness) turn(pc int32) {
	for _, g := range l.found[l.turns[pc].from:l.turns[pc].to] {
		l.live[g>>6] ^= 1 << (uint(g) & 63)
		if row := l.regsOf.rowOf[g]; l.live.Has(int(g)) {
			l.held[row]++
		} else {
			l.held[row]--
		}
	}
}

// enterUnit is how many words, rows and registers the cursor looks at for a unit of effort, where it enters a block: of a function
// with tens of thousands of each that is what compiling takes.
const enterUnit = 64

// enter puts the cursor before the first instruction of a block.
func (l *liveness) enter(b ir.BlockID) {
	clear(l.live)
	clear(l.held)
	l.block, l.pc = b, l.f.Blocks[b].First
	if l.starts[b] == (part{}) {
		l.pass(b)
	}
	l.effort.spend((len(l.live) + len(l.held) + int(l.starts[b].to-l.starts[b].from)) / enterUnit)
	for _, g := range l.found[l.starts[b].from:l.starts[b].to] {
		l.live.Set(int(g))
		l.held[l.regsOf.rowOf[g]]++
	}
}

// pass goes through a block from its end, and notes what changes.
func (l *liveness) pass(id ir.BlockID) {
	if len(l.found) > maxFound {
		l.found = l.found[:1]
		clear(l.starts)
	}
	b := &l.f.Blocks[id]
	l.f.EachLiveOut(id, func(g ir.Reg) { l.live.Set(int(g)) })
	for pc := b.End - 1; pc >= b.First; pc-- {
		from := len(l.found)
		l.before(pc)
		l.turns[pc] = part{int32(from), int32(len(l.found))}
	}
	from := len(l.found)
	l.live.Each(func(g int) { l.found = append(l.found, ir.Reg(g)) })
	clear(l.live)
	l.starts[id] = part{int32(from), int32(len(l.found))}
	l.mem.live = l.found[:0] // the next compilation has it
}

// before makes what is live behind an instruction what is live before it, and notes the difference.
func (l *liveness) before(pc int32) {
	from := len(l.found)
	if l.f.Insts[pc].Guard.Reg == ir.NoReg { // under a guard other lanes keep what they have
		for _, g := range l.uses.writes(pc) {
			if l.live.Has(int(g)) {
				l.live.Clear(int(g))
				l.found = append(l.found, g)
			}
		}
	}
	for _, g := range l.uses.reads(pc) {
		if l.live.Has(int(g)) {
			continue
		}
		l.live.Set(int(g))
		if k := slices.Index(l.found[from:], g); k >= 0 {
			l.found = slices.Delete(l.found, from+k, from+k+1)
		} else {
			l.found = append(l.found, g)
		}
	}
}

// holds reports whether a row holds what somebody reads, before an instruction.
func (l *liveness) holds(live ir.Bits, off uint32) bool {
	if row := l.regsOf.index(off); row >= 0 && &live[0] == &l.live[0] { // many registers may share it
		return l.held[row] > 0
	}
	for _, g := range l.regsOf.of(off) {
		if live.Has(int(g)) {
			return true
		}
	}
	return false
}

// behind reports whether a row holds what somebody reads behind the instruction before end. Of a template everything
// may be read.
func (l *liveness) behind(end int32, off uint32) bool {
	if l == nil {
		return true
	}
	b := l.blockOf[end-1]
	if end < l.f.Blocks[b].End {
		return l.holds(l.at(end), off)
	}
	if b != l.outOf {
		l.outOf = b
		clear(l.out)
		l.f.EachLiveOut(b, func(g ir.Reg) { l.out[l.regsOf.rowOf[g]] = true })
	}
	if row := l.regsOf.index(off); row >= 0 {
		return l.out[row]
	}
	return slices.ContainsFunc(l.regsOf.of(off), func(g ir.Reg) bool { return l.f.LiveOut(b, g) })
}

// rowRegs has the registers of each row: those whose lives do not meet share one.
type rowRegs struct {
	offs  []uint32 // ascending
	first []int32  // and one more
	regs  []ir.Reg
	rowOf []int32 // by register: its place in offs; behind them if it has no row
}

func newRowRegs(rowOf []uint32, mem *scratch) rowRegs {
	r := rowRegs{regs: mem.regs.take(len(rowOf))[:0], offs: mem.words.take(len(rowOf))[:0], first: mem.int32s.take(len(rowOf) + 1)[:0], rowOf: mem.int32s.take(len(rowOf))}
	for g, off := range rowOf {
		if off != noRow {
			r.regs = append(r.regs, ir.Reg(g))
		}
	}
	slices.SortStableFunc(r.regs, func(a, b ir.Reg) int { return int(int64(rowOf[a]) - int64(rowOf[b])) })
	for i, g := range r.regs {
		if n := len(r.offs); n == 0 || r.offs[n-1] != rowOf[g] {
			r.offs, r.first = append(r.offs, rowOf[g]), append(r.first, int32(i))
		}
	}
	for g := range r.rowOf {
		r.rowOf[g] = int32(len(r.offs))
	}
	r.first = append(r.first, int32(len(r.regs)))
	for i := range r.offs {
		for _, g := range r.of(r.offs[i]) {
			r.rowOf[g] = int32(i)
		}
	}
	return r
}

// index is the place of a row in offs, -1 if it is none of the function's.
func (r *rowRegs) index(off uint32) int {
	if i, ok := slices.BinarySearch(r.offs, off); ok {
		return i
	}
	return -1
}

// of are the registers of a row.
func (r *rowRegs) of(off uint32) []ir.Reg {
	if i := r.index(off); i >= 0 {
		return r.regs[r.first[i]:r.first[i+1]]
	}
	return nil
}
