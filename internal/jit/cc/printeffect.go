package cc

// This file prints effects and exits.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

func (p *printer) effect(e *ssa.Effect) {
	switch e.Kind {
	case ssa.Load, ssa.Store:
		p.access(e)
	case ssa.Steps:
		p.linef("\tsteps += %s;", times(e.N, p.anyOf(e.Mask)))
	case ssa.Lanes:
		p.linef("\tops += %s;", p.lanes(e.N, e.Mask))
	case ssa.Fuel:
		p.fuel(e)
	case ssa.Leave:
		p.linef("\tif (rare(%s)) goto X%d;", p.anyOf(e.Mask), p.leave(e.State))
	case ssa.Begin:
		p.next(e, "begin(s, how, &w)")
	case ssa.EndCTA:
		p.next(e, "endcta(s, steps, &w)")
	case ssa.EndWarp:
		p.next(e, "endwarp(s, steps, &w)")
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
		return fmt.Sprint(n * 32 * int64(k))
	}
	if p.f.IsNum(mask) {
		return fmt.Sprintf("%dl * %s", 32*n, p.num(mask))
	}
	return fmt.Sprintf("%dl * __builtin_popcount(%s)", n, p.bitsOf(mask))
}

// next goes on to another warp: the results are whether there is one, its number, and where there are more ctaid x, y and z.
func (p *printer) next(e *ssa.Effect, call string) {
	r := e.Results
	p.linef("\t{ u32 w = 0; v%d_0 = %s; v%d_0 = w;", r[0], call, r[1])
	for i, v := range r[2:] {
		p.linef("\tv%d_0 = U64(PLACE + %d);", v, 8*i)
	}
	p.linef("\tif (v%d_0) { fuel = *(u32m *)(U64(WARP) + WFUEL); looped = 0; } }", r[0])
}

func (p *printer) fuel(e *ssa.Effect) {
	cost, looped := fmt.Sprint(e.N), "looped = 1; "
	if e.N == 0 {
		cost, looped = "poll", ""
	}
	p.linef("\tif (%s) { fuel -= %s; %sif (rare((s32)fuel <= 0)) goto X%d; }", p.anyOf(e.Mask), cost, looped, p.leave(e.State))
}

// leave has the exit of a state printed, once.
func (p *printer) leave(s ssa.StateID) ssa.StateID {
	if !p.exits[s] {
		p.exits[s] = true
		p.states = append(p.states, s)
	}
	return s
}

// computed prints the values of a state that no block computes, with their operands.
func (p *printer) computed(s *ssa.State) {
	need := map[ssa.Value]bool{}
	var mark func(v ssa.Value)
	mark = func(v ssa.Value) {
		if need[v] || p.placed[v] || p.f.Ops[v].Code <= ssa.Const {
			return
		}
		need[v] = true
		for _, a := range p.f.Ops[v].Operands() {
			mark(a)
		}
	}
	for _, v := range s.Reads() {
		mark(v)
	}
	for _, v := range slices.Sorted(maps.Keys(need)) {
		p.op(v)
	}
}

// exit prints how the running warp is left: counts, places, and the homes of its variables.
func (p *printer) exit(id ssa.StateID) {
	s := &p.f.States[id]
	p.linef("X%d: {\n\tchar *r = (char *)*(u64m *)(U64(WARP) + WREGS);", id)
	p.computed(s)
	p.linef("\tu32 m = %s;", p.bitsOf(s.Mask))
	if s.Undo != 0 {
		p.linef("\tif (m) steps -= %d; ops -= %dl * __builtin_popcount(m);", s.Undo, s.Undo)
	}
	p.linef("\tU32(PLACED) = 0; U32(EXITED) = U32(MASK); U32(LOOPED) = looped;")
	if s.FuelOut {
		p.linef("\tplace(s, %d, m, 0, FUELOUT);", s.PC)
	} else {
		p.linef("\tplace(s, %d, m, fuel, 0);", s.PC)
	}
	for _, l := range s.Places {
		p.linef("\tplace(s, %d, %s, fuel, 0);", l.PC, p.bitsOf(l.Mask))
	}
	for _, h := range s.Homes {
		p.home(h)
	}
	p.linef("\tgoto done; }")
}

func (p *printer) home(h ssa.Home) {
	at := fmt.Sprintf("r + %d", h.Off)
	switch {
	case h.Kind == ssa.Pred:
		p.linef("\t*(u32m *)(%s) = %s;", at, p.bitsOf(h.Value))
	case h.Kind == ssa.Slot:
		p.linef("\t*(u64m *)(%s) = %s;", at, p.num(h.Value))
	case p.f.TypeOf(h.Value) == ssa.X:
		p.linef("\trow64(%s, %s); row64(%s + 128, %s);", at, p.parts(h.Value, 0, 4), at, p.parts(h.Value, 4, 8))
	default:
		p.linef("\trow32(%s, %s);", at, p.parts(h.Value, 0, 4))
	}
}

// parts are some parts of a value in lanes.
func (p *printer) parts(v ssa.Value, from, to int) string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, p.part(v, i))
	}
	return strings.Join(list, ", ")
}
