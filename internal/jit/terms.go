package jit

// Sums of several terms, as the rounds of a hash are: integers may be added in any order, so what is ready first is added
// first, and from the last term on there is one addition, where a chain in the order of the kernel waits for all.

import "slices"

// regroup adds the terms of each sum in the order in which they are ready.
func (m *merged) regroup() {
	if !m.sumsOfSums() || !m.mem.techniques.use(Terms) {
		return
	}
	t := &terms{m: m, reader: m.mem.vals.take(len(m.ops)), uses: m.uses(), ready: m.ints(len(m.ops)), from: m.ints(len(m.in))}
	for i := range m.ops {
		if t.uses[i] > 0 {
			for _, a := range m.ops[i].args() {
				t.reader[a] = val(i)
			}
		}
	}
	t.follow()
	t.comeBack()
	t.follow()
}

// sumsOfSums tells whether there is anything to regroup.
func (m *merged) sumsOfSums() bool {
	for i := range m.ops {
		if o := &m.ops[i]; o.code == cAdd && (m.ops[o.a].code == cAdd || m.ops[o.b].code == cAdd) {
			return true
		}
	}
	return false
}

// terms finds when each value is ready, in cycles from the first operation on.
type terms struct {
	m      *merged
	reader []val // of a value with one reader
	uses   []int
	ready  []int
	from   []int // when sources are
}

// follow goes through the program, and regroups each sum where its last addition stands.
func (t *terms) follow() {
	for i := range t.m.ops {
		switch o := &t.m.ops[i]; {
		case o.code == cIn:
			t.ready[i] = t.from[o.imm]
		case t.uses[i] == 0 || t.within(val(i)):
		case o.code == cAdd:
			t.regroup(val(i))
		default:
			t.ready[i] = t.after(o)
		}
	}
}

// within tells whether a value is a sum that only another sum reads.
func (t *terms) within(v val) bool {
	o, by := &t.m.ops[v], &t.m.ops[t.reader[v]]
	return o.code == cAdd && t.uses[v] == 1 && by.code == cAdd && by.typ == o.typ && by.a != by.b && t.reader[v] != v
}

// after is when an operation is done. The cycles are those of most processors.
func (t *terms) after(o *operation) int {
	at := 0
	for _, a := range o.args() {
		at = max(at, t.ready[a])
	}
	switch {
	case o.code == cConst || o.code == cTable:
		return 0
	case o.code == cMul || o.code >= cFAdd && o.code <= cUnit:
		return at + 4
	}
	return at + 1
}

// regroup makes each addition of a sum, from the first on, one of the two terms that are ready first; what an addition
// does not take is a term of a later one. Constants have no place in the program.
func (t *terms) regroup(root val) {
	sums, list := t.collect(root, nil, nil)
	for _, at := range sums {
		o := &t.m.ops[at]
		first := t.take(&list, at)
		second := t.take(&list, at)
		o.a, o.b = first, second
		t.ready[at] = t.after(o)
		list = append(list, at)
	}
}

// collect lists the additions of a sum in their order, and its terms.
func (t *terms) collect(at val, sums, list []val) (additions, leaves []val) {
	for _, a := range t.m.ops[at].args() {
		if t.within(a) {
			sums, list = t.collect(a, sums, list)
		} else {
			list = append(list, a)
		}
	}
	k, _ := slices.BinarySearch(sums, at)
	return slices.Insert(sums, k, at), list
}

// take removes the term that is ready first of those which stand in front of an operation.
func (t *terms) take(list *[]val, before val) val {
	best := -1
	for k, v := range *list {
		if (v < before || t.m.ops[v].code == cConst) && (best < 0 || t.ready[v] < t.ready[(*list)[best]]) {
			best = k
		}
	}
	v := (*list)[best]
	*list = slices.Delete(*list, best, best+1)
	return v
}

// comeBack assumes that rows come back, as in loops: a source that the program writes is as late as what it writes.
func (t *terms) comeBack() {
	for i := range t.m.rows {
		r := &t.m.rows[i]
		for k := range t.m.in {
			if s := &t.m.in[k]; s.off == r.dst.off && !s.known && !s.slot {
				t.from[k] = t.ready[r.v]
			}
		}
	}
}
