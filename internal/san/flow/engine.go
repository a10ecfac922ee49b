package flow

// This file follows the values of one launch.

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// Checks is what is looked for.
type Checks struct {
	Init bool // unwritten values that decide
	Mem  bool // accesses outside the object of their pointer
}

// Bound narrows a pointer among the kernel's parameters to a part of its allocation.
type Bound struct {
	Offset   uint64 // in the parameter block
	From, To uint64
}

// Engine follows the values of a launch: dataflow.Values and machine.Observer.
type Engine struct {
	checks   Checks
	kept     uint64 // of the words of registers, what the checks look at
	memory   *Memory
	launch   *machine.Launch
	bounds   []Bound
	find     func(addr uint64) (from, to uint64, name string, ok bool)
	reporter found.Reporter
	owner    Owner
	careful  bool
	params   [64]atomic.Uint32 // by 8 bytes of the first parameters: 1 + the tag of the pointer there, 0 where it has not been looked up

	noFrame *frame    // of all frames, where their registers have no origins
	spare   sync.Pool // of regions of shared memory

	mu   sync.Mutex
	ctas map[uint64]*region // shared memory by linear index in the grid
}

// Config says what to look for, and who knows the rest.
type Config struct {
	Checks Checks
	Memory *Memory
	Bounds []Bound
	// Find describes the allocation that holds an address of global memory.
	Find     func(addr uint64) (from, to uint64, name string, ok bool)
	Reporter found.Reporter
	Owner    Owner
	Careful  bool // look at each lane of each instruction: the long way, to the same reports
}

// Owner is whose launch it is. Only its maker knows more: Stored.Owner hands it back.
type Owner interface{ Name() string }

// New returns what follows a launch's values.
func New(c Config, l *machine.Launch) *Engine {
	e := &Engine{
		checks: c.Checks, kept: c.Checks.kept(), memory: c.Memory, launch: l, bounds: c.Bounds, find: c.Find, reporter: c.Reporter, owner: c.Owner,
		careful: c.Careful, ctas: map[uint64]*region{},
	}
	e.noFrame = &frame{engine: e}
	return e
}

// shared is the shadow of a CTA's shared memory.
func (e *Engine) shared(cta uint64) *region {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.ctas[cta]
	if r == nil {
		if r, _ = e.spare.Get().(*region); r == nil {
			r = newRegion(unwritten)
		}
		e.ctas[cta] = r
	}
	return r
}

// drop forgets the shared memory of a CTA.
func (e *Engine) drop(cta uint64) {
	e.mu.Lock()
	r := e.ctas[cta]
	delete(e.ctas, cta)
	e.mu.Unlock()
	if r != nil {
		r.renew()
		e.spare.Put(r)
	}
}

// Observe implements machine.Observer: what instructions without a rule of their own do to memory.
func (e *Engine) Observe(ev *machine.Event) {
	switch ev.What {
	case events.CTABegin, events.CTAEnd:
		e.drop(ev.CTA)
	case events.Allocated:
		if x := ev.Extent; x.Space == machine.Global {
			e.memory.Track(x.From, x.To-x.From)
		}
	case events.Freed:
		if x := ev.Extent; x.Space == machine.Global {
			place := ev.Place(ev.Lanes)
			e.memory.Drop(x.From, x.To-x.From, &place)
		}
	case events.Touch:
		if ev.Kind == machine.Load || ev.Valued {
			return
		}
		ev.Extents(func(_ int, x machine.Extent) {
			if r := e.region(ev.On, x); r != nil && x.To > x.From && x.To-x.From < 1<<32 {
				r.fill(x.From, x.To, false)
			}
		})
	}
}

// region is the shadow that an extent of shared or global memory lies in; nil of others.
func (e *Engine) region(w *machine.Warp, x machine.Extent) *region {
	switch x.Space {
	case machine.Global:
		return e.memory.global
	case machine.Shared:
		if x.CTA == w.CTARank() {
			return e.warp(w).shared
		}
		if cta, ok := w.Mate(x.CTA); ok {
			return e.shared(cta)
		}
	}
	return nil
}

// warp is what is known of a warp.
type warp struct {
	engine *Engine
	cta    uint64 // linear index in the grid
	shared *region
	local  *region // by lane<<localBits | offset
	out    results
	page   *page // that the last access of global memory met
	number uint64
	addr   [32]uint64 // of the lanes of the running access

	symbols map[*dataflow.FlowSym]uint32 // tags of variables
}

// localBits is enough for a thread's local memory.
const localBits = 24

// FollowsValues implements machine.FlowState.
func (*warp) FollowsValues() {}

func (e *Engine) warp(w *machine.Warp) *warp {
	at := w.Flow()
	ws, ok := (*at).(*warp)
	switch {
	case !ok || ws.engine != e:
		ws = &warp{engine: e, local: newRegion(unwritten), symbols: map[*dataflow.FlowSym]uint32{}}
		*at = ws
	case ws.cta == w.Rank():
		return ws
	}
	ws.cta, ws.shared = w.Rank(), e.shared(w.Rank())
	ws.local.renew()
	return ws
}

// frame is what is known of a frame beside its shadow rows: where the unwritten value of a register is from, by the
// offset of the register's words.
type frame struct {
	engine  *Engine
	origins map[uint32]*origin
}

// FollowsValues implements machine.FlowState.
func (*frame) FollowsValues() {}

// begins notes where the unwritten value of a register is from.
func (fr *frame) begins(r regs.Shadowed, from *origin) {
	if fr.origins == nil {
		fr.origins = map[uint32]*origin{}
	}
	fr.origins[r.Words] = from
}

// frame returns that of the running frame. Registers of a new one that it may read before it writes them are unwritten, as is
// its depot.
func (e *Engine) frame(w *machine.Warp, ws *warp) *frame {
	at := w.FrameFlow()
	if fr, ok := (*at).(*frame); ok && fr.engine == e {
		return fr
	}
	if !e.careful {
		w.FrameRests()
	}
	if !e.checks.Init {
		*at = e.noFrame
		return e.noFrame
	}
	fr := &frame{engine: e}
	*at = fr
	for _, r := range w.Entry() {
		*w.P(r.Words) = ^uint32(0)
		fillPoison(w, r)
		fr.begins(r, &origin{extent: machine.Extent{Space: machine.Registers, From: uint64(r.Row)}})
	}
	if from, to := uint64(w.LocalBase()), uint64(w.FrameEnd()); to > from {
		for m := w.Active(); m != 0; m &= m - 1 {
			lane := uint64(bits.TrailingZeros32(m))
			ws.local.fill(lane<<localBits|from, lane<<localBits|to, true)
		}
	}
	return fr
}

// fillPoison makes all bits of a register unwritten.
func fillPoison(w *machine.Warp, r regs.Shadowed) {
	switch r.Width {
	case regs.Row32:
		row := w.R32(r.Poison)
		for i := range row {
			row[i] = ^uint32(0)
		}
	case regs.Row64:
		row := w.R64(r.Poison)
		for i := range row {
			row[i] = ^uint64(0)
		}
	}
}

// Moved implements machine.Values.
func (e *Engine) Moved(w *machine.Warp, from, to, size, lanes uint32) {
	ws := e.warp(w)
	for m := lanes; m != 0; m &= m - 1 {
		lane := uint64(bits.TrailingZeros32(m)) << localBits
		for k := uint64(0); k < uint64(size); k += granule {
			src, dst := lane|(uint64(from)+k), lane|(uint64(to)+k)
			p := ws.local.page(src / pageSize)
			poison, tag := p.load(src%pageSize, granule), p.tag(src%pageSize, granule)
			q := ws.local.page(dst / pageSize)
			q.store(dst%pageSize, granule, poison, p.stored[src%pageSize/granule])
			q.setTag(dst%pageSize, granule, tag)
		}
	}
}

// Skip implements machine.Values: a guard that holds nowhere decides, too.
func (e *Engine) Skip(w *machine.Warp, in *machine.Inst, words uint32) {
	if e.checks.Init {
		e.decides(w, in, regs.Shadowed{Words: words}, w.Active(), e.frame(w, e.warp(w)), guard)
	}
}

// Step implements machine.Values.
func (e *Engine) Step(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, run machine.Handler) machine.State {
	ws := e.warp(w)
	fr := e.frame(w, ws)
	switch {
	case e.careful:
	case f.Plain:
		if st, ok := e.plain(w, in, f, ws, run); ok {
			return st
		}
	case f.Mem != nil:
		if st, ok := e.access(w, in, f, ws, run); ok {
			return st
		}
	}
	return e.step(w, in, f, ws, fr, run)
}

// step is Step of what has no shorter way.
func (e *Engine) step(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, fr *frame, run machine.Handler) machine.State {
	lanes := w.Mask
	n := len(f.Dst)
	addr := &ws.addr
	if f.Mem != nil {
		n = max(n, len(f.Mem.Regs))
		f.Mem.Resolve(w, addr)
	}
	ws.out.reset(n)
	if e.checks.Init {
		e.decide(w, in, f, fr)
		e.poison(w, in, f, ws, fr, addr)
	}
	if e.checks.Mem {
		e.tags(w, in, f, ws, addr)
	}
	st := run(w, in)
	if st == machine.Wait || st == machine.Faulted {
		return st
	}
	if e.checks.Init {
		e.settle(w, in, f, ws, fr, lanes, addr)
	}
	if e.checks.Mem {
		e.settleTags(w, f, ws, lanes, addr)
	}
	return st
}
