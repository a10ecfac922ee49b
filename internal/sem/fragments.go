package sem

// Products in the order in which registers have them: no element is moved.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// fragmentsOn are what multiplies fragments on an architecture, of which a device has one.
type fragmentsOn struct {
	arch int
	by   num.Multiplier
	num  *num.Fragments // nil: there is no code for them
}

// inRegisters multiplies where registers have the matrices; false: that cannot be, and nothing has changed.
func (o *productOp) inRegisters(w *machine.Warp) bool {
	l := w.Launch()
	if l.Products == nil {
		return false
	}
	on := o.fragments.inRegisters.Load()
	if on == nil || on.arch != l.Target.Arch || on.by != l.Products {
		on = &fragmentsOn{arch: l.Target.Arch, by: l.Products}
		if !o.Wmma {
			on.num = num.NewFragments(o.shapeOf(o.rule(on.arch)), on.by, slices.Concat(o.a, o.b, o.c, o.d))
		}
		o.fragments.inRegisters.Store(on)
	}
	if on.num == nil || !on.by.MultiplyFragments(on.num, w.R32(0)) {
		return false
	}
	w.CountSums(o.M*o.N, 0)
	return true
}
