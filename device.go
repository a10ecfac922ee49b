package ptxvm

// This file holds the emulated device: its configuration and who may use it.

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san"
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

// String is the choice's name.
func (a Async) String() string { return asyncs[a] }

// DeviceConfig describes an emulated device. Its zero value is the default.
type DeviceConfig struct {
	Arch       string // "sm_90a"; "" is sm_90
	Memory     int64  // bytes that allocations may have in all; 0: half of what the process may use
	Workers    int    // CTAs executed at a time; 1 is deterministic; 0: GOMAXPROCS
	Seed       uint64 // permutes schedules; 0: CTAs and warps in ascending order
	Engine     Engine
	Async      Async
	Sanitize   Sanitize       // what is looked for while kernels run, slowly
	MaxReports int            // of sanitizers, per launch; 0: 20
	MaxSteps   uint64         // warp instructions per launch, then ErrStepLimit; 0: no limit
	MaxOutput  int64          // bytes of printf per launch; 0: 64 MiB
	Stdout     io.Writer      // printf, in whole messages, several a Write; nil discards
	Assume     string         // other positions of guesses about hardware: "U3=low,sfu-sqrt=nearest"; Assumptions lists them
	Progress   func(Progress) // called a few times a second during a launch, from another goroutine; may be nil
}

// Device is an emulated GPU with its own memory. It is safe for concurrent use, and
// several devices are independent.
type Device struct {
	cfg     DeviceConfig
	target  isa.Target
	sizes   machine.Target // of target
	machine *machine.Device
	shadow  *san.Memory // of buffers, under SanitizeInit
	arrays  namedArrays
	guesses assume.Set
	jit     *jit.Engine // nil: kernels are interpreted

	compileQuick, compileWhole, compileParts func(*machine.Code) // by jit, if there is one

	quickAfter, hotAfter, partsAfter uint32 // when code is compiled quickly, well, and for some lanes

	mu     sync.RWMutex // held for reading while the arena is in use, for writing by Close
	closed atomic.Bool
}

// defaultArch is the device that a nil DeviceConfig gives.
const defaultArch = "sm_90"

// defaultOutput bounds printf unless the configuration says otherwise.
const defaultOutput = 64 << 20

// NewDevice makes a device; nil is the default configuration.
func NewDevice(cfg *DeviceConfig) (*Device, error) {
	d := &Device{quickAfter: quickAfter, hotAfter: hotAfter, partsAfter: partsAfter}
	if cfg != nil {
		d.cfg = *cfg
	}
	if d.cfg.Arch == "" {
		d.cfg.Arch = defaultArch
	}
	if d.cfg.MaxOutput == 0 {
		d.cfg.MaxOutput = defaultOutput
	}
	if d.cfg.Memory == 0 {
		d.cfg.Memory = mem.DefaultLimit()
	}
	var err error
	if d.target, err = isa.ParseTarget(d.cfg.Arch); err != nil {
		return nil, fmt.Errorf("ptxvm: %w", err)
	}
	d.sizes = machine.TargetOf(d.target.Arch)
	if d.guesses, err = assume.Parse(d.cfg.Assume); err != nil {
		return nil, fmt.Errorf("ptxvm: assume: %w", err)
	}
	if d.cfg.Memory < 0 || d.cfg.Workers < 0 || d.cfg.MaxOutput < 0 || d.cfg.MaxReports < 0 {
		return nil, errors.New("ptxvm: a negative limit")
	}
	if int(d.cfg.Engine) >= len(engines) {
		return nil, fmt.Errorf("ptxvm: there is no engine %d", d.cfg.Engine)
	}
	if int(d.cfg.Async) >= len(asyncs) {
		return nil, fmt.Errorf("ptxvm: there is no choice %d of asynchrony", d.cfg.Async)
	}
	made, err := newJIT(d.cfg.Engine)
	if err != nil {
		return nil, err
	}
	d.compileBy(made)
	arena, err := mem.NewArena(uint64(d.cfg.Memory))
	if err != nil {
		return nil, fmt.Errorf("ptxvm: %w", err)
	}
	d.machine = machine.NewDevice(arena, d.cfg.Workers)
	if d.cfg.Sanitize&SanitizeInit != 0 {
		d.shadow = new(san.Memory)
	}
	return d, nil
}

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

// over tells whether the memory has ended, or will in a moment, with its device or alone.
func (l *lifetime) over() bool { return l.gone.Load() || l.d.closed.Load() }

// end runs f, which frees the memory, the first time that it is called.
func (l *lifetime) end(f func() error) error {
	if l.gone.Swap(true) {
		return nil
	}
	return l.d.use(f)
}

// Arch is the device's architecture, such as "sm_90".
func (d *Device) Arch() string { return d.target.String() }
