package machine

import (
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/machine/arguments"
)

// This file runs compiled code and makes fragments of what it returns.

// nativeTable is what one core keeps for one Native.
type nativeTable struct {
	bounds  []abi.Bounds
	follows []arguments.Follows // by index of bounds
	args    arguments.List      // of the launch of missed
	shared  int                 // 1 + the entry of bounds that is the CTA's shared memory; 0: none is
	epoch   uint64              // of the arena when the bounds were found
	missed  int32               // pc at which code returned last, -1 if it needs no bounds
	in      *Inst
	left    []uint64 // by pc: times that lanes were left there
	helped  []uint64 // by pc: times that the instruction there was executed by its handler; nil: none was
	blocked []uint64 // by pc: times that it had to wait instead, for which code has left
	used    bool     // since they were read
	pause   uint8    // warps that run alone before the next batch
	alone   uint8    // pause after a batch that has come to no second warp

	launch uint64 // for which limits of indices were computed, counted from 1
}

// nativeTable returns the core's table.
func (core *Core) nativeTable(n *installed) *nativeTable {
	if core.lastNative == n {
		return core.lastTable
	}
	t := core.natives[n]
	if t == nil {
		t = core.newNativeTable(n)
		if core.natives == nil {
			core.natives = map[*installed]*nativeTable{}
		}
		core.natives[n] = t
	}
	core.lastNative, core.lastTable = n, t
	return t
}

// refresh learns bounds that the interpreter has found for the instruction at which code returned, forgets those of
// allocations that have ended, and finds those of a new launch.
func (t *nativeTable) refresh(core *Core, n *installed, c *CTA) {
	if t.missed >= 0 {
		t.learn(core, n)
	}
	if e := core.arena.Epoch(); t.epoch != e {
		clear(t.bounds)
		t.epoch, t.launch = e, 0
	}
	if t.launch != c.launch+1 {
		t.follow(core, c)
	}
}

// learn learns what the interpreter has found, or, where that has not executed the instruction since, what the code knows that has.
func (t *nativeTable) learn(core *Core, n *installed) {
	k, found := n.Bounds[t.missed], abi.Bounds{}
	if at := core.cacheLine(t.in); at.epoch == t.epoch {
		found = abi.Bounds{Start: at.start, End: at.end, WriteEnd: at.writeEnd}
	}
	if had := &t.bounds[k]; n.New && (found == abi.Bounds{} || found.Start == had.Start && found.End == had.End) {
		found, t.follows[k] = core.besides(n, t.missed)
	}
	for i := 0; i < len(t.bounds) && n.New && found == (abi.Bounds{}) && t.bounds[k] == (abi.Bounds{}); i++ {
		if b := t.bounds[i]; i+1 != t.shared && b.Start < b.End {
			found = b // its lanes are in several: code looks for them in those of others, once it has one itself
		}
	}
	t.missed = -1
	if found != (abi.Bounds{}) {
		t.bounds[k] = found
		t.follows[k] = t.args.Following(&t.bounds[k], t.follows[k])
	}
}

// besides is what the code that goes on with what batches leave knows of an access: the bounds, if they still hold, and what it follows.
func (core *Core) besides(n *installed, pc int32) (known abi.Bounds, follows arguments.Follows) {
	other := n.code.native.Load()
	if other == nil || other.Bounds == nil || other.Bounds[pc] < 0 || core.natives[other] == nil {
		return known, 0
	}
	t, k := core.natives[other], other.Bounds[pc]
	if b := &t.bounds[k]; t.epoch == core.arena.Epoch() && b.Start < b.End {
		known = abi.Bounds{Start: b.Start, End: b.End, WriteEnd: b.WriteEnd}
	}
	return known, t.follows[k]
}

// compiled returns the machine code for a fragment that no other one of the warp can have a say
// in, nil if there is none. Code that has become hot is compiled here.
func (w *Warp) compiled(f *Fragment) *installed {
	if !w.compiling(f) {
		return nil
	}
	code := f.frame.code
	n := code.native.Load()
	if n == nil || n.Quick {
		n = w.heat(code)
	}
	switch {
	case n == nil || n.Runs(f.mask):
		return n
	case n.Quick:
		return nil // better code comes first
	}
	if n = w.wantParts(code); n.Runs(f.mask) {
		return n
	}
	return nil
}

// compiling reports whether compiled code may run the fragment.
func (w *Warp) compiling(f *Fragment) bool {
	return w.cta.grid.Native && w.used == 1<<f.index && w.watched == 0 && f.frame.variant == converged
}

// heat tells the host of the steps of a core between entries and back edges of code that is not compiled, or for which
// there may be better.
func (w *Warp) heat(c *Code) *installed {
	steps := w.steps - w.heated + 1
	w.heated = w.steps
	w.core.host.Heat(c, steps)
	return c.native.Load()
}

// wantParts tells the host that code for some lanes was missing.
func (w *Warp) wantParts(c *Code) *installed {
	w.core.host.MissedParts(c)
	return c.native.Load()
}

// warm tells the host of the steps of a turn that is over, before they are accounted for.
func (w *Warp) warm() {
	c := w.root.code
	if n := c.native.Load(); n == nil || n.Quick {
		w.core.host.Warm(c, w.steps-w.heated)
	}
	w.heated = 0
}

// quickSteps is how many steps of code that is Quick take as long as one that is interpreted.
const quickSteps = 4

// runNative runs compiled code from an entry. The state is Next if the fragment has stayed whole
// and goes on at f.pc.
func (w *Warp) runNative(f *Fragment, n *installed, pc int32) State {
	core := w.core
	w.popWhole(f) // compiled code goes past the places where lanes would have met that have exited since
	if Checked {
		w.checkEntry(f)
	}
	t, s := core.nativeTable(n), core.nativeState()
	t.refresh(core, n, w.cta)
	w.fillNative(s, t, f)
	if n.Quick {
		s.Batch.Budget = quickSlice
	}
	w.cta.callHelping(n, t, s, w, n.Entries[pc])
	core.host.Breathe(false)
	if s.Looped != 0 {
		w.polled = false
	}
	if s.Help.Gone {
		return State(s.Help.Then)
	}
	w.took(n, s)
	return w.placed(f, n, t, s)
}

// took counts what compiled code has executed of a warp alone.
func (w *Warp) took(n *installed, s *abi.State) {
	w.steps += s.Steps
	switch {
	case n.New:
		w.heated += s.Steps // there is no better code for them
	case n.Quick:
		w.heated += s.Steps - s.Steps/quickSteps
	}
	w.ops += s.Ops
	w.core.stats.NativeOps += s.Ops - s.Help.HandlerOps
}

// placed makes fragments of what compiled code has left of one.
func (w *Warp) placed(f *Fragment, n *installed, t *nativeTable, s *abi.State) State {
	places := s.Places[:s.N]
	t.note(n, w, places)
	if s.N != 0 && places[0].Flags&abi.Parted != 0 {
		w.wantParts(f.frame.code)
	}
	if s.N != 0 && places[0].Flags&abi.Unsettled != 0 {
		f.frame.spreadAll(places[0].PC)
	}
	if Checked {
		w.checkPlaces(n, s)
	}
	if s.Help.Faulted {
		return Faulted
	}
	if s.Exited == 0 && len(places) == 1 {
		return w.onePlace(f, &places[0])
	}
	return w.scatter(f, n, places, s.Exited)
}

// note remembers where code has left lanes, and the memory instruction that may have missed.
func (t *nativeTable) note(n *installed, w *Warp, places []abi.Place) {
	t.used, w.core.leaves = true, true
	for i := range places {
		pc := places[i].PC
		t.left[pc]++
		if missed := w.core.native.Missed; i == 0 && missed != 0 {
			pc = missed - 1
		}
		if i == 0 && n.Bounds[pc] >= 0 {
			t.missed, t.in = pc, &w.insts[pc]
			t.take(w.cta)
		}
	}
}

// left lists where compiled code has left lanes since it was asked last.
func (core *Core) left() (list []Left) {
	if !core.leaves {
		return nil
	}
	core.leaves = false
	for n, t := range core.natives {
		if !t.used {
			continue
		}
		t.used = false
		list = leftAt(list, n.code, t.left, t.blocked, false)
		list = leftAt(list, n.code, t.helped, nil, true)
	}
	return list
}

// leftAt lists the counts of some code by pc, with those of them that had to wait, and clears them.
func leftAt(list []Left, code *Code, counts, blocked []uint64, helped bool) []Left {
	for pc, times := range counts {
		if times == 0 {
			continue
		}
		l := Left{Code: code, PC: int32(pc), Times: times, Helped: helped}
		if blocked != nil {
			l.Blocked = blocked[pc]
		}
		list = append(list, l)
	}
	clear(counts)
	clear(blocked)
	return list
}

// callNative is a function of its own with a stack check: where a goroutine can be stopped for
// garbage collection between two calls.
//
//go:noinline
func callNative(n *abi.Native, s *abi.State, entry uintptr) { n.Call(s, entry) }

// onePlace continues a fragment that has stayed whole.
func (w *Warp) onePlace(f *Fragment, p *abi.Place) State {
	f.pc, f.fuel = p.PC, p.Fuel
	if p.Flags&abi.FuelOut == 0 {
		return Next
	}
	w.rest(f)
	w.come(f)
	return Diverge
}

// rest ends the turn of a fragment that has used its fuel.
func (w *Warp) rest(f *Fragment) {
	if f.fuel <= 0 {
		f.fuel = turn
	}
	w.yielded |= 1 << f.index
}

// scatter ends lanes and makes a fragment of each place.
func (w *Warp) scatter(f *Fragment, n *installed, places []abi.Place, exited uint32) State {
	if exited != 0 {
		next := f.pc
		if len(places) != 0 {
			next = places[0].PC
		}
		if st := w.exitLanes(f, exited, next); st != Diverge {
			return st
		}
	}
	if n.Free != nil && len(places) > 1 {
		if places = w.setFree(f, n, places); len(places) == 0 {
			return Diverge
		}
	}
	w.spreadOut(f, n, places)
	return Diverge
}

// setFree parts the lanes of free places from the others, which it returns: they are in no region with those.
func (w *Warp) setFree(f *Fragment, n *installed, places []abi.Place) (others []abi.Place) {
	for i := range places {
		p := places[i]
		if !n.Free[p.PC] {
			others = append(others, p)
			continue
		}
		w.enclose(f, noPC)
		w.spreadOut(w.part(f, p.Mask), n, places[i:i+1])
	}
	return others
}

// spreadOut parts a fragment that holds the lanes of all places into one for each, in the
// regions that the branches between them would have made: where ways meet, their lanes do.
func (w *Warp) spreadOut(f *Fragment, n *installed, places []abi.Place) {
	if len(places) == 1 {
		p := &places[0]
		if f.fuel = p.Fuel; p.Flags&abi.FuelOut != 0 {
			w.rest(f)
		}
		w.move(f, p.PC)
		return
	}
	at := places[0].PC
	if !n.starts(at) {
		at = n.Meets[at]
	}
	meet := n.Meet(at, places)
	w.enclose(f, meet)
	for rest := places; len(rest) != 0; {
		k, lanes := n.SameWay(rest, meet)
		if k == len(places) { // their way lies behind some of them: they meet no nearer, and each goes alone
			k, lanes = 1, rest[0].Mask
		}
		w.spreadOut(w.part(f, lanes), n, rest[:k])
		rest = rest[k:]
	}
}
