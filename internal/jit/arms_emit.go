package jit

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// armsHead is where code for full warps goes whose lanes part at the first branch; 0 until somebody asks.
type armsHead = x86.Label

// Where a series keeps its words, and who takes its branches.
const (
	saveArmMasks = saveArms + 128*maxArmWords
	armsBytes    = 128*maxArmWords + 4*maxForks
)

// armsBranch assembles the branch of some lanes at the end of a segment with the series of forks that it begins; false
// if it begins none.
func (c *compiler) armsBranch(i int, pc int32) bool {
	a := c.arms[pc]
	if a == nil || a.emitted || c.inTurn != nil {
		return false
	}
	a.emitted = true
	other := c.later(func() {
		c.parting(i, pc, int32(c.insts[pc].Imm), true)
		c.Jmp(c.segs[i+1].part)
	})
	c.Bind(c.headOf(a))
	c.fetchWords(a, other)
	c.title("forks of some lanes, from %d to %d", a.first+1, a.end)
	c.count()
	c.note(a.first+1, a.end)
	c.runLanes(&a.run, runLanes)
	c.countForks(a)
	c.Jmp(c.segs[c.segAt[a.end]].part)
	return true
}

// headOf is where a series begins.
func (c *compiler) headOf(a *arms) x86.Label {
	if a.head == 0 {
		a.head = c.NewLabel()
	}
	return a.head
}

// partAtFork goes over from code for full warps whose lanes part at a branch to the series that it begins; false if it
// begins none.
func (c *compiler) partAtFork(pc int32) bool {
	a := c.arms[pc]
	if a == nil || c.opt.Whole {
		return false
	}
	c.unforesee(pc, pc)
	c.apart(pc)
	c.setMask(rMask, kMask, saveRun)
	c.Jmp(c.headOf(a))
	return true
}

// fetchWords gathers the words of a series for the lanes that run, or goes to other where one is not all inside.
func (c *compiler) fetchWords(a *arms, other x86.Label) {
	for i := range a.words {
		w := &a.words[i]
		low, high, first := w.key.disp, w.key.disp, true
		for k := range a.words {
			if v := &a.words[k]; v.key.row == w.key.row {
				low, high = min(low, v.key.disp), max(high, v.key.disp)
				first = first && k >= i
			}
		}
		if first { // one test for all words at a row of addresses
			f := c.wordAccess(w.pc, low)
			f.inside(int32(high-low)+4, other)
		}
	}
	for i := range a.words {
		w := c.wordAccess(a.words[i].pc, a.words[i].key.disp)
		base := w.hostBase()
		w.c.eachPart(tW, func() {
			v := w.c.alloc()
			w.gatherPart(0, v, base)
			w.c.store(w.c.full(), armPart(i+1, w.c.part*w.c.full().Bytes()), v)
			w.c.release(temp(v))
		})
	}
}

// wordAccess is the load of a byte as one of four at a displacement.
func (c *compiler) wordAccess(pc int32, disp int64) *accessed {
	a := c.accessAt(pc, true, runLanes)
	in, m := *a.in, *a.m
	in.Imm, m.Elem, m.Size, m.Align = uint64(disp), 4, 4, 1
	a.in, a.m = &in, &m
	return a
}

// armPart is where the word with a number is, from a byte of the row on.
func armPart(number, at int) x86.Mem { return x86.At(rCtx, saveArms+int32(128*(number-1)+at)) }

// placeBits writes who takes a branch to where countForks looks.
func (r *room) placeBits(v val, place int32) {
	l := r.get(v)
	x := r.c.load(l, tW)
	m := x86.At(rCtx, saveArmMasks+4*(place-1)+int32(r.c.part*r.c.lanes/8))
	if x.kind == inK {
		r.c.MK(x86.KMOVW, m, x.k)
	} else {
		r.c.RV(x86.VMOVMSKPS, r.c.width(tW), x86.RCX, x.v)
		r.c.MR(x86.MOV, x86.S8, m, x86.RCX)
	}
	r.c.unload(x, l)
}

// countForks counts what the lanes have executed: in each fork the instructions of both arms, those of one nobody has
// gone through not at all, and the branch for those that have taken it.
func (c *compiler) countForks(a *arms) {
	steps, each := int32(0), int32(0) // of all lanes that run
	done := make([]bool, len(a.forks))
	c.RR(x86.POPCNT, x86.S32, x86.RDX, rMask)
	for i := range a.forks {
		f := &a.forks[i]
		if n := int32(len(f.before)); i > 0 {
			steps, each = steps+n+1, each+n+1
		}
		each += f.goes - 1
		if !done[i] {
			c.countLike(a, i, done)
		}
	}
	if steps != 0 {
		c.MI(x86.ADD, x86.S64, ctxSteps, steps)
	}
	if each != 0 {
		c.RRI(x86.IMUL, x86.S64, x86.RDX, x86.RDX, each)
		c.MR(x86.ADD, x86.S64, ctxOps, x86.RDX)
	}
}

// countLike counts what differs between lanes, of all forks from one on whose arms are as long.
func (c *compiler) countLike(a *arms, i int, done []bool) {
	f := &a.forks[i]
	lanes, some, others := x86.R8, x86.R10, x86.R11
	for _, r := range [...]x86.Reg{lanes, some, others} {
		c.Zero(r)
	}
	for k := i; k < len(a.forks); k++ {
		g := &a.forks[k]
		if done[k] || g.takes != f.takes || g.goes != f.goes {
			continue
		}
		done[k] = true
		c.RM(x86.MOV, x86.S32, x86.RAX, x86.At(rCtx, saveArmMasks+int32(4*k)))
		c.RR(x86.AND, x86.S32, x86.RAX, rMask)
		c.RR(x86.POPCNT, x86.S32, x86.RCX, x86.RAX)
		c.RR(x86.ADD, x86.S32, lanes, x86.RCX)
		c.RI(x86.CMP, x86.S32, x86.RAX, 1)
		c.RI(x86.SBB, x86.S32, some, -1) // one more if there are any
		c.RR(x86.CMP, x86.S32, x86.RAX, rMask)
		c.RI(x86.ADC, x86.S32, others, 0) // or if there are others
	}
	c.addTimes(ctxOps, lanes, f.takes-f.goes+1)
	c.addTimes(ctxSteps, some, f.takes)
	c.addTimes(ctxSteps, others, f.goes)
}

// addTimes adds n times a register, which is lost, to a count.
func (c *compiler) addTimes(m x86.Mem, r x86.Reg, n int32) {
	if n == 0 {
		return
	}
	c.RRI(x86.IMUL, x86.S64, r, r, n)
	c.MR(x86.ADD, x86.S64, m, r)
}
