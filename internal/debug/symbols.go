package debug

// This file lists what the focus can name.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// Symbol is a name with its value.
type Symbol struct {
	Name  string
	Value Value
}

// Registers lists those of the names, else those of the frame whose values are still used, or all that are used at all.
func (s *Scope) Registers(names []string, all bool) (list []Symbol, err error) {
	if s.Warp == nil {
		return nil, ErrNotRunning
	}
	for _, name := range names {
		v, ok, err := s.register(name, s.Lane)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nil, (&evaluation{s, s.Lane}).noRegister(name)
		}
		list = append(list, Symbol{name, v})
	}
	if len(names) > 0 {
		return list, nil
	}
	live := s.Func.LiveAt(s.PC)
	for i := range s.Func.Regs {
		if _, used := s.rows.of(s.Func)(ir.Reg(i)); !used || !all && !live.Has(i) {
			continue
		}
		v, _, err := s.register(s.Func.Regs[i].Name, s.Lane)
		if err != nil {
			return nil, err
		}
		list = append(list, Symbol{s.Func.Regs[i].Name, v})
	}
	return list, nil
}

// Arguments lists the parameters of the function.
func (s *Scope) Arguments() (list []Symbol, err error) {
	if s.Warp == nil {
		return nil, ErrNotRunning
	}
	for _, p := range s.Func.Params {
		v, err := (&evaluation{s, s.Lane}).loadParameter(p)
		if err != nil {
			return nil, err
		}
		list = append(list, Symbol{parameterName(s.Func, p), v})
	}
	return list, nil
}

// Locals lists the function's own variables, and the shared ones that it may use.
func (s *Scope) Locals() (list []Symbol, err error) {
	if s.Warp == nil {
		return nil, ErrNotRunning
	}
	for _, v := range append(append([]*ir.Var{}, s.Func.Locals...), s.Func.Shared...) {
		x, err := (&evaluation{s, s.Lane}).loadVariable(v)
		if err != nil {
			continue // of no bytes
		}
		list = append(list, Symbol{shortName(v), x})
	}
	return list, nil
}

// Names lists all names.
func (s *Scope) Names() (list []string) {
	if s.Func != nil {
		for i := range s.Func.Regs {
			list = append(list, s.Func.Regs[i].Name)
		}
		for _, p := range s.Func.Params {
			list = append(list, parameterName(s.Func, p))
		}
	}
	for _, v := range s.Variables() {
		list = append(list, shortName(v))
	}
	return list
}

// BlockShape is the threads of a block.
func (s *Session) BlockShape() [3]uint32 {
	if s.at != nil {
		return s.at.Warp.Launch().Block
	}
	return [3]uint32{}
}

// SharedName names an address of a CTA's shared memory by the variable that lies there: "bar", "bars+8"; "" where there is none.
func (s *Session) SharedName(addr uint32) string {
	off := int64(addr) - int64(s.run.parts.ReservedShared)
	for _, v := range s.run.parts.Kernel.Shared {
		if !v.Dynamic && off >= v.Offset && off < v.Offset+v.Size {
			if at := off - v.Offset; at > 0 {
				return fmt.Sprintf("%s+%d", shortName(v), at)
			}
			return shortName(v)
		}
	}
	return ""
}

// PlaceOf is the instruction at a pc of a frame.
func PlaceOf(f *machine.Frame, pc int32) Place { return Place{f.Func().Name, pc} }

// Doing says what lanes of a warp do: "runs", "ready", or what they wait for, an mbarrier by the name of its variable.
func (s *Session) Doing(f *machine.FragmentState) string {
	switch {
	case f.Running:
		return "runs"
	case f.Reason == "":
		return "ready"
	case f.Object != nil:
		if name := s.SharedName(f.Object.Addr); name != "" {
			return strings.Replace(f.Reason, "mbarrier at", "mbarrier "+name+" at", 1)
		}
	}
	return f.Reason
}
