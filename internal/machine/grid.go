package machine

// This file holds one launch: its shape, limits and outcome.

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// ErrStepLimit is returned when a launch has executed Launch.MaxSteps warp instructions.
var ErrStepLimit = errors.New("step limit reached")

// Launch describes the launch of a kernel.
type Launch struct {
	Entry           *Code
	Functions       map[uint64]*Code // by address in the code window, for indirect calls
	Grid            [3]uint32        // CTAs
	Block           [3]uint32        // threads
	Cluster         [3]uint32        // CTAs; {1,1,1} without clusters
	ExplicitCluster bool
	Shared          uint32 // bytes of a CTA, static and dynamic, without the reserved block
	Dynamic         uint32 // bytes of dynamic shared memory, for %dynamic_smem_size
	Params          []byte // the kernel's parameter block
	Target          Target
	Lockstep        bool   // below sm_70: the lanes of a warp share one pc by contract
	Stack           uint32 // bytes of local memory a thread may have; 0: DefaultStack
	Depth           int32  // nested calls; 0: DefaultDepth
	MaxSteps        uint64 // warp instructions; 0: no limit
	Seed            uint64 // of the schedule; 0: in order
	Workers         int    // 0: those of the device
	Output          *Output
	Observer        Observer // nil: nobody looks on
	Wants           Wants    // what code tells the observer
	Trace           *Tracer  // nil: nothing is shown
	Async           AsyncMode
	Reporter        Reporter       // of mode Lazy and Misuse; nil: nobody wants reports
	Misuse          bool           // reports misuse of barriers and member masks; code is not compiled
	Progress        func(Progress) // called now and then; may be nil
	Compile         Compiler       // installs machine code (Code.SetNative); nil: code is interpreted
	CompileAfter    uint32         // times that a worker interprets as many steps as code has instructions before it calls Compile
	Better          Compiler       // replaces code that is Native.Quick; may be nil
	BetterAfter     uint32         // CompileAfter for Better, of which compiled steps count less
	CompileParts    Compiler       // completes code that is Native.Whole; may be nil
	PartsAfter      uint32         // times that a worker misses code for some lanes before it calls CompileParts
	ShowTensor      *TensorShow    // filled at the end of its CTA; may be nil
	Stays           bool           // nobody writes this any more, but for the bytes of Params: launched again, it means the same
}

// Progress is how far a launch is.
type Progress struct {
	Done, CTAs uint64
	LaneOps    uint64 // executed, but for the last few of each worker
}

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
	Splits    uint64      // times a frame left the converged state
	Parked    uint64      // times a cluster gave its worker to another
	Left      []Left      // where compiled code has returned, by Code and pc
	Leaked    *TensorLeak // tensor memory that was not freed; nil: all was
	Running   []Running   // of a launch that was stopped: the warps that executed most
}

// Left counts how often compiled code left lanes at a pc for the interpreter.
type Left struct {
	Code  *Code
	PC    int32
	Times uint64
}

func (s *Stats) add(t *Stats) {
	s.CTAs += t.CTAs
	s.Steps += t.Steps
	s.LaneOps += t.LaneOps
	s.NativeOps += t.NativeOps
	s.Splits += t.Splits
	s.Parked += t.Parked
	if len(t.Left) != 0 {
		s.Left = append(s.Left, t.Left...)
	}
}

// Grid is a launch that runs.
type Grid struct {
	Launch
	of         *Launch // what Launch is a copy of, if that stays; else nil
	observing  bool    // there is an observer
	observed   bool    // functions run in the observed variant
	number     uint64
	epoch      uint64 // nanoseconds of emulated time before this launch
	params     uint64 // address of the parameter block
	workspace  uint64 // address of the grid workspace
	stackLimit uint32
	maxDepth   int32
	block      shape
	sched      schedule
	helpers    helpers

	stopped atomic.Bool
	running []Running // as in Stats, guarded by mu

	steps   atomic.Uint64 // only counted if MaxSteps is set
	done    atomic.Uint64 // CTAs
	laneOps atomic.Uint64 // as in Progress

	mu      sync.Mutex
	err     error // the first
	leaked  *TensorLeak
	crashed *Defect // the first panic of a worker
}

// shape is the arithmetic of a block.
type shape struct{ threads, warps uint32 }

func (l *Launch) shape() shape {
	n := l.Block[0] * l.Block[1] * l.Block[2]
	return shape{n, (n + 31) / 32}
}

// maxThreads is the most threads a CTA may have on any target.
const maxThreads = 1024

// validate refuses shapes that the machine's arithmetic does not hold; what a target allows
// is judged before.
func (l *Launch) validate() error {
	for i := range 3 {
		if l.Grid[i] == 0 || l.Block[i] == 0 || l.Block[i] > maxThreads || l.Cluster[i] == 0 {
			return fmt.Errorf("launch shape grid %v block %v cluster %v is not possible", l.Grid, l.Block, l.Cluster)
		}
	}
	if n := uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2]); n > maxThreads {
		return fmt.Errorf("a block of %d threads is not possible; the most is %d", n, maxThreads)
	}
	for i := range 3 {
		if l.Cluster[i] > MaxClusterRank || l.Grid[i]%l.Cluster[i] != 0 {
			return fmt.Errorf("a grid of %v CTAs is not possible in clusters of %v", l.Grid, l.Cluster)
		}
	}
	if n := l.Cluster[0] * l.Cluster[1] * l.Cluster[2]; n > MaxClusterRank {
		return fmt.Errorf("a cluster of %d CTAs is not possible; the most is %d", n, MaxClusterRank)
	}
	return nil
}

func (g *Grid) ctas() uint64 {
	return uint64(g.Grid[0]) * uint64(g.Grid[1]) * uint64(g.Grid[2])
}

// thread returns the place of a lane in its block.
func (g *Launch) thread(warp int32, lane int) [3]uint32 {
	t := uint32(warp)*32 + uint32(lane)
	if t < g.Block[0] {
		return [3]uint32{t, 0, 0}
	}
	return [3]uint32{t % g.Block[0], t / g.Block[0] % g.Block[1], t / g.Block[0] / g.Block[1]}
}

func (g *Grid) clusterSize() uint64 {
	return uint64(g.Cluster[0]) * uint64(g.Cluster[1]) * uint64(g.Cluster[2])
}

// unit rounds a size of shared memory up as 10.30 says.
func (g *Grid) unit(n uint32) uint32 {
	return (n + g.Target.SharedUnit - 1) / g.Target.SharedUnit * g.Target.SharedUnit
}

// fail stops the launch; the first error is its result.
func (g *Grid) fail(err error) {
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
		g.fail(ErrStepLimit)
	}
}

// Launch returns the launch that the warp belongs to. It must not be written.
func (w *Warp) Launch() *Launch { return &w.cta.grid.Launch }

// Params returns the generic address of the kernel's parameter block.
func (w *Warp) Params() uint64 { return w.cta.grid.params }

// Rank returns the linear index of the warp's CTA in the grid.
func (w *Warp) Rank() uint64 { return w.cta.rank }

// Index returns the number of the warp in its CTA.
func (w *Warp) Index() int { return int(w.index) }
