package check

// This file remembers the places that .loc names: there is one for every third line, so that it has a table of its own.

import (
	"hash/maphash"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/syntax"
)

// placeSet is a set of places, in an open-addressing table whose length is a power of two and which is at most half
// full.
type placeSet struct {
	slots []placeSlot
	used  int
	round uint32 // slots of other rounds are free
}

type placeSlot struct {
	at    syntax.Place
	round uint32
}

const leastPlaces = 1 << 10

// placeFactors are random per process, so that no input can be made to collide.
var placeFactors = [2]uint64{maphash.String(maphash.MakeSeed(), "place"), maphash.String(maphash.MakeSeed(), "column")}

// clear forgets all places.
func (s *placeSet) clear() {
	s.used = 0
	if s.round++; s.round == 0 || s.slots == nil {
		s.slots, s.round = make([]placeSlot, leastPlaces), 1
	}
}

// find returns the slot of a place: its own, or the free one that it would take.
func (s *placeSet) find(at syntax.Place) *placeSlot {
	high, low := bits.Mul64((uint64(at.File)<<32|uint64(at.Line))^placeFactors[0], uint64(at.Col)^placeFactors[1])
	mask := len(s.slots) - 1
	for i := int(high^low) & mask; ; i = (i + 1) & mask {
		if p := &s.slots[i]; p.round != s.round || p.at == at {
			return p
		}
	}
}

func (s *placeSet) has(at syntax.Place) bool { return s.find(at).round == s.round }

func (s *placeSet) add(at syntax.Place) {
	p := s.find(at)
	if p.round == s.round {
		return
	}
	*p = placeSlot{at, s.round}
	if s.used++; 2*s.used > len(s.slots) {
		s.grow()
	}
}

func (s *placeSet) grow() {
	old := s.slots
	s.slots = make([]placeSlot, 4*len(old))
	for _, p := range old {
		if p.round == s.round {
			*s.find(p.at) = p
		}
	}
}
