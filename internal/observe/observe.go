// Package observe makes decoded instructions tell those who look on: sanitizers of what they are about to touch (Observe) and of what
// they do to values (Follow), and a proof that a loop never ends (Prove).
package observe

// What an instruction tells observers before it acts (DESIGN §7), derived from the effect
// clauses of the ISA data and the roles of the operands:
//
//	Reads, Writes      every address operand is touched, as many bytes as its alignment says
//	                   or an operand called size; both together are one atomic access
//	Syncs              beside an access its strength; alone a fence or barrier
//	Blocks             beside an access: what it acquires, it tells when its wait is over
//	FencesProxy        a proxy fence
//	OrdersFirst, Later a fence of tensor memory, before or after a synchronisation
//	Asynchronous       nothing: the asynchronous operation itself tells when it acts
//	Tells              nothing: the handler tells which bytes, of a matrix whose rows lanes share
//
// WritesOnce is one access of all lanes together.
//
// Tensor memory, images and what the runtime's functions read tell for themselves.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// watch is what one instruction tells; the events are templates.
type watch struct {
	touches []touch
	fences  []machine.Event // of proxies, of tensor memory and of launches
	order   model.Order     // of a fence or barrier
	scope   model.Scope
	waits   bool // an access that may wait before it acquires
	loads   bool // an access whose reading is told of behind it, too
	barrier bool // a barrier instruction, which tells its release and acquire even where it is relaxed
	rows    []machine.RowUse
}

// touch is one address operand.
type touch struct {
	machine.Event
	by   uop.Addressing
	row  uint32 // of addresses
	disp uint64
	size *ir.Operand
	bits int    // of the row of sizes
	rows uint32 // where the sizes are
	once bool   // the lanes of the warp make one access together
	many bool   // it is made to all copies of a multicast address
}

// Observe wraps the handlers of a decoded instruction, which runs on rows, so that they tell
// observers what they are about to do and that is wanted. rows are what it does to registers, where an asynchronous
// operation may have pinned some.
func Observe(b *sem.Build, rows []machine.RowUse, wants events.Wants) {
	o := newWatch(b)
	o.keep(wants)
	if o.rows = rows; len(rows) == 0 && o.silent() {
		return
	}
	b.Out.Full, b.Out.Part = o.wrap(b.Out.Full), o.wrap(b.Out.Part)
}

// keep drops what is not wanted.
func (o *watch) keep(wants events.Wants) {
	has := func(w events.Wants) bool { return wants&w != 0 }
	o.touches = slices.DeleteFunc(o.touches, func(t touch) bool {
		return !has(events.WantsAccesses) && (t.Valued || !has(events.WantsOthers)) || t.constant() && !has(events.WantsConstants)
	})
	o.loads = has(events.WantsLoaded) && len(o.touches) == 1 && o.touches[0].acquires()
	if !has(events.WantsOrder) {
		o.order, o.barrier, o.waits = model.Weak, false, false
	}
	if !has(events.WantsFences) {
		o.fences = nil
	}
}

// acquires reports whether what the access reads may order it behind what other workers have done.
func (t *touch) acquires() bool {
	return t.Order != model.Weak && t.Kind != machine.Store && (t.Space == machine.Global || t.Space == machine.Generic) && t.size == nil && !t.once && !t.many
}

// constant reports whether the access is of memory that no kernel writes.
func (t *touch) constant() bool { return t.by == uop.ByKernel || t.Space == machine.Const }

// silent reports whether there is nothing to tell but rows.
func (o *watch) silent() bool {
	return len(o.touches) == 0 && o.fences == nil && o.order == model.Weak
}

// newWatch reads the effects.
func newWatch(b *sem.Build) *watch {
	o := &watch{}
	e := &b.Sel.Entry.Effects
	accesses := e.Bits & (isa.Reads | isa.Writes)
	if !e.Has(isa.Asynchronous|isa.Tells) && accesses != 0 {
		o.touch(b, accessKinds[accesses])
	}
	for i := range o.touches {
		o.touches[i].once = e.Has(isa.WritesOnce)
	}
	if e.Has(isa.Syncs) {
		o.waits = e.Has(isa.Blocks) && accesses != 0
		if o.waits || accesses == 0 && !e.Has(isa.FencesProxy) {
			o.order, o.scope = sem.SyncOf(b.Sel)
			o.barrier = e.Has(isa.Barrier)
		}
	}
	if e.Has(isa.FencesProxy) {
		o.fences = append(o.fences, proxyFence(b.Sel))
	}
	if b.Sel.ID() == isa.Griddepcontrol && b.Sel.Get(isa.C_action) == isa.M_wait {
		o.fences = append(o.fences, machine.Event{What: events.GridWaited})
	}
	if e.Has(isa.OrdersFirst) {
		o.fences = append(o.fences, machine.Event{What: events.TensorFence, Order: model.ReleaseOrder})
	}
	if e.Has(isa.OrdersLater) {
		o.fences = append(o.fences, machine.Event{What: events.TensorFence, Order: model.AcquireOrder})
	}
	return o
}

var accessKinds = map[isa.Effect]machine.AccessKind{
	isa.Reads: machine.Load, isa.Writes: machine.Store, isa.Reads | isa.Writes: machine.Atomic,
}

// touch adds the address operands.
func (o *watch) touch(b *sem.Build, kind machine.AccessKind) {
	for i := range b.Sel.Roles {
		at := &b.Sel.Roles[i]
		space, ok := observedSpaces[at.Space]
		op := b.In.Op(at.Role)
		if !ok || at.Align == 0 || op == nil || op.Kind != ir.OpMem {
			continue
		}
		t := touch{Event: machine.Event{Space: space, Kind: kind, Size: uint32(at.Align), Valued: valued(b)}}
		t.ReadOnly = b.Sel.ID() == isa.LdNc
		t.Waits = b.Sel.Entry.ID == isa.MbarrierTestWait || b.Sel.Entry.ID == isa.MbarrierTryWait
		t.Order, t.Scope = sem.OrderOf(b.Sel)
		t.many = sem.Multicasts(b.Sel.ID())
		if b.Out.Ext != nil {
			t.ofMemory(b.Out.Ext)
		}
		t.place(b, op)
		o.touches = append(o.touches, t)
	}
}

// ofMemory takes from a plain load what it reads, which may be less than its alignment, and from a plain store what it writes.
func (t *touch) ofMemory(ext *machine.Ext) {
	m, ok := ext.Data.(*uop.Memory)
	switch {
	case ok && t.Kind == machine.Load:
		t.Size = m.Size
	case ok && t.Kind == machine.Store:
		t.Values = stored(m, ext.Src)
	}
}

// place finds where the lanes have the address and, if an operand says it, the size.
func (t *touch) place(b *sem.Build, op *ir.Operand) {
	probe := *b
	probe.Out = &machine.Inst{}
	t.by, t.Space = probe.Address(op, t.Space)
	t.row, t.disp = probe.Out.A, probe.Out.Imm
	if t.by == uop.ByFrame || t.by == uop.ByParam {
		t.Space = machine.Local
	}
	for _, role := range []isa.Role{isa.R_size, isa.R_size32} {
		if o := b.In.Op(role); o != nil {
			t.size, t.bits = o, int(b.Sel.At(role).Type.Bits())
			t.rows = probe.Src(o, t.bits)
		}
	}
}

// observedSpaces are the spaces whose address operands are told, as handlers name them.
var observedSpaces = map[isa.Space]machine.Space{
	isa.Generic: machine.Generic, isa.GlobalSpace: machine.Global, isa.ConstSpace: machine.Const,
	isa.ParamSpace: machine.Param, isa.SharedSpace: machine.Shared, isa.LocalSpace: machine.Local,
}

// stored says where the elements of a store are; nil where their rows are not one an element.
func stored(m *uop.Memory, rows []uint32) (out []machine.StoredRow) {
	if len(rows) != len(m.Bits) {
		return nil
	}
	for i, off := range rows {
		out = append(out, machine.StoredRow{Off: off, Wide: m.Bits[i] > 32, Bytes: m.Elem})
	}
	return out
}

var proxies = map[isa.Mod]model.Proxy{
	isa.M_async: model.AsyncProxy, isa.M_alias: model.AliasProxy, isa.M_tensormap: model.TensormapProxy,
}

// proxyFence is the fence that the effects name, for the memory that a modifier restricts it to.
func proxyFence(sel *isa.Sel) machine.Event {
	e := machine.Event{What: events.ProxyFence, Proxy: proxies[sel.Entry.Effects.Proxy.Of(sel)]}
	e.Order, e.Scope = sem.FixedOrder(sel), sem.ScopeOf(sel.Get(isa.C_scope))
	for _, m := range sel.Mods() {
		switch m {
		case isa.M_global:
			e.Space = machine.Global
		case isa.M_shared_cta, isa.M_shared_cluster, isa.M_sync_restrict_shared_cta, isa.M_sync_restrict_shared_cluster:
			e.Space = machine.Shared
		}
	}
	return e
}

// wrap tells before a handler acts, and what it has acquired behind it.
func (o *watch) wrap(inner machine.Handler) machine.Handler {
	if o.loads {
		inner = o.loading(inner)
	}
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		if !w.Resuming() {
			o.before(w, in)
		}
		lanes := w.Mask
		st := inner(w, in)
		if st == machine.Next && o.order.Acquires() {
			w.Observe(in, machine.Event{What: events.Acquire, Order: o.order, Scope: o.scope, Lanes: lanes, Barrier: o.barrier, Waits: o.waits})
		}
		return st
	}
}

// loading tells behind a handler that its access has read.
func (o *watch) loading(inner machine.Handler) machine.Handler {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		e, addr := o.touches[0].Event, w.ReadAddresses()
		o.touches[0].addresses(w, addr) // before a result takes their register
		e.What, e.Lanes, e.Addr = events.Loaded, w.Mask, addr
		st := inner(w, in)
		if st == machine.Next {
			w.Observe(in, e)
		}
		return st
	}
}

func (o *watch) before(w *machine.Warp, in *machine.Inst) {
	if len(o.rows) != 0 {
		w.UseRows(in, o.rows)
	}
	for i := range o.touches {
		o.touches[i].tell(w, in)
	}
	for _, e := range o.fences {
		e.Lanes = w.Mask
		w.Observe(in, e)
	}
	if (o.order.Releases() || o.barrier) && !o.waits {
		w.Observe(in, machine.Event{What: events.Release, Order: o.order, Scope: o.scope, Lanes: w.Mask, Barrier: o.barrier})
	}
}

// tell emits an access: one event, or one for each lane if they have sizes of their own.
func (t *touch) tell(w *machine.Warp, in *machine.Inst) {
	e, addr := t.Event, w.TouchAddresses()
	t.addresses(w, addr)
	if e.Addr, e.Lanes = addr, w.Mask; t.once {
		e.Together = w.Mask
		e.Lanes &= -e.Lanes
	}
	if t.many {
		t.tellCopies(w, in, e)
		return
	}
	if t.size == nil {
		w.Observe(in, e)
		return
	}
	sem.Each(w.Mask, func(i int) {
		e.Lanes, e.Size = 1<<i, uint32(sem.LoadElem(w, t.rows, t.bits, i))
		w.Observe(in, e)
	})
}

// tellCopies emits an access to each copy. Lanes outside of all multicast ranges are about to fault.
func (t *touch) tellCopies(w *machine.Warp, in *machine.Inst, e machine.Event) {
	addr := *e.Addr
	sem.Each(e.Lanes, func(i int) {
		for _, at := range w.Arena().Copies(addr[i], uint64(e.Size)) {
			var row [32]uint64
			row[i&31] = at
			e.Lanes, e.Addr = 1<<i, &row
			w.Observe(in, e)
		}
	})
}

// addresses computes the lanes' addresses.
func (t *touch) addresses(w *machine.Warp, addr *[32]uint64) {
	switch t.by {
	case uop.ByRow64:
		row := w.R64(t.row)
		for i := range addr {
			addr[i] = row[i] + t.disp
		}
	case uop.ByRow32:
		row := w.R32(t.row)
		for i := range addr {
			addr[i] = machine.Narrow(row[i], t.disp) + t.disp
		}
	default:
		one := t.one(w)
		for i := range addr {
			addr[i] = one
		}
	}
}

// one is the address that all lanes have.
func (t *touch) one(w *machine.Warp) uint64 {
	switch t.by {
	case uop.BySlot64:
		return *w.S64(t.row) + t.disp
	case uop.BySlot32:
		return machine.Narrow(*w.S32(t.row), t.disp) + t.disp
	case uop.ByFrame:
		return uint64(w.LocalBase()) + t.disp
	case uop.ByParam:
		return uint64(w.ParamBase()) + t.disp
	case uop.ByKernel:
		return w.Params() + t.disp
	}
	return t.disp
}
