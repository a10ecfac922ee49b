package jit

// Branches by a table of targets (9.7.12.4 brx.idx). Lanes that agree about the target's number find it by comparisons, so no table
// lies in memory that a number could be beside; where they differ, those that agree wait for their target's segment, group by group.
// For the rest of the compiler the instruction is one that segments end in front of, as one that is left to the interpreter: rows are
// what it would see. It is left to it where a number is not in the table, which is a fault, and where lanes part that shall not meet
// behind it.

import (
	"sort"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// rIndex has the number of a target while the branch is assembled; programs read it as wordPred.
var rIndex = wordRegs[wordPred]

// tabled tells whether an instruction is a branch by a table that is compiled.
func (r *region) tabled(pc int32) bool {
	return r.insts[pc].Op == uop.BranchTable && (r.leave == nil || !r.leave(pc)) && !r.relief.leaves(pc)
}

// targetRange are numbers that have one target.
type targetRange struct {
	first uint32
	to    int32
}

// targetRanges are the ranges of a table, in order.
func targetRanges(to []int32) (list []targetRange) {
	for i, t := range to {
		if i == 0 || t != to[i-1] {
			list = append(list, targetRange{uint32(i), t})
		}
	}
	return list
}

// tableBranch is a branch by a table while it is assembled.
type tableBranch struct {
	c      *compiler
	in     *machine.Inst
	pc     int32
	seg    int // the segment in front of it
	masked bool
	index  source
	leave  x86.Label // in front of it
}

// branchTable assembles a branch by a table, behind the segment that ends there.
func (c *compiler) branchTable(pc int32, masked bool) {
	b := tableBranch{c: c, in: &c.insts[pc], pc: pc, masked: masked, seg: c.segmentBefore(pc), index: c.source(pc, c.insts[pc].A, tW, false)}
	c.title("by a table at %d", pc)
	c.place(&b.index)
	b.leave = c.later(func() { c.exit(pc, masked, 0) })
	parts := c.later(b.part)
	b.guard()
	b.loadIndex()
	switch {
	case !b.index.shared():
		b.agreeing()
		b.holds(x86.R8, parts)
	case b.in.Guard != machine.NoGuard:
		b.holds(rGuard, parts)
	}
	c.RI(x86.CMP, x86.S32, rIndex, int32(len(b.in.Ext.To)))
	c.Jcc(x86.AE, b.leave)
	if masked {
		c.countPart(1)
	} else {
		c.RI(x86.ADD, x86.S64, rSteps, 1)
	}
	b.find(func(to int32) { c.take(b.seg, pc, to, masked) })
}

// segmentBefore is the last segment that ends at a pc.
func (r *region) segmentBefore(pc int32) int {
	return sort.Search(len(r.segs), func(i int) bool { return r.segs[i].first > pc || r.segs[i].end > pc }) - 1
}

// guard leaves in rGuard the lanes that branch. If none does, all go on behind it.
func (b *tableBranch) guard() {
	switch {
	case b.in.Guard == machine.NoGuard && b.masked:
		b.c.RR(x86.MOV, x86.S32, rGuard, rMask)
		return
	case b.in.Guard == machine.NoGuard:
		b.c.MovImm(rGuard, 0xffffffff)
		return
	}
	b.c.loadGuard(b.in, b.masked)
	b.c.RR(x86.TEST, x86.S32, rGuard, rGuard)
	b.c.Jcc(x86.E, b.c.later(b.none))
}

// none goes on behind the branch with all lanes.
func (b *tableBranch) none() {
	if b.masked {
		b.c.MI(x86.ADD, x86.S64, ctxSteps, 1)
	} else {
		b.c.RI(x86.ADD, x86.S64, rSteps, 1)
		b.c.uncountAll(false)
	}
	if next := b.seg + 1; next < len(b.c.segs) && b.c.segs[next].first == b.pc+1 {
		b.c.Jmp(b.c.label(next, b.masked))
		return
	}
	b.c.exit(b.pc+1, b.masked, 0)
}

// loadIndex brings the number that the first lane of rGuard has into its register. A row is brought home first.
func (b *tableBranch) loadIndex() {
	switch {
	case b.index.known:
		b.c.MovImm(rIndex, b.index.value)
	case b.index.slot:
		b.c.RM(x86.MOV, x86.S32, rIndex, b.c.regs(b.index.off))
	default:
		if b.index.row >= 0 {
			b.c.storeRows([]uint32{b.index.off})
		}
		b.firstIndex()
	}
}

// firstIndex is loadIndex of a row that is at home.
func (b *tableBranch) firstIndex() {
	b.c.RR(x86.TZCNT, x86.S32, x86.RCX, rGuard)
	b.c.RM(x86.MOV, x86.S32, rIndex, b.c.regs(b.index.off).With(x86.RCX, 4))
}

// agreeing leaves in R8 the lanes of rGuard that have the number.
func (b *tableBranch) agreeing() {
	b.compareIndex(func(p *program) val { return p.cmp(cmpEQ, p.input(0, tW), p.word(wordPred)) })
}

// compareIndex leaves in R8 the lanes of rGuard for which a program over the row of numbers holds.
func (b *tableBranch) compareIndex(holds func(p *program) val) {
	p := b.c.newProgram()
	p.result = holds(p)
	p.settle()
	b.c.run(p, []source{b.index}, &source{typ: tM, row: -1}, false, allLanes)
	b.c.RR(x86.AND, x86.S32, x86.R8, rGuard)
}

// holds goes to a label if a register does not have all running lanes.
func (b *tableBranch) holds(lanes x86.Reg, other x86.Label) {
	if b.masked {
		b.c.RR(x86.CMP, x86.S32, lanes, rMask)
	} else {
		b.c.RI(x86.CMP, x86.S32, lanes, -1)
	}
	b.c.Jcc(x86.NE, other)
}

// find goes to what visit assembles for the target of the number, which is in the table.
func (b *tableBranch) find(visit func(to int32)) {
	places := map[int32]x86.Label{}
	place := func(to int32) x86.Label {
		if places[to] == 0 {
			places[to] = b.c.later(func() { visit(to) })
		}
		return places[to]
	}
	var among func(list []targetRange)
	among = func(list []targetRange) {
		if len(list) == 1 {
			b.c.Jmp(place(list[0].to))
			return
		}
		half := len(list) / 2
		upper := b.c.NewLabel()
		b.c.RI(x86.CMP, x86.S32, rIndex, int32(list[half].first))
		b.c.Jcc(x86.AE, upper)
		among(list[:half])
		b.c.Bind(upper)
		among(list[half:])
	}
	among(targetRanges(b.in.Ext.To))
}

// parts tells whether lanes that go to different targets can wait for each other: the targets and the place where they meet are
// behind the branch.
func (b *tableBranch) parts() bool {
	ok := meetsAhead(b.in, b.pc, b.in.Ext.To...)
	for _, to := range b.in.Ext.To {
		ok = ok && to > b.pc && b.c.canWait(b.c.segAt[to])
	}
	if b.in.Guard != machine.NoGuard {
		next := b.seg + 1
		ok = ok && next < len(b.c.segs) && b.c.segs[next].first == b.pc+1 && b.c.canWait(next)
	}
	return ok
}

// part sends the lanes in rGuard to their targets, and the others behind the branch.
func (b *tableBranch) part() {
	if b.c.opt.Whole { // the machine learns that lanes part here
		b.c.fullExit(b.pc, 0, abi.Parted)
		return
	}
	if !b.parts() {
		b.c.Jmp(b.leave)
		return
	}
	n := len(b.in.Ext.To)
	if b.index.shared() {
		b.c.RI(x86.CMP, x86.S32, rIndex, int32(n))
		b.c.Jcc(x86.AE, b.leave)
	} else {
		b.compareIndex(func(p *program) val { return p.cmp(cmpLTU, p.input(0, tW), p.w(uint32(n))) })
		b.c.RR(x86.CMP, x86.S32, x86.R8, rGuard)
		b.c.Jcc(x86.NE, b.leave)
	}
	if !b.masked {
		b.c.apart(b.pc)
	}
	b.c.countPart(1)
	b.c.uncountOthers(true)
	b.c.RR(x86.XOR, x86.S32, rMask, rGuard) // those that do not branch
	next, again := b.c.NewLabel(), b.c.NewLabel()
	b.c.Bind(again)
	if b.index.shared() {
		b.c.RR(x86.MOV, x86.S32, x86.R8, rGuard)
	} else {
		b.firstIndex()
		b.agreeing()
	}
	b.c.RR(x86.XOR, x86.S32, rGuard, x86.R8)
	b.find(func(to int32) {
		b.c.addPending(b.c.segs[b.c.segAt[to]].pending, x86.R8)
		b.c.Jmp(next)
	})
	b.c.Bind(next)
	b.c.RR(x86.TEST, x86.S32, rGuard, rGuard)
	b.c.Jcc(x86.NE, again)
	if b.in.Guard != machine.NoGuard {
		b.c.Jmp(b.c.segs[b.seg+1].part)
		return
	}
	b.c.Jmp(b.c.skipTo(b.seg + 1))
}
