package vm

// This file captures launches in folders, and gives devices the memory of captured ones.

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// defaultCapture bounds captures unless the configuration says otherwise.
const defaultCapture = 1 << 30

// capture writes a launch, before it runs, with the memory of its device.
func (k *Kernel) capture(c *call, state *launchState) error {
	p := k.program
	err := p.d.use(func() error {
		if err := p.capturable(); err != nil {
			return err
		}
		folder := &capture.Folder{Options: k.captured(c, state.params)}
		for _, m := range p.sources {
			folder.Modules = append(folder.Modules, m.info.File.Source.Text)
		}
		p.remember(folder)
		return capture.Write(c.Capture, folder, uint64(p.d.cfg.CaptureMax))
	})
	if err != nil {
		return fmt.Errorf("ptxvm: the launch of %s is not captured in %s, and has not begun: %w", k.info.Demangled, c.Capture, err)
	}
	return nil
}

// capturable says what of the device a capture cannot keep.
func (p *Program) capturable() error {
	switch d := p.d; {
	case !d.machine.None():
		return errors.New("captures hold no surfaces, textures and samplers so far")
	case !d.machine.Arena.Single():
		return errors.New("captures hold neither several devices nor multicast ranges and endpoints")
	}
	for _, a := range p.d.machine.Arena.Live() {
		if a.Adopted {
			return fmt.Errorf("captures hold no memory of the host so far, and the device uses %d bytes of it at %#x", a.End-a.Start, a.Start)
		}
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
				Address: capture.Address(a.Start), Size: a.End - a.Start, Space: spaceOf(&a.Info), Owner: a.Label,
			})
		}
	}
	for _, v := range p.module.Vars {
		if inArena(v) && !isReference(v) {
			f.Memory.Variables = append(f.Memory.Variables, capture.Variable{
				Name: v.Name, Address: capture.Address(p.image.vars[v]), Size: uint64(v.Size),
			})
		}
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

// spaceOf is what kind of memory an allocation is.
func spaceOf(i *mem.Info) string {
	switch {
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
	return mem.Info{Label: a.Owner, ReadOnly: a.Space == capture.Constant, Heap: a.Space == capture.Heap}
}

// captured are the options of run for a launch.
func (k *Kernel) captured(c *call, params []byte) (list []capture.Option) {
	add := func(name, value string) { list = append(list, capture.Option{Name: "--" + name, Value: value}) }
	cfg := &k.program.d.cfg
	add("restore", ".")
	add("kernel", k.info.Name)
	for _, e := range []struct {
		name   string
		extent Dim3
	}{{"grid", c.Grid}, {"block", c.Block}, {"cluster", c.Cluster}} {
		if e.extent != (Dim3{}) {
			add(e.name, e.extent.String())
		}
	}
	add("shared", strconv.Itoa(c.Shared))
	for _, p := range k.info.Params {
		add("arg", fmt.Sprintf("bytes:0x%x", params[p.Offset:][:p.Size]))
	}
	add("arch", k.program.d.Arch())
	add("engine", cfg.Engine.String())
	add("async", cfg.Async.String())
	add("schedule", cfg.Schedule.String())
	if cfg.Seed != 0 {
		add("seed", strconv.FormatUint(cfg.Seed, 10))
	}
	if cfg.Assume != "" {
		add("assume", cfg.Assume)
	}
	if cfg.Deterministic {
		add("deterministic", "")
	}
	return list
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

// restore makes the allocations of a captured launch.
func (d *Device) restore(m *capture.Memory) error {
	if d.cfg.Restore == "" {
		return nil
	}
	for i := range m.Allocations {
		a := &m.Allocations[i]
		if err := d.machine.Arena.AllocAt(uint64(a.Address), a.Size, infoOf(a)); err != nil {
			return fmt.Errorf("ptxvm: the captured launch cannot be restored: allocation %d: %w", i, err)
		}
		d.shadow.Track(uint64(a.Address), a.Size)
		d.shadow.Written(uint64(a.Address), a.Size)
	}
	d.placed = map[string]capture.Variable{}
	for _, v := range m.Variables {
		d.placed[v.Name] = v
	}
	err := m.Load(d.cfg.Restore, func(a *capture.Allocation) (io.WriterAt, error) {
		return d.At(uint64(a.Address), int(a.Size))
	})
	if err != nil {
		return fmt.Errorf("ptxvm: the captured launch cannot be restored: %w", err)
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

// find takes the variables that lie somewhere already.
func (img *image) find(m *ir.Module, placed map[string]capture.Variable) error {
	for _, v := range m.Vars {
		at, found := placed[v.Name]
		if !found || !inArena(v) || isReference(v) {
			continue
		}
		if at.Size != uint64(v.Size) {
			return fmt.Errorf("ptxvm: variable %s has %d bytes, in the captured launch %d", v.Name, v.Size, at.Size)
		}
		img.vars[v] = uint64(at.Address)
	}
	return nil
}
