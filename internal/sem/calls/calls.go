package calls

// Calls, 9.7.12.5: of functions of the module, which the machine makes, and of those that the runtime provides.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func callLines() []sem.Line {
	return []sem.Line{
		{ID: isa.Call, Do: sem.Plan(planCall)},
	}
}

// planCall sets up a direct or indirect call, or the device function that a call of a
// runtime name is.
func planCall(b *sem.Build) {
	c := b.In.Call
	if n := nativeOf(c); n != nil {
		n.plan(b, c)
		return
	}
	site, err := b.CallSite(c)
	if err != nil {
		b.Fail("%w", err)
		return
	}
	b.Ext().Call = site
	if c.Callee != nil {
		b.Does(uop.CallDirect)
		return
	}
	b.Out.A = b.Src(&c.Target, 64)
	b.Does(uop.CallIndirect)
}

func callDirect(w *machine.Warp, in *machine.Inst) machine.State { return w.Call(in, nil) }

func callIndirect(w *machine.Warp, in *machine.Inst) machine.State {
	return w.Call(in, w.R64(in.A))
}
