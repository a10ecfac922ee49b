package ir

// This file solves the register classes: how the value of a register may differ between
// the lanes of a warp that runs converged (DESIGN §6). They depend on the launch, so the
// function keeps equations and decode solves them once per launch shape.
//
// The equations: a register has the join of the classes of all its definitions. A
// definition has the class that its rule (rules.go) gives for the classes of its sources;
// it is Vector if its guard is Vector, or if its block lies in the influence region of a
// divergent branch: reachable from the branch before its immediate post-dominator, back
// edges included, so registers of a loop that lanes leave in different turns are in it.

import "sync"

// Kind orders the classes: each holds everything that the ones before it hold.
type Kind uint8

// The kinds of classes.
const (
	Uniform  Kind = iota // one value for all live lanes
	Affine               // a + b·lane
	Periodic             // a + b·(lane mod W) + c·(lane div W)
	Vector               // anything
)

var classNames = [...]string{"uniform", "affine", "periodic", "vector"}

func (k Kind) String() string { return classNames[k] }

// Class is the class of one register under one launch shape. Affine arithmetic is modulo
// 2^bits of the register; a widening of an affine value does not keep it affine unless no
// lane wraps, and is marked Checked: decode or the JIT has to test that per warp.
type Class struct {
	Kind    Kind
	W       uint8 // Periodic: 4, 8 or 16
	Checked bool  // holds only if no lane wrapped where the value was widened
}

// join is the least class that holds both.
func (a Class) join(b Class) Class {
	switch {
	case a.Kind == Uniform:
		return b
	case b.Kind == Uniform:
		return a
	case a.Kind == Periodic && b.Kind == Periodic && a.W != b.W:
		return Class{Kind: Vector}
	case a.Kind < b.Kind:
		a.Kind, a.W = b.Kind, b.W
	}
	a.Checked = (a.Checked || b.Checked) && a.Kind != Vector
	return a
}

// LaunchShape is what classes depend on.
type LaunchShape struct {
	BlockX, BlockY, BlockZ int32 // threads, at least 1 each
	Clusters               bool  // of more than one CTA: addresses of shared variables differ between them
	Lockstep               bool  // below sm_70: what lanes of a warp store the next instruction of others loads
}

// tidX, tidY and tidZ give the classes of the thread index. The linear index of the thread
// in its CTA is 32·warp + lane.
func (s LaunchShape) tidX() Class {
	switch {
	case s.BlockX == 1:
		return Class{}
	case s.BlockY*s.BlockZ == 1 || s.BlockX%32 == 0:
		return Class{Kind: Affine}
	case s.BlockX == 4 || s.BlockX == 8 || s.BlockX == 16:
		return Class{Kind: Periodic, W: uint8(s.BlockX)}
	}
	return Class{Kind: Vector}
}

func (s LaunchShape) tidY() Class {
	rows := int32(32) / s.BlockX // rows of threads in a warp, where they fit
	switch {
	case s.BlockY == 1 || s.BlockX%32 == 0:
		return Class{}
	case s.BlockX == 1 && (s.BlockZ == 1 || s.BlockY%32 == 0):
		return Class{Kind: Affine}
	case s.tidX().Kind == Periodic && (s.BlockZ == 1 || s.BlockY%rows == 0):
		return s.tidX()
	}
	return Class{Kind: Vector}
}

func (s LaunchShape) tidZ() Class {
	plane := int64(s.BlockX) * int64(s.BlockY)
	switch {
	case s.BlockZ == 1 || plane%32 == 0:
		return Class{}
	case plane == 1:
		return Class{Kind: Affine}
	}
	return Class{Kind: Vector}
}

// Equations is what a function keeps for solving: per register, which instructions depend
// on it: those that read it, and those that write it together with another. They are made at the first Solve, since most functions of a module are never run.
type Equations struct {
	once    sync.Once
	readers []int32 // pcs, by register
	start   []int32 // readers of register r: readers[start[r]:start[r+1]]
}

func (e *Equations) fill(f *Func) {
	e.start = make([]int32, len(f.Regs)+1)
	f.eachDependent(func(r Reg, _ int32) { e.start[r+1]++ })
	for r := range f.Regs {
		e.start[r+1] += e.start[r]
	}
	e.readers = make([]int32, e.start[len(f.Regs)])
	at := append([]int32(nil), e.start...)
	f.eachDependent(func(r Reg, pc int32) {
		e.readers[at[r]] = pc
		at[r]++
	})
}

func (f *Func) eachDependent(visit func(Reg, int32)) {
	for pc := range int32(len(f.Insts)) {
		writes := f.writes(&f.Insts[pc])
		f.EachReg(&f.Insts[pc], func(r Reg, a Access) {
			if a == Read || writes > 1 {
				visit(r, pc)
			}
		})
	}
}

// writes counts the results of an instruction.
func (f *Func) writes(in *Inst) (n int) {
	f.EachReg(in, func(_ Reg, a Access) {
		if a == Write {
			n++
		}
	})
	return n
}

// Solution is the solved classes of one function under one launch shape.
type Solution struct {
	Shape     LaunchShape
	Regs      []Class
	Divergent []bool // per block: in the influence region of a divergent branch
}

// Solve computes the least solution. Where asVector (may be nil) returns true, results are
// taken as Vector: decode uses it for forms that it cannot run on scalars.
func (f *Func) Solve(shape LaunchShape, asVector func(pc int32) bool) *Solution {
	f.equations.once.Do(func() { f.equations.fill(f) })
	s := &solver{f: f, shape: shape, asVector: asVector,
		out:    &Solution{Shape: shape, Regs: make([]Class, len(f.Regs)), Divergent: make([]bool, len(f.Blocks))},
		queued: make([]bool, len(f.Insts)), block: make([]BlockID, len(f.Insts)),
		seen: make([]int32, len(f.Blocks)), budget: 64*len(f.Blocks) + 1<<20}
	for b := range f.Blocks {
		for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
			s.block[pc] = BlockID(b)
		}
	}
	for pc := range int32(len(f.Insts)) {
		s.step(pc)
	}
	for len(s.work) > 0 {
		pc := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.queued[pc] = false
		s.step(pc)
	}
	return s.out
}

type solver struct {
	f        *Func
	shape    LaunchShape
	asVector func(int32) bool
	out      *Solution
	work     []int32
	queued   []bool
	block    []BlockID
	regions  int32   // that have been marked
	seen     []int32 // by block: the last of them that has been there
	budget   int     // block visits while marking regions; past it everything diverges
}

// step evaluates one instruction and raises what it defines. It executes in one way, so all
// its results are uniform or none is: if another instruction raises one, all rise.
func (s *solver) step(pc int32) {
	in := &s.f.Insts[pc]
	if in.endsBlock() {
		if s.diverges(in) {
			s.markRegion(s.block[pc])
		}
	}
	writes := s.f.writes(in)
	if writes == 0 {
		return
	}
	c := s.result(pc, in)
	if writes > 1 {
		s.eachWrite(in, func(r Reg) { c = c.join(s.out.Regs[r]) })
	}
	s.eachWrite(in, func(r Reg) { s.raise(r, s.f.Regs[r].bound(c)) })
}

func (s *solver) eachWrite(in *Inst, visit func(Reg)) {
	s.f.EachReg(in, func(r Reg, a Access) {
		if a == Write {
			visit(r)
		}
	})
}

// bound keeps the class of a result within what its register can hold: predicates are
// uniform or vector.
func (r *RegInfo) bound(c Class) Class {
	if r.Bits == 1 && c.Kind != Uniform {
		return Class{Kind: Vector}
	}
	return c
}

func (s *solver) raise(r Reg, c Class) {
	old := s.out.Regs[r]
	next := old.join(c)
	if next == old {
		return
	}
	s.out.Regs[r] = next
	e := &s.f.equations
	for _, pc := range e.readers[e.start[r]:e.start[r+1]] {
		s.queue(pc)
	}
}

func (s *solver) queue(pc int32) {
	if !s.queued[pc] {
		s.queued[pc] = true
		s.work = append(s.work, pc)
	}
}

// diverges reports whether the lanes of a converged warp may leave this instruction by
// different ways.
func (s *solver) diverges(in *Inst) bool {
	if s.guard(in).Kind == Vector {
		return in.flow() != flowExit // the lanes that stay are all live lanes
	}
	if in.flow() != flowTable {
		return false
	}
	c := Class{}
	eachRead(in.Ops, func(r Reg, _ Access) { c = c.join(s.out.Regs[r]) })
	return c.Kind != Uniform
}

func (s *solver) guard(in *Inst) Class {
	if in.Guard.Reg == NoReg {
		return Class{}
	}
	return s.out.Regs[in.Guard.Reg]
}

// markRegion marks what is reachable from the end of a block before its immediate
// post-dominator. A branch that already lies in a marked region adds nothing: its own
// post-dominator lies inside, or is that of the region.
func (s *solver) markRegion(from BlockID) {
	if s.out.Divergent[from] {
		return
	}
	stop := s.f.Blocks[from].IPDom
	s.regions++
	work := []BlockID{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range s.f.Blocks[b].Succs {
			if to != stop && s.seen[to] != s.regions {
				s.seen[to] = s.regions
				s.mark(to)
				work = append(work, to)
			}
		}
		if s.budget--; s.budget < 0 {
			s.markAll()
			return
		}
	}
}

func (s *solver) markAll() {
	for b := range s.out.Divergent {
		s.mark(BlockID(b))
	}
}

func (s *solver) mark(b BlockID) {
	if s.out.Divergent[b] {
		return
	}
	s.out.Divergent[b] = true
	for pc := s.f.Blocks[b].First; pc < s.f.Blocks[b].End; pc++ {
		s.queue(pc)
	}
}

// result is the class of what an instruction defines.
func (s *solver) result(pc int32, in *Inst) Class {
	if s.out.Divergent[s.block[pc]] || s.guard(in).Kind == Vector || s.asVector != nil && s.asVector(pc) {
		return Class{Kind: Vector}
	}
	return s.apply(in, in.property().rule)
}
