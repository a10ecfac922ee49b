package driver

// This file holds the driver: its devices, handles and the first error.

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/san/streams"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Host is what the surrounding process gives the driver.
type Host struct {
	Print func([]byte)              // kernels' printf, in the order of synchronisation; called by a thread that waits
	Error func(string)              // reports and warnings, whole lines
	Call  func(fn, argument uint64) // runs a host function of the program

	Origin func(address uint64) (Origin, bool) // of the allocation that begins there; nil where nothing is known

	Thread func() (id uint64, mode CaptureMode) // of the thread that calls; nil: there is one, in the mode CaptureGlobal
}

// Driver is the devices of one process.
type Driver struct {
	cfg      Config
	host     Host
	devices  []*device
	printed  printed
	reports  reports
	running  running
	past     passed
	unasked  unasked
	tallies  tallies
	launches launches
	chosen   chosen
	turns    turns
	keeper   keeper
	found    atomic.Uint64 // outcomes that were reported
	doing    atomic.Int64  // pieces of work in streams that have begun and are not over
	begun    atomic.Uint64 // all that ever began, and launches; a piece counts in doing first, so that none is missed in both

	toldStats atomic.Bool
	sticky    atomic.Int32 // Code that every call returns
	first     sync.Mutex   // held while the failure that becomes sticky is reported
	compiled  texts

	mu      sync.RWMutex
	memory  blocks
	pools   map[uint64]*poolUse
	handles map[uint64]any
	next    uint64         // handle
	order   sync.Mutex     // held while an item finds what it waits for
	races   *streams.Order // nil: those between streams are not looked for

	virtual virtual

	graphs     sync.Mutex            // of all graphs and captures
	conditions map[uint64]*condition // by their handles
	captures   atomic.Int32
	captureID  uint64
	active     []*capture

	objects sync.Map // number that kernels see → *texture, *surface
}

// device is one device with its default stream.
type device struct {
	d      *Driver
	number int
	vm     *vm.Device
	legacy *stream

	physical atomic.Uint64 // bytes of PhysicalCreate
	graphs   graphMemory

	mu      sync.Mutex // of streams
	streams map[*stream]bool
	left    streams.Past // blocking streams that have ended, for races between streams
}

// New makes the devices that a configuration asks for. The handles that it gives out begin at firstHandle, so
// that CUDA's small numbers with a meaning of their own stay free.
func New(cfg Config, host Host) (*Driver, error) {
	d := &Driver{cfg: cfg, host: host, handles: map[uint64]any{}, pools: map[uint64]*poolUse{}, next: firstHandle}
	var err error
	if d.reports, err = openReports(cfg.Report); err != nil || cfg.Devices == 0 {
		return d, err
	}
	vc := cfg.Device
	vc.HostPointers, vc.Stdout = true, &d.printed
	if cfg.Progress {
		vc.Progress = d.progress
	}
	if err = d.openLaunches(); err != nil {
		return nil, err
	}
	machines, err := vm.NewDevices(cfg.Devices, &vc)
	if err != nil {
		return nil, err
	}
	d.races = racesOf(machines[0], vc.Sanitize)
	for i, machine := range machines {
		dev := &device{d: d, number: i, vm: machine, streams: map[*stream]bool{}}
		dev.legacy = &stream{dev: dev, blocking: true, order: d.races.NewQueue()}
		dev.streams[dev.legacy] = true
		d.devices = append(d.devices, dev)
	}
	return d, nil
}

const firstHandle = 0x1000

// Devices is their number.
func (d *Driver) Devices() int { return len(d.devices) }

func (d *Driver) device(n int) (*device, Code) {
	switch {
	case len(d.devices) == 0:
		return nil, NoDevice
	case n < 0 || n >= len(d.devices):
		return nil, InvalidDevice
	}
	return d.devices[n], d.Sticky()
}

// Sticky is the error that the process has until its end.
func (d *Driver) Sticky() Code { return Code(d.sticky.Load()) }

// fail notes the outcome of work. The first that is sticky is printed, as are errors of launches: programs
// often drop them.
func (d *Driver) fail(err error, where string) Code {
	code, sticky := codeOf(err)
	if err == nil {
		return Success
	}
	report := func() {
		if counted(err) {
			d.found.Add(1)
		}
		text := d.detail(err) + where
		d.say(text)
		d.reports.write(code, text, err)
	}
	if sticky {
		d.stick(code, report)
	} else {
		report()
	}
	return code
}

// stick makes a code every later call's answer, unless one is already. The report comes first: a program that sees the code may end.
func (d *Driver) stick(code Code, report func()) {
	d.first.Lock()
	defer d.first.Unlock()
	if d.Sticky() == Success {
		report()
		d.sticky.Store(int32(code))
	}
}

// say prints a message for the user.
func (d *Driver) say(text string) {
	if !d.cfg.Quiet && d.host.Error != nil {
		d.host.Error("ptxvm: " + strings.TrimPrefix(text, "ptxvm: ") + "\n")
	}
}

// warn is say with a format.
func (d *Driver) warn(format string, args ...any) { d.say(fmt.Sprintf(format, args...)) }

// register gives out a handle.
func (d *Driver) register(v any) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.next
	d.next += 16
	d.handles[h] = v
	return h
}

// lookup finds what a handle stands for.
func lookup[T any](d *Driver, h uint64) (v T, ok bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	v, ok = d.handles[h].(T)
	return v, ok
}

// forget ends a handle, and returns what it stood for.
func forget[T any](d *Driver, h uint64) (v T, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v, ok = d.handles[h].(T); ok {
		delete(d.handles, h)
	}
	return v, ok
}

// Close waits for all work and gives the memory back.
func (d *Driver) Close() error {
	var first error
	for _, dev := range d.devices {
		dev.synchronize()
		if err := dev.vm.Close(); err != nil && first == nil {
			first = err
		}
	}
	d.flush()
	if d.reports.to != nil {
		first = errors.Join(first, d.reports.to.Close())
	}
	return first
}
