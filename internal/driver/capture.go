package driver

// This file holds stream capture: what a program puts into streams becomes a graph (CUDA Programming Guide,
// "Creating a Graph Using Stream Capture").

import (
	"encoding/binary"
	"maps"
	"slices"
)

// CaptureMode says which calls a capture forbids, with CUDA's numbers (cudaStreamCaptureMode).
type CaptureMode int32

// The modes: calls that allocate or wait are refused in the whole process, in the capturing thread, or nowhere.
const (
	CaptureGlobal CaptureMode = iota
	CaptureThread
	CaptureRelaxed
)

// CaptureStatus is where a stream stands, with CUDA's numbers (cudaStreamCaptureStatus).
type CaptureStatus int32

// The states.
const (
	CaptureNone CaptureStatus = iota
	CaptureActive
	CaptureInvalidated
)

// capture is a graph in the making. It ends in the stream in which it began.
type capture struct {
	d       *Driver
	id      uint64
	graph   *graph
	given   bool // the graph is the program's
	mode    CaptureMode
	thread  uint64 // that began it
	status  CaptureStatus
	origin  *stream
	streams []*stream
}

// mark is an event that was recorded in a capture: what a stream that waits for it comes after.
type mark struct {
	capture *capture
	tips    []*node
	says    edges // in the course of a launch
}

// capturing reports whether the stream's work becomes a graph.
func (s *stream) capturing() bool {
	d := s.dev.d
	if d.captures.Load() == 0 {
		return false
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	return s.capture != nil
}

// add makes work a node behind the stream's last ones.
func (c *capture) add(s *stream, w work) Code {
	if c.status == CaptureInvalidated {
		return CaptureWasInvalidated
	}
	n := c.d.addNode(c.graph, s.dev, w, s.tips)
	if p := s.priority.Load(); p != 0 && kindOf(w) == KernelNode {
		var v AttributeValue
		binary.NativeEndian.PutUint32(v[:], uint32(p))
		n.setHint(attributePriority, v)
	}
	s.become(n, w)
	return Success
}

// invalidate ends a capture in an error, which its end will tell.
func (c *capture) invalidate(code Code) Code {
	c.status = CaptureInvalidated
	return code
}

// CaptureBegin begins a capture in a stream: into a new graph, or into one of the program's behind some of its nodes.
func (d *Driver) CaptureBegin(dev int, h uint64, into uint64, after []uint64, mode CaptureMode) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, h)
	switch {
	case code != Success:
		return code
	case mode < CaptureGlobal || mode > CaptureRelaxed:
		return InvalidValue
	case s == s.dev.legacy:
		return CaptureUnsupported
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	if s.capture != nil {
		return IllegalState
	}
	c := &capture{d: d, mode: mode, status: CaptureActive, origin: s, streams: []*stream{s}}
	c.thread, _ = d.thread()
	var tips []*node
	if into != 0 {
		ok := false
		if c.graph, ok = lookup[*graph](d, into); !ok {
			return InvalidValue
		}
		if tips, code = d.nodesOf(c.graph, after); code != Success {
			return code
		}
		c.given = true
	} else {
		c.graph = d.newGraph()
	}
	d.captureID++
	c.id = d.captureID
	s.capture, s.tips, s.says = c, tips, nil
	d.active = append(d.active, c)
	d.captures.Add(1)
	return Success
}

// CaptureEnd ends a capture and gives its graph.
func (d *Driver) CaptureEnd(dev int, h uint64) (g uint64, code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, h)
	if code != Success {
		return 0, code
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	c := s.capture
	switch {
	case c == nil:
		return 0, IllegalState
	case c.origin != s:
		return 0, c.invalidate(CaptureUnmatched)
	case c.mode != CaptureRelaxed && !d.onThread(c.thread):
		return 0, CaptureWrongThread
	}
	if c.status == CaptureInvalidated {
		code = CaptureWasInvalidated
	} else if !c.joined() {
		code = CaptureUnjoined
	}
	c.finish()
	if code != Success {
		if !c.given {
			d.endGraph(c.graph)
		}
		return 0, code
	}
	return c.graph.self, Success
}

// joined reports whether all that was captured leads to the origin.
func (c *capture) joined() bool {
	reached := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if reached[n] {
			return
		}
		reached[n] = true
		for _, dep := range n.after {
			visit(dep)
		}
	}
	for _, n := range c.origin.tips {
		visit(n)
	}
	for _, s := range c.streams {
		if slices.ContainsFunc(s.tips, func(n *node) bool { return !reached[n] }) {
			return false
		}
	}
	return true
}

// finish takes the streams out of the capture.
func (c *capture) finish() {
	for _, s := range c.streams {
		s.capture, s.tips, s.says = nil, nil, nil
	}
	c.status = CaptureNone
	c.d.active = slices.DeleteFunc(c.d.active, func(o *capture) bool { return o == c })
	c.d.captures.Add(-1)
}

// leaveCapture is about a stream that ends: a capture that began in it cannot. What one that has joined in has captured stays, and must
// lead to the origin as ever.
func (d *Driver) leaveCapture(s *stream) {
	if !s.capturing() {
		return
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	c := s.capture
	if c.origin != s {
		return
	}
	c.invalidate(Success)
	c.finish()
	if !c.given {
		d.endGraph(c.graph)
	}
}

// CapturesInto reports whether a stream is captured into a graph of the program's, which needs not be told at the end.
func (d *Driver) CapturesInto(dev int, h uint64) bool {
	s, code := d.streamOf(dev, h)
	if code != Success {
		return false
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	return s.capture != nil && s.capture.given
}

// CaptureState is where a stream stands: the capture's number, its graph, what the next node comes after, and what these edges say
// (EdgeData).
type CaptureState struct {
	Status      CaptureStatus
	ID, Graph   uint64
	After, Says []uint64
}

// CaptureInfo tells where a stream stands: the capture's number, its graph, and what the next node comes after.
func (d *Driver) CaptureInfo(dev int, h uint64) (info CaptureState, code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success {
		return info, code
	}
	s, code := d.named(v, h)
	if code != Success {
		return info, code
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	if s.capture == nil {
		if s == v.legacy && d.blockingCapture() != nil {
			return info, CaptureImplicit
		}
		return info, Success
	}
	c := s.capture
	return CaptureState{c.status, c.id, c.graph.self, handles(s.tips), s.says.of(s.tips)}, Success
}

// CaptureDependencies sets what the next node of a capturing stream comes after, or adds to it. Says is what the edges say (EdgeData);
// nil: nothing.
func (d *Driver) CaptureDependencies(dev int, h uint64, nodes, says []uint64, set bool) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, h)
	if code != Success {
		return code
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	if s.capture == nil {
		return IllegalState
	}
	list, code := d.nodesOf(s.capture.graph, nodes)
	if code != Success {
		return code
	}
	var say edges
	for i, n := range list {
		if says != nil {
			say.say(n, EdgeData(says[i]))
		}
	}
	if set {
		s.tips, s.says = nil, nil
	}
	s.join(list, say)
	return Success
}

func union(a, b []*node) []*node {
	a = slices.Clone(a)
	for _, n := range b {
		if !slices.Contains(a, n) {
			a = append(a, n)
		}
	}
	return a
}

// notCapturing refuses a call that waits for a stream that is being captured, and ends the capture in an error.
func (d *Driver) notCapturing(s *stream) Code {
	if d.captures.Load() == 0 {
		return Success
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	if s.capture == nil {
		return Success
	}
	return s.capture.invalidate(CaptureUnsupported)
}

// thread is the thread that calls, and which captures it heeds.
func (d *Driver) thread() (id uint64, mode CaptureMode) {
	if d.host.Thread == nil {
		return 0, CaptureGlobal
	}
	return d.host.Thread()
}

func (d *Driver) onThread(id uint64) bool {
	now, _ := d.thread()
	return now == id
}

// forbids reports whether a capture keeps a thread from calls that may wait for all work (CUDA Driver API,
// cuThreadExchangeStreamCaptureMode): its own thread unless one of the two is relaxed, another if both are global.
func (c *capture) forbids(thread uint64, mode CaptureMode) bool {
	if c.thread == thread {
		return c.mode != CaptureRelaxed && mode != CaptureRelaxed
	}
	return c.mode == CaptureGlobal && mode == CaptureGlobal
}

// unsafeInCapture refuses calls that may wait for all work while a capture forbids them to the thread that calls.
func (d *Driver) unsafeInCapture() Code {
	if d.captures.Load() == 0 {
		return Success
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	thread, mode := d.thread()
	for _, c := range d.active {
		if c.forbids(thread, mode) {
			return c.invalidate(CaptureUnsupported)
		}
	}
	return Success
}

// outsideCaptures is device for calls that may wait for all work.
func (d *Driver) outsideCaptures(n int) (*device, Code) {
	v, code := d.device(n)
	if code == Success {
		code = d.unsafeInCapture()
	}
	return v, code
}

// legacyInCapture refuses the default stream while a stream is captured that would have to wait for it.
func (d *Driver) legacyInCapture(s *stream) Code {
	if s != s.dev.legacy || d.captures.Load() == 0 {
		return Success
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	if c := d.blockingCapture(); c != nil {
		return c.invalidate(CaptureImplicit)
	}
	return Success
}

// blockingCapture finds a capture in a stream that takes part in the default stream's order.
func (d *Driver) blockingCapture() *capture {
	for _, c := range d.active {
		if slices.ContainsFunc(c.streams, func(s *stream) bool { return s.blocking }) {
			return c
		}
	}
	return nil
}

// recordCaptured notes an event in a capture.
func (s *stream) recordCaptured(e *event) Code {
	c := s.capture
	if c.status == CaptureInvalidated {
		return CaptureWasInvalidated
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.in, e.at, e.front, e.mark = nil, nil, nil, &mark{c, slices.Clone(s.tips), maps.Clone(s.says)}
	return Success
}

// waitCaptured lets a stream come after an event, which takes it into the event's capture.
func (s *stream) waitCaptured(m *mark) Code {
	c := s.capture
	over := m == nil || m.capture.status == CaptureNone
	switch {
	case over && c == nil:
		return Success // both ended meanwhile
	case over:
		return c.invalidate(CaptureIsolation) // what waits for work outside cannot be in a graph
	case c != nil && c != m.capture:
		m.capture.invalidate(CaptureMerge)
		return c.invalidate(CaptureMerge)
	case m.capture.status == CaptureInvalidated:
		return CaptureWasInvalidated
	case s == s.dev.legacy:
		return m.capture.invalidate(CaptureImplicit)
	case c == nil:
		s.capture = m.capture
		m.capture.streams = append(m.capture.streams, s)
	}
	s.join(m.tips, m.says)
	return Success
}
