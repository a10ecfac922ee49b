package jit

// This file is the way into the new pipeline (ssa, build, opt; isel and regalloc, or cc). Its code is for batches of whole warps; the old
// compiler's stands beside it for what batches leave and for warps that begin one by one, and has the kernels that it does not take
// (which.go).

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/cc"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// PipelineC is how kernels go through the new pipeline, to C and by the installed C compiler to machine code unless it is Own.
type PipelineC struct {
	Choose bool // the old compiler has the kernels for which it is likely faster; else all that are taken are the new pipeline's, at once

	Cache bool   // what the C compiler makes is kept on disk
	Alone string // why warps begin one by one on the device, for which its code cannot be entered: keeps all kernels away; empty: they do not
	Build build.Options
	Opt   opt.Options

	Without map[string]bool // techniques that are left out, of all packages (TechniquesC)

	Turn   int32                              // fuel of warps that begin, if not 0: tests
	Forced *atomic.Uint32                     // the number of a state with which code leaves wherever it comes to it: tests; nil: it does not look
	Note   func(kernel string, refused error) // called for each kernel, with why it is not taken; may be nil
	Text   func(kernel, c string)             // called with the C of each that is taken; may be nil
	Bytes  func(kernel string, code []byte)   // called with the machine code of each that is taken by our own; may be nil
	Own    bool                               // machine code of our own (isel, regalloc) in place of C, by the engine's vectors

	Instead func(f *ssa.Func) (WholeCode, error) // what executes a function in place of our own machine code: tests; nil: that does
}

// ByDefault has engines compile as devices do: each kernel by the compiler that is likely the faster one.
func ByDefault(o Options) Options { return ThroughC(o, &PipelineC{Own: true, Choose: true}) }

// ThroughC has engines compile by the new pipeline what that takes; nil: nothing.
func ThroughC(o Options, p *PipelineC) Options {
	o.c = p
	return o
}

// TechniquesC are the names of all that the new pipeline can leave out: passes and parts of them, rules by which operations are simplified,
// what is done where code is built, classes of accesses in C.
func TechniquesC() (names []string) {
	for _, p := range opt.Passes {
		if p.Name != opt.Placing {
			names = append(names, p.Name)
		}
	}
	return slices.Concat(names, opt.Techniques, build.Techniques, ssa.Rules(), cc.Techniques)
}

// throughC is what an engine keeps of kernels that go through C, or do not.
type throughC struct {
	opt   *PipelineC
	tool  *cc.Toolchain // nil: there is none
	quota *quota

	mu      sync.Mutex
	kernels map[*ir.Func][]*kernelC
	not     []string // why kernels do not
}

// kernelC is one kernel. Its lock is held while it is compiled: who else wants to launch it waits.
type kernelC struct {
	mu      sync.Mutex
	of      *machine.Code
	tried   bool
	code    WholeCode // nil: it was refused, or not tried
	beside  bool      // the old compiler's code has what batches leave
	outside uint64    // steps that the interpreter has executed of it, or as much of the quick tier's code

	steps, left atomic.Uint64 // that the code has executed, and how often it has left a warp in its middle
	gone        atomic.Bool   // it leaves too often
}

// newThroughC finds the C compiler.
func newThroughC(o *Options, q *quota) *throughC {
	if o.c == nil {
		return nil
	}
	t := &throughC{opt: o.c, quota: q, kernels: map[*ir.Func][]*kernelC{}}
	if o.c.Own {
		return t
	}
	tool, err := cc.Find(o.c.Cache)
	if o.c.Alone != "" {
		tool, err = nil, fmt.Errorf("with %s warps begin one by one, and what goes through C is for all of a CTA", o.c.Alone)
	}
	if t.tool = tool; err != nil {
		t.not = []string{err.Error()}
	}
	return t
}

// kernel is that of some code.
func (t *throughC) kernel(c *machine.Code) *kernelC {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := decode.FuncOf(c.Func)
	for _, k := range t.kernels[f] {
		if k.of == c {
			return k
		}
	}
	k := &kernelC{of: c}
	t.kernels[f] = append(t.kernels[f], k)
	return k
}

// installC compiles a kernel and installs its code; it tells whether that is all that is to be made for now: not where the kernel is the
// old compiler's, or has code of that beside.
func (e *Engine) installC(c *machine.Code, want tier, stopped func() bool) bool {
	t := e.c
	if t == nil || t.tool == nil && !t.opt.Own || want == tierQuick && t.opt.Choose || !c.Func.Entry {
		return false
	}
	k := t.kernel(c)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tried {
		return k.code != nil && !k.beside && !k.gone.Load()
	}
	n, err := e.compileC(k, stopped)
	if errors.Is(err, ErrStopped) || errors.Is(err, cc.ErrStopped) {
		return true // who launches next tries again
	}
	k.tried = true
	if t.opt.Note != nil {
		t.opt.Note(c.Func.Name, err)
	}
	if err != nil {
		t.refuse(c, err)
		return false
	}
	if c.Native() == nil {
		c.SetNative(&abi.Native{Entries: make([]uintptr, len(c.Insts)), Quick: true}) // there may be better
	}
	c.SetBatches(n)
	return true
}

// mostReasons bounds how many kernels are named that do not go through C.
const mostReasons = 100

// refuse notes why a kernel does not go through C.
func (t *throughC) refuse(c *machine.Code, why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := fmt.Sprintf("%s: %v", c.Func.Name, why); !slices.Contains(t.not, text) && len(t.not) < mostReasons {
		t.not = append(t.not, text)
	}
}

// compileC makes machine code of a kernel. An error that is neither a reason to leave the kernel to the old compiler nor the C compiler's is
// a defect of ours.
func (e *Engine) compileC(k *kernelC, stopped func() bool) (*abi.Native, error) {
	t := e.c
	b, text, err := t.text(k.of, e.opt.vectors(), stopped)
	var code WholeCode
	if err == nil && t.opt.Own {
		code, err = t.opt.ownCode(k.of.Func.Name, b.Func, e.opt.vectors())
	}
	if err != nil {
		if !errors.Is(err, ErrStopped) && !errors.As(err, new(build.Refusal)) && !errors.As(err, new(amd64.Refusal)) {
			e.fail(fmt.Errorf("%s, by the new pipeline: %w", k.of.Func.Name, err))
		}
		return nil, err
	}
	if !t.opt.Own {
		if code, err = t.tool.Compile(text, stopped); err != nil {
			return nil, err
		}
	}
	if !t.quota.take(code.Len()) {
		return nil, errors.Join(ErrRoom, code.Free())
	}
	k.code = code
	return k.native(b, t.opt), nil
}

// WholeCode is machine code for batches of whole warps: by way of C, or our own.
type WholeCode interface {
	Call(s *abi.State, how uintptr) error
	Len() int
	Free() error
}

// ForOwn are options by which a kernel is built for machine code of our own.
func ForOwn(o build.Options, v Vectors) build.Options {
	o.Waits, o.Helpers = true, true
	if v == AVX512 {
		o.Vector = 16
	}
	return o
}

// text is a kernel placed, and as C unless the code is to be our own.
func (t *throughC) text(c *machine.Code, vectors Vectors, stopped func() bool) (b *build.Built, text string, err error) {
	o := *t.opt
	if o.Own {
		o.Build = ForOwn(o.Build, vectors)
	}
	o.Build.Without, o.Opt.Without = o.Without, o.Without
	if o.Choose {
		o.Build, err = chosen(o.Build), tooLong(c)
	}
	if err == nil {
		b, err = build.Build(c, o.Build)
	}
	if err == nil && stopped != nil && stopped() {
		err = ErrStopped
	}
	if err == nil {
		err = opt.Run(b.Func, o.Opt)
	}
	if err != nil || o.Own {
		return b, "", err
	}
	if text, err = cc.Print(b.Func, cc.Options{Without: o.Without, Forced: o.Forced != nil}); err == nil && o.Text != nil {
		o.Text(c.Func.Name, text)
	}
	return b, text, err
}

// native describes code to the machine.
func (k *kernelC) native(b *build.Built, o *PipelineC) *abi.Native {
	n := len(k.of.Insts)
	out := &abi.Native{
		Call: func(s *abi.State, entry uintptr) {
			if o.Turn != 0 {
				s.Batch.Turn = o.Turn
			}
			if o.Forced != nil {
				binary.NativeEndian.PutUint32(s.Save[:], o.Forced.Load())
			}
			if err := k.code.Call(s, entry); err != nil {
				panic(err) // there is no memory for a stack
			}
			k.ran(s)
		},
		Entries: make([]uintptr, n), Warps: make([]uintptr, n), Resumes: make([]uintptr, n), Wholes: make([]uintptr, n),
		Meets: meets(decode.FuncOf(k.of.Func)), Free: b.Free, Bounds: b.Bounds, NumBounds: b.NumBounds, Shared: b.Shared,
		Batch: abi.ByBatch, Begin: abi.ByCTA, Start: abi.ByStart, Again: abi.ByStart, Out: abi.ByOut,
		Whole: true, New: true,
	}
	out.Warps[0] = abi.ByWarp
	for pc, e := range b.Entries {
		out.Resumes[pc], out.Wholes[pc] = abi.ByBarrier+uintptr(e[0]), abi.ByBarrier+uintptr(e[1])
	}
	return out
}

// A batch whose code leaves a warp in its middle is written home and described anew: as long as it takes for worthLeaving steps. Code that
// has left oftenLeft times, and more often than that, is not worth while.
const (
	worthLeaving = 1 << 10
	oftenLeft    = 1 << 12 // each core leaves once at each access, to learn of memory
)

// ran notes what the code has executed when it returns, and takes it away where it leaves too often.
func (k *kernelC) ran(s *abi.State) {
	steps := k.steps.Add(s.Steps)
	if s.Help.Back != 0 || s.Batch.Current == 0 || s.HasPolled() {
		return
	}
	if left := k.left.Add(1); left > oftenLeft && left*worthLeaving > steps && !k.gone.Swap(true) {
		k.of.SetBatches(nil)
	}
}

// interpreted is how many steps of the new pipeline's code take as long as one of the interpreter.
const interpreted = 30

// InstallBetter is a host.Launch's Better: InstallWhole, and for code of the new pipeline that of the old compiler, where what batches leave
// takes longer than they do. steps is how many the interpreter has executed since it asked last.
func (e *Engine) InstallBetter(c *machine.Code, steps uint64, stopped func() bool) {
	if e.leavesMuch(c, steps) {
		e.install(c, tierWhole, stopped)
	}
}

// leavesMuch counts what batches leave to the interpreter; true if the old compiler is to make code for it, or there are no batches.
func (e *Engine) leavesMuch(c *machine.Code, steps uint64) bool {
	if n := c.Batching(); n == nil || !n.New {
		return true
	}
	k := e.c.kernel(c)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.outside += steps; !k.beside && k.outside*interpreted >= k.steps.Load() {
		k.beside = true
	}
	return k.beside
}

// notTaken is why kernels are left to the old compiler.
func (t *throughC) notTaken() []string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clip(t.not) // whose elements do not change
}

// free gives the memory of a function's code back.
func (t *throughC) free(f *ir.Func) (errs []error) {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.kernels[f] {
		if k.code != nil {
			t.quota.give(k.code.Len())
			errs = append(errs, k.code.Free())
		}
	}
	delete(t.kernels, f)
	return errs
}

// functions are those that have gone through C, or were to.
func (t *throughC) functions() (list []*ir.Func) {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for f := range t.kernels {
		list = append(list, f)
	}
	return list
}
