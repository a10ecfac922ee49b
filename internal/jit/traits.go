package jit

// What processors with the same instructions differ in so much that other code is better: one table, by maker and
// family. Results never depend on it, and tests make code against each trait on any machine (Options.Against).

import (
	"sync"

	"ptxvm/internal/jit/native"
)

// Traits are a set of such properties.
type Traits uint8

// The traits.
const (
	GathersSlow Traits = 1 << iota // a gather takes longer than to load its elements one by one and to insert them

	AllTraits = GathersSlow
)

// traitsOf are the makers and the families from which on their processors have traits. All others are taken for
// processors that have none.
var traitsOf = []struct {
	maker  string
	from   int
	traits Traits
}{
	{"AuthenticAMD", 0x17, GathersSlow}, // Zen: microcode; measured on family 25, model 17
	{"HygonGenuine", 0x18, GathersSlow}, // the first Zen
}

// traitsHere are this processor's.
var traitsHere = sync.OnceValue(func() Traits { return findTraits(native.Maker()) })

// findTraits looks a processor up.
func findTraits(maker string, family int) (t Traits) {
	for _, e := range traitsOf {
		if maker == e.maker && family >= e.from {
			t |= e.traits
		}
	}
	return t
}

// traits are those that code is made for.
func (o *Options) traits() Traits { return traitsHere() ^ o.Against }

// has tells whether code is made for a processor with a trait.
func (e *emitter) has(t Traits) bool { return e.traits&t != 0 }
