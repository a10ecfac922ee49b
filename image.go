package ptxvm

// This file places a program's variables and functions on a device.

import (
	"encoding/binary"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// image is where a program's variables and functions lie on a device.
type image struct {
	vars  map[*ir.Var]uint64  // generic addresses of .global and .const variables, handles of references
	funcs map[*ir.Func]uint64 // addresses in the code window
}

// newImage allocates the variables of m and writes their initial values. On failure
// nothing stays allocated.
func newImage(d *machine.Device, m *ir.Module) (*image, error) {
	img := &image{vars: map[*ir.Var]uint64{}, funcs: map[*ir.Func]uint64{}}
	for i, f := range m.Funcs {
		img.funcs[f] = mem.CodeWindow + uint64(i+1)*mem.CodeStep
	}
	for _, v := range m.Vars {
		switch {
		case isReference(v):
			img.vars[v] = d.AddHandles(handleKind(v), v.Name, references(v))
			continue
		case !inArena(v):
			continue
		}
		addr, err := d.Arena.Alloc(uint64(v.Size), mem.Info{Label: v.Name, ReadOnly: v.Space == ir.SpaceConst})
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w (%v)", v.Name, err, img.free(d))
		}
		img.vars[v] = addr
	}
	for v := range img.vars {
		img.initialise(d.Arena, v)
	}
	return img, nil
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
func (img *image) free(d *machine.Device) error {
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
