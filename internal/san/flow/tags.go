package flow

// This file holds the rules of pointers.

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// near is how far bits may move a pointer that an and, or or xor aligns or spreads.
const near = 1 << 16

// tags finds what the results point to, and checks accesses, before the instruction runs.
func (e *Engine) tags(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, addr *[32]uint64) {
	if f.Mem != nil {
		e.inside(w, in, f.Mem, ws, addr)
		if f.Rule == dataflow.FlowLoad {
			e.loadedTags(w, f.Mem, ws, addr)
		}
		return
	}
	if len(f.Dst) == 0 || f.Tags == dataflow.TagsAlloca {
		return
	}
	tagged, symbols := uint32(0), false
	for i := range f.Args {
		a := &f.Args[i]
		if a.Words != 0 && !a.Pred {
			tagged |= *w.P(a.Words + 4)
		}
		symbols = symbols || a.Sym != nil
	}
	if tagged &= w.Mask; symbols {
		tagged = w.Mask
	}
	if tagged == 0 {
		return
	}
	if f.Rule == dataflow.FlowShuffle {
		shuffledTags(w, in, f, ws)
		return
	}
	for m := tagged; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		t := e.mixedTag(w, ws, f, lane)
		for k := range f.Dst {
			if f.Rule == dataflow.FlowUnpack && f.Elem != 32 {
				t = 0
			}
			ws.out.of[k].point(lane, t)
		}
	}
}

// argTag is what a source of a lane points to.
func (e *Engine) argTag(w *machine.Warp, ws *warp, a *dataflow.FlowArg, lane int) uint32 {
	if a.Sym != nil {
		return e.symbolTag(w, ws, a.Sym)
	}
	return tagOf(w, a.Shadowed, lane)
}

// mixedTag is what the result of a lane points to.
func (e *Engine) mixedTag(w *machine.Warp, ws *warp, f *dataflow.Flow, lane int) uint32 {
	var t [4]uint32
	n := min(len(f.Args), 4)
	for i := range n {
		t[i] = e.argTag(w, ws, &f.Args[i], lane)
	}
	if f.Rule == dataflow.FlowSelect {
		if value(w, &f.Args[2], lane) != 0 {
			return t[0]
		}
		return t[1]
	}
	switch f.Tags {
	case dataflow.TagsSymbol:
		return t[0]
	case dataflow.TagsCopy, dataflow.TagsAdd, dataflow.TagsNear:
		out := uint32(0)
		for i := range n {
			switch {
			case t[i] == 0:
			case !f.Args[i].Data || out != 0 && (out != t[i] || f.Tags != dataflow.TagsCopy):
				return unknown
			default:
				out = t[i]
			}
		}
		if f.Tags == dataflow.TagsNear && out != 0 && !staysNear(w, f, &t, lane) {
			return unknown
		}
		return out
	case dataflow.TagsSub:
		if t[1] == 0 {
			return t[0]
		}
	}
	if t[0]|t[1]|t[2]|t[3] != 0 {
		return unknown
	}
	return 0
}

// staysNear reports whether a bitwise operation leaves a pointer near where it was.
func staysNear(w *machine.Warp, f *dataflow.Flow, t *[4]uint32, lane int) bool {
	if f.Fn == nil {
		return false
	}
	var x [4]uint64
	p := 0
	for i := range min(len(f.Args), 4) {
		x[i] = value(w, &f.Args[i], lane)
		if t[i] != 0 {
			p = i
		}
	}
	d := f.Fn(&x) - x[p]
	return d < near || -d < near
}

func shuffledTags(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp) {
	if w.Resuming() || w.Mask != w.Live {
		for m := w.Mask; m != 0; m &= m - 1 {
			ws.out.of[0].point(bits.TrailingZeros32(m)&31, unknown)
		}
		return
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		from, ok := f.Shuffle(w, in, lane)
		if !ok || w.Mask>>(from&31)&1 == 0 {
			from = lane
		}
		ws.out.of[0].point(lane, tagOf(w, f.Args[0].Shadowed, from&31))
	}
}

// symbol is the number of a variable; of a frame's own, where it is in local memory.
func (e *Engine) symbol(w *machine.Warp, s *dataflow.FlowSym) uint32 {
	o := Object{Space: s.Space, From: s.From, To: s.To, Name: s.Name}
	if s.Space == machine.Local {
		base := uint64(w.LocalBase())
		o.From, o.To = o.From+base, o.To+base
	}
	return e.memory.object(o)
}

// symbolTag is the tag of an address that names a variable, 0 of none.
func (e *Engine) symbolTag(w *machine.Warp, ws *warp, s *dataflow.FlowSym) uint32 {
	switch {
	case s == nil:
		return 0
	case s.Space == machine.Local:
		return e.symbol(w, s)
	}
	t := ws.symbols[s]
	if t == 0 {
		t = e.symbol(w, s)
		ws.symbols[s] = t
	}
	return t
}

// loadedTags finds what loaded pointers point to.
func (e *Engine) loadedTags(w *machine.Warp, m *dataflow.FlowMem, ws *warp, addr *[32]uint64) {
	if m.Elem < granule {
		return
	}
	switch {
	case m.Kernel:
		e.parameterTags(w, m, ws, addr)
	case m.Space == machine.Const:
	default:
		e.each(w, ws, m, w.Mask, addr, func(lane, k int, p *page, off uint64) {
			ws.out.of[k].point(lane, p.tag(off, uint64(m.Elem)))
		})
	}
}

// parameterTags tags the pointers among a kernel's parameters.
func (e *Engine) parameterTags(w *machine.Warp, m *dataflow.FlowMem, ws *warp, addr *[32]uint64) {
	if m.Elem != pointerSize || w.Mask == 0 {
		return
	}
	lane := bits.TrailingZeros32(w.Mask) & 31
	for k := range m.Regs {
		t := e.parameter(addr[lane] + uint64(k)*pointerSize - w.Params())
		for s := w.Mask; s != 0; s &= s - 1 {
			ws.out.of[k].point(bits.TrailingZeros32(s)&31, t)
		}
	}
}

// pointerSize is the bytes of a pointer.
const pointerSize = 8

// parameter is what the parameter at an offset points to, looked up once.
func (e *Engine) parameter(off uint64) uint32 {
	if off+pointerSize > uint64(len(e.launch.Params)) {
		return 0
	}
	v := binary.LittleEndian.Uint64(e.launch.Params[off:])
	if off%pointerSize != 0 || off/pointerSize >= uint64(len(e.params)) {
		return e.pointer(off, v)
	}
	known := &e.params[off/pointerSize]
	if t := known.Load(); t != 0 {
		return t - 1
	}
	t := e.pointer(off, v)
	known.Store(t + 1)
	return t
}

// pointer is the tag of a parameter that holds an address.
func (e *Engine) pointer(off, v uint64) uint32 {
	from, to, name, ok := e.find(v)
	if !ok {
		return 0
	}
	for _, b := range e.bounds {
		if b.Offset == off && (b.From != from || b.To != to) {
			name = fmt.Sprintf("bytes %d to %d of %s", b.From-from, b.To-from, cmp.Or(name, "a buffer"))
			from, to = b.From, b.To
		}
	}
	return e.memory.object(Object{Space: machine.Global, From: from, To: to, Name: name})
}

// settleTags writes the tags of the results, and of stored pointers.
func (e *Engine) settleTags(w *machine.Warp, f *dataflow.Flow, ws *warp, lanes uint32, addr *[32]uint64) {
	switch f.Rule {
	case dataflow.FlowRuntime:
		e.returned(w, f, ws, lanes)
	case dataflow.FlowStore, dataflow.FlowAtomic:
		m := f.Mem
		e.each(w, ws, m, lanes, addr, func(lane, k int, p *page, off uint64) {
			var t uint32
			if f.Rule == dataflow.FlowStore && m.Elem >= granule {
				t = e.argTag(w, ws, &m.Rows[k], lane)
			}
			p.setTag(off, uint64(m.Elem), t)
		})
	}
	for k, d := range destinations(f) {
		if d.Words == 0 || k >= len(ws.out.of) {
			continue
		}
		r := &ws.out.of[k]
		if f.Tags == dataflow.TagsAlloca {
			e.allocated(w, f, r, d, lanes)
		}
		if mayBeStrange(f, &d) {
			strangers(w, d, r, lanes)
		}
		r.putTags(w, d, lanes)
	}
}

// mayBeStrange reports whether a result may be an address that has come from somewhere else.
func mayBeStrange(f *dataflow.Flow, d *regs.Shadowed) bool {
	return d.Width == regs.Row64 && (f.Mem != nil || f.Tags == dataflow.TagsCopy) && (f.Mem == nil || !f.Mem.Kernel)
}

// strangers makes what looks like an address and has come from somewhere else an unknown pointer.
func strangers(w *machine.Warp, d regs.Shadowed, r *result, lanes uint32) {
	strange := func(v uint64) bool { return v>>44 != 0 && v < mem.SharedWindow<<2 }
	if d.Slot {
		if strange(*w.S64(d.Row)) {
			for m := lanes &^ r.tagged; m != 0; m &= m - 1 {
				r.point(bits.TrailingZeros32(m)&31, unknown)
			}
		}
		return
	}
	row := w.R64(d.Row)
	for m := lanes &^ r.tagged; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m) & 31; strange(row[i]) {
			r.point(i, unknown)
		}
	}
}

// allocated makes each lane's new piece of the stack an object.
func (e *Engine) allocated(w *machine.Warp, f *dataflow.Flow, r *result, d regs.Shadowed, lanes uint32) {
	size := &f.Args[0]
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		at := uint64(w.R32(d.Row)[i])
		if d.Width == regs.Row64 {
			at = w.R64(d.Row)[i]
		}
		r.point(i, e.memory.object(Object{Space: machine.Local, From: at, To: at + value(w, size, i), Name: "alloca"}))
	}
}

// returned tags the blocks that malloc returns.
func (e *Engine) returned(w *machine.Warp, f *dataflow.Flow, ws *warp, lanes uint32) {
	if f.Returns == 0 || f.Bytes != 8 {
		return
	}
	off := uint64(w.ParamBase() + f.Returns - 1)
	low, high := w.ParamRow(f.Returns-1), w.ParamRow(f.Returns+3)
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		v := uint64(low[i]) | uint64(high[i])<<32
		at := uint64(i)<<localBits | off
		p := ws.local.page(at / pageSize)
		if from, to, name, ok := e.find(v); ok && v != 0 {
			p.setTag(at%pageSize, 8, e.memory.object(Object{Space: machine.Global, From: from, To: to, Name: name}))
		}
	}
}

// inside reports lanes that leave the object of their pointer.
func (e *Engine) inside(w *machine.Warp, in *machine.Inst, m *dataflow.FlowMem, ws *warp, addr *[32]uint64) {
	if m.Kernel {
		return
	}
	n := uint64(m.Elem) * uint64(len(m.Regs))
	sym := e.symbolTag(w, ws, m.Sym)
	tagged := w.Mask
	if sym == 0 {
		if m.Base.Words == 0 {
			return
		}
		tagged &= *w.P(m.Base.Words + 4)
	}
	var last *Object
	tag := uint32(0)
	var bad uint32
	var extent machine.Extent
	var of *Object
	for s := tagged; s != 0; s &= s - 1 {
		lane := bits.TrailingZeros32(s) & 31
		t := sym
		if t == 0 {
			t = tagOf(w, m.Base, lane)
		}
		if t == 0 || t == unknown {
			continue
		}
		if t != tag {
			tag, last = t, e.memory.at(t)
		}
		x := w.ExtentAt(m.Space, addr[lane], n)
		if x.Space != last.Space || x.From >= last.From && x.To <= last.To && !last.Gone {
			continue
		}
		if of == nil {
			of, extent = last, x
		}
		if last == of {
			bad |= 1 << lane
		}
	}
	if of != nil {
		e.outside(w, in, bad, of, extent)
	}
}

// outside reports an access that leaves an object.
func (e *Engine) outside(w *machine.Warp, in *machine.Inst, lanes uint32, o *Object, x machine.Extent) {
	r := &found.Report{Kind: found.OutsideObject, Extent: x, Then: w.PlaceOf(in, lanes), Object: o.name()}
	if r.Text = describe(o, x); o.Gone {
		r.Kind = found.AfterFree
		if o.Freed != nil {
			r.Op = *o.Freed
		}
	}
	e.reporter.Report(r)
}

// name is the object's in reports.
func (o *Object) name() string { return cmp.Or(o.Name, "a buffer") }

// describe says where an access lies beside the object of its pointer.
func describe(o *Object, x machine.Extent) string {
	name, size := o.name(), o.To-o.From
	switch {
	case o.Gone:
		return fmt.Sprintf("%s of %d bytes", name, size)
	case x.From < o.From:
		return fmt.Sprintf("%d bytes before %s, which has %d", o.From-x.From, name, size)
	case x.From >= o.To:
		return fmt.Sprintf("%d bytes behind the end of %s, which has %d", x.From-o.To, name, size)
	}
	return fmt.Sprintf("across the end of %s, which has %d bytes", name, size)
}

// report reports values that decide though nothing has written them.
func (e *Engine) report(w *machine.Warp, in *machine.Inst, lanes uint32, what string, from *origin) {
	r := &found.Report{Kind: found.UnwrittenDecides, Then: w.PlaceOf(in, lanes), Text: what}
	if from != nil {
		r.Extent = from.extent
		r.Op = from.place
	}
	e.reporter.Report(r)
}
