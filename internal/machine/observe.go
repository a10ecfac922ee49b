package machine

// This file is where sanitizers, tracing and the debugger look on: launches with an observer
// run Code.Observed, whose handlers report before they act, so that unobserved code pays
// nothing.

import "context"

// EventKind says what an event is about.
type EventKind uint8

// The events.
const (
	Touch      EventKind = iota // the lanes are about to access memory
	Release                     // a fence or barrier is about to publish what the lanes did before
	Acquire                     // a fence or barrier lets the lanes see what others published
	ProxyFence                  // a fence between the generic proxy and Proxy, for Space
	CTABegin                    // a CTA starts: its shared memory is new
	CTAEnd                      // a CTA has ended, in whatever way
	Allocated                   // Extent is new: tensor memory (tcgen05.alloc), told behind the allocation
	Freed                       // Extent is gone
)

// Proxy is the path of an access to memory (8.2 of the memory model, 9.7.13.4).
type Proxy uint8

// The proxies.
const (
	GenericProxy   Proxy = iota
	AsyncProxy           // bulk copies, tensor copies, tcgen05, wgmma
	AliasProxy           // the same memory by another virtual address
	TensormapProxy       // use of a tensor map
)

func (p Proxy) String() string { return [...]string{"generic", "async", "alias", "tensormap"}[p] }

// Order is the strength of an operation (8.4).
type Order uint8

// The strengths.
const (
	Weak Order = iota
	Relaxed
	AcquireOrder
	ReleaseOrder
	AcqRel
	SeqCst
)

// Acquires tells whether what comes later sees what the other side published.
func (o Order) Acquires() bool { return o == AcquireOrder || o >= AcqRel }

// Releases tells whether what came before is published.
func (o Order) Releases() bool { return o >= ReleaseOrder }

// Scope is the set of threads that an operation synchronises with (8.5).
type Scope uint8

// The scopes.
const (
	NoScope Scope = iota // weak
	WarpScope
	CTAScope
	ClusterScope
	GPUScope
	SysScope
)

// Event is one access to memory, or one step of synchronisation, of the lanes of a warp. It
// and Addr are valid until Observe returns.
type Event struct {
	What  EventKind
	Space Space
	Kind  AccessKind
	Proxy Proxy
	Order Order
	Scope Scope
	Size  uint32 // bytes a lane touches
	Lanes uint32
	Addr  *[32]uint64 // of the lanes, as computed, displacement included; nil without access

	// Extent is what an access covers where Addr is nil: one extent of an asynchronous operation,
	// tensor memory.
	Extent *Extent

	PC   int32
	Func *FuncInfo
	CTA  uint64 // linear index in the grid
	Warp int
	On   *Warp // who; nil for CTABegin and CTAEnd

	Async bool // what an asynchronous operation will do: Issue checks it against open ones
}

// Observer gets the events of a launch, from several workers at a time; those of one CTA come
// one after the other.
type Observer interface {
	Observe(*Event)
}

// Observe passes an event on; where it happened is filled in.
func (w *Warp) Observe(in *Inst, e Event) {
	if w.event == nil {
		w.event = new(Event)
	}
	*w.event = e
	w.event.PC, w.event.Func, w.event.CTA, w.event.Warp, w.event.On = w.PC(in), w.frag.frame.code.Func, w.cta.rank, int(w.index), w
	w.checkOpen(in, w.event)
	w.cta.grid.Observer.Observe(w.event)
}

// tellOp tells what an operation that is being issued will touch.
func (w *Warp) tellOp(in *Inst, op *Op) {
	if !w.cta.grid.observing || op.Touches == nil {
		return
	}
	for x, kind := range op.Touches(op) {
		lanes := w.Mask
		if x.Lane >= 0 {
			lanes = 1 << x.Lane
		}
		w.Observe(in, Event{What: Touch, Async: true, Proxy: op.Proxy, Space: x.Space, Kind: kind, Lanes: lanes, Extent: &x})
	}
}

// Observing tells whether the launch has an observer.
func (w *Warp) Observing() bool { return w.cta.grid.observing }

// Resuming tells whether the instruction executes again because its wait is over.
func (w *Warp) Resuming() bool { return w.frag.woken }

// Site is a place in a running kernel: an instruction and a thread that executes it.
type Site struct {
	Func   *FuncInfo
	PC     int32
	CTA    [3]uint32
	Thread [3]uint32
}

// Site returns where one lane of an event is.
func (e *Event) Site(lane int) Site {
	g := e.On.cta.grid
	return Site{Func: e.Func, PC: e.PC, CTA: e.On.cta.id, Thread: g.thread(e.On.index, lane)}
}

// SiteOf is the site of an event that has passed.
func (l *Launch) SiteOf(fn *FuncInfo, pc int32, cta uint64, warp, lane int) Site {
	return Site{Func: fn, PC: pc, CTA: l.coords(cta), Thread: l.thread(int32(warp), lane)}
}

// Byte returns the host byte that a lane's address means, nil if there is none.
func (w *Warp) Byte(space Space, addr uint64, lane int) *byte {
	p, _, f := w.resolve(&Request{Space: space, Size: 1, Align: 1}, addr, lane)
	if f != nil {
		return nil
	}
	return (*byte)(p)
}

// tell reports the start or end of a CTA.
func (c *CTA) tell(what EventKind) {
	if c.grid.observing {
		c.grid.Observer.Observe(&Event{What: what, CTA: c.rank})
	}
}

type observerKey struct{}

// WithObserver returns a context whose launches have an observer.
func WithObserver(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

// ObserverOf returns the observer that WithObserver has put into a context, nil if there is none.
func ObserverOf(ctx context.Context) Observer {
	o, _ := ctx.Value(observerKey{}).(Observer)
	return o
}
