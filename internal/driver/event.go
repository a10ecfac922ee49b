package driver

// This file holds events: places in the order of a stream.

import (
	"sync"
	"time"
)

// Flags of events.
const (
	EventBlockingSync  = 1
	EventDisableTiming = 2
	EventInterprocess  = 4
)

type event struct {
	dev   *device
	flags uint32
	mu    sync.Mutex
	in    *stream
	at    *item // nil: never recorded
	front *item // the launch in whose course it happens; nil: it is no such event
	mark  *mark // recorded in a capture; nil: not
}

// record notes where the event is; front is the launch in whose course it happens, nil: it is no such event.
func (e *event) record(in *stream, at, front *item) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.in, e.at, e.front, e.mark = in, at, front, nil
}

// wait is an item that waits for the event; nil: it has happened.
func (e *event) wait(d *Driver) (it *item, after []*item) {
	e.mu.Lock()
	defer e.mu.Unlock()
	ends := e.at
	if e.front != nil {
		ends = e.front
	}
	if ends == nil || d.races == nil && ends.over.Load() {
		return nil, nil
	}
	it = newItem(nil)
	if e.front != nil {
		it.loose = []*item{e.front}
	}
	return it, []*item{e.at}
}

// captured is the event's place in a capture that goes on.
func (e *event) captured() *mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.mark == nil || e.mark.capture.status == CaptureNone {
		return nil
	}
	return e.mark
}

func (e *event) recorded() (*stream, *item) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.in, e.at
}

// EventCreate makes an event.
func (d *Driver) EventCreate(dev int, flags uint32) (h uint64, code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success {
		return 0, code
	}
	if flags&^(EventBlockingSync|EventDisableTiming|EventInterprocess) != 0 {
		return 0, InvalidValue
	}
	return d.register(&event{dev: v, flags: flags}), Success
}

// EventDestroy ends a handle; a record that is under way goes on.
func (d *Driver) EventDestroy(h uint64) Code {
	if _, ok := forget[*event](d, h); !ok {
		return InvalidHandle
	}
	return d.Sticky()
}

// EventRecord notes the place behind a stream's last item. External: in a capture it becomes a node, and happens when
// the graph runs.
func (d *Driver) EventRecord(dev int, h, stream uint64, external bool) (code Code) {
	defer d.defect(&code)
	e, ok := lookup[*event](d, h)
	if !ok {
		return InvalidHandle
	}
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	if e.dev != s.dev {
		return InvalidHandle // CUDA Driver API, cuEventRecord: both are of one context
	}
	if s.capturing() {
		d.graphs.Lock()
		defer d.graphs.Unlock()
		if external {
			return s.capture.add(s, &recordWork{e, h})
		}
		return s.recordCaptured(e)
	}
	if external {
		return InvalidValue // there is no graph that it could be a node of
	}
	e.record(s, s.enqueue(nil), nil)
	return Success
}

// StreamWaitEvent lets later work of a stream wait for an event. External: in a capture it becomes a node.
func (d *Driver) StreamWaitEvent(dev int, stream, h uint64, external bool) (code Code) {
	defer d.defect(&code)
	e, ok := lookup[*event](d, h)
	if !ok {
		return InvalidHandle
	}
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	if m := d.markOf(e); m != nil || s.capturing() {
		d.graphs.Lock()
		defer d.graphs.Unlock()
		if external && s.capture != nil {
			return s.capture.add(s, &waitWork{e, h})
		}
		return s.waitCaptured(m)
	}
	if external {
		return InvalidValue
	}
	if it, after := e.wait(d); it != nil {
		s.put(it, true, after)
	}
	return Success
}

// markOf is an event's place in a capture that goes on.
func (d *Driver) markOf(e *event) *mark {
	if d.captures.Load() == 0 {
		return nil
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	return e.captured()
}

// EventQuery is NotReady until the event has happened. An event that was never recorded has.
func (d *Driver) EventQuery(h uint64) (code Code) {
	defer d.defect(&code)
	e, ok := lookup[*event](d, h)
	if !ok {
		return InvalidHandle
	}
	if d.markOf(e) != nil {
		return CapturedEvent
	}
	_, at := e.recorded()
	if at != nil && !at.over.Load() {
		return NotReady
	}
	d.known(at)
	return d.Sticky()
}

// EventSynchronize waits for an event.
func (d *Driver) EventSynchronize(h uint64) (code Code) {
	defer d.defect(&code)
	e, ok := lookup[*event](d, h)
	if !ok {
		return InvalidHandle
	}
	if d.markOf(e) != nil {
		return CapturedEvent
	}
	if s, at := e.recorded(); s != nil {
		s.wait(at)
	} else if at != nil {
		<-at.done // recorded by a graph
		d.known(at)
	}
	d.flush()
	return d.Sticky()
}

// tick is the least time between events: programs divide by it.
const tick = 500 * time.Nanosecond

// EventElapsed is the milliseconds between two events.
func (d *Driver) EventElapsed(from, to uint64) (ms float32, code Code) {
	a, okA := lookup[*event](d, from)
	b, okB := lookup[*event](d, to)
	if !okA || !okB || (a.flags|b.flags)&EventDisableTiming != 0 {
		return 0, InvalidHandle
	}
	_, x := a.recorded()
	_, y := b.recorded()
	switch {
	case x == nil || y == nil:
		return 0, InvalidHandle
	case !x.over.Load() || !y.over.Load():
		return 0, NotReady
	}
	d.known(x)
	d.known(y)
	span := y.ended.Sub(x.ended)
	if span >= 0 {
		span = max(span, tick)
	}
	return float32(span.Seconds() * 1e3), d.Sticky()
}
