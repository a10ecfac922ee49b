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

// EventRecord notes the place behind a stream's last item.
func (d *Driver) EventRecord(dev int, h, stream uint64) (code Code) {
	defer d.defect(&code)
	e, ok := lookup[*event](d, h)
	if !ok {
		return InvalidHandle
	}
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	at := s.enqueue(nil)
	e.mu.Lock()
	e.in, e.at = s, at
	e.mu.Unlock()
	return Success
}

// StreamWaitEvent lets later work of a stream wait for an event.
func (d *Driver) StreamWaitEvent(dev int, stream, h uint64) (code Code) {
	defer d.defect(&code)
	e, ok := lookup[*event](d, h)
	if !ok {
		return InvalidHandle
	}
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	if _, at := e.recorded(); at != nil && !at.over.Load() {
		s.enqueue(nil, at)
	}
	return Success
}

// EventQuery is NotReady until the event has happened. An event that was never recorded has.
func (d *Driver) EventQuery(h uint64) (code Code) {
	defer d.defect(&code)
	e, ok := lookup[*event](d, h)
	if !ok {
		return InvalidHandle
	}
	if _, at := e.recorded(); at != nil && !at.over.Load() {
		return NotReady
	}
	return d.Sticky()
}

// EventSynchronize waits for an event.
func (d *Driver) EventSynchronize(h uint64) (code Code) {
	defer d.defect(&code)
	e, ok := lookup[*event](d, h)
	if !ok {
		return InvalidHandle
	}
	if s, at := e.recorded(); at != nil {
		s.wait(at)
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
	span := y.ended.Sub(x.ended)
	if span >= 0 {
		span = max(span, tick)
	}
	return float32(span.Seconds() * 1e3), d.Sticky()
}
