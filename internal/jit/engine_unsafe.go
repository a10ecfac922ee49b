package jit

// This file owns machine code: what has been compiled for a device, and the memory that it is in.

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/products"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/num"
)

// Engine compiles code for one device. It is safe for concurrent use.
type Engine struct {
	opt Options

	mu    sync.Mutex
	pages map[*ir.Func][]*native.Code
	quota *quota
	dense *products.Multiplier

	c *throughC // nil: the old compiler alone

	failed sync.Mutex // of errs: a compilation takes time
	errs   []error
}

// NewEngine makes an engine; it fails where the processor or the platform cannot run what it makes.
func NewEngine(opt Options) (*Engine, error) {
	if err := opt.possible(); err != nil {
		return nil, err
	}
	q := &quota{most: opt.Room}
	return &Engine{opt: opt, pages: map[*ir.Func][]*native.Code{}, quota: q, dense: products.New(opt.vectors() == AVX512), c: newThroughC(&opt, q)}, nil
}

// Products computes products of matrices for launches.
func (e *Engine) Products() num.Multiplier { return e.dense }

// InstallQuick is a host.Launch's Compile: it compiles code by the quick tier and installs the result, which
// InstallWhole replaces by better.
func (e *Engine) InstallQuick(c *machine.Code, stopped func() bool) { e.install(c, tierQuick, stopped) }

// InstallWhole is a host.Launch's Compile or Better: it compiles code for whole warps once and installs the result,
// which Install completes. Code of which nothing can be compiled gets a Native without entries.
func (e *Engine) InstallWhole(c *machine.Code, stopped func() bool) { e.install(c, tierWhole, stopped) }

// Install is a host.Launch's CompileParts, or its Compile for those who want all at once.
func (e *Engine) Install(c *machine.Code, stopped func() bool) { e.install(c, tierParts, stopped) }

// tier is how much is made of code, less first.
type tier int

const (
	tierQuick tier = iota + 1
	tierWhole
	tierParts
)

// tierOf is that of installed code, 0 for none.
func tierOf(n *abi.Native) tier {
	switch {
	case n == nil:
		return 0
	case n.Last:
		return tierParts
	case n.Quick:
		return tierQuick
	case n.Whole:
		return tierWhole
	}
	return tierParts
}

func (e *Engine) install(c *machine.Code, want tier, stopped func() bool) {
	if tierOf(c.Native()) >= want || e.installC(c, want, stopped) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opt.Quick {
		want = tierQuick
	}
	if tierOf(c.Native()) >= want || stopped != nil && stopped() {
		return
	}
	if n := e.best(c, want, stopped); n != nil {
		c.SetNative(n)
	}
}

// best is what the compiler makes of code as a tier, or what stays where it cannot; nil if the launch was stopped.
func (e *Engine) best(c *machine.Code, want tier, stopped func() bool) *abi.Native {
	n, err := e.compile(c, want, stopped)
	switch {
	case err == nil:
	case errors.Is(err, ErrStopped):
		return nil // who launches next tries again
	case errors.Is(err, ErrBudget), errors.Is(err, ErrRoom):
		n = e.instead(c)
	default:
		if !errors.Is(err, ErrNothing) {
			e.fail(fmt.Errorf("%s: %w", c.Func.Name, err))
		}
		n = &abi.Native{Entries: make([]uintptr, len(c.Insts)), Quick: want == tierQuick}
	}
	return n
}

// quota is how many bytes machine code may take, and takes.
type quota struct {
	most int64 // 0: as many as it likes
	have atomic.Int64
}

// take takes some, if there are as many.
func (q *quota) take(bytes int) bool {
	if have := q.have.Add(int64(bytes)); q.most == 0 || have <= q.most {
		return true
	}
	q.give(bytes)
	return false
}

func (q *quota) give(bytes int) { q.have.Add(-int64(bytes)) }

// ErrRoom says that machine code would take more memory than it may: the function stays with the quick tier, or the
// interpreter.
var ErrRoom = errors.New("no room for machine code")

// instead is what stays for code whose compilation would take too long, or too much memory: what there is, else what
// the quick tier makes of it.
func (e *Engine) instead(c *machine.Code) *abi.Native {
	n := abi.Native{Entries: make([]uintptr, len(c.Insts))}
	if had := c.Native(); had != nil && had.Call != nil {
		n = *had
	} else if quick, err := e.compile(c, tierQuick, nil); err == nil {
		n = *quick
	}
	n.Last = true
	return &n
}

func (e *Engine) compile(c *machine.Code, want tier, stopped func() bool) (n *abi.Native, err error) {
	f := decode.FuncOf(c.Func)
	if want == tierQuick {
		err = CompileQuick(c, f, e.opt, func(out *Compiled) error {
			n, err = e.native(f, out, e.opt)
			return err
		})
		if err != nil {
			return nil, err
		}
		n.Quick, n.Whole = true, true
		return n, nil
	}
	opt := Stopped(e.opt, stopped)
	opt.Whole = opt.Whole || want == tierWhole
	opt.counted = newCounts()
	out, err := Compile(c, f, opt)
	if err != nil {
		return nil, err
	}
	if opt.counted != nil {
		opt.counted.Listing = out.Listing
	}
	if n, err = e.native(f, out, opt); err != nil {
		return nil, err
	}
	n.Whole = opt.Whole
	return n, nil
}

// native brings code into pages of its own.
func (e *Engine) native(f *ir.Func, out *Compiled, opt Options) (*abi.Native, error) {
	for pc, i := range out.Bounds {
		if opt.miss != nil && i >= 0 && opt.miss(int32(pc)) {
			out.Bounds[pc] = -1
		}
	}
	code, err := native.New(out.Bytes)
	if err != nil {
		return nil, err
	}
	if !e.quota.take(code.Len()) {
		return nil, errors.Join(ErrRoom, code.Free())
	}
	e.pages[f] = append(e.pages[f], code)
	n := &abi.Native{
		Call:   call,
		Meets:  meets(f),
		Bounds: out.Bounds, NumBounds: out.NumBounds,
	}
	b := &out.Batch
	n.Entries, n.Warps, n.Resumes = addresses(code, out.Entries...), addresses(code, b.Warps...), addresses(code, b.Resumes...)
	n.Wholes = addresses(code, b.Wholes...)
	ends := addresses(code, b.Batch, b.Out, b.Start, b.Again, b.Begin)
	n.Batch, n.Out, n.Start, n.Again, n.Begin = ends[0], ends[1], ends[2], ends[3], ends[4]
	return n, nil
}

// addresses are those of offsets in the code, 0 for -1.
func addresses(code *native.Code, offs ...int32) []uintptr {
	list := make([]uintptr, len(offs))
	for i, off := range offs {
		if off >= 0 {
			list[i] = code.Addr(int(off))
		}
	}
	return list
}

func call(s *abi.State, entry uintptr) { native.Call(entry, unsafe.Pointer(s)) }

// meets lists for each pc where the immediate post-dominator of its block begins, -1 for none.
func meets(f *ir.Func) []int32 {
	out := make([]int32, len(f.Insts))
	for b := range f.Blocks {
		meet := int32(-1)
		if d := f.Blocks[b].IPDom; d != ir.NoBlock {
			meet = f.Blocks[d].First
		}
		for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
			out[pc] = meet
		}
	}
	return out
}

// Err returns what has kept code from being compiled.
func (e *Engine) Err() error { return errors.Join(e.Errs()...) }

// Errs is Err one by one: each has the name of its function.
func (e *Engine) Errs() []error {
	e.failed.Lock()
	defer e.failed.Unlock()
	return slices.Clone(e.errs)
}

// NotNew says why kernels have been left to the old compiler, by name, or why all are.
func (e *Engine) NotNew() []string { return e.c.notTaken() }

// fail notes what has kept code from being compiled.
func (e *Engine) fail(err error) {
	e.failed.Lock()
	defer e.failed.Unlock()
	e.errs = append(e.errs, err)
}

// Close gives the memory back. No code of the device may run any more.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return errors.Join(e.free(slices.Collect(maps.Keys(e.pages))), e.free(e.c.functions()), e.dense.Close())
}

// Forget gives the memory of functions' code back. None of it may run any more, nor be installed again.
func (e *Engine) Forget(funcs []*ir.Func) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.free(funcs)
}

func (e *Engine) free(funcs []*ir.Func) error {
	var errs []error
	for _, f := range funcs {
		for _, p := range e.pages[f] {
			e.quota.give(p.Len())
			errs = append(errs, p.Free())
		}
		delete(e.pages, f)
		errs = append(errs, e.c.free(f)...)
	}
	return errors.Join(errs...)
}
