package cc

// This file prints how warps wait at barriers: with their variables in their register block.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// block names the running warp's register block r.
const block = "char *r = (char *)*(u64m *)(b.warps + WSIZE * b.w + WREGS);"

// barrier lets the running warp wait, unless it is the last to come.
func (p *printer) barrier(e *ssa.Effect) {
	p.force(e, "")
	p.linef("\tif (rare(elsewhere(s, &b, %d))) goto X%d;", e.N, p.leave(e.State))
	p.linef("\t{ %s", block)
	for _, h := range e.Homes {
		p.home(h, 32, 0)
	}
	p.linef("\tv%d_0 = barrier(s, &b, %d, %d, fuel, %d); }", e.Results[0], e.N, e.PC, e.Entry)
}

// resume brings the variables of the running warp from its register block.
func (p *printer) resume(e *ssa.Effect) {
	p.linef("\t{ %s", block)
	for i, h := range e.Homes {
		p.fromHome(h, e.Results[i], int(e.N))
	}
	p.linef("\t}")
}

// fromHome reads a variable, of lanes from one on.
func (p *printer) fromHome(h ssa.Home, v ssa.Value, first int) {
	at := fmt.Sprintf("(r + %d)", h.Off)
	t := p.f.TypeOf(v)
	switch {
	case p.f.IsNum(v):
		p.linef("\tv%d_0 = *(u%dm *)%s;", v, t.Bits(), at)
	case h.Kind == ssa.Pred:
		for i := range p.partsOf(v) {
			p.linef("\tv%d_%d = lanes8(*(u32m *)%s >> %d);", v, i, at, 8*i)
		}
	default:
		for i := range p.partsOf(v) {
			p.linef("\tv%d_%d = ((%sm *)(%s + %d))[%d];", v, i, map[ssa.Type]string{ssa.W: "w8", ssa.X: "x4"}[t], at, first*t.Bits()/8, i)
		}
	}
}
