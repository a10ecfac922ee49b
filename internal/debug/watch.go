package debug

// This file holds watchpoints: what happens when a value changes, or memory is read or written.

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
)

// WatchKind says what a watchpoint stops at.
type WatchKind uint8

// The kinds, as gdb has them.
const (
	OnChange WatchKind = iota // watch: the value is another than before
	OnRead                    // rwatch: an instruction reads the memory
	OnAccess                  // awatch: an instruction reads or writes it, whether the value changes or not
)

func (k WatchKind) String() string {
	return [...]string{"watchpoint", "read watchpoint", "acc watchpoint"}[k]
}

// Watchpoint is what is watched. Memory is watched at the address that the expression had when it was given; what is computed from
// registers is watched in the thread that was in the focus.
type Watchpoint struct {
	Expr  *Expr
	Kind  WatchKind
	home  *Home // of memory; nil: the expression is evaluated again and again
	size  int
	focus Focus
	first [3]uint32 // the first CTA of its cluster
	depth int       // of the frame
}

// maxWatched bounds the bytes that are compared at each moment.
const maxWatched = 4096

// Watch makes a watchpoint.
func (s *Session) Watch(b *Breakpoint, e *Expr, kind WatchKind) error {
	w, err := s.watchpoint(e, kind)
	if err != nil {
		return err
	}
	b.Location, b.Watch = e.Text, w
	s.add(b)
	if kind != OnChange && s.at != nil {
		return s.listen()
	}
	return nil
}

func (s *Session) watchpoint(e *Expr, kind WatchKind) (*Watchpoint, error) {
	scope, err := s.Scope()
	if err != nil {
		return nil, err
	}
	if scope.Warp == nil {
		return nil, ErrNotRunning
	}
	v, err := scope.Eval(e)
	if err != nil {
		return nil, err
	}
	if e.warp {
		return nil, errors.New("A watchpoint is for one lane: name it, as in %r1@5.")
	}
	w := &Watchpoint{Expr: e, Kind: kind, focus: s.focus, depth: scope.Frame.Depth(), first: scope.Warp.CTA().Peers()[0].ID()}
	if v.Home != nil && v.Home.Register == "" {
		space, addr := split(v.Home.Space, v.Home.Addr)
		w.home, w.size = &Home{Space: space, Addr: addr, Lane: v.Home.Lane}, max(v.Count, 1)*max(v.Type.Size(), 1)
	}
	switch _, constant := e.root.(*literal); {
	case constant:
		return nil, fmt.Errorf("Cannot watch constant value `%s'.", e.Text)
	case w.home != nil && w.home.Space == tensorSpace && kind != OnChange:
		return nil, errors.New("Accesses to tensor memory are not watched: watch stops at changes.")
	case w.home == nil && kind != OnChange:
		return nil, errors.New("Expression cannot be implemented with read/access watchpoint: it is no memory.")
	case w.size > maxWatched:
		return nil, fmt.Errorf("%d bytes are too many to watch: at most %d.", w.size, maxWatched)
	case v.Home != nil && v.Home.Register != "":
		w.focus.Lane = v.Home.Lane
	}
	return w, nil
}

// listen makes the run one that tells of accesses to memory.
func (s *Session) listen() error {
	if s.run.steps.Accesses != nil {
		return nil
	}
	at := s.at.Moment
	if err := s.start(); err != nil {
		return err
	}
	return s.runTo(at)
}

// watching reports whether something has to be looked at at each moment.
func (s *Session) watching() bool {
	for _, b := range s.breaks {
		if !b.Disabled && (b.Parting || b.Watch != nil && b.Watch.Kind == OnChange) {
			return true
		}
	}
	return false
}

// observed is a watched value while the launch runs.
type observed struct {
	*Breakpoint
	old  []byte
	text string
	by   Place // the instruction that was about to be executed when it was looked at last
}

// watcher returns what finds a value that has changed, or lanes that part, and counts; it begins with the values of now.
func (s *Session) watcher() func(*machine.Pause) *Stop {
	parted := s.parted()
	var list []*observed
	for _, b := range s.breaks {
		if b.Watch != nil && !b.Disabled && b.Watch.Kind == OnChange {
			o := &observed{Breakpoint: b}
			o.old, o.text, _ = s.look(b.Watch, s.at)
			o.by = placeOf(s.at)
			list = append(list, o)
		}
	}
	return func(p *machine.Pause) (found *Stop) {
		if hit := s.touch; hit != nil {
			s.touch = nil
			return hit
		}
		for _, o := range list {
			if stop := s.changed(o, p); stop != nil && found == nil {
				found = stop
			}
		}
		if parted == nil {
			return found
		}
		if stop := parted(p); found == nil {
			found = stop
		}
		return found
	}
}

// changed looks at a watched value at a moment.
func (s *Session) changed(o *observed, p *machine.Pause) *Stop {
	now, text, here := s.look(o.Watch, p)
	if !here {
		return nil
	}
	by := o.by
	o.by = placeOf(p)
	if bytes.Equal(now, o.old) || o.old == nil {
		o.old, o.text = now, text
		return nil
	}
	before := o.text
	o.old, o.text = now, text
	if !s.counted(o.Breakpoint, p) {
		return nil
	}
	l, _ := s.Code.Locate(by)
	return &Stop{Why: AtWatch, Break: o.Breakpoint, Old: before, New: text, By: &l}
}

// look reads a watched value at a moment: its bytes, and its text. It is not there at moments of other threads, or CTAs, than its own.
func (s *Session) look(w *Watchpoint, p *machine.Pause) (now []byte, text string, here bool) {
	scope := s.scopeAt(p, w.focus.Lane)
	if w.home != nil {
		if w.home.Space == "shared" && p.Warp.CTA().Peers()[0].ID() != w.first || w.home.Space == "local" && !s.itsThread(w, p) ||
			w.home.Space == tensorSpace && p.Warp.CTA().ID() != w.focus.CTA {
			return nil, "", false
		}
		data, err := scope.read(w.home.Space, w.home.Addr, w.size, w.home.Lane)
		if err != nil {
			return nil, "", false
		}
		return data, s.watchedText(scope, w, data), true
	}
	if !s.itsThread(w, p) || p.Frame().Depth() != w.depth {
		return nil, "", false
	}
	v, err := scope.Eval(w.Expr)
	if err != nil {
		return nil, "", false
	}
	return append(v.bytes(), byte(v.Count)), FormatValue(&v, 0), true
}

// watchedText prints watched memory: as a value of the expression's type if that is one.
func (s *Session) watchedText(scope *Scope, w *Watchpoint, data []byte) string {
	_, _, t, err := scope.Address(w.Expr)
	if err != nil || t.Size() != len(data) {
		t = bitsOf(8 * len(data))
	}
	if t.Size() != len(data) {
		return fmt.Sprintf("%#x", data)
	}
	v := ofBytes(data, t)
	return FormatValue(&v, 0)
}

// itsThread reports whether the thread of a watchpoint is about to execute.
func (s *Session) itsThread(w *Watchpoint, p *machine.Pause) bool {
	return p.Warp.Index() == w.focus.Warp && p.Active>>w.focus.Lane&1 != 0 && p.Warp.CTA().ID() == w.focus.CTA
}

// accessed is told by the launch of every access, before it is made.
func (s *Session) accessed(e *machine.Event) {
	if e.What != events.Touch || e.On == nil {
		return
	}
	if s.onTouch != nil {
		s.onTouch(e)
	}
	for _, b := range s.breaks {
		w := b.Watch
		if !s.counts || w == nil || b.Disabled || w.Kind == OnChange || w.Kind == OnRead && e.Kind == machine.Store || s.touch != nil || touches(e, w) == 0 {
			continue
		}
		if b.Hits++; b.Ignore > 0 {
			b.Ignore--
			continue
		}
		l, _ := s.Code.Locate(Place{e.Func.Name, e.PC})
		s.touch = &Stop{Why: AtWatch, Break: b, By: &l, lanes: touches(e, w)}
		s.run.steps.Until = 0
	}
}

// touches returns the lanes that access watched memory, 0 if none does; those of an operation without addresses are all.
func touches(e *machine.Event, w *Watchpoint) (lanes uint32) {
	if w.home.Space == "shared" && e.On.CTA().Peers()[0].ID() != w.first {
		return 0
	}
	wanted := w.home.Space != "shared" && w.home.Space != "local"
	within := func(space string, from, bytes uint64) bool {
		space, start := split(space, from)
		global := space != "shared" && space != "local"
		return (global && wanted || space == w.home.Space) && start < w.home.Addr+uint64(w.size) && w.home.Addr < start+bytes
	}
	if e.Addr == nil {
		if x := e.Extent; x != nil && within(x.Space.String(), x.From, x.To-x.From) {
			lanes = e.Lanes
		}
		return lanes
	}
	for m := e.Lanes; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); within(e.Space.String(), e.Addr[lane], uint64(e.Size)) {
			lanes |= 1 << lane
		}
	}
	return lanes
}
