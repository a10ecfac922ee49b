// Package mutants tests the tests: it changes one small thing in a room's source at a time
// and expects the room's tests to fail (DESIGN §11).
//
// A mutant is one edit of a hand-written file. The full list of a room is enumerated from
// the syntax trees alone, in source order, so that it is the same on every machine; a run
// draws a sample from it, applies each mutant with `go test -overlay`, which leaves the
// working tree alone, and wants every one killed or listed as equivalent with a reason.
package mutants

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
)

// Mutant is one edit of one file.
type Mutant struct {
	File string // slash-separated, from the module root
	Line int    // where the edit begins
	Func string // the declaration it is in: a function, Type.Method, or a variable's name
	Kind string // the operator that made it, such as "boundary"
	Text string // "before => after" of the surrounding expression

	start, end int // byte range of the file that is replaced
	repl       string
}

// Key identifies a mutant independently of line numbers, as equivalent.txt names it.
func (m *Mutant) Key() string { return fmt.Sprintf("%s %s: %s", m.File, m.Func, m.Text) }

// String is the key with the line and the operator.
func (m *Mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s (%s)", m.File, m.Line, m.Func, m.Text, m.Kind)
}

// apply returns the source of the mutant's file with the edit.
func (m *Mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.repl), src[m.end:])
}

// number makes equal keys unique: the second gets " #2" and so on, in source order.
func number(ms []Mutant) {
	seen := map[string]int{}
	for i := range ms {
		key := ms[i].Key()
		if seen[key]++; seen[key] > 1 {
			ms[i].Text += fmt.Sprintf(" #%d", seen[key])
		}
	}
}

// Sample draws n mutants. Each has its own draw, a hash of seed and key: an edit elsewhere
// in the room leaves the sample as it is. The order is that of the list.
func Sample(ms []Mutant, n int, seed uint64) []Mutant {
	if n >= len(ms) {
		return ms
	}
	draws := make([]uint64, len(ms))
	for i := range ms {
		draws[i] = draw(&ms[i], seed)
	}
	sorted := slices.Sorted(slices.Values(draws))
	var out []Mutant
	for i, d := range draws {
		if d < sorted[n] {
			out = append(out, ms[i])
		}
	}
	return out
}

// draw hashes a mutant's key; the finalizer (splitmix64) spreads seeds that differ little.
func draw(m *Mutant, seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, m.Key())
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// bySource orders mutants of one file as they stand in it.
func bySource(a, b Mutant) int { return cmp.Compare(a.start, b.start) }
