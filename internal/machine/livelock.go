package machine

// This file finds loops that wait for ever (P8010). The argument does not rest on the schedule. While nothing stores,
// what lanes do follows from their registers alone. So if each set of lanes that can go on comes back to the same
// instruction with the same registers, having changed nothing on its way, and all others wait for some of these, then nothing
// will ever change again, in whatever order they run.
//
// An attempt executes the loops, by the interpreter, as any other turn would: where it comes to nothing the launch has only gone on. It
// ends at the first instruction that is not Proving, or that changes memory, or that reads a clock.

import (
	"bytes"

	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
)

const (
	firstProof = 8       // passes over the warps of a cluster before the first attempt; then twice as many
	proofSteps = 1 << 14 // instructions of one set of lanes in an attempt
)

// Proof is an attempt to show that a launch can never end.
type Proof struct {
	broken bool // something has changed, or depends on more than memory and registers
	global bool // global memory was read
	loops  []loop
	reads  []poll // of the set of lanes that is looked at
	kept   []keptByte
}

// loop is what a set of lanes does for ever.
type loop struct {
	w     *Warp
	place Place
	poll  poll
}

// poll is a read in a loop.
type poll struct {
	place  Place
	extent Extent
}

// keptByte is a byte of memory before a store.
type keptByte struct {
	at  *byte
	was byte
}

// Proof is the attempt that is being made, nil mostly.
func (w *Warp) Proof() *Proof { return w.core.proof }

// Break ends the attempt.
func (p *Proof) Break() { p.broken = true }

// Touch notes what lanes are about to do to memory, and keeps what may be overwritten.
func (p *Proof) Touch(w *Warp, in *Inst, e *Event, addr *[32]uint64) {
	for m := w.Mask; m != 0; m &= m - 1 {
		i := first(m)
		x, ok := w.extentOf(e.Space, addr[i], uint64(e.Size))
		p.global = p.global || ok && x.Space == Global && e.Space != Const && e.Space != Param
		if e.Kind != Store && ok && m == w.Mask {
			place := w.Place(in)
			place.Lanes, place.Thread = w.Mask, w.cta.grid.Thread(w.index, i)
			p.reads = append(p.reads, poll{place, x})
		}
		for k := uint64(0); e.Kind != Load && k < uint64(e.Size); k++ {
			at := w.Byte(e.Space, addr[i]+k, i)
			if at == nil {
				p.broken = true
				return
			}
			p.kept = append(p.kept, keptByte{at, *at})
		}
	}
}

// Settle looks whether the instruction has changed what Touch has kept.
func (p *Proof) Settle() {
	for _, b := range p.kept {
		p.broken = p.broken || *b.at != b.was
	}
	p.kept = p.kept[:0]
}

// Livelocked reports whether clusters, all that are left of the launch, can never end, and ends it then.
func (core *Core) Livelocked(clusters []*Cluster) bool {
	p := &Proof{}
	core.proof = p
	defer func() { core.proof = nil }()
	for _, cl := range clusters {
		core.Adopt(cl)
		if !cl.stays(p) {
			return false
		}
	}
	g := clusters[0].grid
	if len(p.loops) == 0 || p.global && !g.wants(events.WantsAlone) {
		return false
	}
	p.tell()
	g.Fail(p.deadlock(clusters))
	return true
}

// stays reports whether nothing in the cluster can go on, or only in loops that change nothing.
func (cl *Cluster) stays(p *Proof) bool {
	if len(cl.sleepers) != 0 || len(cl.async.Open()) != 0 {
		return false
	}
	for _, c := range cl.ctas {
		if c.alive != 0 && (c.resting || !c.stays(p)) {
			return false
		}
	}
	return true
}

func (c *CTA) stays(p *Proof) bool {
	for _, w := range c.warps {
		ok := w.used == 0 || w.stays(p)
		c.account(w)
		if !ok || p.broken || c.grid.stopped.Load() {
			return false
		}
	}
	return true
}

// stays tells it of a warp. Lanes that wait for siblings at a reconvergence pc would be let go on: nothing is known of them.
func (w *Warp) stays(p *Proof) bool {
	for w.arriving != 0 {
		f := &w.frags[first(w.arriving)]
		w.arriving &^= 1 << f.index
		w.arrive(f)
	}
	if w.joining != 0 {
		return false
	}
	for m := w.used; m != 0; m &= m - 1 {
		f := &w.frags[first(m)]
		switch {
		case f.woken:
			return false
		case w.ready>>f.index&1 == 0:
			if f.wait < waits.Members || f.wait == waits.Phase || f.wait == waits.Tensor || f.wait == waits.Registers {
				return false
			}
		case !w.circles(f, p):
			return false
		}
	}
	return true
}

// circles executes a fragment's loop until it comes back to the same registers (Brent's way to find a cycle). It tells whether
// it does, and nothing has changed.
func (w *Warp) circles(f *Fragment, p *Proof) bool {
	w.enterFragment(f)
	w.polled = true
	straight := (*Warp).runPart
	if f.mask == f.frame.lanes {
		straight = (*Warp).runFull
	}
	whole := w.used == 1<<f.index
	p.reads = p.reads[:0]
	var kept []byte
	keptPC, seen, power := int32(noPC), 0, 1
	for range proofSteps {
		pc := f.pc
		in := &w.insts[pc]
		if in.Flags&Proving == 0 || in.Flags&ProvingWhole != 0 && !whole || f.meeting() != nil {
			break
		}
		w.Mask, w.start = f.mask, pc
		_, st := straight(w, w.insts[pc:pc+1])
		w.count(pc+1, f.mask)
		switch st {
		case Next, Again:
			f.pc = pc + 1
		case Jump:
			f.pc = w.next
		default:
			w.ended(st, f, pc)
			return false
		}
		if p.broken {
			break
		}
		if f.pc > pc {
			continue
		}
		if keptPC == f.pc && bytes.Equal(kept, f.frame.regs.Bytes()) {
			w.come(f)
			p.found(w, f)
			return true
		}
		if seen++; seen == power {
			kept, keptPC, power = append(kept[:0], f.frame.regs.Bytes()...), f.pc, 2*power
			p.reads = p.reads[:0]
		}
	}
	w.come(f)
	return false
}

// found notes what a fragment does for ever, at the start of its loop.
func (p *Proof) found(w *Warp, f *Fragment) {
	l := loop{w: w, place: w.placeOf(f)}
	if len(p.reads) != 0 {
		l.poll = p.reads[0]
		for _, r := range p.reads { // what others could write, before what they could not
			if r.extent.Space == Shared || r.extent.Space == Global {
				l.poll = r
				break
			}
		}
	}
	p.loops = append(p.loops, l)
}

// EndlessLoop is what a set of lanes does for ever.
type EndlessLoop struct {
	At     Place  // a read of the loop; its beginning where it reads nothing
	Extent Extent // what is read
	Reads  bool
}

// tell tells of the loops.
func (p *Proof) tell() {
	for _, l := range p.loops {
		e := EndlessLoop{At: l.place}
		if l.poll.place.Func != nil {
			e = EndlessLoop{l.poll.place, l.poll.extent, true}
		}
		l.w.cta.tellUse(Event{What: events.Endless, About: &e})
	}
}

// deadlock describes clusters of which some only poll.
func (p *Proof) deadlock(clusters []*Cluster) error {
	all := &DeadlockError{Kernel: clusters[0].grid.Entry.Func.Name, Cluster: len(clusters) > 1 || len(clusters[0].ctas) > 1}
	for _, cl := range clusters {
		all.Waiters = append(all.Waiters, cl.waiters()...)
	}
	all.CTA = all.Waiters[0].CTA
	for i := range all.Waiters {
		if v := &all.Waiters[i]; v.For == waits.Nothing {
			v.Text = "go round a loop that changes nothing"
		}
	}
	return all
}
