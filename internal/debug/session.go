// Package debug is the debugger: one launch, run by the interpreter with one worker, that stands at a moment. A moment is a number, the
// warp instructions that the launch has executed; with the same seed it names the same state in every run, so that going back is
// running again up to a moment that has passed.
//
// A Session has no front end: package console makes a terminal of it.
//
//	Session ─ run (the launch on its goroutine) ─ machine.Moments
//	   ├ Code: lines and locations      ├ Scope, Expr: what names and expressions come to in the focus
//	   └ breakpoints, watchpoints       └ Stop: why it stands where it stands
package debug

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Session is a launch that is debugged. Its methods are called by one goroutine, but for Interrupt.
type Session struct {
	target Target
	Code   *Code
	Seed   uint64
	Mode   Mode // how far steps go
	Front  Front

	run     *run           // nil: there is none
	at      *machine.Pause // where it waits; nil: it has ended
	ended   *Ending        // how it has ended, if it has
	focus   Focus
	level   int // of the frame that is looked at, from the innermost
	breaks  []*Breakpoint
	number  int // of the last breakpoint
	marks   map[Place][]*Breakpoint
	edits   []edit
	history []Value
	in      string // the function of the last stop
	rows    rowCache
	past    past       // the moments before
	spare   *spare     // for the next step back; nil: there is none
	report  *vm.Report // that the launch has just made
	untold  *Stop      // what there was besides the report that has stopped it
	touch   *Stop      // a watchpoint that the instruction before has met
	onTouch func(*machine.Event)
	counts  bool   // breakpoints and watchpoints are met, not passed on the way to a moment
	length  uint64 // of the launch in moments; 0: not known yet
	printed atomic.Int64
	current atomic.Pointer[run] // for Interrupt
}

// Mode is what a step is of.
type Mode uint8

// The modes.
const (
	ByLane  Mode = iota // to the next instruction of the focus's lane
	ByWarp              // of its warp, whichever lanes execute it
	ByBlock             // of its CTA, behind a barrier
)

// Ending is how a launch has ended.
type Ending struct {
	Err     error // nil: it ran to its end
	Moments uint64
}

// Focus is the thread that is looked at.
type Focus struct {
	CTA  [3]uint32
	Warp int
	Lane int
}

// Open makes a session, whose launch waits at its first instruction.
func Open(t Target) (*Session, error) {
	s := &Session{target: t, Seed: t.Seed}
	if _, err := s.Start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Start runs the launch anew, to its first instruction.
func (s *Session) Start() (*Stop, error) {
	if err := s.start(); err != nil {
		return nil, err
	}
	if s.at == nil {
		return s.end(), s.ended.Err
	}
	s.follow(s.at)
	s.in = placeOf(s.at).Func
	return &Stop{Why: Began, Moved: true}, nil
}

// start begins a run and waits for its first instruction.
func (s *Session) start() error {
	if err := s.leave(); err != nil {
		return err
	}
	var accesses func(*machine.Event)
	if s.onTouch != nil || s.listens() {
		accesses = s.accessed
	}
	out := &once{to: s.target.Output, written: &s.printed}
	r, err := s.target.begin(s.Seed, out, accesses, s.reported)
	if err != nil {
		return err
	}
	s.adopt(r)
	s.await()
	if s.Code == nil {
		s.Code = &Code{module: r.parts.Module, kernel: r.parts.Kernel}
	}
	s.mark()
	if s.at != nil {
		s.applyEdits(s.at)
	}
	return nil
}

// adopt makes a run the session's.
func (s *Session) adopt(r *run) {
	s.run, s.ended, s.report, s.untold, s.touch, s.rows = r, nil, nil, nil, nil, rowCache{}
	s.current.Store(r)
}

// await waits until the launch waits or has ended.
func (s *Session) await() {
	if s.at = <-s.run.arrived; s.at == nil {
		s.ended = &Ending{s.run.err, s.run.steps.Now()}
		s.length = s.ended.Moments
	}
}

// leave ends the run.
func (s *Session) leave() error {
	if s.run == nil {
		return nil
	}
	r := s.run
	s.current.Store(nil)
	err := r.leave(s.at != nil)
	s.run, s.at = nil, nil
	return err
}

// Close ends the session.
func (s *Session) Close() error { return errors.Join(s.dropSpare(), s.leave()) }

// Restart runs the launch anew with a seed, and forgets what Set has changed.
func (s *Session) Restart(seed uint64) (*Stop, error) {
	if err := s.dropSpare(); err != nil {
		return nil, err
	}
	s.Seed, s.edits, s.length, s.past.list = seed, nil, 0, nil
	s.printed.Store(0)
	return s.Start()
}

// Interrupt stops a launch that runs at its next moment. Any goroutine may call it.
func (s *Session) Interrupt() {
	if r := s.current.Load(); r != nil {
		r.steps.Interrupt()
	}
}

// reported is called by the launch.
func (s *Session) reported(r *vm.Report) {
	if s.Front.Reported != nil && !s.Front.Reported(r) {
		return
	}
	if s.report == nil {
		s.report = r
	}
	s.run.steps.Moments.Until = 0
}

// Moment is where the launch stands: behind its end, how many moments there were.
func (s *Session) Moment() uint64 {
	switch {
	case s.at != nil:
		return s.at.Moment
	case s.ended != nil:
		return s.ended.Moments
	}
	return 0
}

// Length is how many moments the launch has; false as long as it has not been run to its end.
func (s *Session) Length() (uint64, bool) { return s.length, s.length != 0 }

// Running reports whether the launch waits somewhere; else it has ended.
func (s *Session) Running() bool { return s.at != nil }

// Ended is how the launch has ended; nil while it runs.
func (s *Session) Ended() *Ending { return s.ended }

// Pause is where the launch waits; nil if it has ended.
func (s *Session) Pause() *machine.Pause { return s.at }

// Kernel describes the kernel, Shape the launch.
func (s *Session) Kernel() vm.KernelInfo { return s.run.Kernel.Info() }

// Shape is the launch as it is asked for.
func (s *Session) Shape() vm.Launch { return s.run.Shape }

// Results tells of the results of a launch that has ended well.
func (s *Session) Results() error {
	if s.ended == nil || s.ended.Err != nil || s.run.Result == nil {
		return nil
	}
	return s.run.Result()
}

// Focus is the thread that is looked at.
func (s *Session) Focus() Focus { return s.focus }

// follow moves the focus to the warp that is about to execute, to its lane that it was on if that takes part.
func (s *Session) follow(p *machine.Pause) {
	s.level = 0
	lanes := p.Active
	s.focus.CTA, s.focus.Warp = p.Warp.CTA().ID(), p.Warp.Index()
	if lanes>>s.focus.Lane&1 == 0 {
		s.focus.Lane = bits.TrailingZeros32(lanes)
	}
}

// SetFocus moves the focus to a thread that lives.
func (s *Session) SetFocus(f Focus) error {
	before, level := s.focus, s.level
	s.focus, s.level = f, 0
	if _, err := s.Scope(); err != nil {
		s.focus, s.level = before, level
		return err
	}
	return nil
}

// warp finds a warp of a CTA that is there.
func (s *Session) warp(f Focus) (*machine.Warp, error) {
	if s.at == nil {
		return nil, ErrNotRunning
	}
	for _, c := range s.at.CTAs() {
		if c.ID() != f.CTA {
			continue
		}
		if f.Warp < 0 || f.Warp >= len(c.Warps()) {
			return nil, fmt.Errorf("The block has warps 0 to %d, not %d.", len(c.Warps())-1, f.Warp)
		}
		return c.Warps()[f.Warp], nil
	}
	return nil, fmt.Errorf("Block %s is not on the device: it has ended, or has not begun (info cuda blocks).", point(f.CTA))
}

// point prints coordinates.
func point(p [3]uint32) string { return fmt.Sprintf("(%d,%d,%d)", p[0], p[1], p[2]) }

// Scope is the focus as expressions see it. Of a launch that does not run it has module variables alone.
func (s *Session) Scope() (*Scope, error) {
	scope := &Scope{History: s.history, parts: s.run.parts, info: s.run.Kernel.Info(), rows: s.rows}
	if s.at == nil {
		return scope, nil
	}
	w, err := s.warp(s.focus)
	if err != nil {
		return nil, err
	}
	if w.Lanes()>>s.focus.Lane&1 == 0 {
		return nil, fmt.Errorf("Lane %d is no thread of the block: warp %d has %d.", s.focus.Lane, s.focus.Warp, bits.OnesCount32(w.Lanes()))
	}
	scope.Pause, scope.Warp, scope.level = s.at, w, s.level
	return scope, scope.moveTo(s.focus.Lane)
}

// scopeAt is the scope of a warp that is about to execute, for a lane of it: what conditions are evaluated in while the launch runs.
func (s *Session) scopeAt(p *machine.Pause, lane int) *Scope {
	f := p.Frame()
	return &Scope{Pause: p, Warp: p.Warp, Lane: lane, Lanes: p.Active, Frame: f, Func: decode.FuncOf(f.Func()), PC: p.PC,
		History: s.history, parts: s.run.parts, info: s.run.Kernel.Info(), rows: s.rows}
}

// Here is the instruction that the focus's frame stands at.
func (s *Session) Here() (Location, error) {
	scope, err := s.Scope()
	if err != nil {
		return Location{}, err
	}
	if scope.Warp == nil {
		return Location{}, ErrNotRunning
	}
	l, _ := s.Code.Locate(Place{scope.Func.Name, scope.PC})
	return l, nil
}

// placeOf is the instruction that a warp is about to execute.
func placeOf(p *machine.Pause) Place { return Place{p.Frame().Func().Name, p.PC} }

// Remember adds a value to the history, and returns its number.
func (s *Session) Remember(v Value) int {
	s.history = append(s.history, v)
	return len(s.history)
}

// Level is the frame that is looked at, from the innermost; SetLevel moves there.
func (s *Session) Level() int { return s.level }

// SetLevel looks at another frame.
func (s *Session) SetLevel(n int) error {
	before := s.level
	s.level = n
	if _, err := s.Scope(); n < 0 || err != nil {
		s.level = before
		return errors.Join(err)
	}
	return nil
}

// WriteState writes all of the state of a launch that waits: equal states are equal bytes.
func (s *Session) WriteState(w io.Writer) error {
	if s.at == nil {
		return ErrNotRunning
	}
	s.at.WriteState(w)
	for _, a := range s.run.parts.Memory.Live() {
		fmt.Fprintf(w, "%x %x\n", a.Start, a.End)
		_, _ = w.Write(s.run.parts.Memory.Bytes(a.Start, a.End-a.Start)) // it is a hash
	}
	return nil
}

// Frames lists where the calls stand that lead to the focus, the innermost first.
func (s *Session) Frames() (list []Location, err error) {
	level := s.level
	defer func() { s.level = level }()
	for s.level = 0; ; s.level++ {
		scope, err := s.Scope()
		switch {
		case err != nil && s.level == 0:
			return nil, err
		case err != nil:
			return list, nil
		case scope.Warp == nil:
			return nil, ErrNotRunning
		}
		l, _ := s.Code.Locate(Place{scope.Func.Name, scope.PC})
		list = append(list, l)
	}
}
