package findings

// This file puts reports of the machine and the sanitizers into the terms of the source: what was touched by name, and both places.

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/internal/san/found"
	"ptxvm.invalid/ptxvm/report"
)

// Scene is where something was found.
type Scene struct {
	Module, Before *ir.Module      // of the report's two places
	Kernel         string          // the symbol of the later place's kernel
	KernelBefore   string          // of the other's
	Func           *ir.Func        // of the kernel; nil where no shared memory is touched
	Memory         *mem.Arena      // of the device
	Launch         *machine.Launch // for where shared memory begins, and the shape of clusters
}

// Report puts what was found into the terms of the source.
func (s *Scene) Report(f *found.Counted) *report.Report {
	w := found.WordsOf(f.Kind)
	r := &report.Report{Code: w.Code, Kernel: s.Kernel, Msg: s.message(f, w), Times: f.Times, Check: san.CheckOf(w.Code), Kind: w.Name,
		Object: f.Object, Extent: extentOf(&f.Report)}
	if w.Note {
		r.Severity = diag.Remark
	}
	r.Missing, r.Fix = found.Order(&f.Report)
	if w.Code == diag.DataRace {
		r.Between = f.Between.String()
	}
	if r.Object == "" && r.Extent != nil {
		r.Object = s.objectName(&f.Report)
	}
	r.Here = Involved(s.Module, &f.Then)
	r.Here.Role = w.Role
	if f.Op.Func != nil {
		other := Involved(s.Before, &f.Op)
		other.Role = w.Other
		r.Other = &other
	}
	r.ID = s.identity(f, w, r)
	return r
}

// message fills in the words of a kind of report.
func (s *Scene) message(f *found.Counted, w *found.Words) string {
	touched := s.extentWords(&f.Report)
	switch {
	case f.Between == found.AcrossLaunches:
		return fmt.Sprintf(w.Across, touched, f.Text)
	case w.Args == found.Text, w.Args == found.TextOrTouched && f.Text != "":
		return f.Text
	case w.Args == found.Worded:
		return fmt.Sprintf(w.Msg, f.Text)
	case w.Args == found.TextTouched:
		return fmt.Sprintf(w.Msg, f.Text, touched)
	case w.Args == found.TouchedText:
		return fmt.Sprintf(w.Msg, touched, f.Text)
	}
	return fmt.Sprintf(w.Msg, touched)
}

// Unused notes what no kernel has touched: some bytes of a buffer, in words, the first of which are those given.
func Unused(buffer, what string, from, to uint64) *report.Report {
	w := found.WordsOf(found.NeverUsed)
	return &report.Report{
		Code: w.Code, Severity: diag.Remark, Kind: w.Name, Check: san.CheckOf(w.Code), Msg: fmt.Sprintf(w.Msg, what), Fix: w.Fix, Times: 1, Object: buffer,
		Extent: &report.Extent{Space: machine.Global.String(), From: from, To: to}, ID: report.ID(w.Code.String(), w.Name, buffer),
	}
}

// extentOf is what a report is about; nil if that is no memory.
func extentOf(r *found.Report) *report.Extent {
	x := &r.Extent
	switch {
	case x.From == x.To && x.Space != machine.Registers:
		return nil
	case x.Space == machine.Registers:
		return &report.Extent{Space: "registers"}
	}
	return &report.Extent{Space: x.Space.String(), Rank: int(x.CTA), From: x.From, To: x.To, Row: int(x.Row), Last: int(x.End)}
}

// objectName is the variable, buffer or register that is touched; empty if it has no name.
func (s *Scene) objectName(r *found.Report) string {
	x := &r.Extent
	switch x.Space {
	case machine.Shared:
		name, _ := s.sharedVar(x.From - uint64(s.Launch.Target.ReservedShared))
		return name
	case machine.Registers:
		return registerName(r)
	case machine.Global:
		a, ok := s.Memory.Find(x.From)
		switch {
		case !ok:
			return ""
		case r.Between == found.AcrossLaunches: // each has a parameter of its own for it
			return cmp.Or(kernelname.Demangle(a.Label), aBuffer)
		}
		return cmp.Or(s.allocationName(&a), aBuffer)
	}
	return ""
}

// aBuffer is what an allocation without a name is called.
const aBuffer = "a buffer"

// allocationName is the name of an allocation: its own, or that of the parameter that points to its start; empty if it has none.
func (s *Scene) allocationName(a *mem.Allocation) string {
	if a.Label != "" || s.Func == nil || s.Launch == nil {
		return kernelname.Demangle(a.Label)
	}
	return kernelname.Param(PointingParam(s.Func, s.Launch.Params, a.Start))
}

// PointingParam is the first parameter of a kernel that holds an address, of the values in block; empty if none does.
func PointingParam(kernel *ir.Func, block []byte, addr uint64) string {
	for _, p := range kernel.Params {
		if end := p.Offset + 8; p.Size == 8 && int(end) <= len(block) && binary.LittleEndian.Uint64(block[p.Offset:end]) == addr {
			return p.Name
		}
	}
	return ""
}

// registerName is the register that a report is about.
func registerName(r *found.Report) string {
	f := decode.FuncOf(r.Then.Func)
	if f == nil {
		return ""
	}
	if name := decode.RegisterAt(f, r.Then.PC, uint32(r.Extent.From)); name != "" && r.Kind != found.UnwrittenDecides {
		return name
	}
	return decode.UnwrittenAt(f, uint32(r.Extent.From))
}

// rangeWords is "lane 3" or "lanes 3 to 5".
func rangeWords(word string, from, to uint64) string {
	if to == from+1 {
		return fmt.Sprintf("%s %d", word, from)
	}
	return fmt.Sprintf("%ss %d to %d", word, from, to-1)
}

// extentWords names what was touched: bytes of a variable or a buffer, cells of tensor memory.
func (s *Scene) extentWords(r *found.Report) string {
	x := r.Extent
	n := x.To - x.From
	switch x.Space {
	case machine.Tensor:
		return fmt.Sprintf("tensor memory%s, %s, %s", s.ofRank(x), rangeWords("lane", uint64(x.Row), uint64(x.End)), rangeWords("column", x.From, x.To))
	case machine.Registers:
		if name := registerName(r); name != "" {
			return "register " + name
		}
		return "a register"
	case machine.Shared:
		return fmt.Sprintf("%d bytes of shared memory%s at %#x%s", n, s.ofRank(x), x.From, s.sharedName(x.From-uint64(s.Launch.Target.ReservedShared)))
	}
	if x.Space == machine.Local {
		return fmt.Sprintf("%d bytes of local memory at %#x", n, x.From)
	}
	return fmt.Sprintf("%d bytes of global memory at %#x%s", n, x.From, s.globalName(x.From))
}

// ofRank names the CTA of a cluster whose memory it is.
func (s *Scene) ofRank(x machine.Extent) string {
	if s.Launch.Cluster == [3]uint32{1, 1, 1} {
		return ""
	}
	return fmt.Sprintf(" of CTA rank %d", x.CTA)
}

// sharedName says in which variable an offset of static shared memory lies.
func (s *Scene) sharedName(off uint64) string {
	name, at := s.sharedVar(off)
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (%s+%d)", name, at)
}

// sharedVar is the variable that an offset of static shared memory lies in, and the offset in it.
func (s *Scene) sharedVar(off uint64) (name string, at uint64) {
	if v := sharedVariable(s.Func, off); v != nil {
		return variableName(v), off - uint64(v.Offset)
	}
	return "", 0
}

// SharedName names an offset of a kernel's static shared memory by its variable: "bar", "bars+8"; "" where there is none.
func SharedName(kernel *ir.Func, off uint64) string {
	v := sharedVariable(kernel, off)
	if v == nil {
		return ""
	}
	if at := off - uint64(v.Offset); at != 0 {
		return fmt.Sprintf("%s+%d", variableName(v), at)
	}
	return variableName(v)
}

// sharedVariable is the variable that an offset of static shared memory lies in; nil if there is none.
func sharedVariable(kernel *ir.Func, off uint64) *ir.Var {
	return holding(sharedVariables(kernel), off)
}

// holding is the variable that an offset lies in; nil if there is none.
func holding(list []*ir.Var, off uint64) *ir.Var {
	for _, v := range list {
		if off-uint64(v.Offset) < uint64(v.Size) {
			return v
		}
	}
	return nil
}

// sharedVariables are the variables in static shared memory that a kernel names: other kernels have others there.
func sharedVariables(kernel *ir.Func) (list []*ir.Var) {
	var visit func(ops []ir.Operand)
	visit = func(ops []ir.Operand) {
		for i := range ops {
			if v := ops[i].Var; v != nil && v.Space == ir.SpaceShared && !v.Dynamic && !slices.Contains(list, v) {
				list = append(list, v)
			}
			visit(ops[i].Elems)
		}
	}
	for pc := range kernel.Insts {
		visit(kernel.Insts[pc].Ops)
	}
	return list
}

// variableName is the name of a variable as the source has it: lowering makes those of kernels unique.
func variableName(v *ir.Var) string {
	written, _, _ := strings.Cut(v.Name, "~")
	return kernelname.Demangle(written)
}

// MisalignedIn says in which variable a misaligned access to static shared memory lies, and how that is aligned; empty if in none.
// start is where shared memory begins, of a device that keeps some for itself.
func MisalignedIn(kernel *ir.Func, addr, start uint64) string {
	if mem.InShared(addr) {
		addr -= mem.SharedWindow
	}
	off := addr&(mem.MaxShared-1) - start
	v := sharedVariable(kernel, off)
	if v == nil {
		return ""
	}
	return fmt.Sprintf(": %s+%d, which has .align %d", variableName(v), off-uint64(v.Offset), v.Align)
}

// globalName says in which allocation an address lies.
func (s *Scene) globalName(addr uint64) string {
	a, ok := s.Memory.Find(addr)
	if !ok {
		return ""
	}
	name := s.allocationName(&a)
	switch {
	case name == "":
		name = aBuffer
	case a.Label == "":
		name = "the buffer in " + name
	}
	return fmt.Sprintf(" (byte %d of %s, which has %d)", addr-a.Start, name, a.End-a.Start)
}
