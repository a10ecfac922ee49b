package jit

// A CTA as one program: where all that decides what its warps do follows from the thread index, from parameters and
// from the CTA's place, the kernel is run once for every warp when it is compiled. Values are polynomials in few
// numbers with a coefficient for each lane (cta_poly.go), or rows that somebody has to compute. What is left are loads,
// arithmetic and stores of all warps, one behind the other, barriers and all; branches and bounds become tests of the
// least and the greatest lane in front of them (cta_guard.go). A CTA that fails one does so by a second
// program, for borders, where such branches part lanes: those for which a condition holds are a word of bits, loads and
// stores go by it (cta_set.go, cta_mask.go), and tests are of the lanes that run (cta_narrow.go). One that fails there,
// too, runs in the ordinary way: nothing has been done yet.
//
// Here is who runs when; cta_eval.go has what instructions do, cta_emit.go the code.

import (
	"maps"
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// Bounds of what becomes a program: compile time and code grow with it.
const (
	maxCTASteps = 3000 // instructions of all warps
	maxCTAWarps = 16
	maxCTARuns  = 4  // of lanes that follow each other, in a register
	maxCTABacks = 50 // back edges of a warp: fewer than make it give way
)

// maxCTACode is how many bytes of code a program may have, that for borders included: a compilation may need an attempt without. By AVX2 code is
// twice as long and gains less.
func (k *cta) maxCTACode() int {
	if k.wide512 {
		return 1 << 18
	}
	return 1 << 17
}

// ctaStepUnits is the work (effort.go) of running an instruction of a warp.
const ctaStepUnits = 24

// cta is the program of a CTA.
type cta struct {
	*region
	warps    []*ctaWarp
	items    []*ctaItem
	phase    int
	ran      int   // instructions that warps have been run
	executed int64 // those that they execute whatever conditions say, and lanes that execute them
	laneOps  int64

	atoms    []ctaAtom
	atomAt   map[ctaAtom]byte
	numbers  []*ctaNumber
	numberAt map[string]*ctaNumber
	guards   []*ctaGuard
	guardAt  map[string]*ctaGuard
	specials map[uint32]*specials.Ref
	bare     map[*program]*program // bareOf
	shape    ir.LaunchShape
	low      int64 // shared addresses that are accessed: from low to before high
	high     int64
	failed   bool
	sought   []byte // the key of what is looked for
	places   int    // of 8 bytes in memory that are taken

	// A program for borders (cta_mask.go).
	border bool
	edge   *cta // the one for borders, nil if there is none
	masks  []*ctaMask
	maskAt map[string]*ctaMask
	words  []*ctaWord
	wordAt map[*ctaCond]*ctaWord
	trees  map[*ctaCond][]*ctaTree
	diffs  []*ctaDiff
}

// ctaWarp is a warp while it is run.
type ctaWarp struct {
	index   int
	env     map[uint32]ctaVal // by offset in the register block
	places  ctaStanding       // where its lanes stand
	pc      int32             // of the instruction that runs
	here    ctaSet            // lanes that have come to it
	runs    ctaSet            // those that execute it
	run     uint32            // those that may
	when    *ctaMask          // which do; nil: all that may
	barrier int32             // at which it waits
	backs   int32
}

// ctaItem is a row that is computed or loaded, or a store.
type ctaItem struct {
	node  *ctaNode
	store *ctaNode // its only input is what is stored
}

// of is the row that is computed, or the store.
func (x *ctaItem) of() *ctaNode {
	if x.node != nil {
		return x.node
	}
	return x.store
}

// findCTA runs the kernel, and again for borders if there may be a program for them; nil if it cannot be such a program.
// Loops are unrolled: it has to be known how often they go round.
func (r *region) findCTA(border bool) *cta {
	s, ok := r.mayBeProgram()
	if !ok {
		return nil
	}
	k := &cta{region: r, shape: s, atomAt: map[ctaAtom]byte{}, numberAt: map[string]*ctaNumber{}, specials: map[uint32]*specials.Ref{}, bare: map[*program]*program{}}
	for i := range r.code.Specials {
		k.specials[r.code.Specials[i].Off] = &r.code.Specials[i]
	}
	if !k.evaluateAll() {
		return nil
	}
	if k.settle(); k.failed {
		return nil
	}
	if border {
		k.edge = k.atBorder()
	}
	return k
}

// mayBeProgram tells whether a kernel, launched in the shape that it has been decoded for, may be such a program before it is run.
func (r *region) mayBeProgram() (s ir.LaunchShape, ok bool) {
	sol, ok := decode.ClassesOf(r.code.Func)
	if !ok || !r.f.Entry || len(r.segs) == 0 || r.live.entry.Count() != 0 || !r.worthCTA() {
		return s, false
	}
	threads := int(sol.Shape.BlockX) * int(sol.Shape.BlockY) * int(sol.Shape.BlockZ)
	return sol.Shape, threads%32 == 0 && threads <= 32*maxCTAWarps
}

// atBorder is the program of those CTAs whose lanes part where they do not in k's; nil if there are none, or no program
// has them.
func (k *cta) atBorder() *cta {
	if !slices.ContainsFunc(k.guards, func(g *ctaGuard) bool { return g.kind == guardOrder && !g.lasts() }) {
		return nil
	}
	b := &cta{region: k.region, shape: k.shape, atoms: slices.Clip(k.atoms), atomAt: maps.Clone(k.atomAt), numbers: slices.Clip(k.numbers), numberAt: maps.Clone(k.numberAt),
		specials: k.specials, bare: k.bare, places: k.places, border: true}
	if !b.evaluateAll() || len(b.masks) == 0 {
		return nil
	}
	if b.settle(); b.failed {
		return nil
	}
	return b
}

// evaluateAll runs all warps.
func (k *cta) evaluateAll() bool {
	k.guardAt, k.low = map[string]*ctaGuard{}, 1<<40
	k.maskAt, k.wordAt, k.trees = map[string]*ctaMask{}, map[*ctaCond]*ctaWord{}, map[*ctaCond][]*ctaTree{}
	for i := range int(k.shape.BlockX) * int(k.shape.BlockY) * int(k.shape.BlockZ) / 32 {
		k.warps = append(k.warps, &ctaWarp{index: i, env: map[uint32]ctaVal{}, places: standAt(0)})
	}
	return k.runAll() && !k.failed
}

// worthCTA tells whether a kernel has nothing that never is part of such a program.
func (r *region) worthCTA() bool {
	memory := false
	if r.code.LocalRoom != 0 { // which a warp that begins has cleared
		return false
	}
	for pc := range r.steps {
		s := &r.steps[pc]
		switch s.op.Kind {
		case sem.OpLane, sem.OpSelect, sem.OpCompare, sem.OpMove, sem.OpLogic, sem.OpNothing, sem.OpBranch, sem.OpExit, sem.OpReturn, sem.OpBarrier, sem.OpShuffle:
		case sem.OpLoad, sem.OpStore:
			memory = true
			if s.op.Memory.Strong {
				return false
			}
		default:
			return false
		}
		if s.leaves {
			return false
		}
	}
	return memory
}

// runAll runs the warps in the order of the machine, until all have ended: in each pass those that can run, one after the
// other until they wait or exit; who completes a barrier goes on.
func (k *cta) runAll() bool {
	alive, waiting := uint32(1)<<len(k.warps)-1, uint32(0)
	for later := alive; alive != 0; {
		if later == 0 {
			if later = alive &^ waiting; later == 0 {
				return false
			}
		}
		i := bits.TrailingZeros32(later)
		bit := uint32(1) << i
		later &^= bit
		for going := true; going; {
			going = false
			switch k.runWarp(k.warps[i]) {
			case ctaFailed:
				return false
			case ctaWaits:
				if waiting != 0 && k.warps[bits.TrailingZeros32(waiting)].barrier != k.warps[i].barrier {
					return false // of two barriers that some have come to the machine knows more
				}
				if waiting |= bit; waiting == alive {
					waiting &^= bit
					later |= waiting &^ (bit<<1 - 1)
					waiting, going = 0, true
				} else {
					k.tally(k.warps[i], lanesSet(allOf), lanesSet(allOf)) // it executes the barrier again when it is woken
				}
			case ctaEnds:
				if alive &^= bit; waiting != 0 && waiting == alive {
					later |= waiting &^ (bit<<1 - 1)
					waiting = 0
				}
			}
			k.phase++
		}
	}
	return true
}

// How the turn of a warp ends.
const (
	ctaFailed = iota
	ctaWaits
	ctaEnds
)

// runWarp runs a warp until it waits or has exited.
func (k *cta) runWarp(w *ctaWarp) int {
	for len(w.places) != 0 {
		k.first(w)
		k.effort.spend(ctaStepUnits)
		if k.ran++; k.ran > maxCTASteps || int(w.pc) >= len(k.insts) {
			return ctaFailed
		}
		in, s := &k.insts[w.pc], &k.steps[w.pc]
		switch s.op.Kind {
		case sem.OpBarrier:
			id, ok := k.barrierID(w.pc)
			if w.barrier = id; !ok || !w.here.all() {
				return ctaFailed
			}
			k.tally(w, w.here, w.here)
			w.come(w.pc+1, w.here)
			return ctaWaits
		case sem.OpBranch, sem.OpExit, sem.OpReturn:
			if !k.jump(w, in, s) {
				return ctaFailed
			}
			continue
		}
		if in.Guard != machine.NoGuard {
			taken, _, ok := k.decide(w, in.Guard, true, true)
			if !ok {
				return ctaFailed
			}
			k.narrow(w, taken)
		}
		k.tally(w, w.here, w.runs)
		if w.run != 0 && !k.execute(w, in, s) || k.failed {
			return ctaFailed
		}
		w.come(w.pc+1, w.here)
	}
	return ctaEnds
}

// ctaStanding is where lanes of a warp stand, the greatest pc first. There are few.
type ctaStanding []ctaStand

type ctaStand struct {
	pc  int32
	set ctaSet
}

// standAt has all lanes at one place.
func standAt(pc int32) ctaStanding { return ctaStanding{{pc, lanesSet(allOf)}} }

// next is the smallest place.
func (p ctaStanding) next() *ctaStand { return &p[len(p)-1] }

// first goes to the smallest place of a warp.
func (k *cta) first(w *ctaWarp) {
	at := w.places.next()
	w.pc, w.here = at.pc, at.set
	k.narrow(w, w.here)
	w.places = w.places[:len(w.places)-1]
}

// narrow lets some of its lanes execute an instruction.
func (k *cta) narrow(w *ctaWarp, s ctaSet) { w.runs, w.run, w.when = s, s.lanes(), k.mask(w, s) }

// come brings lanes to a place.
func (w *ctaWarp) come(pc int32, s ctaSet) {
	if len(s) == 0 {
		return
	}
	i := len(w.places)
	for i > 0 && w.places[i-1].pc < pc {
		i--
	}
	if i > 0 && w.places[i-1].pc == pc {
		w.places[i-1].set = w.places[i-1].set.join(s)
		return
	}
	w.places = slices.Insert(w.places, i, ctaStand{pc, ctaSet(nil).join(s)})
}

// jump runs a branch or exit. One of which nothing is known is not taken; where that leads out of a loop or around barriers, the
// program would hardly ever run, and there is none.
func (k *cta) jump(w *ctaWarp, in *machine.Inst, s *step) bool {
	taken, rest := w.here, ctaSet(nil)
	if in.Guard != machine.NoGuard {
		if k.seldom(w, in, s) {
			return false
		}
		var ok bool
		if taken, rest, ok = k.decide(w, in.Guard, false, k.mayPart(w.pc, in, s)); !ok {
			return false
		}
	}
	k.tally(w, w.here, taken)
	if s.op.Kind == sem.OpBranch {
		to := int32(in.Imm)
		if to <= w.pc && len(taken) != 0 {
			if w.backs++; w.backs > maxCTABacks {
				return false
			}
		}
		if len(taken) != 0 && len(rest) != 0 && !meetsAhead(in, w.pc, to) {
			return false // who comes there first would wait for the others
		}
		w.come(to, taken)
	}
	w.come(w.pc+1, rest)
	return true
}

// seldom tells whether nothing is known of a branch that is taken as a rule: back in a loop, or to an arm with
// barriers from one without.
func (k *cta) seldom(w *ctaWarp, in *machine.Inst, s *step) bool {
	c := w.env[in.Guard&^1].cond
	if s.op.Kind != sem.OpBranch || c == nil {
		return false
	}
	if _, ok := c.value(w.here.lanes()); ok {
		return false
	}
	to := int32(in.Imm)
	return to <= w.pc || to != int32(in.D) && k.leadsToBarrier(to) && !k.leadsToBarrier(w.pc+1)
}

// leadsToBarrier tells whether there are barriers that are come to by one instruction alone.
func (k *cta) leadsToBarrier(pc int32) bool {
	if int(pc) >= len(k.steps) {
		return false
	}
	for at := range k.steps {
		if k.steps[at].op.Kind == sem.OpBarrier && k.f.Dominates(k.live.blockOf[pc], k.live.blockOf[at]) {
			return true
		}
	}
	return false
}
