package eval

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file has the effects, and the homes of variables.

// effects are by kind.
var effects []func(r *run, e *ssa.Effect)

func init() {
	effects = []func(r *run, e *ssa.Effect){
		ssa.Load: (*run).access, ssa.Store: (*run).access, ssa.Atomic: (*run).access, ssa.AtomicOnce: (*run).access,
		ssa.Steps: func(r *run, e *ssa.Effect) {
			if r.mask(e.Mask) != 0 {
				r.steps += uint64(e.N)
			}
		},
		ssa.Lanes: func(r *run, e *ssa.Effect) { r.ops += uint64(e.N * r.count(e.Mask)) },
		ssa.Fuel:  (*run).burn, ssa.Leave: (*run).leave,
		ssa.Spare:    func(r *run, e *ssa.Effect) { r.results(e, bit(int64(r.fuel) > e.N)) },
		ssa.Spend:    func(r *run, e *ssa.Effect) { r.fuel, r.looped = r.fuel-int32(e.N), true },
		ssa.KeepFuel: func(r *run, e *ssa.Effect) { r.results(e, uint64(uint32(r.fuelOf(e)))) },
		ssa.JoinFuel: func(r *run, e *ssa.Effect) { r.fuel = r.fuelOf(e) },
		ssa.Begin:    (*run).begin, ssa.EndWarp: (*run).endWarp, ssa.EndCTA: (*run).endCTA,
		ssa.Barrier: (*run).barrier, ssa.Turn: func(r *run, e *ssa.Effect) { r.next(e, r.turn()) },
		ssa.Resume: (*run).resume, ssa.Helper: (*run).help,
		ssa.Clear: func(r *run, e *ssa.Effect) { clear(r.row(e.Homes[0].Off, int(e.N))) },
		ssa.Keep: func(r *run, e *ssa.Effect) {
			for _, h := range e.Homes {
				r.toHome(h, r.f.LanesIn(r.block), int(e.N))
			}
		},
		ssa.Fence: func(r *run, e *ssa.Effect) { r.fence.Add(uint32(e.N)) },
		ssa.Ready: func(r *run, e *ssa.Effect) {
			for _, v := range e.Args {
				r.get(v)
			}
		},
	}
}

// result gives a result of the running effect its value. The time goes on behind them all.
func (r *run) result(v ssa.Value, to *lanes) {
	r.now++
	r.set(v, to)
}

// results are numbers.
func (r *run) results(e *ssa.Effect, list ...uint64) {
	for i, x := range list {
		to := number(x)
		r.result(e.Results[i], &to)
	}
}

// forced tells whether a test wants the code to leave with a state.
func (r *run) forced(id ssa.StateID) bool { return r.opt.Forced && r.save() == uint32(id) }

func (r *run) burn(e *ssa.Effect) {
	if r.mask(e.Mask) == 0 {
		return
	}
	r.items = 0
	if e.N == 0 {
		r.fuel -= r.s.PollFuel
	} else {
		r.fuel, r.looped = r.fuel-int32(e.N), true
	}
	if r.fuel <= 0 || r.forced(e.State) {
		r.exit(e.State)
	}
}

// fuelOf is the fuel of lanes that have waited, or less where lanes of the effect's mask have that.
func (r *run) fuelOf(e *ssa.Effect) int32 {
	fuel := int32(r.number(e.Args[0]))
	if r.mask(e.Mask) != 0 {
		fuel = min(fuel, r.fuel)
	}
	return fuel
}

func (r *run) leave(e *ssa.Effect) {
	k, known := r.f.Known(e.Mask)
	switch on := r.mask(e.Mask) != 0; {
	case !on && (known && k == 0 || !r.forced(e.State)):
		return
	case on && e.N != 0 && !r.forced(e.State):
		r.s.Missed = e.PC + 1
	}
	r.exit(e.State)
}

// help returns for an instruction that the interpreter executes, if there are lanes for it.
func (r *run) help(e *ssa.Effect) {
	mask := r.mask(e.Mask)
	if mask == 0 {
		return
	}
	if r.forced(e.State) {
		r.exit(e.State)
		return
	}
	s, h := r.s, &r.s.Help
	h.Mask, h.PC, h.Steps, h.Back, h.Leave = mask, e.PC, r.steps-uint64(r.f.States[e.State].Undo), abi.ByBack, abi.ByLeave
	h.Regs = uint64(r.warpOf().Regs)
	s.Mask, s.Exited, s.Batch.Current = r.bits(e.Args[0]), 0, 1<<r.warp
	r.s.Batch.Warp = r.warpAt()
	r.toHomes(e.Homes)
	r.returns = true
	r.keep()
}

// keep has the call found again by Help.Stack, where machine code has the end of its stack.
func (r *run) keep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	r.kept[r.calls], r.s.Help.Stack = r, r.calls
}

// helped goes on behind the instruction. What the machine has counted the code counts itself, unless it leaves in front of the instruction.
func (r *run) helped(back bool) {
	r.returns = false
	if back {
		r.s.Steps, r.s.Ops = 0, 0
		return
	}
	r.index--
	r.exit(r.block.Items()[r.index].Effect.State)
	r.index++
}

// toHomes writes variables of all lanes.
func (r *run) toHomes(list []ssa.Home) {
	for _, h := range list {
		r.toHome(h, 32, 0)
	}
}

// toHome writes a variable of so many lanes from one on to the running warp's register block.
func (r *run) toHome(h ssa.Home, lanes, first int) {
	switch size := r.f.TypeOf(h.Value).Bits() / 8; h.Kind {
	case ssa.Pred:
		put(r.row(h.Off, 4), uint64(r.bits(h.Value)))
	case ssa.Slot:
		put(r.row(h.Off, 8), r.number(h.Value))
	default:
		row, from := r.row(h.Off, 32*size), r.get(h.Value)
		for i := range lanes {
			put(row[(first+i)*size:][:size], from[i])
		}
	}
}

// resume brings variables from the running warp's register block.
func (r *run) resume(e *ssa.Effect) {
	for i, h := range e.Homes {
		v := e.Results[i]
		size := r.f.TypeOf(v).Bits() / 8
		var to lanes
		switch {
		case h.Kind == ssa.Pred:
			m := uint32(take(r.row(h.Off, 4)))
			for i := range to {
				to[i] = uint64(bits.RotateLeft32(m, -i-int(e.N)) & 1)
			}
		case r.f.IsNum(v):
			to[0] = take(r.row(h.Off, size))
		default:
			row := r.row(h.Off, 32*size)
			for i := range r.f.LanesIn(r.block) {
				to[i] = take(row[(int(e.N)+i)*size:][:size])
			}
		}
		r.result(v, &to)
	}
}
