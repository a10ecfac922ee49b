package host

// This file holds the device: its memory and its crews of workers.

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// ErrClosed is returned for a device that has been closed.
var ErrClosed = errors.New("the device is closed")

// ErrGoexit is returned by a launch of which an observer has ended a worker.
var ErrGoexit = errors.New("an observer of the launch has ended its goroutine (runtime.Goexit): the launch is incomplete")

// Device runs launches. It is safe for concurrent use: launches at the same time have crews of
// their own and share the arena.
type Device struct {
	Arena *mem.Arena
	images.Table
	workers int

	ready    atomic.Pointer[crew] // that no launch uses, if there is one; shut from Close on
	mu       sync.Mutex
	idle     []*crew   // others
	crews    int       // ever made
	back     sync.Cond // of mu: one is in idle
	launches atomic.Uint64
	elapsed  atomic.Uint64 // nanoseconds of emulated time: one for each warp instruction
}

// shut is the ready crew of a device that is closed: it may not be taken.
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
	spare     *grid // of a launch that is over
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

// Launch runs a kernel to its end. The error is one of machine.Grid.Outcome, the
// context's, mem.ErrOutOfMemory, or says what is wrong with the shape. It returns when all
// workers have left the kernel.
func (d *Device) Launch(ctx context.Context, l *Launch) (machine.Stats, error) {
	if err := ctx.Err(); err != nil {
		return machine.Stats{}, err
	}
	c, err := d.hire(l.Workers)
	if err != nil {
		return machine.Stats{}, err
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
		if g, err = c.newGrid(l); err != nil {
			return machine.Stats{}, err
		}
	}
	if err := c.setParams(d.Arena, g.Params); err != nil {
		return machine.Stats{}, err
	}
	if err := c.setWorkspace(d.Arena); err != nil {
		return machine.Stats{}, err
	}
	g.Start(d.launches.Add(1)-1, d.elapsed.Load(), c.params, c.workspace)
	if ctx.Done() != nil || g.progress != nil {
		defer g.watch(ctx)()
	}
	c.run(g)
	stats := c.collect()
	err = g.Outcome(&stats)
	d.elapsed.Add(stats.Steps)
	c.keepGrid(ctx, g)
	over = true
	return stats, err
}

// again returns the grid of the launch before if this is the same, one that stays; else nil.
func (c *crew) again(l *Launch) *grid {
	g := c.spare
	if !l.Stays || g == nil || g.of != l {
		return nil
	}
	c.spare = nil
	return g
}

// newGrid describes a launch, in the memory of the last one if nothing can still look at that.
func (c *crew) newGrid(l *Launch) (*grid, error) {
	g := c.spare
	if c.spare = nil; g == nil {
		g = new(grid)
	}
	if err := g.Describe(&l.Launch, l.Stays); err != nil {
		return nil, err
	}
	if g.of = nil; l.Stays {
		g.of = l
	}
	g.Tiers, g.workers, g.progress = l.Tiers, l.Workers, l.Progress
	g.Native, g.Counted = l.Compile != nil && (l.Async == queue.Eager || !l.Entry.StartsAsync), l.Progress != nil
	g.sched.total, g.sched.room = g.Clusters(), g.Room()
	return g, nil
}

// keepGrid keeps a launch that is over for newGrid, unless what watched it may still know it.
func (c *crew) keepGrid(ctx context.Context, g *grid) {
	if ctx.Done() != nil || g.progress != nil || !g.Rest() {
		return
	}
	g.sched = schedule{total: g.sched.total, room: g.sched.room}
	if g.helpers.list != nil {
		g.helpers = helpers{}
	}
	c.spare = g
}

// watch stops the launch when its context ends and reports progress; the result ends both.
func (g *grid) watch(ctx context.Context) func() {
	stop := func() bool { return true }
	if ctx.Done() != nil {
		stop = context.AfterFunc(ctx, func() { g.Fail(ctx.Err()) })
	}
	if g.progress == nil {
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

func (g *grid) report(quit chan struct{}) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
			g.progress(g.Progress())
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
		wk := newWorker(d, len(c.workers))
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

// crewMemory is the bytes that an idle crew may keep.
const crewMemory = 256 << 20

// crewCodes is the functions that an idle crew may know: of modules, too, that are unloaded.
const crewCodes = 256

func (d *Device) dismiss(c *crew) {
	if c.bytes() > crewMemory || c.codes() > crewCodes {
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

func (c *crew) codes() (n int) {
	for _, wk := range c.workers {
		n = max(n, wk.core.Codes())
	}
	return n
}

func (c *crew) bytes() uint64 {
	n := uint64(0)
	for _, wk := range c.workers {
		n += wk.core.Bytes()
	}
	return n
}

// disband gives the crew's memory back.
func (c *crew) disband() error {
	var errs []error
	for _, wk := range c.workers {
		errs = append(errs, wk.core.Close())
	}
	return errors.Join(errs...)
}

// setParams copies the parameter block to where kernels read it. A crew keeps the allocation
// while the size stays.
func (c *crew) setParams(a *mem.Arena, params []byte) error {
	n := uint64(len(params))
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
	copy(c.block, params)
	return nil
}

func (c *crew) collect() (s machine.Stats) {
	for _, wk := range c.workers {
		t := wk.take()
		s.Add(&t)
	}
	return s
}
