package observe

// The probe is an observer that tampers with memory to see whether an access is what its event
// says: bytes around it are inverted while it runs, so that a handler which reads them gives a
// wrong result, and must stay inverted; the target of a store is filled before, so that bytes
// which are not stored stay as they were.

import (
	"fmt"
	"slices"

	"ptxvm/internal/ir"
	"ptxvm/internal/isa"
	"ptxvm/internal/machine"
)

// margin is the bytes around a lane's access that must not matter.
const margin = 4

// mode is what a probe does to the bytes of an access.
type mode uint8

const (
	fillA mode = iota // stores: they hold pattern
	fillB             // stores: they hold ^pattern
	last              // loads, atomics: the last byte of every lane is inverted
)

const pattern = 0xa5

// access is one event with the host bytes that it covers and those around it.
type access struct {
	number int
	kind   machine.AccessKind
	form   *isa.Entry
	text   string
	inside []*byte
	near   []*byte
}

// probe checks the accesses of one block, run with one worker. kept holds what two runs of the
// block must not both have: bytes of a store that it left alone.
type probe struct {
	mode    mode
	only    func(*isa.Entry) bool // the forms whose bytes mode last inverts
	pending *access
	number  int
	kept    map[string]bool
	seen    map[*isa.Entry]bool
	fails   []string
}

func (p *probe) Observe(e *machine.Event) {
	p.settle()
	if e.What != machine.Touch {
		return
	}
	in := &e.Func.Data.(*ir.Func).Insts[e.PC]
	p.seen[in.Sel.Entry] = true
	p.number++
	a := &access{number: p.number, kind: e.Kind, form: in.Sel.Entry, text: in.Sel.Text()}
	a.cover(e)
	if calls(e.Func) || !e.Func.Entry {
		a.near = nil // calls pass .param bytes without an access
	}
	for _, b := range a.near {
		*b = ^*b
	}
	p.tamper(a, e)
	p.pending = a
}

func calls(f *machine.FuncInfo) bool {
	insts := f.Data.(*ir.Func).Insts
	return slices.ContainsFunc(insts, func(in ir.Inst) bool { return in.IsCall() })
}

// cover collects the bytes of the lanes and those around them.
func (a *access) cover(e *machine.Event) {
	inside := map[*byte]bool{}
	each(e, 0, int(e.Size), func(b *byte) {
		if !inside[b] {
			a.inside = append(a.inside, b)
		}
		inside[b] = true
	})
	each(e, -margin, int(e.Size)+margin, func(b *byte) {
		if !inside[b] {
			a.near = append(a.near, b)
		}
		inside[b] = true
	})
}

// each visits the bytes from..to of every lane's address that exist.
func each(e *machine.Event, from, to int, visit func(*byte)) {
	for lane := range 32 {
		for i := from; i < to && e.Lanes>>lane&1 != 0; i++ {
			if b := e.On.Byte(e.Space, e.Addr[lane]+uint64(i), lane); b != nil {
				visit(b)
			}
		}
	}
}

func (p *probe) tamper(a *access, e *machine.Event) {
	switch {
	case a.kind == machine.Store && p.mode != last:
		for _, b := range a.inside {
			*b = p.fill()
		}
	case a.kind != machine.Store && p.mode == last && p.only(a.form):
		done := map[*byte]bool{}
		each(e, int(e.Size)-1, int(e.Size), func(b *byte) {
			if !done[b] {
				*b = ^*b
			}
			done[b] = true
		})
	}
}

func (p *probe) fill() byte {
	if p.mode == fillB {
		return ^byte(pattern)
	}
	return pattern
}

// settle looks at what the last access has done.
func (p *probe) settle() {
	a := p.pending
	if p.pending = nil; a == nil {
		return
	}
	for _, b := range a.near {
		*b = ^*b // a store next to the access now has a wrong value, which the vector finds
	}
	if a.kind != machine.Store || p.mode == last || a.form.ID == isa.Discard { // which leaves any values
		return
	}
	for i, b := range a.inside {
		key := fmt.Sprintf("store %d, %s: byte %d", a.number, a.text, i)
		if *b != p.fill() {
			continue
		}
		if p.mode == fillA {
			p.kept[key] = true
		} else if p.kept[key] {
			p.fails = append(p.fails, key+" is not stored")
		}
	}
}
