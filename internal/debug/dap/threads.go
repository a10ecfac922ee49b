package dap

// This file shows warps as threads, and the calls that led to where they stand.

import (
	"fmt"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// maxThreads is how many warps the client sees.
const maxThreads = 256

// warpID names a warp of the launch.
type warpID struct {
	cta  [3]uint32
	warp int
}

// frame is a call that a lane is in.
type frame struct {
	debug.Focus
	level int
}

// handles are the numbers that the client knows things by. Those of frames and of what holds variables are good until the launch moves.
type handles struct {
	next       int
	frames     map[int]frame
	containers map[int]*container
	threads    map[warpID]int
	warps      map[int]warpID
}

// reset forgets frames and containers.
func (h *handles) reset() {
	h.frames, h.containers = map[int]frame{}, map[int]*container{}
	if h.threads == nil {
		h.threads, h.warps = map[warpID]int{}, map[int]warpID{}
	}
}

// thread is the number of a warp.
func (h *handles) thread(id warpID) int {
	n, ok := h.threads[id]
	if !ok {
		n = len(h.threads) + 1
		h.threads[id], h.warps[n] = n, id
	}
	return n
}

func (h *handles) addFrame(f frame) int {
	h.next++
	h.frames[h.next] = f
	return h.next
}

func (h *handles) addContainer(c *container) int {
	h.next++
	h.containers[h.next] = c
	return h.next
}

// frame is the frame of a number.
func (h *handles) frame(n int) (frame, error) {
	f, ok := h.frames[n]
	if !ok {
		return f, fmt.Errorf("no frame %d: numbers of frames are good until the launch moves", n)
	}
	return f, nil
}

func (h *handles) container(n int) (*container, error) {
	c, ok := h.containers[n]
	if !ok {
		return nil, fmt.Errorf("no variables %d: their numbers are good until the launch moves", n)
	}
	return c, nil
}

// focus is the frame that the session looks at.
func (h *handles) focus(session *debug.Session) frame { return frame{session.Focus(), session.Level()} }

// in calls look with the scope of a frame; the focus is afterwards what it was before.
func (s *server) in(f frame, look func(*debug.Scope) error) error {
	before := s.handles.focus(s.session)
	defer func() {
		_ = s.session.SetFocus(before.Focus) // it was there before, and the launch has not moved
		_ = s.session.SetLevel(before.level)
	}()
	if f.Focus != before.Focus {
		if err := s.session.SetFocus(f.Focus); err != nil {
			return err
		}
	}
	if err := s.session.SetLevel(f.level); err != nil {
		return err
	}
	scope, err := s.session.Scope()
	switch {
	case err != nil:
		return err
	case scope.Warp == nil:
		return debug.ErrNotRunning
	}
	return look(scope)
}

// refresh notes which warps are there, and makes older numbers invalid.
func (s *server) refresh() {
	s.handles.reset()
	s.threads = []godap.Thread{}
	p := s.session.Pause()
	if p == nil {
		return
	}
	focus := s.session.Focus()
	s.threads = append(s.threads, s.thread(warpID{focus.CTA, focus.Warp}))
	for _, c := range p.CTAs() {
		for _, w := range c.Warps() {
			id := warpID{c.ID(), w.Index()}
			if w.Live == 0 || id == (warpID{focus.CTA, focus.Warp}) {
				continue
			}
			if len(s.threads) == maxThreads {
				return
			}
			s.threads = append(s.threads, s.thread(id))
		}
	}
}

func (s *server) thread(id warpID) godap.Thread {
	return godap.Thread{Id: s.handles.thread(id), Name: fmt.Sprintf("block %s warp %d", point(id.cta), id.warp)}
}

// focusThread is the thread of the warp in focus.
func (s *server) focusThread() int {
	f := s.session.Focus()
	return s.handles.thread(warpID{f.CTA, f.Warp})
}

func (s *server) listThreads(*godap.ThreadsRequest) (godap.ResponseMessage, error) {
	return &godap.ThreadsResponse{Body: godap.ThreadsResponseBody{Threads: s.threads}}, nil
}

// laneOf is the lane of a thread that is looked at: that in focus, else the first of the warp's first fragment.
func (s *server) laneOf(thread int) (debug.Focus, error) {
	f := s.session.Focus()
	id, ok := s.handles.warps[thread]
	switch {
	case !ok:
		return f, fmt.Errorf("no thread %d: threads lists those that there are", thread)
	case id == warpID{f.CTA, f.Warp}:
		return f, nil
	}
	w := warpOf(s.session.Pause(), id)
	if w == nil || w.Live == 0 {
		return f, fmt.Errorf("thread %d, warp %d of block %s, has ended", thread, id.warp, point(id.cta))
	}
	return debug.Focus{CTA: id.cta, Warp: id.warp, Lane: firstLane(s.session.Pause().Fragments(w)[0].Lanes)}, nil
}

// warpOf finds a warp; nil: it is not on the device.
func warpOf(p *machine.Pause, id warpID) *machine.Warp {
	for _, c := range p.CTAs() {
		if c.ID() == id.cta && id.warp < len(c.Warps()) {
			return c.Warps()[id.warp]
		}
	}
	return nil
}

// turnTo makes a thread the one in focus.
func (s *server) turnTo(thread int) error {
	f, err := s.laneOf(thread)
	if err != nil {
		return err
	}
	if f != s.session.Focus() || s.session.Level() != 0 {
		return s.session.SetFocus(f)
	}
	return nil
}

func (s *server) stackTrace(q *godap.StackTraceRequest) (godap.ResponseMessage, error) {
	f, err := s.laneOf(q.Arguments.ThreadId)
	if err != nil {
		return nil, err
	}
	var calls []debug.Location
	err = s.in(frame{Focus: f}, func(*debug.Scope) (err error) {
		calls, err = s.session.Frames()
		return err
	})
	if err != nil {
		return nil, err
	}
	all := []godap.StackFrame{}
	for level := range calls {
		all = append(all, s.frames(frame{f, level}, &calls[level])...)
	}
	from := min(max(q.Arguments.StartFrame, 0), len(all))
	to := len(all)
	if n := q.Arguments.Levels; n > 0 {
		to = min(to, from+n)
	}
	return &godap.StackTraceResponse{Body: godap.StackTraceResponseBody{StackFrames: all[from:to], TotalFrames: len(all)}}, nil
}

// frames are a call, and the calls that were inlined into it, innermost first: on lines of the source, where that is found, else of the PTX.
func (s *server) frames(f frame, l *debug.Location) (list []godap.StackFrame) {
	one := godap.StackFrame{Name: l.Name(), Column: s.clientColumn(1), InstructionPointerReference: s.texts.address(l.Place), ModuleId: s.texts.module(l.PTX.File)}
	if len(l.Source) == 0 || s.texts.source(l.Source[0].File).Path == "" {
		one.Id, one.Source, one.Line = s.handles.addFrame(f), s.texts.source(l.PTX.File), s.clientLine(l.PTX.Line)
		return []godap.StackFrame{one}
	}
	for i, at := range l.Source {
		one.Id, one.Source, one.Line = s.handles.addFrame(f), s.texts.source(at.File), s.clientLine(at.Line)
		if at.Function != "" {
			one.Name = at.Function
		}
		if i < len(l.Source)-1 {
			one.Name += " (inlined)"
		}
		list = append(list, one)
	}
	return list
}

// point prints coordinates.
func point(p [3]uint32) string { return fmt.Sprintf("(%d,%d,%d)", p[0], p[1], p[2]) }

// place is where an instruction stands.
func place(l *debug.Location) string {
	at := l.Line()
	return fmt.Sprintf("%s:%d", baseName(at.File), at.Line)
}
