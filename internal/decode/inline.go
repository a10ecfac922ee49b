package decode

// Kernels with functions in place of their calls (ir.Inlined), for compiled code.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
)

// Inlined is Kernel with small functions in place of their calls. But for who counts frames, and for a launch whose threads have less
// depth or local memory than by default, nothing differs; reports are about the functions.
func (d *Decoder) Inlined(kernel *ir.Func, shape ir.LaunchShape, target sizes.Target, dynamic uint32, assumptions assume.Set) (*Program, error) {
	return d.Within(nil).Inlined(kernel, shape, target, dynamic, assumptions)
}

// Inlined is Decoder.Inlined.
func (l Limited) Inlined(kernel *ir.Func, shape ir.LaunchShape, target sizes.Target, dynamic uint32, assumptions assume.Set) (*Program, error) {
	return l.program(programKey{kernel, shape, target.ReservedShared, dynamic, target.Arch < 20, assumptions, Watch{}, true})
}

// inlined is a kernel with functions in place, nil if there are none.
func (d *Decoder) inlined(kernel *ir.Func) *ir.Inlined {
	in, known := d.inline[kernel]
	if !known {
		if in = kernel.Inline(); in != nil && (in.Depth >= int(machine.DefaultDepth) || in.Top >= int64(machine.DefaultStack)) {
			in = nil // a call would fault
		}
		d.inline[kernel] = in
	}
	return in
}

// whence says of each instruction of a kernel with functions in place where it is in its own function.
func (u *unit) whence(in *ir.Inlined) []machine.Whence {
	infos := map[*ir.Func]*machine.FuncInfo{u.key.kernel: u.info(u.key.kernel)}
	calls := make([][]machine.CallFrame, len(in.Sites))
	for i, s := range in.Sites {
		outer := u.key.kernel
		if s.Outer >= 0 {
			outer = in.Sites[s.Outer].Callee
			calls[i] = calls[s.Outer]
		}
		calls[i] = slices.Concat([]machine.CallFrame{{Func: infos[outer], PC: s.PC}}, calls[i])
		if infos[s.Callee] == nil {
			infos[s.Callee] = u.info(s.Callee)
		}
	}
	list := make([]machine.Whence, len(in.At))
	for pc, at := range in.At {
		if list[pc] = (machine.Whence{Func: infos[u.key.kernel], PC: at.PC}); at.Site >= 0 {
			list[pc] = machine.Whence{Func: infos[in.Sites[at.Site].Callee], PC: at.PC, Calls: calls[at.Site]}
		}
	}
	return list
}

// info describes a function that is not decoded.
func (u *unit) info(f *ir.Func) *machine.FuncInfo {
	if code := u.codes[f]; code != nil && code.Func != nil {
		return code.Func
	}
	return &machine.FuncInfo{Name: f.Name, Entry: f.Entry, Addr: u.d.where.Func(f), Origin: &origin{fn: f}}
}
