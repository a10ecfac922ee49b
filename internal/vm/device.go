package vm

// This file holds the emulated device: its configuration and who may use it.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/report"
)

// Async chooses when asynchronous operations (cp.async and its kin) happen between their issue
// and the wait for them. A correct kernel gives the same results with every choice.
type Async uint8

// The choices.
const (
	AsyncEager  Async = iota // at issue
	AsyncLazy                // as late as the rules allow; early accesses are reported
	AsyncRandom              // in between, by DeviceConfig.Seed
)

// asyncs are the names of the choices, by number.
var asyncs = []string{AsyncEager: "eager", AsyncLazy: "lazy", AsyncRandom: "random"}

// ParseAsync knows eager, lazy and random.
func ParseAsync(name string) (Async, error) {
	i := slices.Index(asyncs, name)
	if i < 0 {
		return 0, fmt.Errorf("ptxvm: asynchronous operations happen %s, not %q", strings.Join(asyncs, ", "), name)
	}
	return Async(i), nil
}

// Schedule chooses how long a warp runs before another one of its CTA does. A correct kernel gives the same results
// with every choice.
type Schedule uint8

// The choices.
const (
	ScheduleLong Schedule = iota // for as long as it can go on
	ScheduleFair                 // for some 64 instructions and up to the next barrier, interpreted: near to what warps of a GPU do
)

// schedules are the names of the choices, by number.
var schedules = []string{ScheduleLong: "long", ScheduleFair: "fair"}

// ParseSchedule knows long and fair.
func ParseSchedule(name string) (Schedule, error) {
	i := slices.Index(schedules, name)
	if i < 0 {
		return 0, fmt.Errorf("ptxvm: turns of warps are %s, not %q", strings.Join(schedules, " or "), name)
	}
	return Schedule(i), nil
}

// String is the choice's name.
func (s Schedule) String() string { return schedules[s] }

// CheckAssume says why a text is no value of DeviceConfig.Assume, nil if it is one.
func CheckAssume(text string) error {
	_, err := assume.Parse(text)
	return err
}

// String is the choice's name.
func (a Async) String() string { return asyncs[a] }

// DeviceConfig describes an emulated device. Its zero value is the default.
type DeviceConfig struct {
	Arch       string // "sm_90a"; "" is sm_90
	Memory     int64  // bytes that allocations may have in all; 0: half of what the process may use
	Workers    int    // CTAs executed at a time; 0: GOMAXPROCS, or 1 if Deterministic
	Seed       uint64 // permutes schedules; 0: CTAs and warps in ascending order
	Engine     Engine
	Async      Async
	Schedule   Schedule             // ScheduleFair is not for the engine JIT
	Sanitize   Sanitize             // what is looked for while kernels run, slowly
	MaxReports int                  // of sanitizers, per launch; 0: 20
	Sectors    bool                 // count Stats.Sectors: code then tells of each access, as to a sanitizer
	Suppress   *report.Suppressions // reports that sanitizers do not make; may be nil
	Alone      bool                 // launches come one at a time, and nothing else writes device memory meanwhile: SanitizeSync then judges loops that wait for global memory, too
	KeepGoing  bool                 // a lane that faults ends, and the launch goes on without it, interpreted; it returns a *FaultsError
	MaxSteps   uint64               // warp instructions per launch, then ErrStepLimit; 0: no limit
	MaxOutput  int64                // bytes of printf per launch; 0: 64 MiB
	Stdout     io.Writer            // printf, in whole messages, several a Write; nil discards
	// Deterministic makes results depend on the program and its inputs alone: clocks count instructions, and CTAs run one at a time unless
	// Workers says otherwise. A Seed makes clocks count, too.
	Deterministic bool
	Assume        string         // other positions of assumptions about hardware: "U3=low,sfu-sqrt=nearest"; Assumptions lists them
	Progress      func(Progress) // called a few times a second during a launch, from another goroutine; may be nil
	// PageBounds lets kernels pass the end of an allocation as far as the end of its last page of 2 MiB, counted from its
	// start, and of shared memory as far as the end of its last 128 bytes, as hardware does without notice; Stats.Past says
	// where they did.
	PageBounds bool
	// HostPointers places device memory so that a device address is the host address of the same byte, for programs
	// that share pointers with their kernels (Linux). Addresses then depend on the process; bounds are checked as ever.
	// Kernels may write constants by their addresses, which such programs have, for later launches.
	HostPointers bool
	// HostGuard, with HostPointers, lets the program's own accesses to device memory fault (SIGSEGV), as with a device of
	// its own. AllocHost and managed variables have what both reach.
	HostGuard bool
	// Restore is the folder of a captured launch (Launch.Capture), whose allocations, surfaces and textures the device begins with, at
	// their addresses; all bytes count as written (SanitizeInit) but those that SanitizeInit knew better of at the capture. The variables
	// of the first program that is loaded are the captured ones of their names. For one device, without HostPointers.
	Restore    string
	CaptureMax int64 // bytes that a capture may keep; 0: 1 GiB
}

// Device is an emulated GPU with its own memory. It is safe for concurrent use, and
// several devices are independent unless NewDevices made them together.
type Device struct {
	cfg         DeviceConfig
	target      isa.Target
	sizes       sizes.Target // of target
	machine     *host.Device
	number      int         // among those of one machine
	shadow      san.Shadows // of global memory, under sanitizers that look at values
	arrays      namedArrays
	textures    namedTextures
	samplers    namedTextures
	assumptions assume.Set
	jit         compiler // nil: kernels are interpreted

	compileQuick, compileWhole, compileParts, compileBetter host.Compiler // by jit, if there is one

	tuning Tuning

	placing sync.Mutex
	placed  map[string]capture.Variable // of Restore, until a program has them

	restored *capture.Memory // of Restore, until a launch is over
	after    string          // the digest of what that is to leave; "": not known

	mu     sync.RWMutex // held for reading while the arena is in use, for writing by Close
	closed atomic.Bool
}

// defaultArch is the device that a nil DeviceConfig gives.
const defaultArch = "sm_90"

// defaultOutput bounds printf unless the configuration says otherwise.
const defaultOutput = 64 << 20

// page is the page of DeviceConfig.PageBounds in bytes, 0 without it.
func (c *DeviceConfig) page() uint64 {
	if c.PageBounds {
		return 2 << 20
	}
	return 0
}

// NewDevice makes a device; nil is the default configuration.
func NewDevice(cfg *DeviceConfig) (*Device, error) {
	devices, err := NewDevices(1, cfg)
	if err != nil {
		return nil, err
	}
	return devices[0], nil
}

// NewDevices makes the n devices of one machine, all of one configuration; limits are each device's, and
// the default memory is shared out. They share addresses: what one has allocated the kernels of all may
// access, and it ends with the device that it belongs to.
func NewDevices(n int, cfg *DeviceConfig) ([]*Device, error) {
	if n < 1 {
		return nil, fmt.Errorf("ptxvm: %d devices", n)
	}
	first, err := configured(n, cfg)
	if err != nil {
		return nil, err
	}
	kept, err := first.kept(n)
	if err != nil {
		return nil, err
	}
	arenas, err := mem.NewArenas(mem.Config{
		Limits: slices.Repeat([]uint64{uint64(first.cfg.Memory)}, n), Identity: first.cfg.HostPointers, Guard: first.cfg.HostGuard, Page: first.cfg.page(),
		Quarantine: first.quarantine(), Base: uint64(kept.Base), Foreign: foreign(kept),
	})
	if err != nil {
		return nil, fmt.Errorf("ptxvm: %w", err)
	}
	devices := make([]*Device, n)
	for i, arena := range arenas {
		devices[i] = first.another(arena)
		devices[i].number = i
	}
	for _, d := range devices {
		made, err := newCompiler(&d.cfg, compilingMemory(d.cfg.Memory))
		if err != nil {
			return nil, errors.Join(err, closeAll(devices))
		}
		d.compileBy(made)
	}
	if err := devices[0].restore(kept); err != nil {
		return nil, errors.Join(err, closeAll(devices))
	}
	return devices, nil
}

// quarantine is the bytes of freed memory that is not given out again, under SanitizeMem.
func (s *deviceSetup) quarantine() uint64 {
	if s.cfg.Sanitize&SanitizeMem == 0 {
		return 0
	}
	return 64 << 20
}

// closeAll closes devices.
func closeAll(devices []*Device) (err error) {
	for _, d := range devices {
		err = errors.Join(err, d.Close())
	}
	return err
}

// deviceSetup is what the devices of one machine have in common.
type deviceSetup struct {
	cfg         DeviceConfig
	target      isa.Target
	assumptions assume.Set
	shadow      san.Shadows
}

// another makes a device on its arena.
func (s *deviceSetup) another(arena *mem.Arena) *Device {
	return &Device{
		cfg: s.cfg, target: s.target, sizes: sizes.Of(s.target.Arch), assumptions: s.assumptions, shadow: s.shadow,
		machine: host.NewDevice(arena, s.cfg.Workers), tuning: untuned,
	}
}

// configured fills in what a configuration of n devices leaves open, and says what is wrong with it.
func configured(n int, cfg *DeviceConfig) (*deviceSetup, error) {
	s := new(deviceSetup)
	if cfg != nil {
		s.cfg = *cfg
	}
	c := &s.cfg
	c.Arch = cmp.Or(c.Arch, defaultArch)
	c.MaxOutput = cmp.Or(c.MaxOutput, defaultOutput)
	c.CaptureMax = cmp.Or(c.CaptureMax, defaultCapture)
	c.Memory = cmp.Or(c.Memory, mem.DefaultLimit()/int64(n))
	s.shadow = newShadows(c.Sanitize, c.Memory)
	var err error
	if s.target, err = isa.ParseTarget(c.Arch); err != nil {
		return nil, fmt.Errorf("ptxvm: %w", err)
	}
	if s.assumptions, err = assume.Parse(c.Assume); err != nil {
		return nil, fmt.Errorf("ptxvm: assume: %w", err)
	}
	if c.Deterministic {
		c.Workers = cmp.Or(c.Workers, 1)
	}
	if c.Deterministic || c.Seed != 0 {
		s.assumptions = s.assumptions.With(assume.Clocks, assume.ClocksCount)
	}
	switch {
	case c.Memory < 0 || c.Workers < 0 || c.MaxOutput < 0 || c.MaxReports < 0 || c.CaptureMax < 0:
		return nil, errors.New("ptxvm: a negative limit")
	case int(c.Engine) >= len(engines):
		return nil, fmt.Errorf("ptxvm: there is no engine %d", c.Engine)
	case int(c.Async) >= len(asyncs):
		return nil, fmt.Errorf("ptxvm: there is no choice %d of asynchrony", c.Async)
	case int(c.Schedule) >= len(schedules):
		return nil, fmt.Errorf("ptxvm: there is no schedule %d", c.Schedule)
	case c.Schedule == ScheduleFair && (c.Engine == JIT || c.Engine == CC):
		return nil, fmt.Errorf("ptxvm: the schedule fair is interpreted, and not for the engine %v", c.Engine)
	}
	return s, nil
}

// reaches reports whether kernels of d may access memory of o: both are devices of one machine.
func (d *Device) reaches(o *Device) bool { return d.machine.Arena.Space == o.machine.Arena.Space }

func (d *Device) is(o *Device) bool { return d == o }

// Close waits for running launches and gives the device's memory back. Further use of
// the device, its buffers and programs returns ErrClosed.
func (d *Device) Close() error {
	d.mu.Lock()
	closed := d.closed.Swap(true)
	d.mu.Unlock()
	if closed {
		return nil
	}
	err := d.machine.Close()
	if d.jit != nil {
		err = errors.Join(err, d.jit.Close())
	}
	return err
}

// use runs f unless the device is closed; Close cannot come in between.
func (d *Device) use(f func() error) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed.Load() {
		return ErrClosed
	}
	return f()
}

// lifetime is what a piece of device memory shares with all who hold it: none of them
// outlives it, even if its address is given out again.
type lifetime struct {
	d    *Device
	gone atomic.Bool
}

// use runs f while the memory exists. A nil lifetime is that of nothing.
func (l *lifetime) use(f func() error) error {
	if l == nil {
		return ErrClosed
	}
	return l.d.use(func() error {
		if l.gone.Load() {
			return ErrClosed
		}
		return f()
	})
}

// over reports whether the memory has ended, or will in a moment, with its device or alone.
func (l *lifetime) over() bool { return l.gone.Load() || l.d.closed.Load() }

// end runs f, which frees the memory, the first time that it is called.
func (l *lifetime) end(f func() error) error {
	if l.gone.Swap(true) {
		return nil
	}
	return l.d.use(f)
}

// DeviceInfo is the size of a device, as programs ask for it.
type DeviceInfo struct {
	Major, Minor   int // compute capability
	Multiprocs     int // of a common product of that capability; here CTAs run on Workers
	CTAsPerSM      int // resident
	ThreadsPerSM   int
	SharedPerSM    int // bytes
	SharedPerCTA   int // the most that a launch may ask for
	ReservedShared int // of a CTA, which kernels do not own
}

// Info describes the device.
func (d *Device) Info() DeviceInfo {
	t := d.sizes
	return DeviceInfo{
		Major: d.target.Arch / 10, Minor: d.target.Arch % 10,
		Multiprocs: t.SMs, CTAsPerSM: t.CTAsPerSM, ThreadsPerSM: t.WarpsPerSM * 32,
		SharedPerSM: int(t.SharedPerSM), SharedPerCTA: int(t.SharedPerCTA), ReservedShared: int(t.ReservedShared),
	}
}

// Arch is the device's architecture, such as "sm_90".
func (d *Device) Arch() string { return d.target.String() }

// describe names assumptions with the device's positions.
func (d *Device) describe(assumptions []assume.Assumption) (list []string) {
	for _, g := range assumptions {
		list = append(list, d.assumptions.Describe(g))
	}
	return list
}
