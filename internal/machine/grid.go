package machine

// This file holds one launch: its shape, limits and outcome.

import (
	"errors"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/num"
)

// ErrStepLimit is returned when a launch has executed Launch.MaxSteps warp instructions.
var ErrStepLimit = errors.New("step limit reached")

// Launch describes the launch of a kernel.
type Launch struct {
	Entry     *Code
	Functions map[uint64]*Code // by address in the code window, for indirect calls
	shape.Shape
	ExplicitCluster bool
	Shared          uint32 // bytes of a CTA, static and dynamic, without the reserved block
	Dynamic         uint32 // bytes of dynamic shared memory, for %dynamic_smem_size
	Params          []byte // the kernel's parameter block
	Target          sizes.Target
	Lockstep        bool          // below sm_70: the lanes of a warp share one pc by contract
	Stack           uint32        // bytes of local memory a thread may have; 0: DefaultStack
	Depth           int32         // nested calls; 0: DefaultDepth
	MaxSteps        uint64        // warp instructions; 0: no limit
	Seed            uint64        // of the schedule; 0: in order
	Fair            bool          // warps take short turns, and leave barriers together (fair.go); code is not compiled
	Depends         *Dependence   // on launches beside it; nil: there are none. Code is made for it, and not compiled
	Clock           func() uint64 // nanoseconds of real time, which the clocks show; nil: instructions, of one nanosecond each
	ClockBegan      uint64        // what the global timer showed when Clock was 0
	Output          Printer       // nil: what kernels print is lost
	Observer        Observer      // nil: not observed
	Wants           events.Wants  // what code tells the observer
	Values          Values        // follows the values of registers; may be nil
	Numbers         Numbers       // looks at floating-point numbers; may be nil
	Trace           *Tracer       // nil: nothing is shown
	Moments         *Moments      // lets a debugger step; nil: there is none. The launch has one worker, and code made for it
	Async           queue.Mode
	OnFault         func(*Fault)      // gets faults, from several cores at a time, and the launch goes on without their lanes; nil: the first stops it; code is not compiled
	OnPast          func(*Fault)      // gets accesses that pass the end of an allocation and are let pass (mem.Config.Page), from several cores at a time
	ShowTensor      *TensorShow       // filled at the end of its CTA; may be nil
	Products        num.Multiplier    // computes products of matrices; nil: portable code
	Breakpoint      func(*Stop) error // called for breakpoints, from several workers at a time; nil: they are faults. An error ends the launch
}

// Progress is how far a launch is.
type Progress struct {
	Done, CTAs uint64
	LaneOps    uint64 // executed, but for the last few of each core
}

// Printer takes what kernels print, one message after the other, from several cores at a time. False: not all of the
// message is within the limit of what may be printed.
type Printer interface{ Print(msg []byte) bool }

// Limits of a thread unless the launch says otherwise.
const (
	DefaultStack uint32 = 512 << 10 // the most that hardware gives a thread
	DefaultDepth int32  = 4096
)

// Stats is what a launch has executed.
type Stats struct {
	CTAs      uint64
	Steps     uint64      // warp instructions
	LaneOps   uint64      // instructions times the lanes that executed them
	NativeOps uint64      // those of LaneOps that compiled code executed
	NewOps    uint64      // those of NativeOps that code of the new pipeline executed (Native.New)
	Sums      uint64      // elements of products of matrices
	SlowSums  uint64      // those that were computed one by one
	Splits    uint64      // times a frame left the converged state
	Parked    uint64      // times a cluster gave its core to another
	Left      []Left      // where compiled code has returned, by Code and pc
	Leaked    *TensorLeak // tensor memory that was not freed; nil: all was
	Running   []Running   // of a launch that was stopped: the warps that executed most
}

// Left counts how often compiled code left lanes at a pc for the interpreter, or, Helped, had the instruction there
// executed by its handler and went on.
type Left struct {
	Code    *Code
	PC      int32
	Times   uint64
	Blocked uint64 // of Times: the instruction had to wait
	Helped  bool
}

// Add adds what another core has executed.
func (s *Stats) Add(t *Stats) {
	s.CTAs += t.CTAs
	s.Steps += t.Steps
	s.LaneOps += t.LaneOps
	s.NativeOps += t.NativeOps
	s.NewOps += t.NewOps
	s.Sums += t.Sums
	s.SlowSums += t.SlowSums
	s.Splits += t.Splits
	s.Parked += t.Parked
	if len(t.Left) != 0 {
		s.Left = append(s.Left, t.Left...)
	}
}

// Grid is a launch that runs.
type Grid struct {
	Launch
	Native  bool // compiled code runs where there is some; else all code is interpreted
	Counted bool // Progress is asked

	of         *Launch // what Launch is a copy of, if that stays; else nil
	observing  bool    // there is an observer of what is WantsTold
	observed   bool    // there is an observer or a tracer
	special    specials.Launch
	epoch      uint64 // nanoseconds of emulated time before this launch
	stackLimit uint32
	maxDepth   int32
	slice      int32  // instructions of a warp's turn; 0: as many as it likes
	threads    uint32 // of a CTA
	warps      uint32

	stopped atomic.Bool
	running []Running // as in Stats, guarded by mu

	steps   atomic.Uint64 // only counted if MaxSteps is set
	done    atomic.Uint64 // CTAs
	laneOps atomic.Uint64 // as in Progress
	issued  atomic.Uint64 // CTAs that have issued launch_dependents or have ended, if something depends on the launch
	held    atomic.Uint64 // times that CTAs have stayed there

	mu      sync.Mutex
	err     error // the first
	leaked  *TensorLeak
	crashed *faults.Defect // the first panic of what runs it
}

// Describe makes the grid one that runs a launch, from its start. stays: the launch will never be written, but for the
// bytes of its Params, so that what follows from it may be kept for when it is launched again.
func (g *Grid) Describe(l *Launch, stays bool) error {
	if err := l.Validate(); err != nil {
		return err
	}
	if g.of = nil; stays {
		g.of = l
	}
	if g.Launch, g.threads, g.warps = *l, l.Threads(), uint32(l.Warps()); l.Observer == nil {
		g.Wants = 0
	}
	g.special.Facts = specials.Facts{Shape: g.Shape, Shared: g.Shared, Dynamic: g.Dynamic, Explicit: g.ExplicitCluster, Target: g.Target}
	g.observing = g.wants(events.WantsTold)
	g.observed = g.observing || l.Trace != nil || l.Values != nil || l.Numbers != nil || l.Moments != nil
	g.stackLimit, g.maxDepth = l.Stack, l.Depth
	if g.slice = 0; l.Fair {
		g.slice = fairTurn
	}
	if g.stackLimit == 0 {
		g.stackLimit = DefaultStack
	}
	if g.maxDepth == 0 {
		g.maxDepth = DefaultDepth
	}
	return nil
}

// Start says what is a launch's own, each time that it is launched: its number on the device and the nanoseconds of
// emulated time before it, and where its parameter block and its workspace (%envreg1 and 2) are.
func (g *Grid) Start(number, epoch, params, workspace uint64) {
	g.epoch, g.special.Number, g.special.Params, g.special.Workspace = epoch, number, params, workspace
}

// Rest makes a grid whose launch is over one that can start again, or run another launch; false if something outside may
// still look at it. What it holds of the caller's is a parameter block and a few functions of the device's.
func (g *Grid) Rest() bool {
	if g.observed || g.err != nil || g.crashed != nil || g.leaked != nil || g.ShowTensor != nil {
		return false
	}
	g.steps, g.done, g.issued, g.held = atomic.Uint64{}, atomic.Uint64{}, atomic.Uint64{}, atomic.Uint64{}
	return true
}

// Room is how many of them the device has room for at a time, at least one.
func (g *Grid) Room() int64 {
	return max(int64(g.Target.Resident(g.threads, g.Shared))/int64(g.ClusterSize()), 1)
}

// Number is that of the launch on its device.
func (g *Grid) Number() uint64 { return g.special.Number }

// Progress tells how far the launch is, if it is Counted.
func (g *Grid) Progress() Progress {
	return Progress{Done: g.done.Load(), CTAs: g.CTAs(), LaneOps: g.laneOps.Load()}
}

// Stopped reports whether the launch is to end, because of a fault, a limit or a cancellation.
func (g *Grid) Stopped() bool { return g.stopped.Load() }

// Outcome completes what cores have counted, and says how the launch has ended when all of them have left it: nil, a *Fault,
// a *DeadlockError, a *Defect, ErrStepLimit, or what Fail was given.
func (g *Grid) Outcome(s *Stats) error {
	s.Leaked, s.Running = g.leaked, g.running
	if g.crashed != nil {
		return g.crashed
	}
	return g.err
}

// Crash stops the launch with a panic of what ran it; the first one is its result.
func (g *Grid) Crash(d *faults.Defect) {
	g.mu.Lock()
	if g.crashed == nil {
		g.crashed = d
	}
	g.mu.Unlock()
	g.stopped.Store(true)
}

// Observed reports whether code tells an observer what it does: such code is not compiled.
func (l *Launch) Observed() bool { return l.Observer != nil && l.wants(events.WantsTold) }

// sharedRoom is the bytes of shared memory that a CTA may touch: what it has been given, and where bounds are those of pages, all of
// what hardware hands out (10.30).
func (g *Grid) sharedRoom() uint32 {
	if g.OnPast == nil {
		return g.Shared
	}
	return g.Target.Unit(g.Shared)
}

// Fail stops the launch; the first error is its result.
func (g *Grid) Fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
	g.stopped.Store(true)
}

// charge counts steps against the limit.
func (g *Grid) charge(steps uint64) {
	if g.MaxSteps != 0 && g.steps.Add(steps) > g.MaxSteps {
		g.Fail(ErrStepLimit)
	}
}

// Launch returns the launch that the warp belongs to. It must not be written.
func (w *Warp) Launch() *Launch { return &w.cta.grid.Launch }

// CountSums counts elements of a product of matrices, of which slow were computed one by one.
func (w *Warp) CountSums(n, slow int) {
	w.core.stats.Sums += uint64(n)
	w.core.stats.SlowSums += uint64(slow)
}

// CountSums is that of the warp that issued the operation.
func (op *Op) CountSums(n, slow int) { op.warp.CountSums(n, slow) }

// Params returns the generic address of the kernel's parameter block.
func (w *Warp) Params() uint64 { return w.cta.grid.special.Params }

// Rank returns the linear index of the warp's CTA in the grid.
func (w *Warp) Rank() uint64 { return w.cta.rank }

// Index returns the number of the warp in its CTA.
func (w *Warp) Index() int { return int(w.index) }
