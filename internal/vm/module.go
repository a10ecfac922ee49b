// Package vm is the virtual machine that package ptxvm shows: devices, modules and programs, launches, arrays and textures, fabric,
// traces, and what sanitizers report in terms of the source. What it exports is the public API, word for word, since ptxvm forwards
// to it (go generate writes that); but for declarations marked face:inside, which other rooms and tests of this module use.
package vm

// This file describes modules: their kernels with parameters, their variables, and what keeps a kernel from running.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/lower"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/quota"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Diagnostics lists what is wrong with a module, or remarkable about it. As an error
// it holds at least one of severity error.
type Diagnostics = diag.List

// Diagnostic is one of them: code, place, message, form, section and fixes.
type Diagnostic = diag.Diagnostic

// MaxSource is the most bytes that a module may have.
const MaxSource = syntax.MaxSource

// CompileConfig says what a module is judged for. Its zero value is the default.
type CompileConfig struct {
	Arch              string // judge for this architecture, such as "sm_90a"; "" the module's own target
	Judge             Judge  // whom to follow where ptxas and the manual differ
	WarningsAreErrors bool
	CompileOnly       bool // Check judges one module of several: others may define what it declares (ptxas -c). Compile always does

	// What Check says of setmaxnreg hangs on these options of ptxas.
	Debug          bool // -g
	BoundRegisters bool // -maxrregcount, or -maxntid with -minnctapersm
}

// Module is a valid PTX module. It is not bound to a device and not changed by use.
type Module struct {
	name     string
	info     *check.Info
	warnings Diagnostics
}

// Compile parses and checks a module. filename is for messages only. The error is a
// Diagnostics; warnings of a valid module are kept (Module.Warnings).
func Compile(filename string, src []byte, cfg *CompileConfig) (*Module, error) {
	return compile(nil, filename, src, cfg)
}

// CompileContext is Compile that ends, with a *CompilingError, when the context does, or when it would take more than memory bytes,
// as they are counted, and more than half a GiB; memory 0 is no limit.
func CompileContext(ctx context.Context, filename string, src []byte, memory int64, cfg *CompileConfig) (m *Module, err error) {
	defer limited(&err)
	return compile(newQuota(ctx, memory), filename, src, cfg)
}

func compile(q *quota.Quota, filename string, src []byte, cfg *CompileConfig) (*Module, error) {
	if cfg == nil {
		cfg = &CompileConfig{}
	}
	info, diags, err := judge(q, filename, bytes.Clone(src), cfg, false)
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, diags
	}
	return &Module{name: filename, info: info, warnings: diags}, nil
}

// Check judges a module as `ptxas` does for a whole program, or with CompileOnly for one of several, and returns all that it has
// to say, which points into src: src must not change while that is in use. The error is about the configuration, never about the module.
func Check(filename string, src []byte, cfg *CompileConfig) (Diagnostics, error) {
	if cfg == nil {
		cfg = &CompileConfig{}
	}
	info, diags, err := judge(nil, filename, src, cfg, true)
	if info != nil {
		info.Release()
	}
	return diags, err
}

func judge(q *quota.Quota, filename string, src []byte, cfg *CompileConfig, whole bool) (*check.Info, Diagnostics, error) {
	if cfg.Arch != "" {
		if _, err := isa.ParseTarget(cfg.Arch); err != nil {
			return nil, nil, fmt.Errorf("ptxvm: %w", err)
		}
	}
	if !cfg.Judge.valid() {
		return nil, nil, fmt.Errorf("ptxvm: there is no judge %d", cfg.Judge)
	}
	parse := syntax.ParseWithin
	if whole {
		parse = syntax.ParsePackedWithin
	}
	f := parse(q, filename, src)
	if syntax.NotPTX(f.Errors) {
		return nil, f.Errors, nil // what a checker would say of it does not help
	}
	info, diags := check.Check(f, check.Options{
		Quota: q, Arch: cfg.Arch, Judge: isa.Judge(cfg.Judge), WholeProgram: whole && !cfg.CompileOnly, CompileOnly: whole && cfg.CompileOnly,
		Debug: cfg.Debug, BoundRegisters: cfg.BoundRegisters,
	})
	if cfg.WarningsAreErrors {
		for i := range diags {
			if diags[i].Severity == diag.Warning {
				diags[i].Severity = diag.Error
			}
		}
	}
	return info, diags, nil
}

// Target is the module's .target architecture, such as "sm_90".
func (m *Module) Target() string { return m.info.Target.String() }

// NewestTarget is the newest of the modules' targets: the architecture of a device that runs
// all of them, if they go together. "" without modules.
func NewestTarget(modules ...*Module) string {
	if len(modules) == 0 {
		return ""
	}
	newest := slices.MaxFunc(modules, func(a, b *Module) int { return cmp.Compare(a.info.Target.Arch, b.info.Target.Arch) })
	return newest.Target()
}

// Warnings returns what Compile found that does not reject the module.
func (m *Module) Warnings() Diagnostics { return m.warnings }

// Judge says whose verdict a module gets where ptxas and the manual differ.
type Judge uint8

// The judges.
const (
	JudgePtxas  Judge = iota // what ptxas 13.5 accepts and rejects
	JudgeManual              // what the text, tables and examples of the manual allow
)

// ParseJudge knows ptxas and manual.
func ParseJudge(name string) (Judge, error) {
	j, err := isa.ParseJudge(name)
	if err != nil {
		return 0, fmt.Errorf("ptxvm: %w", err)
	}
	return Judge(j), nil
}

// String is the judge's name.
func (j Judge) String() string { return isa.Judge(j).String() }

// valid reports whether there is such a judge.
func (j Judge) valid() bool { return j <= JudgeManual }

// Dim3 is an extent in up to three dimensions; a zero component counts as 1.
type Dim3 struct{ X, Y, Z uint32 }

// filled replaces zero components by 1.
func (d Dim3) filled() Dim3 { return Dim3{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)} }

// Count is the number of points, X·Y·Z, zero components counting as 1.
func (d Dim3) Count() uint64 {
	f := d.filled()
	return uint64(f.X) * uint64(f.Y) * uint64(f.Z)
}

// String prints the extent as the command line takes it: 4,2,1.
func (d Dim3) String() string { f := d.filled(); return fmt.Sprintf("%d,%d,%d", f.X, f.Y, f.Z) }

// KernelInfo describes one .entry of a module.
type KernelInfo struct {
	Name              string // the symbol
	Demangled         string // the C++ signature behind the symbol, or Name
	Params            []ParamInfo
	ReqBlock          Dim3   // .reqntid; all zero without one
	MaxThreads        uint32 // product of .maxntid; 0 without one
	ReqCluster        Dim3   // .reqnctapercluster; all zero without one
	MaxClusterRank    uint32 // .maxclusterrank; 0 without one
	ExplicitCluster   bool   // .explicitcluster: a launch must name the cluster's shape, unless ReqCluster does
	BlocksAreClusters bool   // .blocksareclusters: Launch.Grid counts clusters
	StaticShared      int    // bytes of .shared variables that the kernel reaches
	// DynamicShared names the .extern .shared arrays without size that the kernel reaches; Launch.Shared says how large they are.
	DynamicShared []string
	ReadsThread   bool // the kernel's own code reads %tid: with a block of one thread it does little
}

// Base is the function's own name: Demangled without result, scope, template arguments and parameters.
func (k KernelInfo) Base() string { return kernelName(k).Base() }

// ParamName is the name of a parameter with the function's own name in place of its symbol: axpy_param_2.
func (k KernelInfo) ParamName(i int) string { return kernelname.Param(k.Params[i].Name) }

// kernelName is what the kernel is found by.
func kernelName(k KernelInfo) kernelname.Kernel {
	return kernelname.Kernel{Symbol: k.Name, Demangled: k.Demangled}
}

// ParamInfo describes one kernel parameter.
type ParamInfo struct {
	Name   string
	Type   string // PTX type of the parameter or of its elements: u64, f32, b8
	Count  int    // elements of an array parameter; 0 for a scalar
	Size   int    // bytes
	Align  int    // bytes
	Offset int    // bytes from the start of the parameter block
	Space  string // .ptr's state space: global, const, local, shared; empty without .ptr
	Elem   string // the type that the kernel first accesses at an address made of the parameter: f32; empty if it is none, or not known
}

// Decl prints the parameter as PTX declares it.
func (p ParamInfo) Decl() string {
	decl := fmt.Sprintf(".param .%s %s", p.Type, p.Name)
	if p.Count > 0 {
		decl = fmt.Sprintf(".param .align %d .%s %s[%d]", p.Align, p.Type, p.Name, p.Count)
	}
	return decl
}

// signature lists a kernel's parameters, one a line.
func signature(kernel string, params []ParamInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(", kernel)
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n  %s", p.Decl())
	}
	b.WriteString(")")
	return b.String()
}

// Signature lists the kernel's parameters as declared, one a line.
func (k KernelInfo) Signature() string { return signature(k.Name, k.Params) }

// Kernels describes the module's kernels in written order.
func (m *Module) Kernels() []KernelInfo {
	unit, err := lower.Module(m.info, lower.Options{})
	if err != nil {
		panic("BUG: a module that was accepted does not lower: " + err.Error())
	}
	linked, _ := lower.Link([]*ir.Module{unit}, func(string) bool { return true })
	return kernels(linked)
}

// kernels describes the kernels of a linked module.
func kernels(m *ir.Module) []KernelInfo {
	var infos []KernelInfo
	for _, f := range m.Funcs {
		if f.Entry && f.Defined {
			infos = append(infos, kernelInfo(f))
		}
	}
	return infos
}

func kernelInfo(f *ir.Func) KernelInfo {
	info := KernelInfo{
		Name: f.Name, Demangled: kernelname.Demangle(f.Name), StaticShared: int(f.SharedBytes),
		ReqBlock: directiveDim(f.Perf.ReqNTid), ReqCluster: directiveDim(f.Perf.ReqCluster),
		MaxClusterRank: uint32(f.Perf.MaxClusterRank), ExplicitCluster: f.Perf.ExplicitCluster, BlocksAreClusters: f.Perf.BlocksAreClusters,
	}
	if max := directiveDim(f.Perf.MaxNTid); max != (Dim3{}) {
		info.MaxThreads = uint32(max.Count())
	}
	for _, v := range f.Shared {
		if v.Dynamic {
			info.DynamicShared = append(info.DynamicShared, v.Name)
		}
	}
	info.ReadsThread = slices.ContainsFunc(f.Insts, readsThread)
	elems := pointees(f)
	for i, p := range f.Params {
		info.Params = append(info.Params, paramInfo(p))
		info.Params[i].Elem = elems[i]
	}
	return info
}

// readsThread reports whether an instruction reads %tid.
func readsThread(in ir.Inst) bool {
	tid, _ := isa.LookupSpecial("%tid")
	return slices.ContainsFunc(in.Ops, func(o ir.Operand) bool { return o.Kind == ir.OpSpec && o.Special == tid })
}

// directiveDim reads a directive's extents; all zero without the directive.
func directiveDim(v [3]int32) Dim3 { return Dim3{uint32(v[0]), uint32(v[1]), uint32(v[2])} }

func paramInfo(p *ir.Param) ParamInfo {
	info := ParamInfo{
		Name: p.Name, Type: strings.TrimPrefix(p.Type.String(), "."),
		Size: int(p.Size), Align: p.Align, Offset: int(p.Offset),
	}
	if len(p.Dims) > 0 {
		info.Count = int(p.Size) / p.Type.Bytes()
	}
	if p.Ptr {
		info.Space = p.PtrSpace.String()
	}
	return info
}

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
	Managed bool // .attribute(.managed): the host may access it, too (PTX ISA, "Variable and Function Attribute Directive: .attribute")
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
		Init: len(v.Init) > 0 || len(v.Relocs) > 0, Linkage: v.Linkage.String(), Managed: v.Managed,
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
// other modules need is not known here, and calling them is no form that is missing.
func tryDecode(m *ir.Module, kernel *ir.Func) error {
	_, err := decode.New(m, &image{}).Kernel(kernel, kernel.OwnShape(), sizes.Of(m.Target.Arch), 0, assume.Set{})
	if missing := (*decode.UnsupportedError)(nil); errors.As(err, &missing) {
		missing.Forms = slices.DeleteFunc(missing.Forms, func(f decode.UnsupportedForm) bool { return f.Undefined() })
		if len(missing.Forms) == 0 {
			return nil
		}
	}
	return (&Program{module: m}).unsupported(kernel.Name, err)
}
