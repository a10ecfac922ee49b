package vm

// This file captures launches in folders, and gives devices the memory of captured ones.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san"
)

// defaultCapture bounds captures unless the configuration says otherwise.
const defaultCapture = 1 << 30

// capture writes a launch, before it runs, with the memory of its device.
func (k *Kernel) capture(c *call, state *launchState) (*Snapshot, error) {
	s, err := TakeSnapshot(k, c.Launch, state.params)
	if err == nil {
		err = s.Write(c.Capture)
	}
	if err != nil {
		return nil, fmt.Errorf("ptxvm: the launch of %s is not captured in %s, and has not begun: %w", k.info.Demangled, c.Capture, err)
	}
	return s, nil
}

// Snapshot is a launch that has not begun, with the memory of its device, for the folder of a capture.
//
//face:inside
type Snapshot struct {
	// Owner, if it is not nil, says who made the allocation that begins at an address; "": not known.
	Owner  func(addr uint64) string
	d      *Device
	folder *capture.Folder
}

// TakeSnapshot describes a launch with the bytes of all parameters (LaunchBlock). Memory is read later, by Hold or Write.
//
//face:inside
func TakeSnapshot(k *Kernel, l Launch, params []byte) (s *Snapshot, err error) {
	p := k.program
	s = &Snapshot{d: p.d, folder: &capture.Folder{Options: k.options(l, params)}}
	return s, p.d.use(func() error {
		if err := p.capturable(); err != nil {
			return err
		}
		for _, m := range p.sources {
			s.folder.Modules = append(s.folder.Modules, m.info.File.Source.Text)
		}
		p.bindReferences()
		if err := p.rememberHandles(&s.folder.Memory); err != nil {
			return err
		}
		p.remember(s.folder)
		return nil
	})
}

// Beside names kernels that run meanwhile.
func (s *Snapshot) Beside(kernels []string) { s.folder.Memory.Beside = kernels }

// Hold copies the memory, so that Write gives it as it is now. room is memory for that, which the caller gets back, perhaps a
// larger one, for a snapshot after this one. There may be at most DeviceConfig.CaptureMax bytes, less those of other snapshots.
func (s *Snapshot) Hold(room []byte, others uint64) (used []byte, err error) {
	err = s.d.use(func() (err error) {
		used, err = s.folder.Hold(uint64(s.d.cfg.CaptureMax)-others, room)
		return limitedCapture(err)
	})
	return used, err
}

// Write writes the folder dir, which must not exist or be empty.
func (s *Snapshot) Write(dir string) error {
	return s.d.use(func() error {
		for i := range s.folder.Memory.Allocations {
			a := &s.folder.Memory.Allocations[i]
			if s.Owner != nil && a.Label == "" {
				a.Owner = s.Owner(uint64(a.Address))
			}
		}
		return limitedCapture(capture.Write(dir, s.folder, uint64(s.d.cfg.CaptureMax)))
	})
}

// WriteAfter notes in a folder that Write has made what the launch, which is over and ran to its end, has left. It notes nothing where
// alone, asked once memory has been read, tells that something else may have written there; nil: nothing can have.
func (s *Snapshot) WriteAfter(dir string, alone func() bool) error {
	return s.d.use(func() error {
		digest, err := s.folder.Digest()
		if err != nil || s.allocated() {
			return nil // some of the memory has been freed meanwhile, or there are pointers to more
		}
		if alone != nil && !alone() {
			return nil
		}
		return capture.WriteAfter(dir, fmt.Sprintf("%x", digest))
	})
}

// allocated reports whether kernels have left memory that the snapshot does not have: another run may have it elsewhere.
func (s *Snapshot) allocated() bool {
	for _, a := range s.d.machine.Arena.Heap() {
		_, found := slices.BinarySearchFunc(s.folder.Memory.Allocations, a.Start, func(k capture.Allocation, at uint64) int {
			return cmp.Compare(uint64(k.Address), at)
		})
		if !found {
			return true
		}
	}
	return false
}

// replayed compares what the first launch of a restored device has left with what the captured one had.
func (d *Device) replayed() Replay {
	d.placing.Lock()
	defer d.placing.Unlock()
	want, m := d.after, d.restored
	d.after, d.restored = "", nil
	if want == "" {
		return ReplayUnknown
	}
	folder := &capture.Folder{Memory: *m}
	d.readBy(folder)
	have, err := folder.Digest()
	switch {
	case err != nil:
		return ReplayUnknown
	case fmt.Sprintf("%x", have) == want:
		return ReplaySame
	}
	return ReplayDiffers
}

// limitedCapture says what the limit is called.
func limitedCapture(err error) error {
	if errors.Is(err, capture.ErrTooLarge) {
		return fmt.Errorf("%w (--capture-max, DeviceConfig.CaptureMax)", err)
	}
	return err
}

// capturable says what of the device a capture cannot keep.
func (p *Program) capturable() error {
	if p.d.machine.Arena.Fabric() {
		return errors.New("captures hold no multicast ranges and endpoints")
	}
	return nil
}

// remember puts the device's memory into a folder.
func (p *Program) remember(f *capture.Folder) {
	arena := p.d.machine.Arena
	f.Memory.Base = capture.Address(arena.First())
	for _, a := range arena.Live() {
		if !a.Internal {
			f.Memory.Allocations = append(f.Memory.Allocations, capture.Allocation{
				Address: capture.Address(a.Start), Size: a.End - a.Start, Space: spaceOf(&a.Info), Device: a.Device, Label: a.Label,
				Unwritten: runsOf(p.d.shadow.Unwritten(san.Set(p.d.cfg.Sanitize), a.Start, a.End-a.Start), a.Start),
			})
		}
	}
	for _, v := range p.module.Vars {
		kept := capture.Variable{Name: v.Name, Address: capture.Address(p.image.vars[v]), Size: uint64(v.Size)}
		switch {
		case !inArena(v) && v.Space != ir.SpaceTex:
		case isReference(v):
			kept.Size = uint64(references(v)) * mem.ImageStep
			f.Memory.References = append(f.Memory.References, kept)
		default:
			f.Memory.Variables = append(f.Memory.Variables, kept)
		}
	}
	p.d.readBy(f)
}

// readBy lets a folder read the device's memory.
func (d *Device) readBy(f *capture.Folder) {
	arena := d.machine.Arena
	f.Touched = func(i int) []capture.Run {
		a := &f.Memory.Allocations[i]
		return runsOf(arena.Touched(uint64(a.Address), a.Size), uint64(a.Address))
	}
	f.Bytes = func(i int) ([]byte, error) {
		a := &f.Memory.Allocations[i]
		data := arena.Bytes(uint64(a.Address), a.Size)
		if data == nil {
			return nil, fmt.Errorf("%w: the allocation at %#x has ended meanwhile", ErrClosed, uint64(a.Address))
		}
		return data, nil
	}
}

// runsOf are parts of memory, as address and size, within the allocation that starts at an address.
func runsOf(parts [][2]uint64, start uint64) (runs []capture.Run) {
	for _, p := range parts {
		runs = append(runs, capture.Run{Offset: p[0] - start, Size: p[1]})
	}
	return runs
}

// spaceOf is what kind of memory an allocation is.
func spaceOf(i *mem.Info) string {
	switch {
	case i.Adopted:
		return capture.Host
	case i.ReadOnly:
		return capture.Constant
	case i.Heap:
		return capture.Heap
	case i.Host:
		return capture.Managed
	}
	return capture.Device
}

// infoOf is the opposite of spaceOf. Managed memory is the device's alone in a replay: no program reaches it there.
func infoOf(a *capture.Allocation) mem.Info {
	return mem.Info{Label: a.Label, ReadOnly: a.Space == capture.Constant, Heap: a.Space == capture.Heap}
}

// options are those of run for a launch.
func (k *Kernel) options(l Launch, params []byte) (list []capture.Option) {
	add := func(name, value string) { list = append(list, capture.Option{Name: "--" + name, Value: value}) }
	cfg := &k.program.d.cfg
	add("restore", ".")
	add("kernel", k.info.Name)
	for _, e := range []struct {
		name   string
		extent Dim3
	}{{"grid", l.Grid}, {"block", l.Block}, {"cluster", l.Cluster}} {
		if e.extent != (Dim3{}) {
			add(e.name, e.extent.String())
		}
	}
	add("shared", strconv.Itoa(l.Shared))
	for _, p := range k.info.Params {
		add("arg", fmt.Sprintf("bytes:0x%x", params[p.Offset:][:p.Size]))
	}
	add("arch", k.program.arch())
	add("engine", cfg.Engine.String())
	add("async", cfg.Async.String())
	add("schedule", cfg.Schedule.String())
	if cfg.Seed != 0 {
		add("seed", strconv.FormatUint(cfg.Seed, 10))
	}
	if cfg.MaxSteps != 0 {
		add("max-steps", strconv.FormatUint(cfg.MaxSteps, 10))
	}
	if cfg.Assume != "" {
		add("assume", cfg.Assume)
	}
	if cfg.Deterministic {
		add("deterministic", "")
	}
	return list
}

// arch is the device's architecture, with a suffix if a module has one: such a module is compiled for no plain one (11.1.2).
func (p *Program) arch() string {
	device := p.d.target
	for _, m := range p.sources {
		if m.info.Target.Suffix != 0 {
			device.Suffix = 'a'
		}
	}
	return device.String()
}

// kept is the memory that the n devices of a configuration begin with; empty without DeviceConfig.Restore.
func (s *deviceSetup) kept(n int) (*capture.Memory, error) {
	switch c := &s.cfg; {
	case c.Restore == "":
		return &capture.Memory{}, nil
	case n != 1 || c.HostPointers:
		return nil, errors.New("ptxvm: a captured launch is restored on one device, with addresses of its own")
	}
	m, err := capture.Open(s.cfg.Restore, uint64(s.cfg.Memory))
	switch {
	case errors.Is(err, capture.ErrTooLarge):
		err = fmt.Errorf("%w (--memory, DeviceConfig.Memory)", err)
	case err == nil && !mem.IsBase(uint64(m.Base)):
		err = fmt.Errorf("no device's memory begins at %#x", uint64(m.Base))
	}
	if err != nil {
		return nil, fmt.Errorf("ptxvm: the captured launch cannot be restored: %w", err)
	}
	return m, nil
}

// foreign are the places of a capture's memory of the host.
func foreign(m *capture.Memory) (list []mem.Range) {
	for i := range m.Allocations {
		if a := &m.Allocations[i]; a.Space == capture.Host {
			list = append(list, mem.Range{Start: uint64(a.Address), Size: a.Size})
		}
	}
	return list
}

// restore makes the allocations of a captured launch.
func (d *Device) restore(m *capture.Memory) error {
	if d.cfg.Restore == "" {
		return nil
	}
	for i := range m.Allocations {
		a, put := &m.Allocations[i], d.machine.Arena.AllocAt
		if a.Space == capture.Host {
			put = d.machine.Arena.AdoptAt
		}
		if err := put(uint64(a.Address), a.Size, infoOf(a)); err != nil {
			return fmt.Errorf("ptxvm: the captured launch cannot be restored: allocation %d: %w", i, err)
		}
	}
	d.placed = map[string]capture.Variable{}
	for _, v := range slices.Concat(m.Variables, m.References) {
		d.placed[v.Name] = v
	}
	var err error
	if d.after, err = capture.After(d.cfg.Restore); err != nil {
		return fmt.Errorf("ptxvm: the captured launch cannot be restored: %w", err)
	}
	d.restored = m
	err = m.Load(d.cfg.Restore, func(a *capture.Allocation) (io.WriterAt, error) {
		return d.At(uint64(a.Address), int(a.Size))
	})
	if err == nil {
		err = d.restoreHandles(m)
	}
	if err != nil {
		return fmt.Errorf("ptxvm: the captured launch cannot be restored: %w", err)
	}
	for i := range m.Allocations {
		a := &m.Allocations[i]
		var unwritten [][2]uint64
		for _, r := range a.Unwritten {
			unwritten = append(unwritten, [2]uint64{uint64(a.Address) + r.Offset, r.Size})
		}
		d.shadow.Begin(uint64(a.Address), a.Size, unwritten)
	}
	return nil
}

// takePlaced gives the restored variables to the first program that asks.
func (d *Device) takePlaced() map[string]capture.Variable {
	d.placing.Lock()
	defer d.placing.Unlock()
	placed := d.placed
	d.placed = nil
	return placed
}

// find takes the variables that lie somewhere already, and the references that have handles.
func (img *image) find(d *host.Device, m *ir.Module, placed map[string]capture.Variable) error {
	for _, v := range m.Vars {
		at, found := placed[v.Name]
		size := uint64(v.Size)
		switch {
		case !found:
			continue
		case isReference(v):
			size = uint64(references(v)) * mem.ImageStep
		case !inArena(v):
			continue
		}
		if at.Size != size {
			return fmt.Errorf("ptxvm: variable %s has %d bytes, in the captured launch %d", v.Name, size, at.Size)
		}
		if isReference(v) && !d.Names(uint64(at.Address), handleKind(v), references(v)) || !isReference(v) && mem.InImages(uint64(at.Address)) {
			return fmt.Errorf("ptxvm: variable %s is a %v, in the captured launch at %#x something else", v.Name, v.Type, uint64(at.Address))
		}
		img.vars[v] = uint64(at.Address)
	}
	return nil
}
