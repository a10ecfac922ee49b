package machine

// This file executes single instructions in the middle of compiled code: those that have no machine code. The code
// returns for a moment with everything at home that a handler looks at, says where it goes on, and is entered there.
// Nothing of it is on the stack meanwhile.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// callHelping runs compiled code, and instructions that it returns for, until it returns for good. The warp is nil in a
// batch.
func (c *CTA) callHelping(n *installed, t *nativeTable, s *abi.State, w *Warp, entry uintptr) {
	s.Help.Alone = false
	for {
		s.Help.Back = 0
		if callNative(&n.Native, s, entry); s.Help.Back == 0 {
			return
		}
		at := w
		if at == nil {
			at = c.current(s)
		}
		entry = s.Help.Leave
		if c.help(n, t, s, at) {
			entry = s.Help.Back
		} else if s.Help.Gone {
			return
		}
	}
}

// help executes the instruction; false if its lanes do not simply go on behind it: it has faulted, or nothing has been done.
func (c *CTA) help(n *installed, t *nativeTable, s *abi.State, w *Warp) bool {
	h, in := &s.Help, &n.code.Insts[s.Help.PC]
	run := (*Warp).runHelped
	switch in.Op.Reach() {
	case uop.ReachRows:
	case uop.ReachWarp:
		if h.Mask != ^uint32(0) || !w.unanimous(in) {
			t.count(&t.blocked, n, w.core, h.PC) // who is missing may have to be waited for
			return false
		}
		fallthrough
	case uop.ReachMemory:
		c.comeTo(s, w)
	case uop.ReachAsync:
		c.comeTo(s, w)
		s.Batch.CTAs = 0 // before the next one begins, the machine clears what it leaves
	case uop.ReachClock:
		c.comeTo(s, w)
		run = func(w *Warp, inst []Inst, lanes uint32) (State, uint64) { return w.runCounted(s, inst, lanes) }
	case uop.ReachWhole:
		c.dissolve(n, s, w)
		run = func(w *Warp, inst []Inst, lanes uint32) (State, uint64) { return w.runAlone(s, inst, lanes) }
	case uop.ReachCalls:
		return c.call(n, t, s, w)
	default:
		return false
	}
	if Checked {
		w.checkHelp(n, s)
	}
	live := w.Live
	w.Live = s.Living()
	st, ops := run(w, n.code.Insts[h.PC:h.PC+1], h.Mask)
	w.Live = live
	if st != Next && st != Faulted {
		t.count(&t.blocked, n, w.core, h.PC)
		return false
	}
	s.Steps++
	s.Ops += ops
	h.HandlerOps += ops
	if h.Faulted = st == Faulted; h.Faulted {
		return false
	}
	if in.Op == uop.CallRuntime && t.epoch != w.core.arena.Epoch() { // it has freed memory
		t.refresh(w.core, n, c)
	}
	t.count(&t.helped, n, w.core, h.PC)
	return true
}

// unanimous reports whether the guard of an instruction holds for all lanes or for none.
func (w *Warp) unanimous(in *Inst) bool {
	if in.Guard == NoGuard {
		return true
	}
	p := *w.P(in.Guard &^ 1)
	return p == 0 || p == ^uint32(0)
}

// count counts an instruction in one of the table's lists.
func (t *nativeTable) count(list *[]uint64, n *installed, core *Core, pc int32) {
	if *list == nil {
		*list = make([]uint64, len(n.Entries))
	}
	(*list)[pc]++
	t.used, core.leaves = true, true
}

// dissolve ends a batch around its running warp, which goes on alone: the machine has the others, their barriers and all counts.
func (c *CTA) dissolve(n *installed, s *abi.State, w *Warp) {
	b, h := &s.Batch, &s.Help
	if b.Warp == 0 {
		return
	}
	s.Steps += h.Steps // of whole warps
	s.Ops += 32 * h.Steps
	c.takeBatch(n, s)
	b.Warp, h.Alone = 0, true
	h.Steps, h.HandlerOps, s.Steps, s.Ops = 0, 0, 0, 0
	f := &w.frags[0]
	w.frag, w.insts, w.regs = f, w.root.code.Insts, w.root.regs.P
	w.polled = true
}

// runAlone is runHelped for a warp that runs alone, of which lanes may have exited or wait elsewhere in compiled code.
func (w *Warp) runAlone(s *abi.State, inst []Inst, lanes uint32) (st State, ops uint64) {
	f, mask := w.frag, w.frag.mask
	f.mask, f.pc = lanes, s.Help.PC
	st, ops = w.runCounted(s, inst, lanes)
	f.mask = mask
	return st, ops
}

// runCounted is runHelped with the counts up to the instruction, by which the CTA's clock goes.
func (w *Warp) runCounted(s *abi.State, inst []Inst, lanes uint32) (st State, ops uint64) {
	steps, b := w.steps, &s.Batch
	if w.steps += s.Steps + s.Help.Steps; b.Warp != 0 && b.Done != 0 {
		w.steps -= w.cta.cycles + b.Began // the CTA's clock has begun behind those
	}
	w.start = s.Help.PC
	st, ops = w.runHelped(inst, lanes)
	w.steps = steps
	return st, ops
}

// runHelped has the handler of an instruction execute it for some lanes. A handler that has to wait does nothing then.
func (w *Warp) runHelped(inst []Inst, lanes uint32) (st State, ops uint64) {
	run, whole, lost := (*Warp).runPart, w.Mask, w.lost
	if lanes == ^uint32(0) {
		run = (*Warp).runFull
	}
	w.Mask, w.helping = lanes, true
	_, st = run(w, inst)
	w.Mask, w.helping, lost, w.lost = whole, false, w.lost-lost, lost
	return st, uint64(bits.OnesCount32(lanes)) - lost
}

// current is the running warp of a batch, as a fragment of the lanes that have come to the instruction.
func (c *CTA) current(s *abi.State) *Warp {
	w := c.warps[bits.TrailingZeros32(s.Batch.Current)]
	if s.Help.Alone {
		return w
	}
	w.core = c.cluster.core
	f := &w.frags[0]
	*f = Fragment{frame: w.root, mask: s.Help.Mask, pc: s.Help.PC}
	w.root.lanes, w.root.variant = s.Living(), converged
	w.frag, w.insts, w.regs = f, w.root.code.Insts, w.root.regs.P
	return w
}

// comeTo makes the CTA the one that compiled code runs, for handlers that look at more than rows. What the warp's local memory
// holds of the CTA before ends.
func (c *CTA) comeTo(s *abi.State, w *Warp) {
	if rank := c.cluster.rank + uint64(s.Batch.Done); s.Batch.Warp != 0 && c.rank != rank {
		c.id, c.rank = c.grid.Place(rank, 0)
	}
	if w.root.code.LocalRoom != 0 {
		w.localOf = w.cta.rank // compiled code that has begun the warp has cleared it
	}
	w.ownLocal()
}
