package ptxvm

// This file describes modules: version, target, variables, and what keeps a kernel from running.

import (
	"errors"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/lower"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// VarInfo describes a module variable in .global or .const space.
type VarInfo struct {
	Name  string
	Space string // global or const
	Type  string // PTX type of one element: f32, b8, surfref
	Count int    // elements of an array, those of vectors counted; 0 for a scalar
	Size  int    // bytes; 0 for an .extern array without extent
	Align int    // bytes
	Init  bool   // the module gives a value; others are zero
	// Linkage is private, visible, extern, weak or common.
	Linkage string
}

// Version is the module's .version, such as "8.0".
func (m *Module) Version() string { return m.info.Version.String() }

// Globals describes the module's .global and .const variables in written order.
func (m *Module) Globals() []VarInfo { return variables(m.linked()) }

// Globals describes the program's .global and .const variables in written order.
func (p *Program) Globals() []VarInfo { return variables(p.module) }

func variables(m *ir.Module) []VarInfo {
	var infos []VarInfo
	for _, v := range m.Vars {
		if inArena(v) && v.Func == nil {
			infos = append(infos, varInfo(v))
		}
	}
	return infos
}

func varInfo(v *ir.Var) VarInfo {
	info := VarInfo{
		Name: v.Name, Space: v.Space.String(), Type: strings.TrimPrefix(v.Type.String(), "."), Size: int(v.Size), Align: v.Align,
		Init: len(v.Init) > 0 || len(v.Relocs) > 0, Linkage: v.Linkage.String(),
	}
	if len(v.Dims) > 0 || v.Vec > 1 {
		info.Count = int(v.Size) / max(v.Type.Bytes(), 1)
	}
	return info
}

// linked is the module alone in the terms of the machine; symbols that other modules define stay open.
func (m *Module) linked() *ir.Module {
	unit, err := lower.Module(m.info, lower.Options{})
	if err != nil {
		panic("BUG: a module that was accepted does not lower: " + err.Error())
	}
	linked, _ := lower.Link([]*ir.Module{unit}, func(string) bool { return true })
	return linked
}

// Missing lists the forms that the kernel of a symbol reaches in this module and that are not
// executed yet; none if it can run.
func (m *Module) Missing(kernel string) []UnsupportedForm {
	linked := m.linked()
	i := slices.IndexFunc(linked.Funcs, func(f *ir.Func) bool { return f.Entry && f.Defined && f.Name == kernel })
	if i < 0 {
		return nil
	}
	var missing *UnsupportedError
	if err := tryDecode(linked, linked.Funcs[i]); !errors.As(err, &missing) {
		return nil
	}
	return missing.Forms
}

// tryDecode decodes a kernel for blocks of its own shape, else of 256 threads. What functions of
// other modules need is not known here.
func tryDecode(m *ir.Module, kernel *ir.Func) error {
	_, err := decode.New(m, &image{}).Kernel(kernel, kernel.OwnShape(), machine.TargetOf(m.Target.Arch), 0, assume.Set{})
	return (&Program{module: m}).unsupported(kernel.Name, err)
}
