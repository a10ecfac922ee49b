package driver

// This file loads modules: PTX text, fat binaries, cubins that carry PTX, and several of them linked.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/fatbin"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// module is linked PTX. It is loaded onto each device that uses it, when it does.
type module struct {
	d     *Driver
	parts []*vm.Module
	mu    sync.Mutex
	on    []*vm.Program     // by device; nil: not loaded
	self  uint64            // handle
	owner atomic.Uint64     // the context that it was loaded into; 0: it is a library, which all have
	found map[string]uint64 // handles of functions that were asked for
}

// Image reads the module at an address as programs pass it: a fat binary or cubin, whose headers say how long it
// is, or PTX up to its NUL.
func Image(addr uint64) ([]byte, error) {
	switch head := hostBytes(addr, 4); {
	case fatbin.IsFatbin(head):
		size, err := fatbin.Size([16]byte(hostBytes(addr, 16)))
		if err != nil || size > fatbin.DefaultLimit {
			return nil, fmt.Errorf("a fat binary of %d bytes: %w", size, err)
		}
		return hostBytes(addr, size), nil
	case fatbin.IsELF(head):
		return hostBytes(addr, elfSize(hostBytes(addr, elfHeader))), nil
	}
	return hostText(addr), nil
}

const elfHeader = 64

// elfSize is the length of an ELF file whose section headers lie at its end, or whose program headers do.
func elfSize(h []byte) uint64 {
	le := binary.LittleEndian
	sections := le.Uint64(h[40:]) + uint64(le.Uint16(h[58:]))*uint64(le.Uint16(h[60:]))
	segments := le.Uint64(h[32:]) + uint64(le.Uint16(h[54:]))*uint64(le.Uint16(h[56:]))
	return max(sections, segments, elfHeader)
}

// Load reads modules and links them. The log is what is wrong, for people.
func (d *Driver) Load(images [][]byte) (h uint64, log string, code Code) {
	return d.LoadFrom(images, Holder{})
}

// Own makes a module one of a context: its kernels are launched while that is current.
func (d *Driver) Own(h, context uint64) Code {
	m, ok := lookup[*module](d, h)
	if !ok {
		return InvalidHandle
	}
	m.owner.Store(context)
	return Success
}

// Holder is what holds the images of a module, if that is known: a file, and what there is to say if it has no PTX.
type Holder struct{ File, Without string }

// LoadFrom is Load of what lies in a file.
func (d *Driver) LoadFrom(images [][]byte, from Holder) (h uint64, log string, code Code) {
	defer d.defect(&code)
	v, code := d.device(0)
	if code != Success {
		return 0, "", code
	}
	m := &module{d: d, on: make([]*vm.Program, len(d.devices)), found: map[string]uint64{}}
	none := &fatbin.NoMatchError{Device: isa.MustTarget(v.vm.Arch())}
	for _, image := range images {
		part, err := d.part(image)
		var without *fatbin.NoMatchError
		switch {
		case errors.As(err, &without) && len(without.Newer) == 0:
			none.Code = append(none.Code, without.Code...) // as that of the device runtime may be
			none.LTO = append(none.LTO, without.LTO...)
			continue
		case err != nil:
			return d.refused(err, from)
		}
		m.parts = append(m.parts, part)
	}
	if len(m.parts) == 0 {
		return d.refused(none, from)
	}
	m.self = d.register(m)
	return m.self, "", Success
}

// refused says why a module cannot be loaded.
func (d *Driver) refused(err error, from Holder) (uint64, string, Code) {
	var list vm.Diagnostics
	var without *fatbin.NoMatchError
	code, text := InvalidImage, err.Error()
	switch {
	case errors.As(err, &list):
		var b strings.Builder
		_ = diag.WriteText(&b, list, diag.TextOptions{})
		code, text = InvalidPTX, strings.TrimRight(b.String(), "\n")
	case errors.As(err, new(*vm.CompilingError)):
		d.found.Add(1)
		code, _ = codeOf(err)
	case errors.As(err, &without) && len(without.Newer) == 0 && from.Without != "":
		code, text = NoBinary, from.Without
	case errors.Is(err, fatbin.ErrNoPTX):
		code, text = NoBinary, cmp.Or(from.File, "the program")+" cannot run here: "+text
	}
	d.say(text)
	d.reports.write(code, text, err)
	return 0, text, code
}

// part compiles one image.
func (d *Driver) part(image []byte) (*vm.Module, error) {
	name, text := "module.ptx", image
	if fatbin.IsFatbin(image) || fatbin.IsELF(image) {
		units, err := fatbin.Read(image, 0)
		if err != nil {
			return nil, err
		}
		chosen, err := choose(units, isa.MustTarget(d.devices[0].vm.Arch()))
		if err != nil {
			return nil, err
		}
		if text = chosen.PTX; chosen.Name != "" {
			name = chosen.Name + ".ptx"
		}
	}
	m, err := d.compile(name, bytes.Clone(text))
	if err != nil {
		return nil, err
	}
	device := isa.MustTarget(d.devices[0].vm.Arch())
	if target := isa.MustTarget(m.Target()); !device.Runs(target) {
		return nil, &fatbin.NoMatchError{Device: device, Newer: []isa.Target{target}}
	}
	return m, nil
}

// choose takes the PTX of the unit that has one.
func choose(units []fatbin.Unit, device isa.Target) (fatbin.Text, error) {
	var first error = &fatbin.NoMatchError{Device: device}
	for i := range units {
		text, err := units[i].Choose(device)
		if err == nil {
			return text, nil
		}
		if i == 0 {
			first = err
		}
	}
	return fatbin.Text{}, first
}

// compile compiles PTX; the same text twice gives the same module.
func (d *Driver) compile(name string, text []byte) (*vm.Module, error) {
	key := sha256.Sum256(text)
	if m := d.compiled.find(key); m != nil {
		return m, nil
	}
	ctx, cancel := d.limited()
	defer cancel()
	m, err := vm.CompileContext(ctx, name, text, d.cfg.Device.Memory, nil)
	if err != nil {
		return nil, err
	}
	d.compiled.keep(key, m)
	return m, nil
}

// arch is the architecture that the PTX is for.
func (m *module) arch() (newest int) {
	for _, p := range m.parts {
		newest = max(newest, isa.MustTarget(p.Target()).Arch)
	}
	return newest
}

// program loads the module onto a device, the first time.
func (m *module) program(dev *device) (*vm.Program, Code) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.on[dev.number]; p != nil {
		return p, Success
	}
	ctx, cancel := m.d.limited()
	defer cancel()
	p, err := dev.vm.LoadContext(ctx, m.parts...)
	if err != nil {
		_, _, code := m.d.refused(err, Holder{})
		if c, _ := codeOf(err); c == OutOfMemory {
			code = c
		}
		return nil, code
	}
	m.on[dev.number] = p
	m.d.addVariables(p, dev.number)
	return p, Success
}

// addVariables makes a program's variables known by their addresses.
func (d *Driver) addVariables(p *vm.Program, dev int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, v := range p.Globals() {
		if b, err := p.Global(v.Name); err == nil && b.Len() > 0 {
			kind := MemoryDevice
			if v.Managed {
				kind = MemoryManaged
			}
			d.memory.add(&Block{Start: b.Addr(), Size: uint64(b.Len()), Device: dev, Kind: kind, variable: true})
		}
	}
}

// end unloads a program whose launches are over.
func (m *module) end(p *vm.Program) {
	m.d.mu.Lock()
	for _, v := range p.Globals() {
		if b, err := p.Global(v.Name); err == nil {
			m.d.memory.take(b.Addr(), func(b *Block) bool { return b.variable })
		}
	}
	m.d.mu.Unlock()
	_ = p.Unload()
}

// Unload ends a module.
func (d *Driver) Unload(h uint64) (code Code) {
	defer d.defect(&code)
	m, ok := forget[*module](d, h)
	if !ok {
		return InvalidHandle
	}
	for _, dev := range d.devices {
		dev.synchronize()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.found {
		forget[*function](d, f)
	}
	for _, p := range m.on {
		if p != nil {
			m.end(p)
		}
	}
	return d.Sticky()
}

// Function finds a kernel of a module; the same one twice has one handle.
func (d *Driver) Function(dev int, h uint64, name string) (f uint64, code Code) {
	defer d.defect(&code)
	m, infos, code := d.kernels(dev, h)
	if code != Success {
		return 0, code
	}
	i := slices.IndexFunc(infos, func(k vm.KernelInfo) bool { return k.Name == name })
	if i < 0 {
		return 0, NotFound
	}
	return m.function(infos[i]), Success
}

// FunctionAt is the i-th kernel of a module; NotFound behind the last.
func (d *Driver) FunctionAt(dev int, h uint64, i int) (f uint64, code Code) {
	defer d.defect(&code)
	m, infos, code := d.kernels(dev, h)
	if code != Success {
		return 0, code
	}
	if i < 0 || i >= len(infos) {
		return 0, NotFound
	}
	return m.function(infos[i]), Success
}

// FunctionModule is the module that a function is of.
func (d *Driver) FunctionModule(fn uint64) (h uint64, code Code) {
	f, ok := lookup[*function](d, fn)
	if !ok {
		return 0, InvalidHandle
	}
	return f.m.self, Success
}

// program finds a module, and its program on a device.
func (d *Driver) program(dev int, h uint64) (*module, *vm.Program, Code) {
	v, code := d.device(dev)
	if code != Success {
		return nil, nil, code
	}
	m, ok := lookup[*module](d, h)
	if !ok {
		return nil, nil, InvalidHandle
	}
	p, code := m.program(v)
	return m, p, code
}

// kernels lists the kernels of a module, which it loads onto a device.
func (d *Driver) kernels(dev int, h uint64) (*module, []vm.KernelInfo, Code) {
	m, p, code := d.program(dev, h)
	if code != Success {
		return nil, nil, code
	}
	return m, p.Kernels(), Success
}

// function gives a kernel its handle, the first time.
func (m *module) function(info vm.KernelInfo) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.found[info.Name]
	if !ok {
		h = m.d.register(newFunction(m, info, len(m.on)))
		m.found[info.Name] = h
	}
	return h
}

// Managed finds a variable of a module that the host may access, too.
func (d *Driver) Managed(dev int, h uint64, name string) (addr, size uint64, code Code) {
	defer d.defect(&code)
	_, p, code := d.program(dev, h)
	if code != Success {
		return 0, 0, code
	}
	if !slices.ContainsFunc(p.Globals(), func(v vm.VarInfo) bool { return v.Name == name && v.Managed }) {
		return 0, 0, NotFound
	}
	return variable(p, name)
}

// Variable finds a variable of a module.
func (d *Driver) Variable(dev int, h uint64, name string) (addr, size uint64, code Code) {
	defer d.defect(&code)
	_, p, code := d.program(dev, h)
	if code != Success {
		return 0, 0, code
	}
	return variable(p, name)
}

func variable(p *vm.Program, name string) (addr, size uint64, code Code) {
	b, err := p.Global(name)
	if err != nil {
		return 0, 0, NotFound
	}
	return b.Addr(), uint64(b.Len()), Success
}
