package ptxvm

// This file links modules, loads them and finds kernels.

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/lower"
)

// Program is one or several modules linked and loaded onto a device: module variables
// have addresses and initial values, kernels can be launched.
type Program struct {
	d       *Device
	module  *ir.Module
	image   *image
	decoder *decode.Decoder
	life    *lifetime // of the variables
	refs    []*ir.Var // of opaque types
	bound   sync.Map  // *ir.Var → Surface, Texture or Sampler: what Bind was told
	stdout  io.Writer // of the device, if the program can print
	rooms   sync.Map  // *ir.Func → *atomic.Pointer[launchRoom]: of its kernels' launches, when none runs

	warnings Diagnostics
}

// Warnings returns what may not be meant in the program: the warnings of its modules (Module.Warnings), and those about
// what a module that was loaded alone leaves to others.
func (p *Program) Warnings() Diagnostics { return p.warnings }

// Load links modules (.extern, .visible, .weak, .common; 11.6), allocates their variables
// and writes initial values. The error is a Diagnostics, or ErrOutOfMemory.
func (d *Device) Load(modules ...*Module) (*Program, error) {
	if len(modules) == 0 {
		return nil, fmt.Errorf("ptxvm: Load needs a module")
	}
	if alone := modules[0].info.Alone; len(modules) == 1 && alone.HasErrors() {
		return nil, alone
	}
	units := make([]*ir.Module, len(modules))
	var warnings Diagnostics
	for i, m := range modules {
		warnings = append(warnings, m.warnings...)
		if err := d.runs(m); err != nil {
			return nil, err
		}
		// Linking changes its input, and a module may be loaded many times: lower it anew.
		var err error
		if units[i], err = lower.Module(m.info, lower.Options{}); err != nil {
			return nil, err
		}
	}
	linked, diags := lower.Link(units, decode.Provided)
	if diags.HasErrors() {
		return nil, diags
	}
	if len(modules) == 1 {
		warnings = append(warnings, modules[0].info.Alone...)
	}
	p := &Program{d: d, module: linked, life: &lifetime{d: d}, warnings: append(warnings, diags...)}
	err := d.use(func() (err error) {
		p.image, err = newImage(d.machine, linked)
		return err
	})
	if err != nil {
		return nil, d.outOfMemory(err, variableBytes(linked))
	}
	p.decoder = decode.New(linked, p.image)
	if decode.Prints(linked) {
		p.stdout = d.cfg.Stdout
	}
	p.refs = slices.DeleteFunc(slices.Clone(linked.Vars), func(v *ir.Var) bool { return !isReference(v) })
	return p, nil
}

// variableBytes is what a module's variables take.
func variableBytes(m *ir.Module) (n int) {
	for _, v := range m.Vars {
		if inArena(v) && !isReference(v) {
			n += int(v.Size)
		}
	}
	return n
}

// runs tells whether the device can run a module: its architecture must not be older than
// the module's target, and an architecture-specific target runs on that one alone.
func (d *Device) runs(m *Module) error {
	want := m.info.Target
	if d.target.Runs(want) {
		return nil
	}
	return fmt.Errorf("ptxvm: %s is for %v; the device is %v (DeviceConfig.Arch, --arch)", m.name, want, d.target)
}

// Unload frees the program's variables. It is idempotent.
func (p *Program) Unload() error {
	return p.life.end(func() error { return p.image.free(p.d.machine) })
}

// alive returns ErrClosed once the program is unloaded or its device closed.
func (p *Program) alive() error {
	if p.life.over() {
		return ErrClosed
	}
	return nil
}

// Global returns the memory of a module variable in .global or .const space.
func (p *Program) Global(name string) (Buffer, error) {
	if err := p.alive(); err != nil {
		return Buffer{}, err
	}
	v := p.module.Var(name)
	switch {
	case v != nil && isReference(v):
		return Buffer{}, fmt.Errorf("ptxvm: %s is a reference to a %v and has no memory; see Program.Bind", name, handleKind(v))
	case v == nil || (v.Space != ir.SpaceGlobal && v.Space != ir.SpaceConst):
		return Buffer{}, fmt.Errorf("ptxvm: no .global or .const variable is called %q", name)
	}
	return Buffer{of: p.life, addr: p.image.vars[v], size: int(v.Size)}, nil
}

// Kernels describes the kernels in written order.
func (p *Program) Kernels() []KernelInfo { return kernels(p.module) }

// Kernel finds a kernel by its symbol or as C++ writes it, as far as that is unique: ns::axpy<float>(float*, int), with or
// without parameters, template arguments and scopes. Blanks and a result type do not count; "" finds the only kernel there is.
func (p *Program) Kernel(name string) (*Kernel, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	infos := p.Kernels()
	i, err := findKernel(name, infos)
	if err != nil {
		return nil, fmt.Errorf("ptxvm: %w", err)
	}
	return p.kernel(infos[i]), nil
}

// findKernel is the index of the kernel that a name means; "" means the only one.
func findKernel(name string, infos []KernelInfo) (int, error) {
	names := make([]kernelname.Kernel, len(infos))
	for i, k := range infos {
		names[i] = kernelName(k)
	}
	switch {
	case name != "":
		return kernelname.Find(name, names)
	case len(infos) == 0:
		return -1, errors.New("the program has no kernel (.entry)")
	case len(infos) > 1:
		return -1, fmt.Errorf("the program has %d kernels; name one of %s", len(infos), kernelname.List(names))
	}
	return 0, nil
}

func (p *Program) kernel(info KernelInfo) *Kernel {
	k := &Kernel{program: p, info: info, fn: p.module.Func(info.Name)}
	spare, _ := p.rooms.LoadOrStore(k.fn, new(atomic.Pointer[launchRoom]))
	k.spare = spare.(*atomic.Pointer[launchRoom])
	return k
}
