package eval

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file leaves warps to the machine.

// Exit is how a warp was left: what the machine reads of it.
type Exit struct {
	State      ssa.StateID
	Warp       int
	Steps, Ops uint64 // since the call began
	Fuel       int32
	Looped     bool
	Places     []abi.Place
	Homes      []AtHome
}

// AtHome is a variable in the register block: its lanes that stand at places.
type AtHome struct {
	Off    uint32
	Values []uint64
}

// exit leaves with a state.
func (r *run) exit(id ssa.StateID) {
	st, s := &r.f.States[id], r.s
	m := r.bits(st.Mask)
	if st.Restart {
		r.steps, r.ops, r.fuel, r.looped = r.steps0, r.ops0, r.fuel0, false
	}
	if m != 0 {
		r.steps -= uint64(st.Undo)
		r.ops -= uint64(st.Undo * int64(bits.OnesCount32(m)))
	}
	r.toHomes(st.Homes)
	s.N, s.Exited, s.Mask, s.Looped = 0, ^uint32(0), ^uint32(0), uint32(bit(r.looped))
	if st.FuelOut {
		r.place(st.PC, m, 0, abi.FuelOut)
	} else {
		r.place(st.PC, m, r.fuel, 0)
	}
	for _, p := range st.Places {
		fuel := r.fuel
		if p.Fuel != 0 {
			fuel = int32(r.number(p.Fuel))
		}
		r.place(p.PC, r.bits(p.Mask), fuel, 0)
	}
	r.left = true
	if r.opt.Exited != nil {
		r.opt.Exited(r.described(id))
	}
}

// place says that lanes stand somewhere.
func (r *run) place(pc int32, mask uint32, fuel int32, flags abi.PlaceFlags) {
	if s := r.s; mask != 0 {
		s.Places[s.N] = abi.Place{PC: pc, Mask: mask, Fuel: fuel, Flags: flags}
		s.N++
		s.Exited &^= mask
	}
}

// described is the exit that has been taken.
func (r *run) described(id ssa.StateID) Exit {
	x := Exit{State: id, Warp: r.warp, Steps: r.steps, Ops: r.ops, Fuel: r.fuel, Looped: r.looped}
	x.Places = append(x.Places, r.s.Places[:r.s.N]...)
	living := ^r.s.Exited
	for _, h := range r.f.States[id].Homes {
		a := AtHome{Off: h.Off}
		switch h.Kind {
		case ssa.Pred:
			a.Values = []uint64{uint64(r.bits(h.Value) & living)}
		case ssa.Slot:
			a.Values = []uint64{r.number(h.Value)}
		default:
			for i, v := range r.get(h.Value) {
				if living>>i&1 != 0 {
					a.Values = append(a.Values, v)
				}
			}
		}
		x.Homes = append(x.Homes, a)
	}
	return x
}
