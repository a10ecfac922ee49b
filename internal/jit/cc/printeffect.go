package cc

// This file prints effects and exits.

import (
	"fmt"
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

func (p *printer) effect(e *ssa.Effect) {
	switch e.Kind {
	case ssa.Load, ssa.Store:
		p.access(e)
	case ssa.Atomic, ssa.AtomicOnce:
		p.atomic(e)
	case ssa.Steps:
		p.linef("\tsteps += %s;", times(e.N, p.anyOf(e.Mask)))
	case ssa.Lanes:
		p.linef("\tops += %s;", p.lanes(e.N, e.Mask))
	case ssa.Fuel:
		p.fuel(e)
	case ssa.Leave:
		p.force(e, "")
		missed := ""
		if e.N != 0 {
			missed = fmt.Sprintf("U32(MISSED) = %d; ", e.PC+1)
		}
		p.linef("\tif (rare(%s)) { %sgoto X%d; }", p.anyOf(e.Mask), missed, p.leave(e.State))
	case ssa.Begin:
		p.next(e, "pick", "0")
	case ssa.EndCTA:
		p.next(e, "endcta", "steps")
	case ssa.EndWarp:
		p.next(e, "endwarp", "steps")
	case ssa.Turn:
		p.next(e, "turn", "steps")
	case ssa.Barrier:
		p.barrier(e)
	case ssa.Resume:
		p.resume(e)
	case ssa.Keep:
		p.linef("\t{ %s", block)
		for _, h := range e.Homes {
			p.home(h, p.f.LanesIn(p.block), int(e.N))
		}
		p.linef("\t}")
	case ssa.Clear: // volatile: else it would call memset
		p.linef("\t{ %s for (u32 i = 0; i < %d; i += 32) *(volatile x4m *)(r + %d + i) = splatx(0); }", block, e.N, e.Homes[0].Off)
	case ssa.Ready:
	case ssa.Fence:
		p.linef("\t__atomic_%s_fence(__ATOMIC_SEQ_CST);", map[bool]string{false: "signal", true: "thread"}[e.N != 0])
	case ssa.Spend:
		p.linef("\tfuel -= %d; looped = 1;", e.N)
	case ssa.KeepFuel:
		p.linef("\tv%d_0 = %s;", e.Results[0], p.fuelOf(e))
	case ssa.JoinFuel:
		p.linef("\tfuel = %s;", p.fuelOf(e))
	case ssa.Spare:
		p.linef("\tv%d_0 = (s32)fuel > %d;", e.Results[0], e.N)
	default:
		p.failf("there is no C for %v", e.Kind)
	}
}

func times(n int64, of string) string {
	if of == "1u" {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d * %s", n, of)
}

// lanes is n times the lanes of a mask, which may be negative.
func (p *printer) lanes(n int64, mask ssa.Value) string {
	if k, ok := p.f.Known(mask); ok {
		return fmt.Sprint(n * int64(p.f.LanesIn(p.block)) * int64(k))
	}
	if p.f.IsNum(mask) {
		return fmt.Sprintf("%dl * %s", n*int64(p.f.LanesIn(p.block)), p.num(mask))
	}
	if p.f.LanesOf(mask) == 32 && !p.f.Info[mask].Uni {
		return fmt.Sprintf("%dl * count32(%s)", n, p.joined(mask, ", "))
	}
	return fmt.Sprintf("%dl * __builtin_popcount(%s)", n, p.bitsOf(mask))
}

// next goes on to another warp: the results are whether there is one, its number, where there are more ctaid x, y and z, and where warps
// wait its entry.
func (p *printer) next(e *ssa.Effect, call, steps string) {
	r, entry := e.Results, ""
	if p.f.Waits {
		entry = ", &entry"
	}
	p.linef("\t{ u32 w = 0, entry = 0; v%d_0 = %s(s, &b, %s, &w, &fuel%s); v%d_0 = w;", r[0], call, steps, entry, r[1])
	if p.f.Waits {
		p.linef("\tv%d_0 = entry;", r[len(r)-1])
		r = r[:len(r)-1]
	}
	for i, v := range r[2:] {
		p.linef("\tv%d_0 = U64(PLACE + %d);", v, 8*i)
	}
	p.linef("\tif (v%d_0) { fuel0 = fuel; looped = 0; steps0 = steps; ops0 = ops; } }", r[0])
}

func (p *printer) fuel(e *ssa.Effect) {
	cost, looped := fmt.Sprint(e.N), "looped = 1; "
	if e.N == 0 {
		cost, looped = "poll", ""
	}
	out := "(s32)fuel <= 0"
	if p.forced {
		out += fmt.Sprintf(" || forced == %d", e.State)
	}
	p.linef("\tif (%s) { fuel -= %s; %sif (rare(%s)) goto X%d; }", p.anyOf(e.Mask), cost, looped, out, p.leave(e.State))
}

// fuelOf is the fuel of lanes that have waited, or less where lanes of the effect's mask have that.
func (p *printer) fuelOf(e *ssa.Effect) string {
	had := p.num(e.Args[0])
	return fmt.Sprintf("%s && (s32)fuel < (s32)%s ? fuel : %s", p.anyOf(e.Mask), had, had)
}

// force leaves in front of an effect if that is asked for, and a condition holds.
func (p *printer) force(e *ssa.Effect, cond string) {
	if p.forced {
		p.linef("\tif (rare(%sforced == %d)) goto X%d;", cond, e.State, p.leave(e.State))
	}
}

// leave has the exit of a state printed, once. What it needs and is not there where it is taken the exit computes.
func (p *printer) leave(id ssa.StateID) ssa.StateID {
	if _, known := p.exits[id]; known {
		return id
	}
	p.states = append(p.states, id)
	p.exits[id] = p.missing(p.f.States[id].Reads())
	return id
}

// missing are the pure values that some need and that have not been computed where the printer is, operands first.
func (p *printer) missing(list []ssa.Value) []ssa.Value {
	need := map[ssa.Value]bool{}
	var mark func(v ssa.Value)
	mark = func(v ssa.Value) {
		if need[v] || p.isThere(v) {
			return
		}
		need[v] = true
		for _, a := range p.f.Ops[v].Operands() {
			mark(a)
		}
	}
	for _, v := range list {
		mark(v)
	}
	return slices.Sorted(maps.Keys(need))
}

// isThere tells whether a value has been computed where the printer is.
func (p *printer) isThere(v ssa.Value) bool {
	if p.f.Ops[v].Code <= ssa.Const {
		return true
	}
	at := p.placed[v]
	return at != nil && p.printed[v] && p.dom.Dominates(at, p.block)
}

// exit prints how the running warp is left: counts, places, and the homes of its variables.
func (p *printer) exit(id ssa.StateID) {
	s := &p.f.States[id]
	p.linef("X%d: {\n\t%s", id, block)
	for _, v := range p.exits[id] {
		p.op(v)
	}
	p.linef("\tu32 m = %s;", p.bitsOf(s.Mask))
	if s.Restart {
		p.linef("\tsteps = steps0; ops = ops0; fuel = fuel0; looped = 0;")
	}
	if s.Undo != 0 {
		p.linef("\tif (m) steps -= %d; ops -= %dl * __builtin_popcount(m);", s.Undo, s.Undo)
	}
	for _, h := range s.Homes {
		p.home(h, 32, 0)
	}
	p.linef("\tU32(PLACED) = 0; U32(EXITED) = U32(MASK) = -1; U32(LOOPED) = looped;")
	if s.FuelOut {
		p.linef("\tplace(s, %d, m, 0, FUELOUT);", s.PC)
	} else {
		p.linef("\tplace(s, %d, m, fuel, 0);", s.PC)
	}
	for _, l := range s.Places {
		fuel := "fuel"
		if l.Fuel != 0 {
			fuel = p.num(l.Fuel)
		}
		p.linef("\tplace(s, %d, %s, %s, 0);", l.PC, p.bitsOf(l.Mask), fuel)
	}
	p.linef("\tgoto done; }")
}

// home writes a variable of so many lanes from one on.
func (p *printer) home(h ssa.Home, lanes, first int) {
	at := fmt.Sprintf("r + %d", h.Off)
	switch {
	case h.Kind == ssa.Pred:
		p.linef("\t*(u32m *)(%s) = %s;", at, p.bitsOf(h.Value))
	case h.Kind == ssa.Slot:
		p.linef("\t*(u64m *)(%s) = %s;", at, p.num(h.Value))
	default:
		t := p.f.TypeOf(h.Value)
		typ := map[ssa.Type]string{ssa.W: "w8", ssa.X: "x4"}[t]
		for i := range p.lanesParts(lanes, t) {
			p.linef("\t((%sm *)(%s + %d))[%d] = %s;", typ, at, first*t.Bits()/8, i, p.part(h.Value, i))
		}
	}
}
