package ir

// This file keeps sets of which most are nearly alike: the registers that live at the edges of blocks.
//
// A set is a tree of four ways with 64 members in a leaf. Trees are never changed once they are finished, so sets share what they
// have in common: one more member costs a path, and joining or comparing two sets costs what differs between them, since equal
// parts are the same part. With a bit for every register and block, a function of n blocks in which n registers live costs n²
// however little happens in each.

import "math/bits"

// set names a tree; 0 is the empty set, at every level.
type set int32

// fan is how many parts a node has.
const fan = 4

// sets holds the trees of one function.
type sets struct {
	words  []uint64   // leaves
	nodes  [][fan]set // each one level above its parts
	levels int        // of nodes above the leaves
	visits int        // leaves and nodes looked at while sets are made; who reads finished ones, from several threads, counts nothing

	ownWord, ownNode set // trees made from here on are no part of a finished one: members go into them in place
}

// newSets returns sets of members below n.
func newSets(n int) *sets {
	s := &sets{words: make([]uint64, 1), nodes: make([][fan]set, 1)}
	for room := 64; room < n; room *= fan {
		s.levels++
	}
	return s
}

// finish ends the building of sets: what has been made is never changed again.
func (s *sets) finish() { s.ownWord, s.ownNode = set(len(s.words)), set(len(s.nodes)) }

// size is the memory that the trees take, in bytes.
func (s *sets) size() int { return 8*len(s.words) + 4*fan*len(s.nodes) }

// has reports whether i is a member of a.
func (s *sets) has(a set, i int) bool {
	for level := s.levels; level > 0 && a != 0; level-- {
		a = s.nodes[a][part(i, level)]
	}
	return s.words[a]>>(uint(i)&63)&1 != 0
}

// part is the way to a member in a node.
func part(i, level int) int { return i >> (6 + 2*(level-1)) & (fan - 1) }

// put returns a with the member i, or without it.
func (s *sets) put(a set, i int, member bool) set { return s.putAt(a, i, member, s.levels) }

func (s *sets) putAt(a set, i int, member bool, level int) set {
	s.visits++
	if level == 0 {
		return s.putBit(a, uint64(1)<<(uint(i)&63), member)
	}
	k := part(i, level)
	was := s.nodes[a][k]
	now := s.putAt(was, i, member, level-1)
	if now == was {
		return a
	}
	if a != 0 && a >= s.ownNode {
		s.nodes[a][k] = now
		return a
	}
	n := s.nodes[a]
	n[k] = now
	return s.node(n)
}

func (s *sets) putBit(a set, bit uint64, member bool) set {
	w := s.words[a] &^ bit
	if member {
		w |= bit
	}
	switch {
	case w == s.words[a]:
		return a
	case a != 0 && a >= s.ownWord:
		s.words[a] = w
		return a
	}
	return s.word(w)
}

func (s *sets) word(w uint64) set {
	if w == 0 {
		return 0
	}
	s.words = append(s.words, w)
	return set(len(s.words) - 1)
}

func (s *sets) node(n [fan]set) set {
	if n == [fan]set{} {
		return 0
	}
	s.nodes = append(s.nodes, n)
	return set(len(s.nodes) - 1)
}

// join returns the members of a and b: a itself if it has all of them.
func (s *sets) join(a, b set) set { return s.joinAt(a, b, s.levels) }

func (s *sets) joinAt(a, b set, level int) set {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	}
	s.visits++
	if level == 0 {
		switch w := s.words[a] | s.words[b]; w {
		case s.words[a]:
			return a
		case s.words[b]:
			return b
		default:
			return s.word(w)
		}
	}
	x, y := s.nodes[a], s.nodes[b]
	var n [fan]set
	for k := range n {
		n[k] = s.joinAt(x[k], y[k], level-1)
	}
	switch n {
	case x:
		return a
	case y:
		return b
	}
	return s.node(n)
}

// differ visits, in ascending order, the members of one of a and b that the other does not have.
func (s *sets) differ(a, b set, visit func(i int)) { s.differAt(a, b, 0, s.levels, visit) }

func (s *sets) differAt(a, b set, base, level int, visit func(i int)) {
	if a == b {
		return
	}
	if level == 0 {
		for w := s.words[a] ^ s.words[b]; w != 0; w &= w - 1 {
			visit(base + bits.TrailingZeros64(w))
		}
		return
	}
	for k := range fan {
		s.differAt(s.nodes[a][k], s.nodes[b][k], base+k<<(6+2*(level-1)), level-1, visit)
	}
}

// each visits the members of a in ascending order.
func (s *sets) each(a set, visit func(i int)) { s.differ(a, 0, visit) }

// count is the number of members of a.
func (s *sets) count(a set) int { return s.countAt(a, s.levels) }

func (s *sets) countAt(a set, level int) (n int) {
	switch {
	case a == 0:
		return 0
	case level == 0:
		return bits.OnesCount64(s.words[a])
	}
	for _, p := range s.nodes[a] {
		n += s.countAt(p, level-1)
	}
	return n
}

// full is the set of all members below n.
func (s *sets) full(n int) (a set) {
	s.finish()
	for i := range n {
		a = s.put(a, i, true)
	}
	return a
}
