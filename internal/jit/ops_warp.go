package jit

// Warp functions (9.7.9.6, 9.7.13.9 to 9.7.13.15): programs that look across lanes. Lanes that are
// here are never kept waiting for: where a member mask names a living lane that is elsewhere, code
// leaves and the interpreter lets them meet.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// warpStep is what a warp function has besides its program, which is for 32 executing lanes.
type warpStep struct {
	some *program // the program for some executing lanes
	// The same for the predicate of d|p; nil: nobody wants it.
	pred, somePred *program
	across         int // source that is read across lanes, 0 for none
}

// General registers as cWord reads them: the executing lanes, and those with a true predicate.
const (
	wordActive = iota
	wordPred
)

var wordRegs = [...]x86.Reg{wordActive: x86.R11, wordPred: x86.R10}

// inMembers is the source that holds the member masks.
const inMembers = 0

// warpBuilder makes the programs of one warp function.
type warpBuilder struct {
	*program
	op   *sem.Operation
	in   []source
	vals []val
	some bool // some lanes execute
}

// warp plans a warp function; false if it is left to the interpreter.
func (r *region) warp(pc int32) bool {
	in, s := &r.insts[pc], &r.steps[pc]
	build := warpPrograms[s.op.Kind]
	switch {
	case s.op.Kind == sem.OpNothing || s.op.Kind == sem.OpFence:
		return true
	case build == nil:
		return false
	case (s.op.Kind == sem.OpMatchAny || s.op.Kind == sem.OpMatchAll) && in.Imm != 32:
		return false
	}
	s.warp = &warpStep{}
	members := source{known: true, value: 0xffffffff, row: -1}
	if s.op.Warp.Sync {
		members = r.source(pc, s.op.Warp.Members, tW, false)
	}
	s.in = append(s.in, members)
	for _, off := range rowsRead(s.op.Kind, in) {
		s.in = append(s.in, r.source(pc, off, tW, false))
	}
	pair := s.op.Kind != sem.OpVote && len(r.f.Insts[pc].Ops) > 0 && r.f.Insts[pc].Ops[0].Kind == ir.OpPair
	return build(r, s, source{typ: tW, off: in.D, row: -1}, pair)
}

// rowsRead are the rows that a warp function reads besides its member masks.
func rowsRead(k sem.OperationKind, in *machine.Inst) []uint32 {
	switch k {
	case sem.OpShuffle:
		return []uint32{in.A, in.B, in.C}
	case sem.OpMatchAny, sem.OpMatchAll, sem.OpRedux:
		return []uint32{in.A}
	}
	return nil
}

// warpPrograms plan the functions by kind.
var warpPrograms map[sem.OperationKind]func(r *region, s *step, dst source, pair bool) bool

func init() {
	warpPrograms = map[sem.OperationKind]func(*region, *step, source, bool) bool{
		sem.OpShuffle:  across(1, shuffled, shuffleInRange),
		sem.OpMatchAny: across(1, matchedAny, nil),
		sem.OpMatchAll: across(1, matchedAll, matchedAllOf),
		sem.OpElect:    across(0, elected, isElected),
		sem.OpBallot:   across(0, func(b *warpBuilder) val { return b.yes() }, nil),
		sem.OpActive:   across(0, func(b *warpBuilder) val { return b.word(wordActive) }, nil),
		sem.OpVote:     across(0, voted, nil),
		sem.OpRedux:    (*region).planRedux,
		sem.OpWarpSync: func(*region, *step, source, bool) bool { return true },
	}
}

// across plans a function by the programs of its result and of its predicate.
func across(row int, result, pred func(*warpBuilder) val) func(*region, *step, source, bool) bool {
	return func(r *region, s *step, dst source, pair bool) bool {
		if s.op.Kind == sem.OpVote {
			dst.typ = tM
		}
		s.warp.across = row
		all := r.warpProgram(s, false, result)
		s.warp.some = r.warpProgram(s, true, result)
		if pair && pred != nil {
			s.warp.pred, s.warp.somePred = r.warpProgram(s, false, pred), r.warpProgram(s, true, pred)
		}
		return r.settle(s, all, all.result, dst)
	}
}

func (r *region) warpProgram(s *step, some bool, f func(*warpBuilder) val) *program {
	b := &warpBuilder{program: r.newProgram(), op: s.op, in: s.in, some: some}
	for k := range s.in {
		b.vals = append(b.vals, r.input(b.program, s.in, k))
	}
	b.result = f(b)
	return b.program
}

// lane is the number of each lane.
func (b *warpBuilder) lane() val { return b.table(func(i int) uint32 { return uint32(i) }) }

// peers are the lanes that each lane takes part with.
func (b *warpBuilder) peers() val {
	if !b.some {
		return b.vals[inMembers]
	}
	return b.members(b.word(wordActive))
}

// members are those of some lanes that each lane's mask names.
func (b *warpBuilder) members(lanes val) val {
	if m := &b.in[inMembers]; m.known && uint32(m.value) == ^uint32(0) {
		return lanes
	}
	return b.and(b.vals[inMembers], lanes)
}

// yes are the peers whose predicate is true.
func (b *warpBuilder) yes() val { return b.members(b.word(wordPred)) }

func voted(b *warpBuilder) val {
	yes := b.yes()
	switch b.op.Warp.Mode {
	case sem.VoteAll:
		return b.cmp(cmpEQ, yes, b.peers())
	case sem.VoteAny:
		return b.cmp(cmpNE, yes, b.w(0))
	}
	yes = b.sel(b.cmp(cmpEQ, yes, b.peers()), b.w(0), yes)
	return b.cmp(cmpEQ, yes, b.w(0))
}

func matched(b *warpBuilder) val {
	if s := &b.in[1]; s.slot || s.known {
		return b.w(0xffffffff)
	}
	return b.op1(cMatch, tW, b.vals[1], 0)
}

func matchedAny(b *warpBuilder) val {
	if b.some {
		return b.and(matched(b), b.peers())
	}
	return b.members(matched(b))
}

func matchedAllOf(b *warpBuilder) val { return b.cmp(cmpEQ, matchedAny(b), b.peers()) }

func matchedAll(b *warpBuilder) val { return b.sel(matchedAllOf(b), b.peers(), b.w(0)) }

// elected: the number of zeros below the lowest peer.
func elected(b *warpBuilder) val {
	x := b.peers()
	return b.op1(cPopc, tW, b.bin(cAndn, x, b.sub(x, b.w(1))), 0)
}

func isElected(b *warpBuilder) val {
	upTo := b.and(b.peers(), b.table(func(i int) uint32 { return 2<<i - 1 }))
	return b.cmp(cmpEQ, upTo, b.table(func(i int) uint32 { return 1 << i }))
}

// warpFunction assembles a warp function.
func (c *compiler) warpFunction(i int, pc int32, masked bool, use maskUse) {
	in, s := &c.insts[pc], &c.steps[pc]
	w := s.warp
	if s.op.Warp.Sync {
		c.together(&s.in[inMembers], use, c.leaveAt(i, pc, masked, use))
	}
	data, pred, dst := s.prog, w.pred, &s.dst
	if use != allLanes {
		data, pred = w.some, w.somePred
	}
	if pred != nil && !c.live.behind(pc+1, s.op.Warp.Pair) {
		pred = nil
	}
	switch {
	case s.op.Kind == sem.OpWarpSync:
		return
	case s.op.Kind == sem.OpRedux:
		c.redux(s, use, c.leaveAt(i, pc, masked, use))
		return
	}
	srcs := s.in
	if k := w.across; k > 0 && srcs[k].off == dst.off && !srcs[k].slot && !srcs[k].known {
		srcs = c.saveSource(srcs, k)
	}
	if data.words() || pred != nil && pred.words() {
		c.warpWords(in, s, use)
	}
	if pred != nil {
		c.run(pred, srcs, &source{typ: tM, row: -1}, false, use)
		c.writeMask(s.op.Warp.Pair, x86.R8, use)
	}
	c.run(data, srcs, dst, false, use)
	if s.dst.typ == tM {
		c.writeMask(in.D, x86.R8, use)
	}
}

// saveSource copies a source row that the result overwrites.
func (c *compiler) saveSource(in []source, k int) []source {
	c.copyRow(&in[k], x86.At(rCtx, saveRow))
	srcs := append([]source(nil), in...)
	srcs[k].saved, srcs[k].row = true, -1
	return srcs
}

// copyRow copies a row to memory.
func (c *compiler) copyRow(s *source, to x86.Mem) {
	v := c.alloc()
	bytes := c.full().Bytes()
	for i := range 128 / bytes {
		r := v
		if s.row >= 0 {
			r = x86.Vec(s.row + i)
		} else {
			c.move(c.full(), v, c.regs(s.off+uint32(i*bytes)))
		}
		c.store(c.full(), to.Plus(int32(i*bytes)), r)
	}
	c.release(temp(v))
}

// words tells whether a program reads general registers.
func (p *program) words() bool {
	need := needed(p)
	for i := range p.ops {
		if need[i] && p.ops[i].code == cWord {
			return true
		}
	}
	return false
}

// warpWords brings what programs read as words into their registers.
func (c *compiler) warpWords(in *machine.Inst, s *step, use maskUse) {
	active := wordRegs[wordActive]
	c.active(active, use)
	if s.op.Kind == sem.OpVote || s.op.Kind == sem.OpBallot {
		yes := wordRegs[wordPred]
		c.RM(x86.MOV, x86.S32, yes, c.regs(in.A))
		if s.op.Warp.Flip != 0 {
			c.R(x86.NOT, x86.S32, yes)
		}
		c.RR(x86.AND, x86.S32, yes, active)
	}
}

// active copies the mask of the executing lanes to a register.
func (c *compiler) active(r x86.Reg, use maskUse) {
	switch use {
	case guardLanes:
		c.RR(x86.MOV, x86.S32, r, rGuard)
	case runLanes:
		c.RR(x86.MOV, x86.S32, r, rMask)
	default:
		c.RI(x86.MOV, x86.S32, r, -1)
	}
}

// together goes to leave unless the executing lanes wait for no others: the living lanes of each mask execute, with that very
// mask (machine.Warp.Gather). Where all lanes execute one mask will do.
func (c *compiler) together(members *source, use maskUse, leave x86.Label) {
	each := !members.known && !members.slot
	if use == allLanes && !each {
		return
	}
	c.active(x86.R10, use)
	switch {
	case members.known:
		c.RI(x86.MOV, x86.S32, x86.RAX, int32(uint32(members.value)))
	case members.slot:
		c.RM(x86.MOV, x86.S32, x86.RAX, c.regs(members.off))
	default:
		c.unite(members)
	}
	c.RM(x86.MOV, x86.S32, x86.R11, ctxExited)
	c.R(x86.NOT, x86.S32, x86.R11)
	c.RM(x86.AND, x86.S32, x86.R11, ctxMask)
	c.RR(x86.MOV, x86.S32, x86.RCX, x86.RAX)
	c.RR(x86.AND, x86.S32, x86.RCX, x86.R11)
	c.RRR(x86.ANDN, x86.S32, x86.RCX, x86.R10, x86.RCX)
	c.Jcc(x86.NE, leave)
	if each {
		c.ownGroups(members, leave)
	}
}

// ownGroups goes to leave where a living lane that the mask of a lane in R10 names has another mask. R11 has the living lanes,
// which all execute, RAX the bits that any mask has, RDX those that all have.
func (c *compiler) ownGroups(members *source, leave x86.Label) {
	row := c.inMemory(members)
	one, again, each, next := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.RR(x86.CMP, x86.S32, x86.RAX, x86.RDX)
	c.Jcc(x86.E, one)
	c.RR(x86.MOV, x86.S32, x86.R8, x86.R10)
	c.Bind(again)
	c.RR(x86.TZCNT, x86.S32, x86.RCX, x86.R8)
	c.RM(x86.MOV, x86.S32, x86.RAX, row.With(x86.RCX, 4))
	c.RR(x86.BLSR, x86.S32, x86.R8, x86.R8)
	c.RRR(x86.ANDN, x86.S32, x86.R8, x86.RAX, x86.R8)
	c.RR(x86.MOV, x86.S32, x86.RDX, x86.RAX)
	c.RR(x86.AND, x86.S32, x86.RDX, x86.R11)
	c.Jcc(x86.E, next)
	c.Bind(each)
	c.RR(x86.TZCNT, x86.S32, x86.RCX, x86.RDX)
	c.RM(x86.CMP, x86.S32, x86.RAX, row.With(x86.RCX, 4))
	c.Jcc(x86.NE, leave)
	c.RR(x86.BLSR, x86.S32, x86.RDX, x86.RDX)
	c.Jcc(x86.NE, each)
	c.Bind(next)
	c.RR(x86.TEST, x86.S32, x86.R8, x86.R8)
	c.Jcc(x86.NE, again)
	c.Bind(one)
}

// inMemory is where unite finds a row.
func (c *compiler) inMemory(s *source) x86.Mem {
	if s.row >= 0 {
		return x86.At(rCtx, saveRow)
	}
	return c.regs(s.off)
}

// unite leaves in RAX the bits that any of the lanes in R10 has in a row, and in RDX those that all have.
func (c *compiler) unite(s *source) {
	row := c.inMemory(s)
	if s.row >= 0 {
		c.copyRow(s, row)
	}
	c.RR(x86.MOV, x86.S32, x86.R8, x86.R10)
	c.Zero(x86.RAX)
	c.RI(x86.MOV, x86.S32, x86.RDX, -1)
	again := c.NewLabel()
	c.Bind(again)
	c.RR(x86.TZCNT, x86.S32, x86.RCX, x86.R8)
	at := row.With(x86.RCX, 4)
	c.RM(x86.OR, x86.S32, x86.RAX, at)
	c.RM(x86.AND, x86.S32, x86.RDX, at)
	c.RR(x86.BLSR, x86.S32, x86.R8, x86.R8)
	c.Jcc(x86.NE, again)
}

// fence orders the accesses before it with those behind it.
func (c *compiler) fence() { c.Lock().MI(x86.OR, x86.S32, x86.At(rCtx, saveRow), 0) }
