package machine

// This file holds what launches that run beside each other tell each other: griddepcontrol (9.7.13.13).

// Dependence is a launch's place before or behind another that runs beside it.
type Dependence struct {
	Over   func() bool // all that the launch comes behind is over: until then griddepcontrol.wait waits; nil: it is
	Waits  func()      // called where lanes wait for that, from several cores at a time; may be nil
	Issued func()      // called once, when each CTA has issued griddepcontrol.launch_dependents or has ended; may be nil
	Holds  func() bool // CTAs shall stay at launch_dependents, so that what depends on the launch runs first; nil: no
}

// mostHeld is how often the CTAs of a launch stay at launch_dependents, together, before all others have come there: some of them
// may need their places. It is some milliseconds, in which the workers of a busy machine all get their turn.
const mostHeld = 1 << 16

// AwaitGrids waits for what the launch comes behind. On another state than Next the handler returns it.
func (w *Warp) AwaitGrids(in *Inst) State {
	d := w.cta.grid.Depends
	if d == nil || d.Over == nil || d.Over() {
		return Next
	}
	if d.Waits != nil {
		d.Waits()
	}
	return w.comesBack(in)
}

// LaunchDependents tells that what depends on the launch may begin as far as the CTA is concerned. On another state
// than Next the handler returns it.
func (w *Warp) LaunchDependents(in *Inst) State {
	c := w.cta
	d := c.grid.Depends
	if d == nil {
		return Next
	}
	c.issues()
	if d.Holds == nil || !d.Holds() {
		return Next
	}
	if c.grid.issued.Load() < c.grid.CTAs() && c.grid.held.Add(1) > mostHeld {
		return Next
	}
	return w.comesBack(in)
}

// comesBack has the running fragment execute an instruction again in its next turn. It does not count as executed.
func (w *Warp) comesBack(in *Inst) State {
	f := w.frag
	if w.Mask != f.mask {
		return w.separate(in, f, w.Mask)
	}
	w.move(f, w.PC(in))
	w.yielded |= 1 << f.index
	w.start++
	return Diverge
}

// issues counts a CTA that has issued launch_dependents, or ends, once.
func (c *CTA) issues() {
	if c.grid.Depends != nil && !c.issued {
		c.issued = true
		c.grid.countIssued(1)
	}
}

func (g *Grid) countIssued(ctas uint64) {
	if d := g.Depends; d != nil && g.issued.Add(ctas) == g.CTAs() && d.Issued != nil {
		d.Issued()
	}
}
