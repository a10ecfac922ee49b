package cc

// This file prints atomic operations: once, or lane by lane in ascending order, when all lanes have been tested.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// made is what becomes of an element of 32 and of 64 bits: O is what was there, X the operand, Y the second; SO and SX have a sign.
var made = [ssa.NumUpdates][2]string{
	ssa.UpdateAdd: {"O + X", "O + X"}, ssa.UpdateAnd: {"O & X", "O & X"}, ssa.UpdateOr: {"O | X", "O | X"}, ssa.UpdateXor: {"O ^ X", "O ^ X"},
	ssa.UpdateMinS: {"SX < SO ? X : O", "SX < SO ? X : O"}, ssa.UpdateMaxS: {"SX > SO ? X : O", "SX > SO ? X : O"},
	ssa.UpdateMinU: {"X < O ? X : O", "X < O ? X : O"}, ssa.UpdateMaxU: {"X > O ? X : O", "X > O ? X : O"},
	ssa.UpdateExch: {"X", "X"}, ssa.UpdateInc: {"O < X ? O + 1 : 0"}, ssa.UpdateDec: {"O - 1 < X ? O - 1 : X"},
	ssa.UpdateCas: {"O == X ? Y : O", "O == X ? Y : O"}, ssa.UpdateAddF: {"addf32(O, X)", "addf64(O, X)"},
	ssa.UpdateAddFlat: {"flat(addf32(flat(O), flat(X)))"},
}

func (p *printer) atomic(e *ssa.Effect) {
	a := e.Access
	if a.Check == 0 {
		p.force(e, p.anyOf(e.Mask)+" && ")
	}
	lanes := p.f.LanesIn(p.block)
	if e.Kind == ssa.AtomicOnce {
		p.linef("\t{ u32 m = %s;", p.num(e.Mask))
		lanes = 1
	} else {
		p.linef("\t{ u32 m = %s & %du;", p.bitsOf(e.Mask), uint32(1<<lanes-1))
	}
	p.addresses(a, lanes)
	if a.Check == 0 {
		p.linef("\tif (rare(outside(a, m, start%d, fits(%s, %d), %d))) { U32(MISSED) = %d; goto X%d; }", a.Bounds,
			sizeOf(a.Bounds, true), a.Bytes(), max(a.Align, 1)-1, e.PC+1, p.leave(e.State))
	}
	typ := fmt.Sprintf("u%d", 8*a.Elem)
	for k, v := range e.Args {
		p.lanesOf(fmt.Sprintf("t%d", k), v, lanes)
	}
	p.linef("\t%s t[32] __attribute__((aligned(32)));", typ)
	p.linef("\tfor (; m; m &= m - 1) { u32 i = __builtin_ctz(m); %sa *q = (%sa *)(G + a[i]); %s n, o = *q;", typ, typ, typ)
	p.linef("\t%s", p.updated(e))
	p.linef("\tt[i] = o; }")
	for _, v := range e.Results {
		vector := map[ssa.Type]string{ssa.W: "w8", ssa.X: "x4"}[p.f.TypeOf(v)]
		for i := range p.partsOf(v) {
			p.linef("\tv%d_%d = ((%sm *)t)[%d];", v, i, vector, i)
		}
	}
	p.linef("\t}")
}

// lanesOf is an array of the lanes of a value.
func (p *printer) lanesOf(name string, v ssa.Value, lanes int) {
	t := p.f.TypeOf(v)
	p.linef("\tu%d %s[32] __attribute__((aligned(32)));", t.Bits(), name)
	if p.f.IsNum(v) {
		p.linef("\tfor (u32 i = 0; i < %d; i++) %s[i] = %s;", lanes, name, p.num(v))
		return
	}
	vector := map[ssa.Type]string{ssa.W: "w8", ssa.X: "x4"}[t]
	for i := range p.lanesParts(lanes, t) {
		p.linef("\t((%sm *)%s)[%d] = %s;", vector, name, i, p.part(v, i))
	}
}

// updated is how the element at q changes.
func (p *printer) updated(e *ssa.Effect) string {
	bits := 8 * int(e.Access.Elem)
	text := "n = " + replace(made[e.Update][bits/64], []string{"SO", fmt.Sprintf("(s%d)o", bits), "SX", fmt.Sprintf("(s%d)t0[i]", bits),
		"O", "o", "X", "t0[i]", "Y", "t1[i]"}) + ";"
	if e.Locked {
		return "do " + text + " while (!__atomic_compare_exchange_n(q, &o, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));"
	}
	return text + " *q = n;"
}
