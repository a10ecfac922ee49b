package shadow

// This file notes which bytes of global memory kernels have touched at all.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
)

// Used observes launches, and marks what they touch of tracked allocations.
type Used struct{ Memory *Memory }

// Observe implements machine.Observer.
func (u Used) Observe(e *machine.Event) {
	if e.What != events.Touch && e.What != events.ImageTouched || e.Space == machine.Param || e.Space == machine.Const || e.Space == machine.Local || e.Space == machine.Shared {
		return
	}
	if x, ok := e.Dense(); ok {
		u.mark(x)
		return
	}
	e.Extents(func(_ int, x machine.Extent) { u.mark(x) })
}

func (u Used) mark(x machine.Extent) {
	if x.Space == machine.Global {
		u.Memory.touched(machine.Store, x.From, x.To)
	}
}

// Unset returns how many of the bytes [from, to) of a tracked allocation are not marked, and the first such range. Nothing is
// known of what is not tracked: none then.
func (m *Memory) Unset(from, to uint64) (n, first, end uint64) {
	spans := m.list()
	i, exact := find(spans, from)
	if !exact {
		i--
	}
	if i < 0 || to > spans[i].end {
		return 0, 0, 0
	}
	t := spans[i]
	for a := from - t.start; a < to-t.start; a++ {
		if p := t.page(a/pageBytes, false); p != nil && p[a%pageBytes/64].Load()>>(a%64)&1 != 0 {
			continue
		}
		if at := t.start + a; n == 0 {
			first, end = at, at+1
		} else if at == end {
			end++
		}
		n++
	}
	return n, first, end
}
