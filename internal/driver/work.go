package driver

// This file holds what items of streams and nodes of graphs do.

import "ptxvm.invalid/ptxvm/internal/san/streams"

// work is something that happens in a stream's order, or when a graph is launched.
type work interface {
	// at is its place in the order of all streams; nil unless races between them are looked for.
	do(dev *device, at *streams.Work)
}

// doing is a function as work.
type doing func(*device)

func (f doing) do(dev *device, _ *streams.Work) { f(dev) }

// hostWork calls a function of the program.
type hostWork struct{ fn, argument uint64 }

func (w *hostWork) do(dev *device, at *streams.Work) {
	dev.d.races.Learn(at.Before())
	dev.d.host.Call(w.fn, w.argument)
}

// freeWork ends an allocation.
type freeWork struct{ addr uint64 }

func (w *freeWork) do(dev *device, _ *streams.Work) { dev.d.release(w.addr) }

// allocWork is an allocation of a graph. Its memory is there from the node's making on, so that its address can
// be told, until the last graph that has the node is gone.
type allocWork struct {
	addr, size uint64
	held       int // by nodes and steps; guarded by Driver.graphs
}

func (w *allocWork) do(dev *device, _ *streams.Work) { w.begin(dev.d) }

// emptyWork is a place in the order of a graph.
type emptyWork struct{}

func (emptyWork) do(*device, *streams.Work) {}

// recordWork records an event, waitWork waits for one.
type (
	recordWork struct {
		event  *event
		handle uint64
	}
	waitWork struct {
		event  *event
		handle uint64
	}
)

func (w *recordWork) do(_ *device, at *streams.Work) {
	it := newItem(nil)
	it.at = at
	it.finish()
	w.event.record(nil, it, nil)
}

func (w *waitWork) do(_ *device, at *streams.Work) {
	if _, it := w.event.recorded(); it != nil {
		<-it.done
		at.Join(it.at.Past())
	}
}

// submit puts work into a stream's queue, or, while the stream is being captured, into the graph.
func (s *stream) submit(w work) Code {
	d := s.dev.d
	if s.capturing() {
		d.graphs.Lock()
		defer d.graphs.Unlock()
		if s.capture != nil {
			return s.capture.add(s, w)
		}
	}
	s.enqueue(w)
	return Success
}

// run is submit; waits: the call returns when the work is over. A capture has nothing to wait for: it refuses calls that are not
// …Async there.
func (s *stream) run(w work, call CallKind, waits bool) Code {
	d := s.dev.d
	switch {
	case waits && call != AsyncCall && s.capturing():
		return d.notCapturing(s)
	case waits && !s.capturing():
		s.now(w)
		d.flush()
		return d.Sticky()
	}
	return s.submit(w)
}
