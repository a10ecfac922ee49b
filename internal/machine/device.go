package machine

// This file holds the device: its memory and its crews of workers.

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// ErrClosed is returned for a device that has been closed.
var ErrClosed = errors.New("the device is closed")

// ErrGoexit is returned by a launch of which an observer has ended a worker.
var ErrGoexit = errors.New("an observer of the launch has ended its goroutine (runtime.Goexit): the launch is incomplete")

// Device runs launches. It is safe for concurrent use: launches at the same time have crews of
// their own and share the arena.
type Device struct {
	Arena   *mem.Arena
	workers int
	images  images

	ready    atomic.Pointer[crew] // that no launch uses, if there is one; shut from Close on
	mu       sync.Mutex
	idle     []*crew   // others
	crews    int       // ever made
	back     sync.Cond // of mu: one is in idle
	launches atomic.Uint64
	elapsed  atomic.Uint64 // nanoseconds of emulated time: one for each warp instruction
}

// shut is the ready crew of a device that is closed: nobody may have it.
var shut = new(crew)

// crew is the workers of one launch, with the memory that they keep for the next.
type crew struct {
	workers   []*worker
	helpers   []*helper // of workers[1:]
	parts     []part    // of launches
	series    series
	params    uint64 // allocation of the parameter block
	block     []byte // its bytes
	workspace uint64 // allocation of the grid workspace
	zeroed    []byte // its bytes
	size      uint64
	spare     *Grid // of a launch that is over
}

// NewDevice makes a device on an arena, which it closes with itself. workers 0 means
// GOMAXPROCS.
func NewDevice(arena *mem.Arena, workers int) *Device {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	d := &Device{Arena: arena, workers: workers}
	d.back.L = &d.mu
	return d
}

// Close waits for running launches and gives all memory back. It is idempotent.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch c := d.ready.Swap(shut); c {
	case shut:
		return nil
	case nil:
	default:
		d.idle = append(d.idle, c)
	}
	for len(d.idle) < d.crews {
		d.back.Wait()
	}
	var errs []error
	for _, c := range d.idle {
		errs = append(errs, c.disband())
	}
	d.idle = nil
	return errors.Join(append(errs, d.Arena.Close())...)
}

// Launch runs a kernel to its end. The error is a *Fault, a *DeadlockError, a *Defect, ErrStepLimit, the
// context's, mem.ErrOutOfMemory, or says what is wrong with the shape. It returns when all
// workers have left the kernel.
func (d *Device) Launch(ctx context.Context, l *Launch) (Stats, error) {
	if err := ctx.Err(); err != nil {
		return Stats{}, err
	}
	c, err := d.hire(l.Workers)
	if err != nil {
		return Stats{}, err
	}
	over := false
	defer func() {
		if !over { // an observer has ended the caller's goroutine (runtime.Goexit)
			c.collect()
		}
		d.dismiss(c)
	}()
	g := c.again(l)
	if g == nil {
		if err := l.validate(); err != nil {
			return Stats{}, err
		}
		g = c.newGrid(l)
	}
	if err := c.setParams(d.Arena, g); err != nil {
		return Stats{}, err
	}
	if err := c.setWorkspace(d.Arena, g); err != nil {
		return Stats{}, err
	}
	g.number, g.epoch = d.launches.Add(1)-1, d.elapsed.Load()
	if ctx.Done() != nil || g.Progress != nil {
		defer g.watch(ctx)()
	}
	c.run(g)
	stats := c.collect()
	stats.Leaked, stats.Running = g.leaked, g.running
	d.elapsed.Add(stats.Steps)
	crashed, err := g.crashed, g.err
	c.keepGrid(ctx, g)
	over = true
	if crashed != nil {
		return stats, crashed
	}
	return stats, err
}

// again returns the grid of the launch before if this is the same, one that stays; else nil.
func (c *crew) again(l *Launch) *Grid {
	g := c.spare
	if !l.Stays || g == nil || g.of != l {
		return nil
	}
	c.spare = nil
	return g
}

// newGrid describes a launch, in the memory of the last one if nobody can still look at that.
func (c *crew) newGrid(l *Launch) *Grid {
	g := c.spare
	if c.spare = nil; g == nil {
		g = new(Grid)
	}
	if g.of = nil; l.Stays {
		g.of = l
	}
	g.Launch, g.block = *l, l.shape()
	g.observing, g.observed, g.stackLimit, g.maxDepth = l.Observer != nil, l.Observer != nil || l.Trace != nil, l.Stack, l.Depth
	if g.stackLimit == 0 {
		g.stackLimit = DefaultStack
	}
	if g.maxDepth == 0 {
		g.maxDepth = DefaultDepth
	}
	g.sched.total, g.sched.seed = g.ctas()/g.clusterSize(), l.Seed
	g.sched.room = max(int64(l.Target.resident(g.block.threads, l.Shared))/int64(g.clusterSize()), 1)
	return g
}

// keepGrid keeps a launch that is over for newGrid, unless what watched it may still know it. What it holds of the
// caller's is a parameter block and a few functions of the device's.
func (c *crew) keepGrid(ctx context.Context, g *Grid) {
	if ctx.Done() != nil || g.observed || g.Progress != nil || g.err != nil || g.crashed != nil || g.leaked != nil || g.ShowTensor != nil {
		return
	}
	g.steps, g.done = atomic.Uint64{}, atomic.Uint64{}
	g.sched = schedule{total: g.sched.total, seed: g.sched.seed, room: g.sched.room}
	if g.helpers.list != nil {
		g.helpers = helpers{}
	}
	c.spare = g
}

// watch stops the launch when its context ends and reports progress; the result ends both.
func (g *Grid) watch(ctx context.Context) func() {
	stop := func() bool { return true }
	if ctx.Done() != nil {
		stop = context.AfterFunc(ctx, func() { g.fail(ctx.Err()) })
	}
	if g.Progress == nil {
		return func() { stop() }
	}
	quit := make(chan struct{})
	var reporter sync.WaitGroup
	reporter.Go(func() { g.report(quit) })
	return func() {
		stop()
		close(quit)
		reporter.Wait()
	}
}

// reportEvery is the time between calls of Launch.Progress.
const reportEvery = 100 * time.Millisecond

func (g *Grid) report(quit chan struct{}) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
			g.Progress(Progress{Done: g.done.Load(), CTAs: g.ctas(), LaneOps: g.laneOps.Load()})
		}
	}
}

// hire returns a crew that no other launch uses.
func (d *Device) hire(workers int) (c *crew, err error) {
	if c = d.lend(); c == nil {
		if c, err = d.newCrew(); err != nil {
			return nil, err
		}
	}
	if workers <= 0 {
		workers = d.workers
	}
	for len(c.workers) < workers {
		wk := newWorker(d.Arena, &d.images)
		wk.index = len(c.workers)
		if len(c.workers) != 0 {
			c.helpers = append(c.helpers, newHelper(wk))
		}
		c.workers = append(c.workers, wk)
	}
	return c, nil
}

// newCrew returns a crew that has no workers yet.
func (d *Device) newCrew() (*crew, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ready.Load() == shut {
		return nil, ErrClosed
	}
	d.crews++
	return new(crew), nil
}

func newWorker(a *mem.Arena, im *images) *worker {
	return &worker{
		arena: a, arenaBase: a.Base(), arenaFirst: a.First(), images: im,
		pools: make(map[*Code]*blockPool), shared: make(map[uint32][]rowBase),
	}
}

// crewMemory is the bytes that an idle crew may keep.
const crewMemory = 256 << 20

func (d *Device) dismiss(c *crew) {
	if c.bytes() > crewMemory {
		c.disband()
		*c = crew{params: c.params, block: c.block, size: c.size, workspace: c.workspace, zeroed: c.zeroed, spare: c.spare}
	}
	if d.ready.CompareAndSwap(nil, c) {
		return
	}
	d.mu.Lock()
	d.idle = append(d.idle, c)
	d.mu.Unlock()
	d.back.Signal()
}

func (c *crew) bytes() uint64 {
	n := uint64(0)
	for _, wk := range c.workers {
		n += wk.slab.Bytes()
	}
	return n
}

// disband gives the crew's memory back.
func (c *crew) disband() error {
	var errs []error
	for _, wk := range c.workers {
		errs = append(errs, wk.slab.Close())
	}
	return errors.Join(errs...)
}

// setParams copies the parameter block to where kernels read it. A crew keeps the allocation
// while the size stays.
func (c *crew) setParams(a *mem.Arena, g *Grid) error {
	n := uint64(len(g.Params))
	if c.params == 0 || c.size != n {
		if c.params != 0 {
			if err := a.Free(c.params); err != nil {
				return err
			}
			c.params = 0
		}
		p, err := a.Alloc(n, mem.Info{Label: "kernel parameters", ReadOnly: true, Internal: true})
		if err != nil {
			return err
		}
		c.params, c.block, c.size = p, a.Bytes(p, max(n, 1)), n
	}
	copy(c.block, g.Params)
	g.params = c.params
	return nil
}

func (c *crew) collect() (s Stats) {
	for _, wk := range c.workers {
		wk.stats.Left = wk.left()
		s.add(&wk.stats)
		wk.stats, wk.breathed, wk.published = Stats{}, 0, 0
	}
	return s
}
