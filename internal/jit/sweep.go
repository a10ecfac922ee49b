package jit

// Sweeps: a kernel that only goes forward, with no barrier, whose addresses and guards follow from the
// warp's number, is one loop over the warps of a CTA. What all warps of a launch share is computed once for many CTAs,
// what those of a CTA share once for it, addresses go on by a step; all that could go wrong is tested for
// the whole CTA before its first warp. A CTA that fails the tests runs in the ordinary way.
//
// Here is which kernels can do that, sweep_emit.go has the code.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// sweep is what a kernel does in each warp if no lane takes a branch or exit that has a guard.
type sweep struct {
	warps int32
	ctas  int32 // of which they are, of a span
	spine []sweepStep
	steps map[*pattern]int64 // from one warp to the next

	specials map[uint32]int64 // the same for special registers, by row
	launch   map[uint32]bool  // slots that are the same for all CTAs
	written  map[uint32]bool
	guards   int32            // passed by no lane
	reads    map[uint32]bool  // special registers
	lanesOf  map[uint32]bool  // predicates that lanes write
	moving   []*pattern       // numbers that each warp reads
	values   bool             // some of them not as addresses alone
	taken    map[x86.Mem]bool // places of numbers
}

// sweepStep is an instruction of segment seg.
type sweepStep struct {
	seg  int
	pc   int32
	once bool // for the launch
}

// maxSweep is the longest spine.
const maxSweep = 400

// findSweep finds how to sweep; nil if that is not possible.
func (r *region) findSweep() *sweep {
	sol, ok := decode.ClassesOf(r.code.Func)
	if !ok || !r.f.Entry || r.code.LocalRoom != 0 || len(r.segs) == 0 || r.segs[0].first != 0 || r.live.entry.Count() != 0 {
		return nil
	}
	w := &sweep{steps: map[*pattern]int64{}, specials: map[uint32]int64{}, launch: map[uint32]bool{}, written: map[uint32]bool{}, reads: map[uint32]bool{}, lanesOf: map[uint32]bool{}, taken: map[x86.Mem]bool{}}
	threads := int64(sol.Shape.BlockX) * int64(sol.Shape.BlockY) * int64(sol.Shape.BlockZ)
	if w.warps, w.ctas = int32(threads/32), 1; threads%32 != 0 || threads > 1024 || !w.walk(r) {
		return nil
	}
	for i := range r.code.Specials {
		w.special(&r.code.Specials[i], sol.Shape)
	}
	for k := range w.spine {
		if !w.plan(r, &w.spine[k]) {
			return nil
		}
	}
	return w
}

// walk follows the spine to its end.
func (w *sweep) walk(r *region) bool {
	for i := 0; ; {
		s := &r.segs[i]
		for pc := s.first; pc < s.end; pc++ {
			w.spine = append(w.spine, sweepStep{seg: i, pc: pc})
		}
		if s.end == s.first || len(w.spine) > maxSweep {
			return false
		}
		last, in := &r.steps[s.end-1], &r.insts[s.end-1]
		guarded := in.Guard != machine.NoGuard
		switch kind := last.op.Kind; {
		case last.leaves:
			return false
		case kind == sem.OpBranch && !guarded:
			if int32(in.Imm) < s.end {
				return false
			}
			i = r.segAt[int32(in.Imm)]
			continue
		case (kind == sem.OpExit || kind == sem.OpReturn) && !guarded:
			return true
		case kind == sem.OpBranch || kind == sem.OpExit || kind == sem.OpReturn:
			if last.decided == nil || last.decided.alive {
				return false
			}
			w.guards++
		}
		if i+1 >= len(r.segs) || r.segs[i+1].first != s.end {
			return false
		}
		i++
	}
}

// special notes how a special register goes on; it is missing if no step says so.
func (w *sweep) special(s *specials.Ref, shape ir.LaunchShape) {
	w.reads[s.Off] = true
	switch class := specials.ClassOf(s.Reg); {
	case class == specials.PerLaunch:
		w.specials[s.Off], w.launch[s.Off] = 0, true
	case class == specials.PerCTA:
		w.specials[s.Off] = 0
	case class == specials.PerLane && s.Reg != threadID():
		w.specials[s.Off] = 0
	case s.Reg == threadID() && s.Comp < 3:
		if step, ok := threadStep(shape, int(s.Comp)); ok {
			w.specials[s.Off] = step
		}
	}
}

// threadStep is by how much a component of the thread index differs from one warp to the next, in every
// lane; false if it is not the same everywhere.
func threadStep(s ir.LaunchShape, comp int) (step int64, ok bool) {
	x, y := int64(s.BlockX), int64(s.BlockY)
	threads := x * y * int64(s.BlockZ)
	index := func(n int64) int64 { return [...]int64{n % x, n / x % y, n / x / y}[comp] }
	if threads > 32 {
		step = index(32) - index(0)
	}
	for n := range threads {
		if index(n) != index(n%32)+step*(n/32) {
			return 0, false
		}
	}
	return step, true
}

// plan finds how one instruction goes on; false if it cannot be swept.
func (w *sweep) plan(r *region, at *sweepStep) bool {
	s, in := &r.steps[at.pc], &r.insts[at.pc]
	switch s.op.Kind {
	case sem.OpBranch, sem.OpExit, sem.OpReturn:
		return s.decided == nil || w.decides(s.decided)
	case sem.OpNothing:
		return true
	case sem.OpLoad, sem.OpStore:
		return in.Guard == machine.NoGuard && w.memory(r, at)
	case sem.OpLane, sem.OpSelect, sem.OpCompare, sem.OpMove, sem.OpLogic:
	default:
		return false
	}
	switch {
	case in.Guard != machine.NoGuard:
		return false
	case s.moot:
		return true
	case s.made != nil:
		return w.makes(r, s)
	case s.onSlots():
		return s.op.Kind == sem.OpLane && w.slot(r, at)
	}
	return w.lanes(s, in)
}

// slot plans an instruction that computes one value for all lanes: once, so it must be the only one
// that writes there.
func (w *sweep) slot(r *region, at *sweepStep) bool {
	s := &r.steps[at.pc]
	at.once = true
	for k := range s.in {
		if !s.in[k].known {
			if !w.slotKnown(s.in[k].off) {
				return false
			}
			at.once = at.once && w.launch[s.in[k].off]
		}
	}
	return w.write(s.dst.off, at.once)
}

// slotKnown tells whether a slot is the same for all warps of a CTA.
func (w *sweep) slotKnown(off uint32) bool {
	step, special := w.specials[off]
	return special && step == 0 || w.written[off]
}

// write notes that a slot has a value for all warps of a CTA, or of the launch; false if it had one.
func (w *sweep) write(off uint32, launch bool) bool {
	if w.written[off] || w.lanesOf[off] {
		return false
	}
	w.written[off], w.launch[off] = true, launch
	return true
}

// makes finds the step of a pattern: its program sees warps as it sees lanes.
func (w *sweep) makes(r *region, s *step) bool {
	for run := range s.made.n() { // those of other segments may have the same places
		if w.taken[s.made.number(run)] {
			return false
		}
		w.taken[s.made.number(run)] = true
	}
	out, ok := w.follow(r, s)
	if !ok {
		return false
	}
	step := out[s.prog.result].step
	if w.steps[s.made] = step; s.made.home {
		w.moveValue(s.made)
	}
	return out[s.prog.result].known() && step == int64(int32(step))
}

// moveValue notes that a number is read in each warp, and not as an address.
func (w *sweep) moveValue(p *pattern) {
	w.move(p)
	w.values = w.values || slices.Contains(w.moving, p)
}

// move notes that a number is read in each warp.
func (w *sweep) move(p *pattern) {
	if p != nil && w.steps[p] != 0 && !slices.Contains(w.moving, p) {
		w.moving = append(w.moving, p)
	}
}

// decides tells whether one lane of one warp can decide for all.
func (w *sweep) decides(d *decision) bool {
	for i := range d.terms {
		if !w.compares(&d.terms[i].comparison) {
			return false
		}
	}
	return d.terms != nil || w.compares(&d.comparison)
}

func (w *sweep) compares(c *comparison) bool {
	if !w.readable(c.a) || !w.readable(c.b) {
		return false
	}
	if !c.spread {
		return true
	}
	_, high := c.a.pat.extents()
	high += w.steps[c.a.pat] * int64(w.warps-1)
	return w.steps[c.a.pat] >= 0 && high == int64(int32(high))
}

// follow has the steps from warp to warp of the values of a program.
func (w *sweep) follow(r *region, s *step) (out []stride, ok bool) {
	ok = true
	p := *s.prog
	p.steps = true
	out, _ = r.follow(&p, func(k int) stride {
		src := &s.full[k]
		step, known := int64(0), true
		switch {
		case src.known:
		case src.pat != nil:
			step, known = w.steps[src.pat]
		case src.slot:
			known = w.slotKnown(src.off)
		default:
			step, known = w.specials[src.off]
		}
		ok = ok && known
		return stride{w: 32, row: 32, step: step}
	})
	return out, ok
}

// lanes tells whether what an instruction of lanes reads is there in every warp.
func (w *sweep) lanes(s *step, in *machine.Inst) bool {
	reads, writes := s.lanesTouch(in, false)
	for k := range reads {
		if !w.readable(&reads[k]) {
			return false
		}
		w.moveValue(reads[k].pat)
	}
	for _, d := range writes {
		if d.typ == tM {
			if w.lanesOf[d.off] = true; w.written[d.off] {
				return false
			}
		}
	}
	return true
}

// readable tells whether a source is what each warp would read.
func (w *sweep) readable(src *source) bool {
	switch {
	case src.known:
		return true
	case src.pat != nil:
		_, ok := w.steps[src.pat]
		return ok
	case src.slot:
		return w.slotKnown(src.off)
	}
	step, known := w.specials[src.off]
	return !w.reads[src.off] || known && step == 0
}

// memory plans a load or store.
func (w *sweep) memory(r *region, at *sweepStep) bool {
	s := &r.steps[at.pc]
	m := &s.op.Memory
	if m.Space == machine.Shared || m.Strong || len(s.full) == 0 || !w.readable(&s.full[0]) {
		return false
	}
	if by := m.By; by == sem.ByKernel && s.op.Kind == sem.OpLoad {
		at.once = true
		for k := range m.At {
			if d := &s.full[1+k]; d.off != machine.NoGuard && (!d.slot || !w.write(d.off, true)) {
				return false
			}
		}
		return true
	}
	w.move(s.full[0].pat)
	for k := range m.At {
		d := &s.full[1+k]
		w.moveValue(d.pat)
		if s.op.Kind == sem.OpLoad && d.slot || s.op.Kind == sem.OpStore && !w.readable(d) {
			return false
		}
	}
	return true
}
