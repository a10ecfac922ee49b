package async

// This file knows where the extents of an operation lie, so that most accesses need not be held against each of them.

import "ptxvm.invalid/ptxvm/internal/machine"

// hull is a range that an operation's extents in a space lie in, whichever CTA's memory they are.
type hull struct{ from, to uint64 }

// hulls are those of the spaces that operations touch.
type hulls [machine.Registers + 1]hull

func (h *hulls) add(x machine.Extent) {
	s := &h[x.Space]
	if s.to == 0 {
		*s = hull{x.From, x.To}
		return
	}
	s.from, s.to = min(s.from, x.From), max(s.to, x.To)
}

// meets reports whether an extent may overlap one of those in the hulls.
func (h *hulls) meets(x machine.Extent) bool {
	return x.From < h[x.Space].to && h[x.Space].from < x.To
}

// cross reports whether extents of both may overlap.
func (h *hulls) cross(o *hulls) bool {
	for s := range h {
		if h[s].from < o[s].to && o[s].from < h[s].to {
			return true
		}
	}
	return false
}

// reach is where an operation's extents lie.
type reach struct {
	all, written hulls
	frame        *machine.Frame // of all extents in registers
	apart        bool           // they are of several frames
}

// meets reports whether an access may conflict with one of the extents: a load does so with what is written alone.
func (r *reach) meets(x machine.Extent, kind machine.AccessKind) bool {
	if x.Space == machine.Registers && x.Frame != r.frame && !r.apart {
		return false
	}
	if kind == machine.Load {
		return r.written.meets(x)
	}
	return r.all.meets(x)
}

func (r *reach) add(x machine.Extent, does machine.AccessKind) {
	r.all.add(x)
	if does != machine.Load {
		r.written.add(x)
	}
	if x.Space == machine.Registers {
		r.apart = r.apart || r.frame != nil && r.frame != x.Frame
		r.frame = x.Frame
	}
}

// reaches is where the operation's extents lie.
func (one *op) reaches() *reach {
	if one.reach == nil {
		one.reach = new(reach)
		for x, does := range one.Touches(&one.Op) {
			one.reach.add(x, does)
		}
	}
	return one.reach
}
