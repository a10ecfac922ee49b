// Package forms is how the command writes what it knows, as text for readers and as JSON: what a module holds, the tensor memory
// of a CTA, what a launch has executed, how far it is.
package forms

// This file describes modules.

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// Module is what info prints; the JSON names are part of the contract.
type Module struct {
	Schema  int          `json:"schema"`
	File    string       `json:"file"`
	Version string       `json:"version"`
	Target  string       `json:"target"`
	Kernels []kernelInfo `json:"kernels"`
	Globals []globalInfo `json:"globals"`
}

type kernelInfo struct {
	Name         string      `json:"name"`
	Demangled    string      `json:"demangled"`
	Params       []paramInfo `json:"params"`
	ReqBlock     []uint32    `json:"reqBlock"`   // null without .reqntid
	MaxThreads   uint32      `json:"maxThreads"` // 0 without .maxntid
	ReqCluster   []uint32    `json:"reqCluster"` // null without .reqnctapercluster
	StaticShared int         `json:"staticShared"`
	DynShared    []string    `json:"dynamicShared"` // names of .extern .shared arrays; empty without
	Missing      []Missing   `json:"missing"`
}

type paramInfo struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Count  int    `json:"count"` // 0: a scalar
	Size   int    `json:"size"`
	Align  int    `json:"align"`
	Offset int    `json:"offset"`
	Space  string `json:"space"` // of .ptr; empty without
}

type globalInfo struct {
	Name    string `json:"name"`
	Space   string `json:"space"`
	Type    string `json:"type"`
	Count   int    `json:"count"` // 0: a scalar
	Size    int    `json:"size"`
	Align   int    `json:"align"`
	Linkage string `json:"linkage"`
	Init    bool   `json:"init"`
}

// Missing is an instruction form that is not executed.
type Missing struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Section string `json:"section"`
	Reason  string `json:"reason"`
	Count   int    `json:"count"`
	Line    int    `json:"line"`

	Undocumented bool `json:"undocumented,omitempty"`
}

func Describe(file string, m *ptxvm.Module) *Module {
	info := &Module{Schema: 1, File: file, Version: m.Version(), Target: m.Target(), Kernels: []kernelInfo{}, Globals: []globalInfo{}}
	for _, k := range m.Kernels() {
		info.Kernels = append(info.Kernels, describeKernel(k, m.Missing(k.Name)))
	}
	for _, v := range m.Globals() {
		info.Globals = append(info.Globals, globalInfo{v.Name, v.Space, v.Type, v.Count, v.Size, v.Align, v.Linkage, v.Init})
	}
	return info
}

func describeKernel(k ptxvm.KernelInfo, missing []ptxvm.UnsupportedForm) kernelInfo {
	info := kernelInfo{Name: k.Name, Demangled: k.Demangled, Params: []paramInfo{}, MaxThreads: k.MaxThreads, StaticShared: k.StaticShared,
		DynShared: append([]string{}, k.DynamicShared...),
		ReqBlock:  extentsOf(k.ReqBlock), ReqCluster: extentsOf(k.ReqCluster), Missing: []Missing{}}
	for _, p := range k.Params {
		info.Params = append(info.Params, paramInfo{p.Name, p.Type, p.Count, p.Size, p.Align, p.Offset, p.Space})
	}
	for _, f := range missing {
		info.Missing = append(info.Missing, Missing(f))
	}
	return info
}

// extentsOf is a directive's extents; nil without the directive.
func extentsOf(d ptxvm.Dim3) []uint32 {
	if d == (ptxvm.Dim3{}) {
		return nil
	}
	return []uint32{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)}
}

func (m *Module) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "%s: .version %s .target %s\n", diag.Escape(m.File), m.Version, m.Target)
	for i := range m.Kernels {
		m.Kernels[i].write(w)
	}
	if len(m.Globals) > 0 {
		fmt.Fprintln(w, "variables")
	}
	for _, v := range m.Globals {
		fmt.Fprintf(w, "  .%s .%s %s%s  %d bytes, align %d%s\n", v.Space, v.Type, v.Name, launchlang.Brackets(v.Count), v.Size, v.Align, note(v))
	}
	return w.Flush()
}

func (k *kernelInfo) write(w io.Writer) {
	fmt.Fprintf(w, "kernel %s\n", k.Name)
	if k.Demangled != k.Name {
		fmt.Fprintf(w, "  is %s\n", diag.Escape(k.Demangled))
	}
	for i, p := range k.Params {
		fmt.Fprintf(w, "  %d: .%s %s%s  %d bytes at %d, align %d%s\n", i, p.Type, p.Name, launchlang.Brackets(p.Count), p.Size, p.Offset, p.Align, pointsTo(p.Space))
	}
	for _, d := range []struct {
		name    string
		extents []uint32
	}{{"block", k.ReqBlock}, {"cluster", k.ReqCluster}} {
		if d.extents != nil {
			fmt.Fprintf(w, "  %s must be %d,%d,%d\n", d.name, d.extents[0], d.extents[1], d.extents[2])
		}
	}
	if k.MaxThreads > 0 {
		fmt.Fprintf(w, "  at most %d threads a CTA\n", k.MaxThreads)
	}
	if k.StaticShared > 0 {
		fmt.Fprintf(w, "  %d bytes of static shared memory\n", k.StaticShared)
	}
	for _, name := range k.DynShared {
		fmt.Fprintf(w, "  dynamic shared memory %s[]: --shared BYTES says how much\n", name)
	}
	for _, f := range k.Missing {
		fmt.Fprintf(w, "  not executed: %s (PTX ISA %s): %s; %d times, first at line %d\n", f.Text, f.Section, f.Reason, f.Count, f.Line)
	}
}

func pointsTo(space string) string {
	if space == "" {
		return ""
	}
	return ", points to " + space
}

// note says what else is worth knowing of a variable.
func note(v globalInfo) string {
	var words []string
	if v.Linkage != "private" {
		words = append(words, v.Linkage)
	}
	if v.Init {
		words = append(words, "initialised")
	}
	if len(words) == 0 {
		return ""
	}
	return ", " + strings.Join(words, ", ")
}
