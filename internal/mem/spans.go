package mem

// This file holds an ordered set of address ranges, for allocations and for free space.

import "sort"

// span is the addresses start ≤ a < end with what is known about them.
type span struct {
	start, end uint64
	info       Info
}

// leafMax bounds the spans of one leaf: inserting moves at most this many.
const leafMax = 128

// leaf is a run of spans in ascending order. longest bounds the length of its spans from above.
type leaf struct {
	spans   []span
	longest uint64
}

// spans is a set of disjoint spans, in ascending order, in leaves: two binary searches to find
// one, a short move to insert one. Leaves are never empty.
type spans struct{ leaves []*leaf }

// seek returns the position of the last span that starts at or below addr; ok is false if
// there is none.
func (s *spans) seek(addr uint64) (li, i int, ok bool) {
	li = sort.Search(len(s.leaves), func(k int) bool { return s.leaves[k].spans[0].start > addr }) - 1
	if li < 0 {
		return 0, 0, false
	}
	l := s.leaves[li].spans
	i = sort.Search(len(l), func(k int) bool { return l[k].start > addr }) - 1
	return li, i, true
}

// below returns the last span that starts at or below addr.
func (s *spans) below(addr uint64) (span, bool) {
	li, i, ok := s.seek(addr)
	if !ok {
		return span{}, false
	}
	return s.leaves[li].spans[i], true
}

// above returns the first span that starts above addr.
func (s *spans) above(addr uint64) (span, bool) {
	li, i, ok := s.seek(addr)
	switch {
	case !ok && len(s.leaves) == 0:
		return span{}, false
	case !ok:
		return s.leaves[0].spans[0], true
	case i+1 < len(s.leaves[li].spans):
		return s.leaves[li].spans[i+1], true
	case li+1 < len(s.leaves):
		return s.leaves[li+1].spans[0], true
	}
	return span{}, false
}

func (s *spans) insert(v span) {
	li, i, ok := s.seek(v.start)
	if !ok {
		if i = -1; len(s.leaves) == 0 {
			s.leaves = append(s.leaves, &leaf{})
		}
	}
	l := s.leaves[li]
	l.spans = append(l.spans, span{})
	copy(l.spans[i+2:], l.spans[i+1:])
	l.spans[i+1] = v
	l.longest = max(l.longest, v.end-v.start)
	if len(l.spans) > leafMax {
		s.halve(li)
	}
}

// halve moves the upper half of a leaf to a new one.
func (s *spans) halve(li int) {
	l := s.leaves[li]
	upper := &leaf{spans: append(make([]span, 0, leafMax+1), l.spans[leafMax/2:]...)}
	l.spans = l.spans[:leafMax/2]
	l.measure()
	upper.measure()
	s.leaves = append(s.leaves, nil)
	copy(s.leaves[li+2:], s.leaves[li+1:])
	s.leaves[li+1] = upper
}

func (l *leaf) measure() {
	l.longest = 0
	for i := range l.spans {
		l.longest = max(l.longest, l.spans[i].end-l.spans[i].start)
	}
}

// all returns the spans that a condition holds for, in ascending order.
func (s *spans) all(ok func(*span) bool) (list []span) {
	for _, l := range s.leaves {
		for i := range l.spans {
			if ok(&l.spans[i]) {
				list = append(list, l.spans[i])
			}
		}
	}
	return list
}

// remove takes the span that starts at addr out of the set.
func (s *spans) remove(addr uint64) (span, bool) {
	li, i, ok := s.seek(addr)
	if !ok || s.leaves[li].spans[i].start != addr {
		return span{}, false
	}
	l := s.leaves[li]
	v := l.spans[i]
	l.spans = append(l.spans[:i], l.spans[i+1:]...)
	if len(l.spans) == 0 {
		s.leaves = append(s.leaves[:li], s.leaves[li+1:]...)
	}
	return v, true
}

// firstFit removes and returns the lowest span of at least n bytes.
func (s *spans) firstFit(n uint64) (span, bool) {
	for _, l := range s.leaves {
		if l.longest < n {
			continue
		}
		for _, v := range l.spans {
			if v.end-v.start >= n {
				return s.remove(v.start)
			}
		}
		l.measure()
	}
	return span{}, false
}
