package isa

// This file deals the modifiers of a statement to the slots of a form. Order is free (facts:
// ptxas), except among slots that share values: there the written order decides, by role. The
// manual keeps the form's order unless an entry says `order free`.

import (
	"slices"
	"sync"
)

// dealer tries the slots for each modifier in written order.
type dealer struct {
	e      *Entry
	alt    *Alt
	mods   []Mod
	suffix Mod
	taken  []Mod // by slot
	family []int // by slot: slots with the same number share values
	strict bool  // the form's order counts
	open   bool  // more modifiers may follow
	visit  func(*env)
	count  int
}

// maxDeals bounds the readings of one form; real data has one or two.
const maxDeals = 16

// families holds the families of a form's slots, once they are known.
type families struct {
	once sync.Once
	list []int
}

// link numbers the families of slots that share values.
func (d *dealer) link() {
	d.alt.families.once.Do(func() { d.findFamilies(); d.alt.families.list = d.family })
	d.family = d.alt.families.list
}

func (d *dealer) findFamilies() {
	n := len(d.alt.slots)
	d.family = make([]int, n)
	for i := range d.family {
		d.family[i] = i
		for j := range i {
			if d.share(i, j) && d.family[i] != d.family[j] {
				d.join(d.family[i], d.family[j])
			}
		}
	}
}

func (d *dealer) join(from, to int) {
	for i, f := range d.family {
		if f == from {
			d.family[i] = to
		}
	}
}

// share reports whether two slots are of one family: they have a value in common, or both
// take types, or both take state spaces (facts: ptxas keeps the order of these), or the entry
// says that they keep their order.
func (d *dealer) share(i, j int) bool {
	if d.ordered(i) && d.ordered(j) {
		return true
	}
	for _, m := range d.whole(i) {
		if containsMod(d.whole(j), m) {
			return true
		}
	}
	a, b := d.values(i)[0], d.values(j)[0] // a class has no values of another kind
	return d.e.table.modType(a) != 0 && d.e.table.modType(b) != 0 || d.isSpace(a) && d.isSpace(b)
}

// ordered reports whether an order clause names the modifiers of a slot.
func (d *dealer) ordered(slot int) bool {
	m := d.values(slot)[0]
	return slices.ContainsFunc(d.e.ordered, func(r valueRef) bool { return r.mod == m || r.class >= 0 && d.e.classes[r.class].has(m) })
}

func (d *dealer) isSpace(m Mod) bool {
	_, ok := LookupSpace(d.e.table.mods.name(m))
	return ok
}

// whole lists the values of a slot's class, also of those that the form does not take.
func (d *dealer) whole(i int) []Mod {
	s := d.alt.slots[i]
	s.only = nil
	return d.valuesOf(&s)
}

func (d *dealer) values(i int) []Mod { return d.valuesOf(&d.alt.slots[i]) }

func (d *dealer) valuesOf(s *slot) []Mod {
	switch {
	case s.class < 0:
		return []Mod{s.mod}
	case s.only != nil:
		return s.only
	default:
		c := &d.e.classes[s.class]
		return c.values[:c.own]
	}
}

// led reports whether the modifiers of the first clause stand before all others, in its order.
func (d *dealer) led() bool {
	at, last := 0, -1
	for i, m := range d.mods {
		rank := -1
		for r, ref := range d.e.first {
			if ref.mod == m || ref.class >= 0 && d.e.classes[ref.class].has(m) {
				rank = r
			}
		}
		if rank < 0 {
			continue
		}
		if i != at || rank < last {
			return false
		}
		at, last = at+1, rank
	}
	return true
}

// deal gives modifier n and those after it to free slots.
func (d *dealer) deal(n int) {
	if d.count >= maxDeals {
		return
	}
	if n == len(d.mods) {
		d.done()
		return
	}
	m := d.mods[n]
	for i := range d.alt.slots {
		s := &d.alt.slots[i]
		if d.taken[i] != 0 || s.suffix || !s.accepts(d.e, m) || d.passed(i) || d.strict && d.behind(i) {
			continue
		}
		d.taken[i] = m
		d.deal(n + 1)
		d.taken[i] = 0
	}
}

// passed reports whether a later slot of the family is taken already.
func (d *dealer) passed(slot int) bool {
	for j := slot + 1; j < len(d.taken); j++ {
		if d.taken[j] != 0 && d.family[j] == d.family[slot] {
			return true
		}
	}
	return false
}

// behind reports whether any later slot is taken already.
func (d *dealer) behind(slot int) bool {
	for i := slot + 1; i < len(d.taken); i++ {
		if d.taken[i] != 0 && !d.alt.slots[i].suffix {
			return true
		}
	}
	return false
}

// done checks that nothing is missing and visits the reading.
func (d *dealer) done() {
	if !d.open && (!d.takeSuffix() || !d.complete()) {
		return
	}
	d.count++
	d.visit(d.env())
}

// env is the reading of what the slots have taken.
func (d *dealer) env() *env {
	v := &env{
		entry: d.e, alt: d.alt,
		chosen: make([]Mod, len(d.e.classes)), captures: make([]capture, len(d.e.captures)),
	}
	for i, m := range d.taken {
		if m == 0 {
			continue
		}
		v.mods = append(v.mods, m)
		if c := d.alt.slots[i].class; c >= 0 {
			v.bind(c, m)
		}
	}
	return v
}

// takeSuffix gives the suffix of an address to its slot.
func (d *dealer) takeSuffix() bool {
	found := d.suffix == 0
	for i := range d.alt.slots {
		if s := &d.alt.slots[i]; s.suffix {
			d.taken[i] = 0
			if d.suffix != 0 && s.accepts(d.e, d.suffix) {
				d.taken[i], found = d.suffix, true
			}
		}
	}
	return found
}

// complete reports whether all needed slots are taken, and groups wholly or not at all.
func (d *dealer) complete() bool {
	for i := range d.alt.slots {
		s := &d.alt.slots[i]
		if d.taken[i] == 0 && (!s.opt || d.groupTaken(s.group)) {
			return false
		}
	}
	return true
}

func (d *dealer) groupTaken(group int) bool {
	for i := range d.alt.slots {
		if group != 0 && d.alt.slots[i].group == group && d.taken[i] != 0 {
			return true
		}
	}
	return false
}
