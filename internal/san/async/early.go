package async

// This file finds accesses that an operation does not allow yet.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// conflict returns the first operation that does not allow an access yet, with what is wrong about it; nil if none.
func (c *cluster) conflict(x machine.Extent, kind machine.AccessKind) (by *op, what found.Kind) {
	c.each(func(one *op) bool {
		if r, bad := one.conflict(x, kind); bad {
			by, what = one, r
		}
		return by == nil
	})
	return by, what
}

func (one *op) conflict(e machine.Extent, kind machine.AccessKind) (found.Kind, bool) {
	if one.Touches == nil || !one.reaches().meets(e, kind) {
		return 0, false
	}
	for x, does := range one.Touches(&one.Op) {
		if !x.Overlaps(e) {
			continue
		}
		switch {
		case does != machine.Load && one.sure < written && kind == machine.Load:
			return found.ReadBeforeDone, true
		case does == machine.Atomic && kind == machine.Atomic: // in any order
		case does != machine.Load && one.sure < written:
			return found.WriteBeforeDone, true
		case kind != machine.Load && one.sure < read:
			return found.WriteBeforeRead, true
		}
	}
	return 0, false
}

// touch reports the lanes of an access that an operation does not allow.
func (o *Observer) touch(c *cluster, e *machine.Event) {
	if !o.Early || e.Async || e.Addr == nil || !c.mayMeet(e) {
		return
	}
	done := false
	e.Extents(func(lane int, x machine.Extent) {
		if done {
			return
		}
		if by, kind := c.conflict(x, e.Kind); by != nil {
			done = true
			then := e.Place(1 << lane)
			then.Proxy = model.GenericProxy
			o.reporter.Report(&found.Report{Kind: kind, Extent: x, Op: by.Place, Then: then})
		}
	})
}

// mayMeet reports whether an access may touch what an operation does.
func (c *cluster) mayMeet(e *machine.Event) (may bool) {
	var h hulls
	e.Extents(func(_ int, x machine.Extent) { h.add(x) })
	c.each(func(one *op) bool {
		may = one.Touches != nil && one.reaches().all.cross(&h)
		return !may
	})
	return may
}

// rows reports lanes if an operation does not allow what they do to registers; one register is enough.
func (o *Observer) rows(c *cluster, e *machine.Event, rows []machine.RowUse) {
	if !o.Early {
		return
	}
	for _, r := range rows {
		x := e.On.Rows(r.From, r.To)
		if by, what := c.conflict(x, r.Kind); by != nil {
			o.reporter.Report(&found.Report{Kind: what, Extent: x, Op: by.Place, Then: e.Place(e.Lanes)})
			return
		}
	}
}

// freed reports columns of tensor memory that are given back while something that has happened may, for all that the
// program knows, still use them. Operations that are late find out by themselves.
func (o *Observer) freed(c *cluster, e *machine.Event) {
	if !o.Early || e.Extent.Space != machine.Tensor {
		return
	}
	for _, one := range c.owed {
		if kind, bad := one.conflict(*e.Extent, machine.Store); bad {
			o.reporter.Report(&found.Report{Kind: kind, Extent: *e.Extent, Op: one.Place, Then: e.Place(e.Lanes)})
			return
		}
	}
}

// issued reports what a new operation and earlier ones do to the same bytes without an order between them.
func (o *Observer) issued(c *cluster, mine *op) {
	if mine.Touches == nil {
		return
	}
	c.each(func(one *op) bool {
		r := c.unordered(one, mine)
		if r != nil {
			o.reporter.Report(r)
		}
		return r == nil
	})
}

// unordered is the report of what a new operation and an earlier one do without an order between them; nil if there
// is nothing to report.
func (c *cluster) unordered(one, mine *op) *found.Report {
	if mine.Follows(&one.Op, false) {
		return productClash(one, mine)
	}
	if r := clash(one, mine); r != nil && !c.chained(one, mine) {
		return r
	}
	return nil
}

// clash is the report of what a new operation and an earlier one do to the same bytes; nil if there is nothing to
// report.
func clash(one, mine *op) *found.Report {
	for x, does := range mine.Touches(&mine.Op) {
		if kind, bad := one.conflict(x, does); bad {
			return &found.Report{Kind: kind, Extent: x, Op: one.Place, Then: mine.Place}
		}
	}
	return nil
}

// chained reports whether operations between two of the tensor pipe order them: a copy of scale factors, the product
// that reads them, the copy of the next ones.
func (c *cluster) chained(one, mine *op) (yes bool) {
	if mine.Pipe != queue.Tensor || one.Pipe != queue.Tensor {
		return false
	}
	behind := []*op{mine} // what comes before mine, and mine
	for i := 0; i < len(behind) && !yes; i++ {
		c.each(func(between *op) bool {
			switch {
			case between.Number < one.Number || !behind[i].Follows(&between.Op, false) || slices.Contains(behind, between):
			case between == one:
				yes = true
			default:
				behind = append(behind, between)
			}
			return !yes
		})
	}
	return yes
}

// productClash is the report of a register that a product has while an earlier one of the warp may still use it
// (9.7.15.7.3); nil if there is none. Products of one shape have an accumulator in turns.
func productClash(one, mine *op) *found.Report {
	old, own := &one.Product, &mine.Product
	if old.Shape == 0 || old.Frame != own.Frame {
		return nil
	}
	if old.Shape != own.Shape && one.sure < written {
		if r := rowClash(found.WriteBeforeDone, one, mine, old.D, own.D); r != nil {
			return r
		}
	}
	if one.sure < written {
		if r := rowClash(found.ReadBeforeDone, one, mine, old.D, own.A); r != nil {
			return r
		}
	}
	if one.sure < read {
		return rowClash(found.WriteBeforeRead, one, mine, old.A, own.D)
	}
	return nil
}

// rowClash is the report of the first of a product's rows that is among those of an earlier one.
func rowClash(kind found.Kind, one, mine *op, old, own []uint32) *found.Report {
	for _, off := range own {
		if slices.Contains(old, off) {
			x := machine.Extent{Space: machine.Registers, Lane: -1, From: uint64(off), To: uint64(off) + 4*32, Frame: mine.Product.Frame}
			return &found.Report{Kind: kind, Extent: x, Op: one.Place, Then: mine.Place}
		}
	}
	return nil
}
