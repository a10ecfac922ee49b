package machine

// This file finds what a CTA leaves behind when its threads have exited (P8007): tensor memory, mbarriers that still
// expect bytes, copies that no wait covers. Launches that do not ask (WantsLeft) test one bit.

import "fmt"

// Leaks reports whether the launch wants to know what is left behind.
func (w *Warp) Leaks() bool { return w.cta.grid.wants(WantsLeft) }

// Asked notes where the object was told of bytes to come in its current phase, if that has not completed by it.
func (b Mbarrier) Asked(at Place) {
	if m, ok := b.cta.mbarriers[b.addr]; ok && m.word.Tx() != 0 {
		m.asked = &at
		b.cta.mbarriers[b.addr] = m
	}
}

// quiet reports whether no operation is open that could still signal an mbarrier.
func (q *asyncOps) quiet() bool {
	for _, op := range q.open {
		if op.Signal != nil {
			return false
		}
	}
	return true
}

// leaves reports what a CTA whose threads have exited leaves behind; quiet: nothing will be signalled any more.
func (c *CTA) leaves(quiet bool) {
	if !c.grid.wants(WantsLeft) {
		return
	}
	for a := range c.tensor.allocations() {
		c.left(TensorKept, a.Place, c.tensor.Extent(0, 128, int(a.Column), int(a.Columns)), "")
	}
	for addr, m := range c.mbarriers {
		if tx := m.word.Tx(); quiet && tx != 0 && m.asked != nil {
			off := uint64(addr) & (1<<24 - 1)
			c.left(BytesMissing, *m.asked, Extent{Space: Shared, CTA: c.crank, Lane: -1, From: off, To: off + 8}, fmt.Sprintf("%d bytes", tx))
		}
	}
	for _, list := range [...][]*Op{c.async.owed, c.async.open} {
		for _, op := range list {
			c.leftCopy(op)
		}
	}
}

// leftCopy reports a copy into shared memory that the warp has neither waited for by group nor given to an mbarrier.
func (c *CTA) leftCopy(op *Op) {
	if op.cta != c || op.Pipe != CopyPipe || op.After || op.Touches == nil || op.sure >= hasWritten {
		return
	}
	text := "that no wait covers"
	if g, lane := op.warp.groups[CopyPipe], first(op.Lanes); g == nil || op.group[lane] == g[lane] {
		text = "that no cp.async.commit_group and no wait covers"
	}
	for x, does := range op.Touches(op) {
		if does == Store {
			c.left(NotWaited, op.Place, x, text)
			return
		}
	}
}

func (c *CTA) left(kind ReportKind, op Place, x Extent, text string) {
	c.grid.Reporter.Report(&Report{Kind: kind, Extent: x, Op: op, Then: Place{Site: Site{CTA: c.id}, CTARank: c.rank}, Text: text})
}
