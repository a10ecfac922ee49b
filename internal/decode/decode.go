// Package decode turns linked functions into what the machine runs, for one launch shape:
// it solves register classes, places rows, scalar slots and constants, and lets each
// statement's semantics line (package sem) set up its decoded instruction, once for the
// converged variant and once for the split one.
//
// Instruction i of a function is Insts[i] and Split[i]: pcs agree everywhere.
package decode

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/passing"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/quota"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/calls"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Placement says where a module lies on the device.
type Placement interface {
	Var(v *ir.Var) uint64   // address of a global or constant variable
	Func(f *ir.Func) uint64 // address of a function in the code window
}

// Program is the decoded code of one kernel and of all functions that it may call.
type Program struct {
	Entry       *machine.Code
	Functions   map[uint64]*machine.Code // by address: those that an indirect call may reach
	Assumptions []assume.Assumption      // that the code depends on, in the table's order
	key         programKey
}

// Decoder decodes the kernels of one linked module and keeps the results by launch shape.
// It is safe for concurrent use.
type Decoder struct {
	mod   *ir.Module
	where Placement

	mu       sync.Mutex
	programs map[programKey]*Program
	late     map[*ir.Func]bool // by kernel: StartsAsync
	inline   map[*ir.Func]*ir.Inlined
	last     atomic.Pointer[Program] // that was asked for: most launches are like the one before
}

type programKey struct {
	kernel      *ir.Func
	shape       ir.LaunchShape
	start       uint32 // of the kernel's shared memory in the window
	dynamic     uint32 // of dynamic shared memory behind that
	sm1x        bool   // the device is older than sm_20
	assumptions assume.Set
	watch       Watch
	inline      bool // functions are in place of their calls
}

// New returns a decoder of a linked module.
func New(mod *ir.Module, where Placement) *Decoder {
	return &Decoder{mod: mod, where: where, programs: map[programKey]*Program{}, late: map[*ir.Func]bool{}, inline: map[*ir.Func]*ir.Inlined{}}
}

// Provided reports whether the runtime supplies a function that modules only declare.
func Provided(name string) bool { return calls.IsNative(name) || ofDriver(name) }

// ofDriver reports whether a function is one of those with which NVIDIA's driver serves its device runtime, for kernels that
// launch kernels. They are not executed: a kernel that reaches one is refused when it is launched, and others of its program run.
func ofDriver(name string) bool {
	return strings.HasPrefix(name, "__cuda_syscall_") || strings.HasPrefix(name, "cnp")
}

// Prints reports whether kernels of a linked module can print: it refers to the function for that.
func Prints(m *ir.Module) bool { return m.Func(calls.Printf) != nil }

// DynamicStart returns the offset at which dynamic bytes of shared memory begin behind static
// ones: 1024-aligned, because kernels compute swizzles from address bits (DESIGN §7), unless a
// CTA's limit does not leave room for that.
func DynamicStart(static, dynamic, limit int) int {
	start := (static + 1023) &^ 1023
	switch {
	case dynamic == 0:
		return static
	case start+dynamic > limit:
		return (static + 15) &^ 15
	}
	return start
}

// Kernel decodes a kernel for a launch shape, a target, the offset at which its dynamic
// shared memory begins, and positions of the assumptions. The error is an *UnsupportedError, before
// anything has run.
func (d *Decoder) Kernel(kernel *ir.Func, shape ir.LaunchShape, target sizes.Target, dynamic uint32, assumptions assume.Set) (*Program, error) {
	return d.Watched(Watch{}, kernel, shape, target, dynamic, assumptions)
}

// Watch is who looks on.
type Watch struct {
	Observe events.Wants // what the code tells an observer, of events.WantsOfCode
	Values  bool         // it passes the values of registers on (dataflow.Values)
	Numbers bool         // it shows numbers and what becomes of them (dataflow.Numbers)
	Trace   bool         // it shows a tracer what it has done
	Step    bool         // a debugger stands between its instructions (machine.Moments)
	Depends bool         // griddepcontrol does something: launches run beside each other (machine.Dependence)
}

// wants reports whether any of these is wanted.
func (w *Watch) wants(any events.Wants) bool { return w.Observe&any != 0 }

// Watched is Kernel for observed launches: the code has the observed variant only.
func (d *Decoder) Watched(by Watch, kernel *ir.Func, shape ir.LaunchShape, target sizes.Target, dynamic uint32, assumptions assume.Set) (*Program, error) {
	return d.Within(nil).Watched(by, kernel, shape, target, dynamic, assumptions)
}

// Limited is a decoder whose work has limits.
type Limited struct {
	d     *Decoder
	quota *quota.Quota
}

// Within returns the decoder for one launch, whose decoding may take so much. Past it, it panics as a quota does.
func (d *Decoder) Within(q *quota.Quota) Limited { return Limited{d, q} }

// Watched is Decoder.Watched.
func (l Limited) Watched(by Watch, kernel *ir.Func, shape ir.LaunchShape, target sizes.Target, dynamic uint32, assumptions assume.Set) (*Program, error) {
	return l.program(programKey{kernel, shape, target.ReservedShared, dynamic, target.Arch < 20, assumptions, by, false})
}

func (l Limited) program(key programKey) (*Program, error) {
	d := l.d
	if p := d.last.Load(); p != nil && p.key == key {
		return p, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.programs[key]
	if p == nil {
		var err error
		if p, err = l.make(key); err != nil {
			return nil, err
		}
		d.programs[key] = p
	}
	d.last.Store(p)
	return p, nil
}

// StartsAsync reports whether a kernel may start asynchronous operations.
func (d *Decoder) StartsAsync(kernel *ir.Func) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	late, known := d.late[kernel]
	if !known {
		late = slices.ContainsFunc(d.reach(kernel).funcs, startsAsync)
		d.late[kernel] = late
	}
	return late
}

// Multiplies reports whether a kernel may make products whose registers wgmma.fence orders.
func (d *Decoder) Multiplies(kernel *ir.Func) bool {
	return d.StartsAsync(kernel) && slices.ContainsFunc(d.reach(kernel).funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Insts, func(in ir.Inst) bool { return sem.Fences(in.Sel) })
	})
}

// Depends reports whether a kernel tells launches beside it something, or waits for them.
func (d *Decoder) Depends(kernel *ir.Func) bool {
	return slices.ContainsFunc(d.reach(kernel).funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Insts, func(in ir.Inst) bool { return in.Sel.ID() == isa.Griddepcontrol })
	})
}

func startsAsync(f *ir.Func) bool {
	return slices.ContainsFunc(f.Insts, func(in ir.Inst) bool { return sem.StartsAsync(in.Sel) })
}

// make decodes what is not kept.
func (l Limited) make(key programKey) (*Program, error) {
	d, kernel := l.d, key.kernel
	l.quota.Prepare("kernel", kernel.Name)
	l.quota.Enter("decode")
	reach := d.reach(kernel)
	lines, err := executable(kernel, reach)
	if err != nil {
		return nil, err
	}
	if err := agree(kernel, reach.funcs); err != nil {
		return nil, err
	}
	if err := roomOnStack(reach.funcs); err != nil {
		return nil, err
	}
	var in *ir.Inlined
	if key.inline {
		if in = d.inlined(kernel); in != nil {
			kernel = in.Func
			reach = d.reach(kernel)
			more, err := executable(kernel, reach)
			if err != nil {
				return nil, err
			}
			maps.Copy(lines, more)
		}
	}
	u := &unit{d: d, quota: l.quota, key: key, lines: lines, codes: map[*ir.Func]*machine.Code{}, waiting: map[*ir.Func]bool{}}
	p, err := u.program(reach)
	if err != nil {
		return nil, err
	}
	p.Entry = u.codes[kernel]
	if in != nil {
		p.Entry.Whence = u.whence(in)
	}
	p.Entry.Registers = d.registers(key.kernel, reach)
	for s := range lines {
		if s.Entry.ID == isa.ClusterlaunchcontrolTryCancel {
			p.Entry.Withdraws = true
		}
	}
	return p, nil
}

// program decodes the functions that a kernel reaches; the kernel's entry is left to fill in.
func (u *unit) program(reach *reachable) (*Program, error) {
	starts := slices.ContainsFunc(reach.funcs, startsAsync)
	u.keeps = u.key.watch.wants(events.WantsLeft) && starts
	u.pins = u.key.watch.wants(events.WantsRows) && slices.ContainsFunc(reach.funcs, pinning)
	p := &Program{key: u.key, Functions: map[uint64]*machine.Code{}}
	for _, f := range reach.funcs {
		u.codes[f] = &machine.Code{}
	}
	for _, f := range reach.funcs {
		if err := u.function(f); err != nil {
			return nil, err
		}
		if reach.indirect && !f.Entry {
			code := u.codes[f]
			code.Passed = passing.Side{Args: u.homes(f, f.Params), Rets: u.homes(f, f.Rets)}
			p.Functions[u.d.where.Func(f)] = code
		}
	}
	p.Assumptions = u.assumptions()
	for _, code := range u.codes {
		code.StartsAsync, code.Interpreted = starts, u.keeps
	}
	if u.holds {
		watchEnds(slices.Collect(maps.Values(u.codes)))
	}
	return p, nil
}

// watchEnds leaves the ends of lanes to the interpreter: they must not hold operations that have not been submitted.
func watchEnds(codes []*machine.Code) {
	for _, code := range codes {
		for i := range code.Insts {
			if in := &code.Insts[i]; in.Op == uop.Exit || in.Op == uop.Return {
				in.Flags |= machine.Watched
			}
		}
	}
}

// LocalError is a function whose frame no thread has room for.
type LocalError struct {
	Func  *ir.Func
	Bytes int64
}

func (e *LocalError) Error() string {
	return fmt.Sprintf("%s needs %d bytes of local memory; a thread has %d", e.Func.Name, e.Bytes, machine.DefaultStack)
}

// roomOnStack refuses frames that are larger than a thread's local memory. ptxas has no limit; a launch on
// hardware fails.
func roomOnStack(funcs []*ir.Func) error {
	for _, f := range funcs {
		if n := f.CallBytes + f.LocalBytes; n < 0 || n > int64(machine.DefaultStack) {
			return &LocalError{f, n}
		}
	}
	return nil
}

// assumptions lists those that the code depends on.
func (u *unit) assumptions() []assume.Assumption {
	list := slices.Clone(u.depends)
	for _, l := range u.lines {
		list = append(list, l.Assumptions()...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// reachable is what a kernel may execute.
type reachable struct {
	funcs    []*ir.Func // the kernel first
	indirect bool       // it calls through addresses
}

// reach follows direct calls; an indirect call may reach every function whose address is
// taken, by code or by an initial value.
func (d *Decoder) reach(kernel *ir.Func) *reachable {
	r := &reachable{}
	seen := map[*ir.Func]bool{}
	add := func(f *ir.Func) {
		if f == nil || !f.Defined || seen[f] {
			return
		}
		seen[f] = true
		r.funcs = append(r.funcs, f)
	}
	add(kernel)
	for i := 0; i < len(r.funcs); i++ {
		for pc := range r.funcs[i].Insts {
			if c := r.funcs[i].Insts[pc].Call; c != nil {
				add(c.Callee)
				if c.Callee == nil && !r.indirect {
					r.indirect = true
					d.eachTaken(add)
				}
			}
		}
	}
	return r
}

// eachTaken visits the functions whose address the module takes.
func (d *Decoder) eachTaken(visit func(*ir.Func)) {
	for _, v := range d.mod.Vars {
		for i := range v.Relocs {
			visit(v.Relocs[i].Func)
		}
	}
	for _, f := range d.mod.Funcs {
		for pc := range f.Insts {
			eachOperand(f.Insts[pc].Ops, func(o *ir.Operand) { visit(o.Func) })
			if c := f.Insts[pc].Call; c != nil {
				for _, t := range c.Table {
					visit(t)
				}
			}
		}
	}
}

func eachOperand(ops []ir.Operand, visit func(*ir.Operand)) {
	for i := range ops {
		visit(&ops[i])
		eachOperand(ops[i].Elems, visit)
	}
}
