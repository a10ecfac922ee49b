package machine

// This file is where sanitizers, tracing and the debugger look on: launches with an observer
// run Code.Observed, whose handlers report before they act, so that unobserved code pays
// nothing.

// Event is one instruction's access to memory, or one executed instruction without access.
type Event struct {
	Space Space
	Kind  AccessKind
	Size  uint32 // bytes a lane touches
	Lanes uint32
	Addr  *[32]uint64 // of the lanes, as computed; nil without access
	PC    int32
	Func  *FuncInfo
	CTA   uint64
	Warp  int
}

// Observer gets the events of a launch, from several workers at a time.
type Observer interface {
	Observe(*Event)
}

// Observe passes an event on; where it happened is filled in.
func (w *Warp) Observe(in *Inst, e Event) {
	e.PC, e.Func, e.CTA, e.Warp = w.PC(in), w.frag.frame.code.Func, w.cta.rank, int(w.index)
	w.cta.grid.Observer.Observe(&e)
}
