package jit

// Techniques that can be left out: what the compiler makes of a shape that it has recognised, where without it there is other code
// that is right as well. bench/NOTES.md has where each fires and what it brings; one that fires on no tuned kernel goes.

import "math/bits"

// Technique is one of them.
type Technique uint8

// The techniques, by the file that has each.
const (
	numTechniques Technique = iota
)

// techniqueNames are what tables call them.
var techniqueNames = [numTechniques]string{}

func (t Technique) String() string { return techniqueNames[t] }

// Techniques is a set of them.
type Techniques uint64

// AllTechniques lists them.
func AllTechniques() (list []Technique) {
	for t := range numTechniques {
		list = append(list, t)
	}
	return list
}

// Has tells whether one is in the set.
func (s Techniques) Has(t Technique) bool { return s>>t&1 != 0 }

// Len is how many there are.
func (s Techniques) Len() int { return bits.OnesCount64(uint64(s)) }

// Without makes code without some techniques.
func Without(o Options, list ...Technique) Options {
	for _, t := range list {
		o.without |= 1 << t
	}
	return o
}

// Firing adds the techniques that have made code to a set.
func Firing(o Options, fired *Techniques) Options {
	o.fired = fired
	return o
}

// techniques are those of a compilation: which it does without, and which have fired. Of a template it is nil.
type techniques struct{ without, fired Techniques }

// allows tells whether a technique is not left out.
func (t *techniques) allows(what Technique) bool { return t == nil || !t.without.Has(what) }

// use tells whether a technique is not left out where it applies, and notes that it does.
func (t *techniques) use(what Technique) bool {
	if t == nil {
		return true
	}
	if t.without.Has(what) {
		return false
	}
	t.fired |= 1 << what
	return true
}

// uses tells whether a technique is not left out where it applies, and notes that it does.
func (r *region) uses(what Technique) bool { return r.mem.techniques.use(what) }

// allows tells whether a technique is not left out.
func (r *region) allows(what Technique) bool { return r.mem.techniques.allows(what) }
