package jit

// Loops of trips (trips.go) that are left rarely: by AVX-512, where masks are registers of their own, a trip only collects who
// runs the next one. As long as these are those who run, nobody has left by whatever exit; when somebody has,
// who that is follows from sets that the trip has anyway: those in front of an exit, and those behind it. The one between
// two exits stays in registers of masks.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// Places among maskBits: who runs the next trip, the set between two exits, and from here on those who leave, which are
// computed when nobody wants to know any more who has gone by the arms.
const (
	nextBit = 0
	rareBit = 1
	exitBit = 2
)

// rareMask is a mask that stays where it is: a register for each part.
type rareMask [2]x86.K

// comparesNext tells whether a loop can be such a one: each exit has sets in front and behind, of which one at most is
// neither that of the running lanes nor of the next trip's.
func (b *tripper) comparesNext() bool {
	if !b.m.evex || b.touch.wide || len(b.out) == 0 || len(b.out) > maxTripMasks-exitBit || b.m.given(b.next) {
		return false
	}
	for i := range b.out {
		if !b.out[i].parts {
			return false
		}
	}
	b.bit(b.next)
	for i := range b.out {
		for _, v := range [2]val{b.out[i].from, b.out[i].rest} {
			if _, ok := b.set(v); ok {
				continue
			}
			if b.m.given(v) || len(b.t.merged.masks) > rareBit {
				b.t.merged.masks = b.t.merged.masks[:0]
				return false
			}
			b.t.merged.masks = append(b.t.merged.masks, maskResult{v: v, off: noRow, rare: true})
		}
	}
	return true
}

// rareSet is a set that comparesNext has found.
func (b *tripper) rareSet(v val) tripSet {
	s, _ := b.set(v)
	return s
}

// keepRare leaves a mask in the register where it is.
func (r *room) keepRare(v val) {
	r.passed(v)
	r.pins = append(r.pins[:0], v)
	r.rare[r.part] = r.get(v).k
	r.held[v], r.there[v] = false, false
}

// exitMasks finds who leaves by which exit.
func (c *compiler) exitMasks(t *trips, rare rareMask) {
	if m := t.merged.masks; len(m) > rareBit && m[rareBit].rare {
		c.RK(x86.KMOVW, maskBits[rareBit], rare[0])
		c.RK(x86.KMOVW, x86.RCX, rare[1])
		c.RI(x86.SHL, x86.S32, x86.RCX, 16)
		c.RR(x86.OR, x86.S32, maskBits[rareBit], x86.RCX)
	}
	reg := func(s tripSet) x86.Reg {
		switch s {
		case setRun:
			return rMask
		case setNext:
			return maskBits[nextBit]
		}
		return maskBits[s]
	}
	for _, x := range t.exits {
		c.RR(x86.MOV, x86.S32, maskBits[x.bit], reg(x.from))
		c.RR(x86.XOR, x86.S32, maskBits[x.bit], reg(x.rest))
	}
}
