package vm

// This file links modules and loads them: it gives variables and functions their addresses, binds references to
// textures and surfaces, and finds kernels.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/lower"
	"ptxvm.invalid/ptxvm/internal/machine/images"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/quota"
	"ptxvm.invalid/ptxvm/internal/tex"
)

// Program is one or several modules linked and loaded onto a device: module variables
// have addresses and initial values, kernels can be launched.
type Program struct {
	d       *Device
	sources []*Module
	module  *ir.Module
	image   *image
	decoder *decode.Decoder
	life    *lifetime // of the variables
	refs    []*ir.Var // of opaque types
	bound   sync.Map  // *ir.Var → Surface, Texture or Sampler: what Bind was told
	stdout  io.Writer // of the device, if the program can print
	rooms   sync.Map  // *ir.Func → *atomic.Pointer[launchState]: of its kernels' launches, when none runs

	warnings Diagnostics

	running atomic.Int64 // launches: compiled code is theirs until the last one ends
}

// Warnings returns what may not be meant in the program: the warnings of its modules (Module.Warnings), and those about
// what a module that was loaded alone leaves to others.
func (p *Program) Warnings() Diagnostics { return p.warnings }

// Load links modules (.extern, .visible, .weak, .common; 11.6), allocates their variables
// and writes initial values. The error is a Diagnostics, or has ErrOutOfMemory in it.
func (d *Device) Load(modules ...*Module) (*Program, error) {
	return d.LoadContext(context.Background(), modules...)
}

// LoadContext is Load that ends, with a *CompilingError, when the context does.
func (d *Device) LoadContext(ctx context.Context, modules ...*Module) (p *Program, err error) {
	defer limited(&err)
	return d.load(newQuota(ctx, d.cfg.Memory), modules)
}

func (d *Device) load(q *quota.Quota, modules []*Module) (*Program, error) {
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
		if units[i], err = lower.Module(m.info, lower.Options{Quota: q, OneRowEach: d.tuning.OneRowEach}); err != nil {
			return nil, err
		}
	}
	linked, diags := lower.LinkWithin(q, units, decode.Provided)
	if diags.HasErrors() {
		return nil, diags
	}
	if len(modules) == 1 {
		warnings = append(warnings, modules[0].info.Alone...)
	}
	p := &Program{d: d, sources: modules, module: linked, life: &lifetime{d: d}, warnings: append(warnings, diags...)}
	placed := d.takePlaced()
	err := d.use(func() (err error) {
		p.image, err = newImage(d.machine, linked, d.cfg.HostPointers, placed)
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
	p.bindPlaced(placed)
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

// runs reports whether the device can run a module: its architecture must not be older than
// the module's target, and an architecture-specific target runs on that one alone.
func (d *Device) runs(m *Module) error {
	want := m.info.Target
	if d.target.Runs(want) {
		return nil
	}
	return fmt.Errorf("ptxvm: %s is for %v; the device is %v (DeviceConfig.Arch, --arch)", m.name, want, d.target)
}

// Unload frees the program's variables, and its compiled code, which launches that run still keep to their end. It is idempotent.
func (p *Program) Unload() error {
	return errors.Join(p.life.end(func() error { return p.image.free(p.d.machine) }), p.forget())
}

// forget gives compiled code back when the program has ended and runs no more. Since a launch counts itself before it looks
// whether the program has ended, and Unload ends it before it looks at the count, one of them sees the other.
func (p *Program) forget() error {
	if p.d.jit == nil || !p.life.gone.Load() || p.running.Load() != 0 {
		return nil
	}
	return p.d.jit.Forget(p.module.Funcs)
}

// leave ends a launch's claim to compiled code.
func (p *Program) leave() {
	p.running.Add(-1)
	_ = p.forget() // as in Close, what cannot be given back stays until the process ends
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
	spare, _ := p.rooms.LoadOrStore(k.fn, new(atomic.Pointer[launchState]))
	k.spare = spare.(*atomic.Pointer[launchState])
	return k
}

// image is where a program's variables and functions lie on a device.
type image struct {
	vars  map[*ir.Var]uint64  // generic addresses of .global and .const variables, handles of references
	funcs map[*ir.Func]uint64 // addresses in the code window
}

// newImage allocates the variables of m and writes their initial values. On failure nothing stays allocated. shared: programs have the
// addresses of constants, too (cuModuleGetGlobal), through which kernels may write them, for later launches. placed are variables that
// lie somewhere already, with the bytes that they are to have.
func newImage(d *host.Device, m *ir.Module, shared bool, placed map[string]capture.Variable) (*image, error) {
	img := &image{vars: map[*ir.Var]uint64{}, funcs: map[*ir.Func]uint64{}}
	if err := img.find(d, m, placed); err != nil {
		return nil, err
	}
	for i, f := range m.Funcs {
		img.funcs[f] = mem.CodeWindow + uint64(i+1)*mem.CodeStep
	}
	if err := img.placeConstants(d, m, shared); err != nil {
		return nil, err
	}
	for _, v := range m.Vars {
		switch {
		case img.vars[v] != 0:
		case isReference(v):
			img.vars[v] = d.AddHandles(handleKind(v), v.Name, references(v))
		case v.Space == ir.SpaceGlobal:
			addr, err := d.Arena.Alloc(uint64(v.Size), mem.Info{Label: v.Name, Host: v.Managed})
			if err != nil {
				return nil, fmt.Errorf("variable %s: %w (%v)", v.Name, err, img.free(d))
			}
			img.vars[v] = addr
		}
	}
	for v := range img.vars {
		if _, found := placed[v.Name]; !found {
			img.initialise(d.Arena, v)
		}
	}
	return img, nil
}

// placeConstants allocates the constant variables next to each other: code may have 32 bits of their addresses, so that all lie
// within 2 GiB, wherever else there is room.
func (img *image) placeConstants(d *host.Device, m *ir.Module, shared bool) error {
	var vars []*ir.Var
	var sizes []uint64
	var infos []mem.Info
	for _, v := range m.Vars {
		if v.Space == ir.SpaceConst && !isReference(v) && img.vars[v] == 0 {
			vars, sizes = append(vars, v), append(sizes, uint64(v.Size))
			infos = append(infos, mem.Info{Label: v.Name, ReadOnly: !shared})
		}
	}
	starts, err := d.Arena.AllocAdjacent(sizes, infos)
	if err != nil {
		return fmt.Errorf("constant variables: %w", err)
	}
	for i, v := range vars {
		img.vars[v] = starts[i]
	}
	if n := len(starts); n > 0 && starts[n-1]+sizes[n-1]-starts[0] >= 1<<31 {
		return fmt.Errorf("%w: the constant variables do not fit into 2 GiB (%v)", mem.ErrOutOfMemory, img.free(d))
	}
	return nil
}

// inArena tells which variables are allocated once; shared and local ones live with CTAs and threads.
func inArena(v *ir.Var) bool {
	return v.Space == ir.SpaceGlobal || v.Space == ir.SpaceConst
}

// initialise writes a variable's bytes, then the addresses in them (5.4.4).
func (img *image) initialise(arena *mem.Arena, v *ir.Var) {
	if len(v.Init) == 0 && len(v.Relocs) == 0 || isReference(v) {
		return
	}
	data := arena.Bytes(img.vars[v], uint64(v.Size))
	copy(data, v.Init)
	for i := range v.Relocs {
		r := &v.Relocs[i]
		value := binary.LittleEndian.AppendUint64(nil, (img.target(r)+uint64(r.Add))>>r.Shift)
		copy(data[r.Off:], value[:r.Bytes])
	}
}

// target is the address that a relocation stands for. Global and constant variables have
// the same address in their space and generically.
func (img *image) target(r *ir.Reloc) uint64 {
	if r.Func != nil {
		return img.funcs[r.Func]
	}
	return img.vars[r.Var]
}

// Var implements decode's placement: the address of a module variable.
func (img *image) Var(v *ir.Var) uint64 { return img.vars[v] }

// Func implements decode's placement: the address of a function.
func (img *image) Func(f *ir.Func) uint64 { return img.funcs[f] }

// free ends all allocations and handles.
func (img *image) free(d *host.Device) error {
	var first error
	for v, addr := range img.vars {
		if isReference(v) {
			d.DropHandles(addr, references(v))
			continue
		}
		if err := d.Arena.Free(addr); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// isReference tells which variables are references: they have handles, not memory (5.3). Those in the
// old .tex space are textures (5.1.8).
func isReference(v *ir.Var) bool {
	return v.Type.Opaque() && inArena(v) || v.Space == ir.SpaceTex
}

// references is the number of handles of a reference, which may be an array.
func references(v *ir.Var) int { return max(int(v.Size/int64(mem.ImageStep)), 1) }

// handleKind is what a reference refers to.
func handleKind(v *ir.Var) images.HandleKind {
	switch v.Type {
	case isa.Surfref:
		return images.SurfaceHandle
	case isa.Samplerref:
		return images.SamplerHandle
	}
	return images.TextureHandle
}

// reference finds the variable that a Bind method names.
func (p *Program) reference(name string, kind images.HandleKind, typ string) (*ir.Var, error) {
	v := p.module.Var(name)
	if v == nil || !isReference(v) || handleKind(v) != kind {
		return nil, fmt.Errorf("ptxvm: no %s variable is called %q", typ, name)
	}
	return v, nil
}

// bindTo keeps what a reference means while its memory exists.
func (p *Program) bindTo(v *ir.Var, of *lifetime, to any) error {
	if of == nil || of.d != p.d {
		return fmt.Errorf("ptxvm: the %v for %s is of another device, or of none", handleKind(v), v.Name)
	}
	return of.use(func() error {
		return p.life.use(func() error {
			p.bound.Store(v, to)
			p.bindReference(v)
			return nil
		})
	})
}

// Bind lets the module's .surfref variable of a name mean an array, also for launches that come
// later. Without it, it means the array of its own name.
func (p *Program) Bind(name string, s Surface) error {
	v, err := p.reference(name, images.SurfaceHandle, ".surfref")
	if err != nil {
		return err
	}
	return p.bindTo(v, s.of, s)
}

// BindTexture does the same for a .texref, which without it means the texture of its own name.
func (p *Program) BindTexture(name string, t Texture) error {
	v, err := p.reference(name, images.TextureHandle, ".texref")
	if err != nil {
		return err
	}
	return p.bindTo(v, t.of, t)
}

// BindSampler does the same for a .samplerref, which without it means the sampler of its own name, or what the
// module initialises it with.
func (p *Program) BindSampler(name string, s Sampler) error {
	v, err := p.reference(name, images.SamplerHandle, ".samplerref")
	if err != nil {
		return err
	}
	return p.bindTo(v, s.of, s)
}

// References lists the module's .surfref, .texref and .samplerref variables.
func (p *Program) References() (names []string) {
	for _, v := range p.refs {
		names = append(names, v.Name)
	}
	return names
}

// bindReferences binds the references that nothing has been bound to, or whose array has gone, by name.
func (p *Program) bindReferences() {
	for _, v := range p.refs {
		p.bindReference(v)
	}
}

func (p *Program) bindReference(v *ir.Var) {
	m, handle := p.d.machine, p.image.vars[v]
	bound, _ := p.bound.Load(v)
	switch handleKind(v) {
	case images.SurfaceHandle:
		im := p.d.arrays.find(v.Name)
		if s, ok := bound.(Surface); ok {
			im = m.ImageOf(s.handle)
		}
		m.SetImage(handle, im)
	case images.TextureHandle:
		t := p.d.textures.find(v.Name)
		if b, ok := bound.(Texture); ok {
			t = m.TextureOf(b.handle)
		}
		m.SetTexture(handle, withFields(t, v.Fields))
	case images.SamplerHandle:
		s := p.d.samplers.find(v.Name)
		if b, ok := bound.(Sampler); ok {
			s = m.TextureOf(b.handle)
		}
		if s == nil && len(v.Fields) > 0 {
			s = &images.Texture{Name: v.Name, Texture: tex.Texture{Sampler: SamplerDesc{}.state()}}
		}
		m.SetTexture(handle, withFields(s, v.Fields))
	}
}

// withFields is a texture or sampler with what a module's initialiser says about it; extents and formats are those
// of the image.
func withFields(t *images.Texture, fields []ir.Field) *images.Texture {
	if t == nil || len(fields) == 0 {
		return t
	}
	out, s := *t, *t.Sampler
	out.Sampler = &s
	for _, f := range fields {
		switch f.Name {
		case "normalized_coords":
			out.Normalized = f.Value != 0
		case "force_unnormalized_coords":
			s.ForceUnnormalized = f.Value != 0
		case "filter_mode":
			s.Linear = f.Value != 0
		case "addr_mode_0", "addr_mode_1", "addr_mode_2":
			s.Address[f.Name[len(f.Name)-1]-'0'] = tex.Address(min(uint64(f.Value), uint64(tex.ClampBorder)))
		}
	}
	return &out
}
