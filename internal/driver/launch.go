package driver

// This file launches kernels.

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san/streams"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// plainShared is the dynamic shared memory that a kernel may have without asking (CUDA C++ Programming
// Guide, compute capabilities 7.x and later).
const plainShared = 48 << 10

// function is a kernel of a module.
type function struct {
	m           *module
	info        vm.KernelInfo
	name        string       // shortName
	block       int          // bytes of parameters
	maxDynamic  atomic.Int32 // by FunctionSet
	vain        atomic.Int32 // times that it has stayed for a launch behind it that did not come (beside.go)
	nonPortable atomic.Bool  // the same: clusters of more CTAs than all devices run
	sharedMode  atomic.Int32 // the same: a mode of shared memory
	refused     atomic.Bool  // why a launch was refused has been said
	on          []atomic.Pointer[loaded]
}

// loaded is a function on a device, with the last shape that was found to be possible.
type loaded struct {
	kernel    *vm.Kernel
	registers int // of a thread, estimated
	shape     atomic.Pointer[vm.Launch]
}

func newFunction(m *module, info vm.KernelInfo, devices int) *function {
	f := &function{m: m, info: info, on: make([]atomic.Pointer[loaded], devices)}
	f.name = shortName(f.kernel())
	for _, p := range info.Params {
		f.block = max(f.block, p.Offset+p.Size)
	}
	f.maxDynamic.Store(int32(plainShared - min(info.StaticShared, plainShared)))
	return f
}

// load puts the function on a device, the first time.
func (f *function) load(dev *device) (*loaded, Code) {
	if l := f.on[dev.number].Load(); l != nil {
		return l, Success
	}
	p, code := f.m.program(dev)
	if code != Success {
		return nil, code
	}
	k, err := p.Kernel(f.info.Name)
	if err != nil {
		return nil, NotFound
	}
	l := &loaded{kernel: k, registers: k.Resources().Registers}
	f.on[dev.number].Store(l)
	return l, Success
}

// Launch is what a program asks for.
type Launch struct {
	Grid, Block, Cluster vm.Dim3 // Cluster zero: the kernel's own
	Shared               uint32
	Cooperative          bool
	Programmatic         bool   // it may begin before the kernel in front of it in its stream is over (griddepcontrol)
	Arguments            uint64 // address of an array of addresses, one a parameter
	Buffer, BufferSize   uint64 // or the parameter block itself
	SharedMode           uint32 // of shared memory; 0: the function's
	Context              uint64 // that is current: modules of another one cannot be launched from; 0: any

	// Events happen in the course of the launch, 0: none. What waits for the first comes behind each CTA's
	// griddepcontrol.launch_dependents, or end; for the second, behind each CTA's beginning. Kernels that do wait for the launch's end
	// by griddepcontrol.wait.
	Events [2]uint64
}

// Launch enqueues a kernel. Arguments are copied before it returns.
func (d *Driver) Launch(dev int, stream, fn uint64, l Launch) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	events, code := s.eventsOf(&l)
	if code != Success {
		return code
	}
	w, code := d.kernel(s.dev, fn, l)
	if code != Success {
		return code
	}
	w.stream = stream
	if events != [2]*event{} {
		return s.launchWith(w, events)
	}
	return s.run(w, LaunchCall, waits(LaunchCall, nowhere, nowhere))
}

// kernelWork is a launch with its arguments.
type kernelWork struct {
	f      *function
	on     *loaded
	fn     uint64
	launch Launch // without its arguments
	shape  vm.Launch
	params []byte

	queued    bool   // in a stream, where the next two have been decided; else a node of a graph
	unchecked bool   // sanitizers report nothing
	turn      turn   // among other launches
	stream    uint64 // its handle, if it was queued
	depends   *machine.Dependence
}

func (w *kernelWork) do(dev *device, at *streams.Work) {
	d := dev.d
	if d.Sticky() != Success {
		return
	}
	unchecked, turn := w.unchecked, w.turn
	if !w.queued {
		unchecked, turn = !d.looksAt(w.f), d.turnOf(w.f)
	}
	d.begun.Add(1)
	kept := d.remember(w, turn)
	ctx, cancel := d.limited()
	defer cancel()
	d.running.begin(w)
	stats, err := vm.LaunchAt(ctx, w.on.kernel, w.shape, w.params, at, vm.Terms{Depends: w.depends, Unchecked: unchecked})
	d.running.end(w)
	d.tellPast(stats.Past)
	d.fail(err, d.settle(turn, kept, err))
	d.launched(w, &stats)
}

// limited is the time that a launch, or what prepares one, may take.
func (d *Driver) limited() (context.Context, context.CancelFunc) {
	if d.cfg.Timeout == 0 {
		return context.Background(), func() {}
	}
	return context.WithTimeout(context.Background(), d.cfg.Timeout)
}

// kernel checks a launch on a device and copies its arguments.
func (d *Driver) kernel(dev *device, fn uint64, l Launch) (*kernelWork, Code) {
	f, ok := lookup[*function](d, fn)
	if !ok {
		return nil, InvalidHandle
	}
	if owner := f.m.owner.Load(); owner != 0 && l.Context != 0 && owner != l.Context {
		d.warn("kernel %s belongs to a module of another context than the current one", f.info.Name)
		return nil, InvalidHandle
	}
	l.Context = 0
	if one := (vm.Dim3{X: 1, Y: 1, Z: 1}); l.Block == one && f.info.ReqBlock != (vm.Dim3{}) {
		l.Block = f.info.ReqBlock // so are kernels of CUDA Tile launched, whose threads are the compiler's choice
	}
	on, code := f.load(dev)
	if code == Success {
		code = f.admit(dev, on, &l)
	}
	if code != Success {
		f.sayWhy(d, dev, &l)
		return nil, code
	}
	shape := vm.Launch{Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Shared: int(l.Shared)}
	if last := on.shape.Load(); last == nil || *last != shape {
		ctx, cancel := d.limited()
		err := on.kernel.ReadyContext(ctx, shape)
		if cancel(); err != nil {
			return nil, d.fail(err, "")
		}
		on.shape.Store(&shape)
	}
	params, code := f.params(&l)
	l.Arguments, l.Buffer, l.BufferSize, l.Events = 0, 0, 0, [2]uint64{}
	return &kernelWork{f: f, on: on, fn: fn, launch: l, shape: shape, params: params}, code
}

// relaunched is a kernel with the arguments that it has and another launch.
func (d *Driver) relaunched(dev *device, w *kernelWork, l Launch) (*kernelWork, Code) {
	defer runtime.KeepAlive(w) // the driver gets an address
	if len(w.params) != 0 {
		l.Buffer, l.BufferSize = hostAddress(w.params), uint64(len(w.params))
	}
	return d.kernel(dev, w.fn, l)
}

// admit checks what CUDA answers with codes of its own.
func (f *function) admit(dev *device, on *loaded, l *Launch) Code {
	sizes := dev.vm.Info()
	switch threads := l.Block.Count(); {
	case l.Grid.X == 0 || l.Grid.Y == 0 || l.Grid.Z == 0 || l.Block.X == 0 || l.Block.Y == 0 || l.Block.Z == 0:
		return InvalidConfiguration
	case threads > maxThreads || l.Block.X > maxThreads || l.Block.Y > maxThreads || l.Block.Z > 64:
		return InvalidConfiguration
	case l.Grid.X > 1<<31-1 || l.Grid.Y > 65535 || l.Grid.Z > 65535:
		return InvalidConfiguration
	case f.info.MaxThreads != 0 && threads > uint64(f.info.MaxThreads): // 701 is for registers
		return InvalidValue
	case l.SharedMode > lastSharedMode || int64(l.Shared) > f.dynamicLimit(sizes, l.SharedMode):
		return InvalidValue
	case l.Cluster.Count() > maxClusters || l.Cluster.Count() > portable && !f.nonPortable.Load():
		return InvalidClusterSize
	case l.Grid.X%max(l.Cluster.X, 1) != 0 || l.Grid.Y%max(l.Cluster.Y, 1) != 0 || l.Grid.Z%max(l.Cluster.Z, 1) != 0:
		return InvalidClusterSize
	case l.Cooperative && l.Grid.Count() > uint64(f.resident(sizes, min(on.registers, usualRegisters), int(threads), int(l.Shared))*processors(sizes)):
		return CooperativeTooLarge
	}
	return Success
}

// sayWhy tells, once, which limit a launch passes that is the kernel's own: all that CUDA says of it is "invalid argument".
func (f *function) sayWhy(d *Driver, dev *device, l *Launch) {
	why, most := "", f.dynamicLimit(dev.vm.Info(), l.SharedMode)
	switch threads, limit := l.Block.Count(), uint64(f.info.MaxThreads); {
	case limit != 0 && threads > limit && threads <= maxThreads:
		why = fmt.Sprintf("%d threads a block, and the kernel allows %d (.maxntid, __launch_bounds__)", threads, limit)
	case int64(l.Shared) > most:
		why = fmt.Sprintf("%d bytes of dynamic shared memory, and it may have %d (cudaFuncAttributeMaxDynamicSharedMemorySize)", l.Shared, most)
	}
	if why != "" && f.refused.CompareAndSwap(false, true) {
		d.warn("a launch of %s is refused: %s", diag.Escape(kernelname.Demangle(f.info.Name)), why)
	}
}

// processors is how many multiprocessors programs see: as many as there are CPUs, since they scale their work by it, and where
// there are clusters at least as many as the largest takes, since persistent kernels round that number down to whole
// clusters and launch as many CTAs.
func processors(s vm.DeviceInfo) int {
	if s.Major < 9 {
		return runtime.GOMAXPROCS(0)
	}
	return max(runtime.GOMAXPROCS(0), maxClusters)
}

// params makes the parameter block.
func (f *function) params(l *Launch) ([]byte, Code) {
	block := make([]byte, f.block)
	switch {
	case l.Buffer != 0:
		if l.BufferSize < uint64(f.block) {
			return nil, InvalidValue
		}
		copy(block, hostBytes(l.Buffer, l.BufferSize))
	case f.block == 0:
	case l.Arguments == 0:
		return nil, InvalidValue
	default:
		for i, p := range f.info.Params {
			at := hostWord(l.Arguments + uint64(i)*8)
			if at == 0 {
				return nil, InvalidValue
			}
			copy(block[p.Offset:p.Offset+p.Size], hostBytes(at, uint64(p.Size)))
		}
	}
	return block, Success
}

// Attributes of functions, with CUDA's numbers (CUfunction_attribute).
const (
	FuncMaxThreads    = 0
	FuncShared        = 1
	FuncConst         = 2
	FuncLocal         = 3
	FuncRegisters     = 4
	FuncPTXVersion    = 5
	FuncBinaryVersion = 6
	FuncCacheMode     = 7
	FuncMaxDynamic    = 8
	FuncCarveout      = 9
	FuncMustCluster   = 10 // a launch must name the cluster's shape
	FuncClusterWidth  = 11 // .reqnctapercluster, x; y and z follow
	FuncClusterDepth  = 13
	FuncNonPortable   = 14 // clusters of more than 8 CTAs
	FuncPolicy        = 15
	FuncSharedMode    = 17
)

// usualRegisters is how many a thread has at most where a cooperative launch asks for room: the estimate may be too high, and a grid
// that a program has made for the real number is not to be refused for that.
const usualRegisters = 32

// Modes of shared memory (CUsharedMemoryMode): which dynamic shared memory a launch may have.
const (
	sharedDefault  = iota // FuncMaxDynamic
	sharedPortable        // what every device has
	sharedLarge           // what the device has
	_                     // larger still, at the cost of the L1 cache, which there is none of here: as sharedLarge
	lastSharedMode
)

// dynamicLimit is the most dynamic shared memory of a launch with a mode, or else that of the function.
func (f *function) dynamicLimit(sizes vm.DeviceInfo, mode uint32) int64 {
	if mode == sharedDefault {
		mode = uint32(f.sharedMode.Load())
	}
	switch mode {
	case sharedDefault:
		return int64(f.maxDynamic.Load())
	case sharedPortable:
		return int64(plainShared - f.info.StaticShared)
	}
	return int64(sizes.SharedPerCTA - f.info.StaticShared)
}

// FunctionGet tells an attribute.
func (d *Driver) FunctionGet(dev int, fn uint64, attribute int) (value int, code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success {
		return 0, code
	}
	f, ok := lookup[*function](d, fn)
	if !ok {
		return 0, InvalidHandle
	}
	switch attribute {
	case FuncMaxThreads:
		if f.info.ReqBlock != (vm.Dim3{}) {
			return int(f.info.ReqBlock.Count()), Success
		}
		if f.info.MaxThreads != 0 {
			return int(f.info.MaxThreads), Success
		}
		return maxThreads, Success
	case FuncShared:
		return f.info.StaticShared, Success
	case FuncConst, FuncLocal, FuncRegisters:
		l, code := f.load(v)
		if code != Success {
			return 0, code
		}
		r := l.kernel.Resources()
		return map[int]int{FuncConst: r.Constants, FuncLocal: r.Local, FuncRegisters: l.registers}[attribute], Success
	case FuncCacheMode:
		return 0, Success
	case FuncPTXVersion: // what the PTX is for: CUB chooses its parameters by it
		return f.m.arch(), Success
	case FuncBinaryVersion:
		sizes := v.vm.Info()
		return sizes.Major*10 + sizes.Minor, Success
	case FuncMaxDynamic:
		return int(f.maxDynamic.Load()), Success
	case FuncCarveout:
		return -1, Success
	case FuncMustCluster:
		return btoi(f.info.ExplicitCluster), Success
	case FuncClusterWidth, FuncClusterWidth + 1, FuncClusterDepth:
		c := f.info.ReqCluster
		return int([...]uint32{c.X, c.Y, c.Z}[attribute-FuncClusterWidth]), Success
	case FuncNonPortable:
		return btoi(f.nonPortable.Load()), Success
	case FuncPolicy:
		return 0, Success
	case FuncSharedMode:
		return int(f.sharedMode.Load()), Success
	}
	return 0, InvalidValue
}

// FunctionSet changes an attribute. Hints are taken and have no effect.
func (d *Driver) FunctionSet(dev int, fn uint64, attribute, value int) (code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success {
		return code
	}
	f, ok := lookup[*function](d, fn)
	if !ok {
		return InvalidHandle
	}
	switch attribute {
	case FuncMaxDynamic:
		if value < 0 || value > v.vm.Info().SharedPerCTA-f.info.StaticShared {
			return InvalidValue
		}
		f.maxDynamic.Store(int32(value))
	case FuncNonPortable:
		f.nonPortable.Store(value != 0)
	case FuncSharedMode:
		if value < 0 || value > lastSharedMode {
			return InvalidValue
		}
		f.sharedMode.Store(int32(value))
	case FuncCacheMode, FuncCarveout, FuncPolicy:
	default:
		return InvalidValue
	}
	return Success
}

// FunctionName is the kernel's symbol, and how many parameters it has with their places.
func (d *Driver) FunctionName(fn uint64) (name string, code Code) {
	f, ok := lookup[*function](d, fn)
	if !ok {
		return "", InvalidHandle
	}
	return f.info.Name, Success
}

// FunctionParam is the place and size of a parameter.
func (d *Driver) FunctionParam(fn uint64, i int) (offset, size int, code Code) {
	f, ok := lookup[*function](d, fn)
	switch {
	case !ok:
		return 0, 0, InvalidHandle
	case i < 0 || i >= len(f.info.Params):
		return 0, 0, InvalidValue
	}
	return f.info.Params[i].Offset, f.info.Params[i].Size, Success
}

// String names a function in messages.
func (f *function) String() string { return fmt.Sprintf("kernel %s", f.info.Demangled) }
