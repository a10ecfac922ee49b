package observe

// The probe is an observer that tampers with memory to see whether an access is what its event
// says: bytes around it are inverted while it runs, so that a handler which reads them gives a
// wrong result, and must stay inverted; the target of a store is filled before, so that bytes
// which are not stored stay as they were.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// margin is the bytes around a lane's access that must not matter.
const margin = 2

// mode is what a probe does to the bytes of an access.
type mode uint8

const (
	fillA mode = iota // stores: they hold pattern
	fillB             // stores: they hold ^pattern
	last              // loads, atomics: the last byte of every lane is inverted
)

const pattern = 0xa5

// access is one event with the host bytes that it covers.
type access struct {
	number int
	form   *isa.Entry
	text   string
	masked bool
	inside []*byte
}

// group is what one instruction touches: one event, one for each lane or copy, or the extents of an
// asynchronous operation.
type group struct {
	fn     *machine.FuncInfo
	pc     int32
	lanes  uint32
	inside map[*byte]bool
	near   map[*byte]bool // inverted while the instruction runs
	stores []*access
}

// probe checks the accesses of one block, run with one worker. kept holds what two runs of the
// block must not both have: bytes of a store that it left alone.
type probe struct {
	mode    mode
	only    func(*isa.Entry) bool // the forms whose bytes mode last inverts
	pending *group
	number  int
	kept    map[string]bool
	seen    map[*isa.Entry]bool
	fails   []string
}

// multicast reports whether the instruction makes each lane's access several times, to all copies.
func multicast(e *machine.Event) bool {
	return e.What == events.Touch && strings.HasPrefix(decode.FuncOf(e.Func).Insts[e.PC].Sel.Entry.Name, "multimem.")
}

func (p *probe) Observe(e *machine.Event) {
	g := p.pending
	if g == nil || g.pc != e.PC || g.fn != e.Func || !e.Async && !multicast(e) && g.lanes&e.Lanes != 0 {
		p.settle()
	}
	if e.What != events.Touch || e.Space == machine.Tensor {
		return
	}
	if p.pending == nil {
		p.pending = &group{fn: e.Func, pc: e.PC, inside: map[*byte]bool{}, near: map[*byte]bool{}}
	}
	p.pending.lanes |= e.Lanes
	in := &decode.FuncOf(e.Func).Insts[e.PC]
	p.seen[in.Sel.Entry] = true
	p.number++
	a := &access{number: p.number, form: in.Sel.Entry, text: in.Sel.Text(), masked: in.Sel.Has(isa.M_cp_mask)}
	p.pending.cover(a, e)
	p.tamper(a, e)
}

// cover collects the bytes of an access and inverts those around it.
func (g *group) cover(a *access, e *machine.Event) {
	pieces(e, 0, 0, func(b *byte) {
		if g.near[b] {
			*b = ^*b
			delete(g.near, b)
		}
		g.inside[b] = true
		a.inside = append(a.inside, b)
	})
	if calls(e.Func) || !e.Func.Entry {
		return // calls pass .param bytes without an access
	}
	pieces(e, -margin, margin, func(b *byte) {
		if !g.inside[b] && !g.near[b] {
			*b = ^*b
			g.near[b] = true
		}
	})
}

func calls(f *machine.FuncInfo) bool {
	insts := decode.FuncOf(f).Insts
	return slices.ContainsFunc(insts, func(in ir.Inst) bool { return in.IsCall() })
}

// pieces visits the bytes of what every lane touches that exist, with so many more before and
// behind.
func pieces(e *machine.Event, before, behind int, visit func(*byte)) {
	piece := func(lane int, space machine.Space, from uint64, n int) {
		for i := before; i < n+behind; i++ {
			if b := e.On.Byte(space, from+uint64(i), lane); b != nil {
				visit(b)
			}
		}
	}
	if x := e.Extent; x != nil {
		from := x.From
		if x.Space == machine.Shared {
			from |= uint64(x.CTA) << mem.RankShift
		}
		piece(max(x.Lane, 0), x.Space, from, int(x.To-x.From))
		return
	}
	for lane := range 32 {
		if e.Lanes>>lane&1 != 0 {
			piece(lane, e.Space, e.Addr[lane], int(e.Size))
		}
	}
}

// lastBytes visits the last byte of what every lane touches, once.
func lastBytes(e *machine.Event, visit func(*byte)) {
	n := int(e.Size)
	if e.Extent != nil {
		n = int(e.Extent.To - e.Extent.From)
	}
	done := map[*byte]bool{}
	pieces(e, n-1, 0, func(b *byte) {
		if !done[b] {
			visit(b)
		}
		done[b] = true
	})
}

func (p *probe) tamper(a *access, e *machine.Event) {
	switch {
	case a.form.ID == isa.Discard || a.form.ID == isa.MbarrierInval: // which leave any values
	case a.form.ID == isa.Tcgen05Alloc: // one lane stores for all, which mean one address
	case a.masked: // the extents of a copy are whole, its mask picks bytes of them
	case e.Kind == machine.Store && p.mode != last:
		for _, b := range a.inside {
			*b = p.fill()
		}
		p.pending.stores = append(p.pending.stores, a)
	case e.Kind != machine.Store && p.mode == last && p.only(a.form):
		lastBytes(e, func(b *byte) { *b = ^*b })
	}
}

func (p *probe) fill() byte {
	if p.mode == fillB {
		return ^byte(pattern)
	}
	return pattern
}

// settle looks at what the last instruction has done.
func (p *probe) settle() {
	g := p.pending
	if p.pending = nil; g == nil {
		return
	}
	for b := range g.near {
		*b = ^*b // a store next to the access now has a wrong value, which the vector finds
	}
	for _, a := range g.stores {
		for i, b := range a.inside {
			key := fmt.Sprintf("store %d, %s: byte %d", a.number, a.text, i)
			switch {
			case *b != p.fill():
			case p.mode == fillA:
				p.kept[key] = true
			case p.kept[key]:
				p.fails = append(p.fails, key+" is not stored")
			}
		}
	}
}
