package driver

// This file holds events that happen while a kernel runs (cudaLaunchAttributeProgrammaticEvent,
// cudaLaunchAttributeLaunchCompletionEvent), and launches that come behind such an event alone.

// When an event of a launch happens: the places in Launch.Events.
const (
	atDependents = iota // each CTA has executed griddepcontrol.launch_dependents, or has ended
	atBegin             // each CTA has begun
)

// eventsOf finds the events of a launch. They are of its device, and keep no time (CUDA Runtime API, cudaLaunchAttributeID).
func (s *stream) eventsOf(l *Launch) (list [2]*event, code Code) {
	for i, h := range l.Events {
		if h == 0 {
			continue
		}
		e, ok := lookup[*event](s.dev.d, h)
		switch {
		case !ok || e.dev != s.dev:
			return list, InvalidHandle
		case e.flags&EventDisableTiming == 0 || e.flags&EventInterprocess != 0:
			s.dev.d.warn("an event that a launch triggers keeps no time and is no other process's (cudaEventDisableTiming)")
			return list, InvalidValue
		}
		list[i] = e
	}
	return list, Success
}

// launchWith puts a launch into the stream that lets events happen.
func (s *stream) launchWith(w *kernelWork, events [2]*event) Code {
	d := s.dev.d
	if s.capturing() {
		d.graphs.Lock()
		defer d.graphs.Unlock()
		return s.captureWith(w, events)
	}
	it := newItem(w)
	for i, e := range events {
		if e != nil {
			it.triggers[i] = newItem(nil)
		}
	}
	s.put(it, true, nil)
	for i, e := range events {
		if e != nil {
			it.triggers[i].at = it.at.Within()
			e.record(s, it.triggers[i], it)
		}
	}
	return Success
}

// captureWith puts a launch that lets events happen into a capture.
func (s *stream) captureWith(w *kernelWork, events [2]*event) Code {
	if s.capture == nil {
		return IllegalState
	}
	if code := s.capture.add(s, w); code != Success {
		return code
	}
	for i, e := range events {
		if e == nil {
			continue
		}
		if code := s.recordCaptured(e); code != Success {
			return code
		}
		e.mark.says = edges{s.tips[0]: programmaticEdge | portOf[i]}
	}
	return Success
}

// trigger lets an event of a launch happen that has not yet, and with the one behind all CTAs' beginning the one behind their ends.
func (it *item) trigger(when int) {
	for _, t := range it.triggers[when:] {
		if t != nil && !t.over.Load() {
			t.finish()
		}
	}
}

// inherit has an item come behind the triggers that its stream waits for, when what waits is the last item of the stream, or comes
// before the last places in its order alone.
func (it *item) inherit(last *item) {
	if last == nil || last.kernel || !last.place || !it.kernel && !it.place {
		return
	}
	it.loose = append(it.loose, last.loose...)
	if it.kernel {
		for _, front := range it.loose {
			front.wanted.Add(1)
		}
	}
}

// tellFronts tells the launches of whose triggers the item comes behind that it has begun.
func (it *item) tellFronts() {
	for _, front := range it.loose {
		front.in.mu.Lock()
		if !front.closed {
			front.others = append(front.others, it)
		}
		front.in.mu.Unlock()
	}
}
