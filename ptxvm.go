// Package ptxvm is NVIDIA's PTX virtual machine on the CPU: it reads PTX modules of
// every version, judges them as ptxas does, and runs their kernels with the results
// that the hardware gives. It needs no GPU, no CUDA and no cgo.
//
//	m, err := ptxvm.Compile("saxpy.ptx", src, nil)
//	d, err := ptxvm.NewDevice(nil)
//	defer d.Close()
//	p, err := d.Load(m)
//	k, err := p.Kernel("saxpy")
//	x, err := ptxvm.Upload(d, xs)
//	_, err = k.Launch(ctx, ptxvm.Launch{Grid: ptxvm.Dim3{X: 4}, Block: ptxvm.Dim3{X: 256}}, int32(1000), float32(2.5), x, y)
//	err = ptxvm.Download(y, ys)
//
// Errors carry what a user needs: Diagnostics of a module that is not valid, *ArgError,
// *Fault, *DeadlockError, *UnsupportedError, ErrStepLimit, ErrOutOfMemory and the
// context's own. PTX is untrusted input: no module can crash the process or reach
// memory outside the device.
package ptxvm

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/isa"
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
	if cfg == nil {
		cfg = &CompileConfig{}
	}
	info, diags, err := judge(filename, bytes.Clone(src), cfg, false)
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
	info, diags, err := judge(filename, src, cfg, true)
	if info != nil {
		info.Release()
	}
	return diags, err
}

func judge(filename string, src []byte, cfg *CompileConfig, whole bool) (*check.Info, Diagnostics, error) {
	if cfg.Arch != "" {
		if _, err := isa.ParseTarget(cfg.Arch); err != nil {
			return nil, nil, fmt.Errorf("ptxvm: %w", err)
		}
	}
	if !cfg.Judge.valid() {
		return nil, nil, fmt.Errorf("ptxvm: there is no judge %d", cfg.Judge)
	}
	parse := syntax.Parse
	if whole {
		parse = syntax.ParsePacked
	}
	f := parse(filename, src)
	if syntax.NotPTX(f.Errors) {
		return nil, f.Errors, nil // what a checker would say of it helps nobody
	}
	info, diags := check.Check(f, check.Options{Arch: cfg.Arch, Judge: isa.Judge(cfg.Judge), WholeProgram: whole && !cfg.CompileOnly, CompileOnly: whole && cfg.CompileOnly})
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

// valid tells whether there is such a judge.
func (j Judge) valid() bool { return j <= JudgeManual }
