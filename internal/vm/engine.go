package vm

// This file chooses how kernels are executed, and says what ran where.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// Engine chooses how kernels are executed. All give the same results.
type Engine uint8

// The engines.
const (
	Auto   Engine = iota // the interpreter first, machine code for what has become hot, where it can be run
	Interp               // the interpreter, which runs everything, everywhere
	JIT                  // machine code for what can be compiled, from the first time on; the rest is interpreted
	CC                   // machine code by the installed C compiler, clang or gcc, for the kernels that are taken; else as JIT
)

// engines are the names of the engines, by number.
var engines = []string{Auto: "auto", Interp: "interp", JIT: "jit", CC: "cc"}

// ParseEngine knows auto, interp, jit and cc.
func ParseEngine(name string) (Engine, error) {
	i := slices.Index(engines, name)
	if i < 0 {
		return 0, fmt.Errorf("ptxvm: there is no engine %q; there are %s", name, strings.Join(engines, ", "))
	}
	return Engine(i), nil
}

// String is the engine's name.
func (e Engine) String() string { return engines[e] }

// ErrNoJIT is returned by NewDevice for the engines JIT and CC where machine code cannot be run.
var ErrNoJIT = errors.New("ptxvm: no compiled code here")

// compiler makes machine code of a device's code: internal/jit's Engine, where ptxvm is built with one.
type compiler interface {
	InstallQuick(c *machine.Code, stopped func() bool)
	InstallWhole(c *machine.Code, stopped func() bool)
	Install(c *machine.Code, stopped func() bool) // for some lanes, too
	InstallBetter(c *machine.Code, steps uint64, stopped func() bool)
	Products() num.Multiplier
	Errs() []error    // why functions have not been compiled
	NotNew() []string // why kernels have not been compiled by the new pipeline
	Forget(funcs []*ir.Func) error
	Close() error
}

// compileBy makes launches compile by an engine; nil: not at all.
func (d *Device) compileBy(made compiler) {
	if d.jit = made; made != nil {
		d.compileQuick, d.compileWhole, d.compileParts = made.InstallQuick, made.InstallWhole, made.Install
		d.compileBetter = func(c *machine.Code, stopped func() bool) {
			made.InstallBetter(c, uint64(d.tuning.HotAfter)*uint64(len(c.Insts)), stopped) // or some more
		}
	}
}

// compiles reports whether code of a launch may be compiled.
func (d *Device) compiles(l *machine.Launch) bool {
	return d.jit != nil && !l.Observed() && l.OnFault == nil && !l.Fair && l.Depends == nil
}

// compiling makes the launch compile what the engine of the device would.
func (d *Device) compiling(l *host.Launch) {
	if !d.compiles(&l.Launch) {
		return
	}
	l.Compile, l.CompileParts, l.PartsAfter = d.compileWhole, d.compileParts, d.tuning.PartsAfter
	t := &d.tuning
	l.Better, l.BetterAfter = d.compileBetter, t.HotAfter
	if d.cfg.Engine != Auto {
		return
	}
	if l.CompileAfter = t.HotAfter; t.QuickAfter < t.HotAfter {
		l.Compile, l.CompileAfter = d.compileQuick, t.QuickAfter
	}
}

// products computes products of matrices by machine code; nil: by portable code.
func (d *Device) products() num.Multiplier {
	if d.jit == nil {
		return nil
	}
	return d.jit.Products()
}

// refused says why functions have not been compiled.
func (d *Device) refused() (why []string) {
	if d.jit == nil {
		return nil
	}
	for _, err := range d.jit.Errs() {
		why = append(why, err.Error())
	}
	return why
}

// notNew says why kernels have been left to the old compiler, if the engine is one of some.
func (d *Device) notNew(engines ...Engine) []string {
	if d.jit == nil || !slices.Contains(engines, d.cfg.Engine) {
		return nil
	}
	return d.jit.NotNew()
}

// ofC are the lane-ops of code of the new pipeline if it is the C compiler's.
func (d *Device) ofC(ops uint64) uint64 {
	if d.cfg.Engine != CC {
		return 0
	}
	return ops
}

// EngineShares tells which part of the lane-ops ran where: "interp", "jit" and, if there was any, "cc", which add up to 1.
func (s Stats) EngineShares() map[string]float64 {
	shares := map[string]float64{"interp": 1}
	if s.Compiled != 0 {
		part := float64(s.Compiled) / float64(s.LaneOps)
		shares["interp"], shares["jit"] = 1-part, part
	}
	if s.CompiledC != 0 {
		shares["cc"] = float64(s.CompiledC) / float64(s.LaneOps)
		shares["jit"] = float64(s.Compiled-s.CompiledC) / float64(s.LaneOps)
	}
	return shares
}

// Leave says how often compiled code left an instruction to the interpreter.
type Leave struct {
	At      Location // in the PTX
	Text    string   // the instruction
	Times   uint64
	Blocked uint64 // of Times: the instruction had to wait for others, as at a barrier
}

// Helper says how often compiled code had instructions of an operation executed by the interpreter's handler, and went on.
type Helper struct {
	Op    string // ptxvm's name of the operation, as in dump --stage decoded
	Times uint64
}

// helpers sums up the instructions that handlers have executed for compiled code, the most frequent operation first.
func helpers(left []machine.Left) (list []Helper) {
	if len(left) == 0 {
		return nil
	}
	times := map[string]uint64{}
	for _, l := range left {
		if l.Helped {
			times[l.Code.Insts[l.PC].Op.String()] += l.Times
		}
	}
	for op, n := range times {
		list = append(list, Helper{op, n})
	}
	slices.SortFunc(list, func(a, b Helper) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Op, b.Op))
	})
	return list
}

// leaves sums up where compiled code has returned, the most frequent place first.
func (p *Program) leaves(left []machine.Left) (list []Leave) {
	if len(left) == 0 {
		return nil
	}
	type place struct {
		f  *machine.FuncInfo
		pc int32
	}
	times := map[place]Leave{}
	for _, l := range left {
		if from := l.Code.At(l.PC); !l.Helped {
			at := place{from.Func, from.PC}
			n := times[at]
			times[at] = Leave{Times: n.Times + l.Times, Blocked: n.Blocked + l.Blocked}
		}
	}
	for at, n := range times {
		n.At, _, n.Text = findings.Locate(p.module, at.f, at.pc)
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b Leave) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Function, b.At.Function))
	})
	return list
}
