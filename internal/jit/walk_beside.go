package jit

// Two lanes that walk in turns, a trip of one and a trip of the other. Where each trip waits for the one before, as sums of floats do,
// one waits while the other goes on. When one comes to its end, the next lane takes its place.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// laneRegs are the registers of another lane, by those that the first one has in their place.
type laneRegs struct {
	r map[x86.Reg]x86.Reg
	x map[x86.Vec]x86.Vec
}

// waits tells whether a trip has to wait for the one before, and how many there are is known: other lanes have to wait at the same place.
func (w *walk) waits() bool {
	return w.known != nil && slices.ContainsFunc(w.rows, func(x walkRow) bool {
		return x.class == floatClass && x.in != noVal && x.out != noVal
	})
}

// anotherLane takes as many registers as planLane has; nil if there are too few.
func (w *walk) anotherLane() *laneRegs {
	o := &laneRegs{r: map[x86.Reg]x86.Reg{}, x: map[x86.Vec]x86.Vec{}}
	general := []x86.Reg{w.count}
	for i := range w.loads {
		if l := &w.loads[i]; w.passing(l) {
			general = append(general, l.host)
		}
	}
	for i := range w.rows {
		switch x := &w.rows[i]; {
		case w.idle(x):
		case x.class == floatClass:
			p, ok := w.take(floatClass)
			if !ok {
				return nil
			}
			o.x[x.v] = p.v
		default:
			general = append(general, x.r)
		}
	}
	for _, r := range general {
		p, ok := w.take(generalClass)
		if !ok {
			return nil
		}
		o.r[r] = p.r
	}
	return o
}

// besides makes the walk of another lane, which has registers of its own for what it keeps from trip to trip.
func (w *walk) besides(o *laneRegs) {
	if w.beside = nil; o == nil {
		return
	}
	b := *w
	b.rows, b.loads, b.at = slices.Clone(w.rows), slices.Clone(w.loads), slices.Clone(w.at)
	b.count = o.r[w.count]
	for i := range b.rows {
		o.change(&b.rows[i].walkPlace)
	}
	for i := range b.at {
		o.change(&b.at[i])
	}
	for i := range b.loads {
		if l := &b.loads[i]; b.passing(l) {
			l.host = o.r[l.host]
		}
	}
	w.beside = &b
}

// change gives the other lane its own register, if it has one in place of this.
func (o *laneRegs) change(p *walkPlace) {
	if r, ok := o.r[p.r]; ok && p.has {
		p.r = r
	}
	if x, ok := o.x[p.v]; ok && p.has {
		p.v = x
	}
}

// walkInTurns assembles the trips of all lanes.
func (c *compiler) walkInTurns(w *walk, done, missed x86.Label) {
	a, b := w, w.beside
	begin, top, second, end, aloneA, aloneB := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.nextKnown(a, done, walkLane)
	c.Bind(begin)
	c.nextKnown(b, aloneA, walkOther)
	c.Bind(top)
	c.knownTrip(a, missed)
	c.Jcc(x86.E, end)
	c.Bind(second)
	c.knownTrip(b, missed)
	c.Jcc(x86.NE, top)
	c.storeLane(b, walkOther)
	c.Jmp(begin)
	c.Bind(end)
	c.storeLane(a, walkLane)
	c.nextKnown(a, aloneB, walkLane)
	c.Jmp(second)
	for _, x := range []struct {
		w     *walk
		alone x86.Label
		keep  x86.Mem
	}{{a, aloneA, walkLane}, {b, aloneB, walkOther}} {
		c.Bind(x.alone)
		c.knownTrip(x.w, missed)
		c.Jcc(x86.NE, x.alone)
		c.storeLane(x.w, x.keep)
		c.Jmp(done)
	}
}
