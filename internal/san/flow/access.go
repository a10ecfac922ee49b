package flow

// This file holds loads, stores and atomic operations.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// each visits the elements of an access with the page that each is in. The page is held while visit runs.
func (e *Engine) each(w *machine.Warp, ws *warp, m *dataflow.FlowMem, lanes uint32, addr *[32]uint64, visit func(lane, k int, p *page, off uint64)) {
	var held *page
	for s := lanes; s != 0; s &= s - 1 {
		lane := bits.TrailingZeros32(s) & 31
		at, r := e.where(w, ws, m.Space, addr[lane], lane)
		if r == nil {
			continue
		}
		for k := range m.Regs {
			x := at + uint64(k)*uint64(m.Elem)
			p := ws.lookup(r, x/pageSize, e.memory.global)
			if p != held {
				if held != nil {
					held.mu.Unlock()
				}
				held = p
				p.mu.Lock()
			}
			visit(lane, k, p, x%pageSize)
		}
	}
	if held != nil {
		held.mu.Unlock()
	}
}

// where is the place of an address in the shadow of its memory.
func (e *Engine) where(w *machine.Warp, ws *warp, space machine.Space, addr uint64, lane int) (uint64, *region) {
	x := w.ExtentAt(space, addr, 1)
	if x.Space == machine.Local {
		return uint64(lane)<<localBits | x.From&(1<<localBits-1), ws.local
	}
	return x.From, e.region(w, x)
}

// lookup returns a page of a region, at once if it is that of global memory that was met last.
func (ws *warp) lookup(r *region, number uint64, global *region) *page {
	if r != global {
		return r.page(number)
	}
	if ws.page == nil || ws.number != number {
		ws.page, ws.number = r.page(number), number
	}
	return ws.page
}

// loaded finds the unwritten bits of what a load reads.
func (e *Engine) loaded(w *machine.Warp, in *machine.Inst, m *dataflow.FlowMem, ws *warp, addr *[32]uint64) {
	if m.Kernel || m.Space == machine.Const {
		return
	}
	var from *origin
	e.each(w, ws, m, w.Mask, addr, func(lane, k int, p *page, off uint64) {
		poison := p.load(off, uint64(m.Elem))
		if poison == 0 {
			return
		}
		if from == nil {
			from = &origin{w.PlaceOf(in, 1<<lane), w.ExtentAt(m.Space, addr[lane], uint64(m.Elem)*uint64(len(m.Regs)))}
		}
		if n := 64 - 8*m.Elem; m.Signed {
			poison = uint64(int64(poison<<n) >> n)
		}
		ws.out.of[k].spoil(lane, poison, from)
	})
}

// updated reports atomic operations on unwritten memory; one that only swaps passes it on.
func (e *Engine) updated(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, fr *frame, addr *[32]uint64) {
	var lanes uint32
	var from *origin
	e.each(w, ws, f.Mem, w.Mask, addr, func(lane, k int, p *page, off uint64) {
		poison := p.load(off, uint64(f.Mem.Elem))
		switch {
		case poison == 0:
		case f.Mem.Swaps && k < len(f.Dst):
			ws.out.of[k].spoil(lane, poison, &origin{w.PlaceOf(in, 1<<lane), w.ExtentAt(f.Mem.Space, addr[lane], uint64(f.Mem.Elem))})
		case !f.Mem.Swaps:
			if lanes |= 1 << lane; from == nil {
				from = &origin{extent: w.ExtentAt(f.Mem.Space, addr[lane], uint64(f.Mem.Elem))}
			}
		}
	})
	if lanes != 0 {
		e.report(w, in, lanes, "the old value of an atomic operation", from)
	}
}

// store notes the unwritten bits of what has been stored.
func (e *Engine) store(w *machine.Warp, in *machine.Inst, f *dataflow.Flow, ws *warp, fr *frame, lanes uint32, addr *[32]uint64) {
	m := f.Mem
	var by *Stored
	keeps := f.Rule == dataflow.FlowStore || m.Swaps
	e.each(w, ws, m, lanes, addr, func(lane, k int, p *page, off uint64) {
		var poison uint64
		if r := m.Regs[k]; keeps && r.Words != 0 && r.Width != regs.Pred {
			if poison = poisonOf(w, r, lane) & (all >> (64 - 8*min(m.Elem, 8))); poison != 0 {
				if by == nil {
					by = &Stored{By: w.PlaceOf(in, 1<<lane), Owner: e.owner, from: fr.origins[r.Words]}
				}
			}
		}
		p.store(off, uint64(m.Elem), poison, by)
	})
}
