package race

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// TestLoaded: a lane reads a flag that another CTA's worker releases between what is told before the access and the access; it
// has seen what the flag publishes all the same.
func TestLoaded(t *testing.T) {
	for _, told := range []bool{true, false} {
		raced := false
		d := New(Shape{Cluster: func(c uint64) uint64 { return c }, CTAs: 2, Warps: 1}, func(Race) { raced = true })
		d.Begin(0)
		d.Begin(1)
		begin := func(cta uint64, kind machine.AccessKind, order model.Order, at uint64) *access {
			a, _ := d.begin(&Touch{CTA: cta, PC: int32(at), Kind: kind, Order: order, Scope: model.GPUScope})
			return a.of(1)
		}
		does := func(a *access, at uint64) {
			d.bytes(a, nil, at, at+4)
			a.end()
		}
		does(begin(0, machine.Store, model.Weak, 64), 64)
		load := begin(1, machine.Load, model.AcquireOrder, 0)
		d.bytes(load, nil, 0, 4)
		load.end()
		does(begin(0, machine.Store, model.ReleaseOrder, 0), 0)
		if told {
			d.see(load, 0, 4)
			load.end()
		}
		does(begin(1, machine.Load, model.Weak, 64), 64)
		if raced == told {
			t.Errorf("told behind the access: %v; a race: %v", told, raced)
		}
	}
}
