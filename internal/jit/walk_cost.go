package jit

// Whether lanes that walk alone take less time than all of them in vectors. A walk costs by trips of lanes, a loop of turns by those of the
// lane that has most, whoever works beside. All is in tenths of a cycle; the figures are of loops that were measured on a Sapphire Rapids,
// with one to three loads and up to eight operations more, from 1/8 of the lanes at work to all.

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

const (
	instructionCost = 3   // of a trip
	trippedCost     = 15  // what a trip costs at least
	waitingCost     = 30  // the same, if it waits for the one before
	laneCost        = 90  // a jump behind the last trip that was not foreseen
	walkCost        = 400 // what is done for all lanes in front and behind
	fewLanes        = 8   // code for walks is made if so many pay
)

// DearGathers makes every walk pay.
const DearGathers = 1 << 16

// gatherCosts are what a turn takes for each load of 32 words, with its tests, by AVX-512 and by AVX2: of processors of a maker from a family on.
var gatherCosts = []struct {
	maker     string
	from      int
	cost, avx int
}{
	{"", 0, 220, 360},                // measured on a Sapphire Rapids
	{"AuthenticAMD", 0x17, 470, 470}, // Zen, where a gather is microcode: from the trips that were worth a walk on family 25, model 17, as no gather was timed
	{"HygonGenuine", 0x18, 470, 470}, // the first Zen
}

// gathersHere are this processor's.
var gathersHere = sync.OnceValues(func() (cost, avx int) { return findGathers(native.Maker()) })

// findGathers looks a processor up.
func findGathers(maker string, family int) (cost, avx int) {
	for _, e := range gatherCosts {
		if e.maker == "" || maker == e.maker && family >= e.from {
			cost, avx = e.cost, e.avx
		}
	}
	return cost, avx
}

// gatherCost is what code is made for.
func (c *compiler) gatherCost() int {
	cost, avx := gathersHere()
	switch {
	case c.opt.GatherCost != 0:
		return c.opt.GatherCost
	case c.evex:
		return cost
	}
	return avx
}

// tripCost is what a trip of a lane costs.
func (w *walk) tripCost() int {
	n := 1
	for i, need := range w.need {
		if need && w.m.ops[i].code > cConst {
			n++
		}
	}
	for i := range w.loads {
		if l := &w.loads[i]; l.row < 0 {
			n += 3
		} else if !w.folded(l) {
			n++
		}
	}
	least := trippedCost
	if w.beside == nil && w.waits() {
		least = waitingCost
	}
	return max(n*instructionCost, least)
}

// turnCost is what a turn costs.
func (c *compiler) turnCost(w *walk) int { return len(w.loads) * c.gatherCost() }

// pays tells whether few lanes pay.
func (c *compiler) pays(w *walk) bool { return fewLanes*w.tripCost() < c.turnCost(w) }

// unlessPays goes on to a label if the lanes in EBX, with the trips that walkSum, walkMost and walkStay tell of, are better off in vectors.
func (c *compiler) unlessPays(w *walk, to x86.Label) {
	c.RM(x86.MOV, x86.S32, x86.RCX, walkMost)
	c.MI(x86.CMP, x86.S32, walkStay, 0)
	c.CmovM(x86.NE, x86.S32, x86.RCX, walkLimit)
	c.RRI(x86.IMUL, x86.S64, x86.RCX, x86.RCX, int32(c.turnCost(w)))
	c.RMI(x86.IMUL, x86.S64, x86.RAX, walkSum, int32(w.tripCost()))
	c.RR(x86.SUB, x86.S64, x86.RCX, x86.RAX)
	c.RR(x86.POPCNT, x86.S32, x86.RAX, rMask)
	c.RRI(x86.IMUL, x86.S64, x86.RAX, x86.RAX, laneCost)
	c.RI(x86.ADD, x86.S64, x86.RAX, walkCost)
	c.RR(x86.CMP, x86.S64, x86.RCX, x86.RAX)
	c.Jcc(x86.LE, to)
}
