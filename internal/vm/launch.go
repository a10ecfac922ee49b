package vm

// This file checks the shape of a launch and runs it.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san/streams"
)

// Kernel is one .entry of a loaded program.
type Kernel struct {
	program *Program
	info    KernelInfo
	fn      *ir.Func
	spare   *atomic.Pointer[launchState] // of all that are this kernel
}

// Launch is the shape of a launch. Zero components count as 1; a zero Block or Cluster
// is what the kernel requires (.reqntid, .reqnctapercluster), else 1.
type Launch struct {
	Grid    Dim3 // CTAs, a multiple of Cluster; for a kernel with .blocksareclusters, clusters
	Block   Dim3 // threads of a CTA, at most 1024
	Cluster Dim3 // CTAs of a cluster
	Shared  int  // bytes of dynamic shared memory
	// Capture, a folder that does not exist or is empty, gets the launch with all memory of the device as it is before, so
	// that it can be run again (DeviceConfig.Restore); "": nothing is captured. What runs beside the launch may be caught in the middle.
	// The launch does not begin if that fails: with several devices, memory of the host, or more than DeviceConfig.CaptureMax bytes
	// that are not zero.
	Capture string
}

// Watch is what Kernel.Watch shows of a launch beside its results. Its zero value shows nothing.
type Watch struct {
	Trace  *Trace  // calls back for instructions that a CTA executes
	Record *Record // keeps what the launch executes; nil: nothing is kept
	Tensor *Index3 // the CTA whose tensor memory Stats.Tensor holds

	Breakpoints *Breakpoints // is called where lanes execute brkpt, which is a fault without it

	steps *Stepping // of a debugger; nil without
}

// Stats is what a launch has executed.
type Stats struct {
	CTAs      uint64        // that ran to their end
	WarpInsts uint64        // instructions times the warps that executed them
	LaneOps   uint64        // instructions times the lanes that executed them
	Elapsed   time.Duration // from the call to the last CTA's end
	Compiled  uint64        // those of LaneOps that compiled code executed
	Sectors   uint64        // of 32 bytes of global memory, what a warp's instruction touches of one counting once; there are no caches (DeviceConfig.Sectors)
	CompiledC uint64        // those of Compiled that code of the C compiler executed (the engine CC)
	New       uint64        // those of Compiled that code of the compiler's new pipeline executed, the C compiler's among it
	Sums      uint64        // elements of products of matrices: mma and its like
	SlowSums  uint64        // those of Sums that were computed one by one: all of sparse, scaled and four-bit products and of f64, of others those that a vector cannot hold
	Refused   []string      // why functions of the device have not been compiled though they should: defects of the compiler
	NotC      []string      // of the engine CC: why kernels of the device are compiled as by JIT, by name, or why all are
	NotNew    []string      // of the others: why kernels of the device are compiled by the old compiler, by name
	Left      []Leave       // where compiled code left instructions to the interpreter, most frequent first
	Helpers   []Helper      // operations that compiled code had handlers of the interpreter execute, most frequent first
	Leak      *TensorLeak   // tensor memory that was not freed; nil if all was
	Tensor    *TensorMemory // what Watch.Tensor asks for, else nil
	Past      []*Fault      // accesses that DeviceConfig.PageBounds has let pass, the first of each instruction, with Times
	Notes     []*Report     // of sanitizers: what is no error, at most DeviceConfig.MaxReports
	Known     int           // pairs of places that DeviceConfig.Suppress means
	Assumed   []string      // the assumptions about hardware that the code depends on: "U3 b4x16-container=low"
	Replay    Replay        // of the first launch on a device with DeviceConfig.Restore
}

// Replay is whether a launch has left the memory that the captured one left, in the allocations that there were before it.
type Replay uint8

// The answers.
const (
	ReplayUnknown Replay = iota // the captured launch did not end, or memory has been freed since
	ReplaySame
	ReplayDiffers
)

// LaneOpsPerSecond is the rate of the launch.
func (s Stats) LaneOpsPerSecond() float64 { return perSecond(s.LaneOps, s.Elapsed) }

// Progress is how far a launch is.
type Progress struct {
	Kernel         string // its name
	CTAsDone, CTAs uint64
	LaneOps        uint64        // as in Stats, so far: workers report with a short delay
	Elapsed        time.Duration // since the launch began
}

// LaneOpsPerSecond is the rate since the launch.
func (p Progress) LaneOpsPerSecond() float64 { return perSecond(p.LaneOps, p.Elapsed) }

func perSecond(n uint64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Info describes the kernel.
func (k *Kernel) Info() KernelInfo { return k.info }

// Launch runs the kernel to its end; everything it writes is written when Launch returns.
// An argument is a fixed-size number of the parameter's size, a Buffer (its address),
// a Surface, []byte, or a struct of these in C layout. The error is an *ArgError, *UnsupportedError
// (nothing has run), *Fault (with DeviceConfig.KeepGoing a *FaultsError), *DeadlockError, ErrOutOfMemory, ErrClosed or a *StoppedError
// around ErrStepLimit or the context's; a *SanitizerError around any of them, or none, if sanitizers have reported.
func (k *Kernel) Launch(ctx context.Context, l Launch, args ...any) (Stats, error) {
	return k.Watch(ctx, l, Watch{}, args...)
}

// Watch is Launch of a kernel that is looked at while it runs. Its results are those of Launch; tracing takes more time.
func (k *Kernel) Watch(ctx context.Context, l Launch, w Watch, args ...any) (Stats, error) {
	return k.launch(ctx, &call{Launch: l, watch: w}, func(state *launchState) error {
		state.bound(k.program.d, k.info.Params, args)
		return k.program.d.packArgs(state.params, k.info.Name, k.info.Params, args)
	})
}

// LaunchBlock is Launch with the bytes of all parameters, each at its Offset, as a driver has them.
func (k *Kernel) LaunchBlock(ctx context.Context, l Launch, params []byte) (Stats, error) {
	return LaunchAt(ctx, k, l, params, nil, Terms{})
}

// Terms are what a driver says of one launch beside its shape.
//
//face:inside
type Terms struct {
	Depends   *machine.Dependence // on launches beside it
	Unchecked bool                // sanitizers report nothing about it
}

// LaunchAt is LaunchBlock at a place in the order of streams, for races between what they do; nil is behind all calls that have
// returned.
//
//face:inside
func LaunchAt(
	ctx context.Context, k *Kernel, l Launch, params []byte, place *streams.Work, terms Terms,
) (Stats, error) {
	return k.launch(ctx, &call{Launch: l, place: place, terms: terms}, func(state *launchState) error {
		if len(params) != len(state.params) {
			return k.refuse("%d bytes of parameters; the kernel has %d", len(params), len(state.params))
		}
		state.bounds = nil
		copy(state.params, params)
		return nil
	})
}

// Ready says what Launch would return for a launch of that shape before anything has run: nil, an *ArgError, an
// *UnsupportedError, or ErrClosed.
func (k *Kernel) Ready(l Launch) error { return k.ReadyContext(context.Background(), l) }

// ReadyContext is Ready that ends, with a *CompilingError, when the context does.
func (k *Kernel) ReadyContext(ctx context.Context, l Launch) error {
	if err := k.program.alive(); err != nil {
		return err
	}
	state := k.state()
	defer k.spare.Store(state)
	_, err := k.prepared(ctx, &call{Launch: l}, state)
	return err
}

// call is a launch as it is asked for.
type call struct {
	Launch
	watch Watch
	terms Terms
	place *streams.Work // among other launches and copies; nil: behind all calls that have returned
}

// launch runs the kernel with the parameters that fill writes.
func (k *Kernel) launch(ctx context.Context, c *call, fill func(*launchState) error) (Stats, error) {
	p := k.program
	p.running.Add(1)
	defer p.leave()
	if err := p.alive(); err != nil {
		return Stats{}, err
	}
	state := k.state()
	defer k.spare.Store(state)
	if err := fill(state); err != nil {
		return Stats{}, err
	}
	ml, err := k.prepared(ctx, c, state)
	if err != nil {
		return Stats{}, err
	}
	if c.Capture != "" {
		return k.captured(ctx, c, ml, state)
	}
	return k.execute(ctx, c, ml, state)
}

// captured is execute of a launch that is captured.
func (k *Kernel) captured(ctx context.Context, c *call, ml *host.Launch, state *launchState) (Stats, error) {
	s, err := k.capture(c, state)
	if err != nil {
		return Stats{}, err
	}
	stats, err := k.execute(ctx, c, ml, state)
	if ended(err) {
		err = errors.Join(err, s.WriteAfter(c.Capture, nil))
	}
	return stats, err
}

// ended reports whether a launch ran to its end, with reports of sanitizers or without.
func ended(err error) bool {
	var found *SanitizerError
	return err == nil || errors.As(err, &found) && found.Err == nil
}

// execute is launch of what is prepared. It is a function of its own since Go keeps a list of deferred calls for one that has
// many of them and many returns, which took a tenth of the time of a short launch.
func (k *Kernel) execute(ctx context.Context, c *call, ml *host.Launch, state *launchState) (Stats, error) {
	p := k.program
	p.bindReferences()
	ctx, unwatch := state.shadow.Watch(ctx)
	defer unwatch()
	ctx, out, end := watchOutput(ctx, p.stdout, p.d.cfg.MaxOutput, &state.output)
	defer end()
	if !ml.Stays {
		ml.Output = out
	}
	if ml.Moments != nil {
		ml.Moments.Flush = out.Flush
	}
	start := sinceBegin()
	shown := watchTensor(c.watch.Tensor, &ml.Launch)
	place := p.d.place(c)
	if state.races != nil && place.MayOverlap() {
		state.races.Overlap()
	}
	ran, err := p.d.machine.Launch(ctx, ml)
	k.meet(place, state)
	elapsed := sinceBegin() - start
	stats := p.stats(&ran)
	stats.Sectors = state.sectors.Count()
	stats.Elapsed, stats.Tensor, stats.Assumed = elapsed, shown(), p.d.describe(state.code.Assumptions)
	out.Close() // a failure ends ctx
	err = k.stopped(ctx, p.outcome(outputFailed(ctx, err)), &ran, ml.CTAs())
	stats.Past = k.passed(state)
	if p.d.cfg.Restore != "" && err == nil {
		stats.Replay = p.d.replayed()
	}
	k.nameMemory(err, state.params)
	k.missingShared(err, c.Launch)
	return k.reported(&ml.Launch, state.found, stats, k.faulted(state, err))
}

// stats are what the machine has counted, in terms of the source.
func (p *Program) stats(ran *machine.Stats) Stats {
	return Stats{
		CTAs: ran.CTAs, WarpInsts: ran.Steps, LaneOps: ran.LaneOps, Compiled: ran.NativeOps, CompiledC: p.d.ofC(ran.NewOps), New: ran.NewOps, Sums: ran.Sums, SlowSums: ran.SlowSums,
		Refused: p.d.refused(), NotC: p.d.notNew(CC), NotNew: p.d.notNew(Auto, JIT), Left: p.leaves(ran.Left), Helpers: helpers(ran.Left), Leak: p.leak(ran.Leaked),
	}
}

// nameMemory says which parameter pointed to the allocation next to a fault, and which variable a misaligned access was to.
func (k *Kernel) nameMemory(err error, block []byte) {
	fault, ok := err.(*Fault)
	if ok && fault.Code == diag.Code(faults.Misaligned) && (fault.Space == machine.Shared.String() || mem.InShared(fault.Address)) {
		fault.Msg += findings.MisalignedIn(k.fn, fault.Address, uint64(k.program.d.sizes.ReservedShared))
	}
	if !ok || fault.Near == nil {
		return
	}
	fault.Near.Param = findings.PointingParam(k.fn, block, fault.Near.Start)
}

// missingShared says what an access outside of shared memory lacks if the launch gives the kernel's extern arrays no bytes.
func (k *Kernel) missingShared(err error, l Launch) {
	fault, ok := err.(*Fault)
	if !ok || !pastShared(fault) || fault.Fix != "" {
		return
	}
	if k.countsFromZero(fault, l) {
		fault.Fix = "the kernel names no shared variable and takes shared memory to begin at 0, as it does on devices older than sm_90: " +
			"--arch sm_89 (DeviceConfig.Arch); what CTAs of later devices keep for themselves is there"
		return
	}
	if l.Shared != 0 || len(k.info.DynamicShared) == 0 {
		return
	}
	var names []string
	for _, symbol := range k.info.DynamicShared {
		names = append(names, kernelname.Demangle(symbol))
	}
	fault.Fix = fmt.Sprintf("extern __shared__ %s[] has no bytes: pass --shared BYTES (in CUDA C++ the third of <<<…>>>, in Go Launch.Shared)", strings.Join(names, "[], "))
}

// countsFromZero reports whether a kernel without shared variables has touched what the device keeps for itself in front of what the
// launch gives it.
func (k *Kernel) countsFromZero(f *Fault, l Launch) bool {
	at := f.Address
	if mem.InShared(at) {
		at -= mem.SharedWindow
	}
	return l.Shared != 0 && k.info.StaticShared == 0 && len(k.info.DynamicShared) == 0 && at < uint64(k.program.d.sizes.ReservedShared)
}

// pastShared reports whether a fault is an access outside of shared memory.
func pastShared(f *Fault) bool {
	return f.Code == diag.Code(faults.OutOfBounds) &&
		(f.Space == machine.Shared.String() || f.Space == machine.Generic.String() && mem.InShared(f.Address))
}

// progress puts the machine's reports into the terms of the configuration; nil if it is not wanted.
func (k *Kernel) progress() func(machine.Progress) {
	report := k.program.d.cfg.Progress
	if report == nil {
		return nil
	}
	start := time.Now()
	return func(p machine.Progress) {
		report(Progress{Kernel: k.info.Name, CTAsDone: p.Done, CTAs: p.CTAs, LaneOps: p.LaneOps, Elapsed: time.Since(start)})
	}
}

// shape applies defaults and refuses what the kernel or the device does not allow.
func (k *Kernel) shape(l Launch, to *host.Launch) error {
	if l.Block == (Dim3{}) {
		l.Block = k.info.ReqBlock
	}
	if l.Cluster == (Dim3{}) {
		l.Cluster = k.info.ReqCluster
	}
	grid, block, cluster := l.Grid.filled(), l.Block.filled(), l.Cluster.filled()
	if k.info.BlocksAreClusters { // 11.8.1
		grid = Dim3{grid.X * cluster.X, grid.Y * cluster.Y, grid.Z * cluster.Z}
	}
	target := k.program.d.sizes
	shared := decode.DynamicStart(k.info.StaticShared, l.Shared, int(target.SharedPerCTA)) + l.Shared
	if err := k.admit(grid, block, l.Shared, shared, target); err != nil {
		return err
	}
	if err := k.admitCluster(grid, cluster, l.Cluster != (Dim3{}), target); err != nil {
		return err
	}
	cfg := &k.program.d.cfg
	*to = host.Launch{Workers: cfg.Workers, Launch: machine.Launch{
		Shape:  shape.Shape{Grid: extent(grid), Block: extent(block), Cluster: extent(cluster)},
		Shared: uint32(shared), Dynamic: uint32(l.Shared), Target: target,
		ExplicitCluster: l.Cluster != (Dim3{}), Lockstep: k.program.module.Target.Arch < 70,
		MaxSteps: cfg.MaxSteps, Seed: cfg.Seed, Fair: cfg.Schedule == ScheduleFair,
		Async: queue.Mode(cfg.Async), Products: k.program.d.products(),
		Clock: k.program.d.clock(), ClockBegan: clockBegan,
	}}
	return nil
}

func extent(d Dim3) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }

// Limits of a grid and a block on every target (CUDA programming guide, table of
// technical specifications).
const (
	maxGridX, maxGridYZ = 1<<31 - 1, 65535
	maxThreads          = 1024
	maxBlockXY          = 1024
	maxBlockZ           = 64
)

// admit says why a launch is not possible, nil if it is.
func (k *Kernel) admit(grid, block Dim3, dynamic, shared int, target sizes.Target) error {
	refuse := k.refuse
	required := k.info.ReqBlock
	switch {
	case grid.X > maxGridX || grid.Y > maxGridYZ || grid.Z > maxGridYZ:
		return refuse("a grid of %v CTAs is too large: at most %d,%d,%d", grid, maxGridX, maxGridYZ, maxGridYZ)
	case block.Count() > maxThreads || block.X > maxBlockXY || block.Y > maxBlockXY || block.Z > maxBlockZ:
		return refuse("a block of %v threads is too large: at most %d in all and %d,%d,%d", block, maxThreads, maxBlockXY, maxBlockXY, maxBlockZ)
	case required != (Dim3{}) && block != required.filled():
		return refuse("the kernel requires blocks of %v threads (.reqntid), not %v", required, block)
	case k.info.MaxThreads != 0 && block.Count() > uint64(k.info.MaxThreads):
		return refuse("the kernel allows %d threads a CTA (.maxntid), not %d", k.info.MaxThreads, block.Count())
	case dynamic < 0 || dynamic > int(target.SharedPerCTA):
		return refuse("%d bytes of dynamic shared memory; sm_%d has %d for a CTA", dynamic, target.Arch, target.SharedPerCTA)
	case shared > int(target.SharedPerCTA):
		return refuse("%d bytes of shared memory (%d static, %d dynamic); sm_%d has %d for a CTA", shared,
			k.info.StaticShared, dynamic, target.Arch, target.SharedPerCTA)
	}
	return nil
}

// admitCluster says why clusters of that shape are not possible (11.7), nil if they are.
// explicit tells that the launch or the kernel names the shape.
func (k *Kernel) admitCluster(grid, cluster Dim3, explicit bool, target sizes.Target) error {
	required := k.info.ReqCluster
	size, most := cluster.Count(), uint64(target.MaxCluster())
	switch {
	case required != (Dim3{}) && cluster != required.filled():
		return k.refuse("the kernel requires clusters of %v CTAs (.reqnctapercluster), not %v", required, cluster)
	case k.info.ExplicitCluster && !explicit:
		return k.refuse("the kernel must be launched with the cluster's shape (.explicitcluster): give Launch.Cluster, or --cluster")
	case cluster.X > shape.MaxClusterRank || cluster.Y > shape.MaxClusterRank || cluster.Z > shape.MaxClusterRank || size > most:
		if most == 1 {
			return k.refuse("clusters of %v CTAs: sm_%d has no clusters, they need sm_90", cluster, target.Arch)
		}
		return k.refuse("a cluster of %v CTAs is too large: at most %d on sm_%d", cluster, most, target.Arch)
	case k.info.MaxClusterRank != 0 && size > uint64(k.info.MaxClusterRank):
		return k.refuse("the kernel allows clusters of %d CTAs (.maxclusterrank), not %d", k.info.MaxClusterRank, size)
	case grid.X%cluster.X != 0 || grid.Y%cluster.Y != 0 || grid.Z%cluster.Z != 0:
		return k.refuse("a grid of %v CTAs is no multiple of clusters of %v", grid, cluster)
	}
	return nil
}

// refuse says that a launch is not possible.
func (k *Kernel) refuse(format string, args ...any) error {
	return &ArgError{Kernel: k.info.Name, Index: -1, Msg: k.info.Name + ": " + fmt.Sprintf(format, args...), Signature: k.info.Signature()}
}

// decode sets the launch's code: the kernel and all functions it may call, for this shape.
func (k *Kernel) decode(ctx context.Context, l *machine.Launch) (code *decode.Program, err error) {
	defer limited(&err)
	shape := ir.LaunchShape{BlockX: int32(l.Block[0]), BlockY: int32(l.Block[1]), BlockZ: int32(l.Block[2]), Clusters: l.Cluster != [3]uint32{1, 1, 1}, Lockstep: l.Lockstep}
	by := decode.Watch{Observe: l.Wants & events.WantsOfCode, Values: l.Values != nil, Numbers: l.Numbers != nil, Trace: l.Trace != nil || l.Breakpoint != nil,
		Step: l.Moments != nil, Depends: l.Depends != nil}
	d, shared := k.program.d, l.Shared-l.Dynamic
	decoder := k.program.decoder.Within(newQuota(ctx, d.cfg.Memory))
	if by == (decode.Watch{}) && d.compiles(l) {
		code, err = decoder.Inlined(k.fn, shape, l.Target, shared, d.assumptions)
	} else {
		code, err = decoder.Watched(by, k.fn, shape, l.Target, shared, d.assumptions)
	}
	if err != nil {
		if mixed := k.program.disagreement(err); mixed != nil {
			return nil, mixed
		}
		var large *decode.LocalError
		if errors.As(err, &large) {
			return nil, k.refuse("%v", large)
		}
		return nil, k.program.unsupported(k.info.Name, err)
	}
	l.Entry, l.Functions = code.Entry, code.Functions
	return code, nil
}

// outcome turns the machine's errors into those of this package.
func (p *Program) outcome(err error) error {
	if err == nil {
		return nil
	}
	var fault *machine.Fault
	var deadlock *machine.DeadlockError
	var defect *faults.Defect
	switch {
	case errors.As(err, &defect):
		return &DefectError{What: defect.What, Stack: defect.Stack}
	case errors.As(err, &fault):
		return p.newFault(fault)
	case errors.As(err, &deadlock):
		return p.newDeadlock(deadlock)
	case errors.Is(err, machine.ErrStepLimit):
		return ErrStepLimit
	case errors.Is(err, mem.ErrOutOfMemory):
		return p.d.outOfMemory(err, 0)
	case errors.Is(err, host.ErrClosed):
		return ErrClosed
	}
	return err
}
